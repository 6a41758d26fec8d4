//! The keys of `#[tool]`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::{Expr, ExprPath, Ident, Lit, LitStr, Path};

use super::value::{as_integer, ungroup, unknown};
use super::{Entry, Grammar, Key, Value};
use crate::docs::Text;
use crate::errors::Errors;
use crate::host;

const TOOL: Grammar = Grammar {
    attribute: "#[tool]",
    keys: &[
        Key::new("name", "a string literal", "name = \"kb.search\""),
        Key::new("title", "a string", "title = \"Search the knowledge base\""),
        Key::new("description", "a string", "description = \"Search the knowledge base.\""),
        Key::new("risk", "one level of risk or an array of them", "risk = \"write\""),
        Key::new("flag", "a string literal", "flag = \"knowledge_base\""),
        Key::new("scopes", "an array of string literals", "scopes = [\"chat\"]"),
        Key::new("hosts", "an array of string literals", "hosts = [\"example.com\"]"),
        Key::new("timeout", "a string literal", "timeout = \"5s\""),
        Key::new("concurrency", "a whole number from 1", "concurrency = 2"),
        Key::new("parallel", "`true` or `false`, or stands alone", "parallel").bare(),
        Key::new("idempotent", "`true` or `false`, or stands alone", "idempotent").bare(),
        Key::new("polling", "`true` or `false`, or stands alone", "polling").bare(),
        // Alone it says too little, and has an error of its own.
        Key::new("blocking", "\"wait\" or \"abandon\"", "blocking = \"wait\"").bare(),
        Key::new("errors", "\"show\" or \"hide\"", "errors = \"show\""),
        Key::new("render", "the path of a function", "render = short"),
        Key::new("crate", "a path", "crate = my_crate::toolkit"),
    ],
};

const COMMIT: Grammar = Grammar {
    attribute: "#[commit]",
    keys: &[
        Key::new("timeout", "a string literal", "timeout = \"5s\""),
        Key::new("crate", "a path", "crate = my_crate::toolkit"),
    ],
};

const TOOLSET: Grammar = Grammar {
    attribute: "#[toolset]",
    keys: &[
        Key::new("domain", "a string literal", "domain = \"fs\""),
        Key::new("ceiling", "one level of risk", "ceiling = \"write\""),
        Key::new("crate", "a path", "crate = my_crate::toolkit"),
    ],
};

/// One level of risk, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Risk {
    Read,
    Write,
    Network,
    Send,
    Destructive,
}

impl Risk {
    const WORDS: [(&'static str, Self); 5] = [
        ("read", Self::Read),
        ("write", Self::Write),
        ("network", Self::Network),
        ("send", Self::Send),
        ("destructive", Self::Destructive),
    ];

    /// The level that this word is for.
    fn of(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find_map(|(known, risk)| (known == word).then_some(risk))
    }

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        Self::WORDS
            .into_iter()
            .find_map(|(word, risk)| (risk == self).then_some(word))
            .unwrap_or("")
    }

    /// The variant of `toolkit::Risk`.
    pub(crate) fn variant(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Write => "Write",
            Self::Network => "Network",
            Self::Send => "Send",
            Self::Destructive => "Destructive",
        }
    }
}

/// What becomes of a body on a thread whose time is up.
#[derive(Clone, Copy)]
pub(crate) enum Blocking {
    Wait,
    Abandon,
}

impl Blocking {
    /// The variant of `toolkit::Blocking`.
    pub(crate) fn variant(self) -> &'static str {
        match self {
            Self::Wait => "Wait",
            Self::Abandon => "Abandon",
        }
    }
}

/// What `#[tool(…)]` states.
#[derive(Default)]
pub(crate) struct ToolKeys {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<Text>,
    pub(crate) description: Option<Text>,
    pub(crate) risk: Vec<(Risk, Span)>,
    pub(crate) flag: Option<LitStr>,
    pub(crate) scopes: Vec<LitStr>,
    /// Where the key `hosts` stands, if it does.
    pub(crate) hosts_at: Option<Span>,
    pub(crate) hosts: Vec<LitStr>,
    /// In milliseconds; 0: none.
    pub(crate) timeout: Option<u64>,
    pub(crate) concurrency: Option<u32>,
    pub(crate) parallel: bool,
    /// Where the key `idempotent` stands, if it says so.
    pub(crate) idempotent: Option<Span>,
    pub(crate) polling: bool,
    /// Where the key `blocking` stands, if it does.
    pub(crate) blocking_at: Option<Span>,
    pub(crate) blocking: Option<Blocking>,
    pub(crate) show_errors: bool,
    pub(crate) render: Option<ExprPath>,
    pub(crate) krate: Option<Path>,
    /// Whether what the tool reaches can't be judged: a key may have been meant as `risk` or `hosts`.
    pub(crate) unsure: bool,
}

/// What `#[commit(…)]` states.
#[derive(Default)]
pub(crate) struct CommitKeys {
    /// In milliseconds; 0: none.
    pub(crate) timeout: Option<u64>,
    pub(crate) krate: Option<Path>,
}

/// What `#[toolset(…)]` states.
#[derive(Default)]
pub(crate) struct ToolsetKeys {
    pub(crate) domain: Option<LitStr>,
    pub(crate) ceiling: Option<Risk>,
    pub(crate) krate: Option<Path>,
    /// Whether a key may have been meant as `domain`.
    pub(crate) unsure: bool,
}

/// Reads the list in `#[toolset(…)]`.
pub(crate) fn toolset_keys(tokens: TokenStream, errors: &mut Errors) -> ToolsetKeys {
    let mut keys = ToolsetKeys::default();
    let before = errors.count();
    let entries = TOOLSET.entries(tokens, &mut Vec::new(), errors);
    for Entry { key, value, .. } in entries {
        match (key.name, value) {
            (_, Value::Path(path)) => keys.krate = Some(path),
            ("domain", value) => keys.domain = value.word(key, errors),
            (_, value) => keys.ceiling = ceiling(&value, key, errors),
        }
    }
    keys.unsure = errors.count() > before;
    keys
}

fn ceiling(value: &Value, key: &Key, errors: &mut Errors) -> Option<Risk> {
    let word = value.string(key, errors)?;
    let risk = Risk::of(&word.value());
    if risk.is_none() {
        unknown(&word, "risk", Risk::WORDS.into_iter().map(|(known, _)| known), errors);
    }
    risk
}

/// Reads the list in `#[commit(…)]`.
pub(crate) fn commit_keys(tokens: TokenStream, errors: &mut Errors) -> CommitKeys {
    let mut keys = CommitKeys::default();
    for Entry { key, value, .. } in COMMIT.entries(tokens, &mut Vec::new(), errors) {
        match value {
            Value::Path(path) => keys.krate = Some(path),
            value => keys.timeout = timeout(&value, key, errors),
        }
    }
    keys
}

/// Reads the list in `#[tool(…)]`.
pub(crate) fn tool_keys(tokens: TokenStream, errors: &mut Errors) -> ToolKeys {
    let mut keys = ToolKeys::default();
    let before = errors.count();
    let entries = TOOL.entries(tokens, &mut Vec::new(), errors);
    keys.unsure = errors.count() > before;
    for Entry { key, at, value } in entries {
        let before = errors.count();
        match key.name {
            "name" => keys.name = value.string(key, errors),
            "title" => keys.title = value.text(key, errors),
            "description" => keys.description = value.text(key, errors),
            "risk" => keys.risk = risks(&value, key, errors),
            "flag" => keys.flag = value.word(key, errors),
            "scopes" => keys.scopes = value.words(key, errors),
            "hosts" => {
                keys.hosts_at = Some(at.span());
                keys.hosts = hosts(&value, key, errors);
            }
            "timeout" => keys.timeout = timeout(&value, key, errors),
            "concurrency" => keys.concurrency = count(&value, key, errors),
            "parallel" => keys.parallel = value.switch(key, errors),
            "idempotent" => keys.idempotent = value.switch(key, errors).then(|| at.span()),
            "polling" => keys.polling = value.switch(key, errors),
            "blocking" => {
                keys.blocking_at = Some(at.span());
                keys.blocking = blocking(&value, &at, key, errors);
            }
            "errors" => {
                let choices = [("show", true), ("hide", false)];
                keys.show_errors = value.choice(key, &choices, errors).unwrap_or_default();
            }
            "render" => keys.render = function(&value, key, errors),
            _ => {
                if let Value::Path(path) = value {
                    keys.krate = Some(path);
                }
            }
        }
        keys.unsure |= key.name == "risk" && errors.count() > before;
    }
    keys
}

fn risks(value: &Value, key: &Key, errors: &mut Errors) -> Vec<(Risk, Span)> {
    let mut risks = Vec::new();
    for word in value.words(key, errors) {
        match Risk::of(&word.value()) {
            None => unknown(&word, "risk", Risk::WORDS.into_iter().map(|(known, _)| known), errors),
            Some(risk) => risks.push((risk, word.span())),
        }
    }
    risks
}

fn blocking(value: &Value, at: &Ident, key: &Key, errors: &mut Errors) -> Option<Blocking> {
    let is_switch =
        |expr: &&Expr| matches!(ungroup(expr), Expr::Lit(lit) if matches!(lit.lit, Lit::Bool(_)));
    let switch = match value.expr() {
        None => at.to_token_stream(),
        Some(expr) if is_switch(&expr) => expr.to_token_stream(),
        Some(_) => {
            let choices = [("wait", Blocking::Wait), ("abandon", Blocking::Abandon)];
            return value.choice(key, &choices, errors);
        }
    };
    errors.push_at(
        switch,
        "`blocking` must say what becomes of a body whose time is up",
        "write `blocking = \"wait\"`, and the call waits until the body has ended; or \
         `blocking = \"abandon\"`, and the call is answered in time while the body goes on",
    );
    None
}

fn hosts(value: &Value, key: &Key, errors: &mut Errors) -> Vec<LitStr> {
    let mut hosts = value.words(key, errors);
    hosts.retain(|literal| match host::check(&literal.value()) {
        Ok(()) => true,
        Err(help) => {
            errors.push_at(literal, format!("`{}` is no host", literal.value()), help);
            false
        }
    });
    hosts
}

fn timeout(value: &Value, key: &Key, errors: &mut Errors) -> Option<u64> {
    let literal = value.string(key, errors)?;
    let parsed = milliseconds(&literal.value());
    if parsed.is_none() {
        errors.push_at(
            &literal,
            format!("unknown timeout {:?}", literal.value()),
            "write a whole number from 1 with `ms`, `s`, `m` or `h`, such as \"5s\", or \"none\"",
        );
    }
    parsed
}

/// A time limit in milliseconds; 0 for "none".
fn milliseconds(text: &str) -> Option<u64> {
    if text == "none" {
        return Some(0);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|ms| *ms > 0)
}

fn count(value: &Value, key: &Key, errors: &mut Errors) -> Option<u32> {
    let expr = value.expr()?;
    let number = as_integer(expr).and_then(|number| number.base10_parse::<u32>().ok());
    match number {
        Some(number) if number > 0 => Some(number),
        _ => {
            key.mistyped(expr, errors);
            None
        }
    }
}

fn function(value: &Value, key: &Key, errors: &mut Errors) -> Option<ExprPath> {
    let expr = value.expr()?;
    match ungroup(expr) {
        Expr::Path(path) => Some(path.clone()),
        _ => {
            key.mistyped(expr, errors);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts() {
        for (text, expected) in [
            ("none", Some(0)),
            ("1ms", Some(1)),
            ("5s", Some(5_000)),
            ("2m", Some(120_000)),
            ("1h", Some(3_600_000)),
            ("0s", None),
            ("5", None),
            ("s", None),
            ("", None),
            ("5 s", None),
            ("1.5s", None),
            ("-1s", None),
            ("5sec", None),
            ("None", None),
            ("99999999999999999h", None),
            ("99999999999999999999s", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
