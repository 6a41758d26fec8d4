//! The one redaction: what a tool's author marked as secret is taken out of every text that leaves
//! the call, for the model, for the operator and for every sink alike.

mod find;
mod stream;

use std::borrow::Cow;

use serde_json::Value;

use crate::json::{Decimal, Failed, Scanner, Unquote, members, string};
use crate::order;
use crate::spec::ToolSpec;
use find::found;

/// What stands in a secret's place.
pub(crate) const REDACTED: &str = "[redacted]";

/// Shorter values are no secrets: taking `1` out of every text would leave none readable.
const SHORTEST: usize = 3;

/// The secrets of one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redactor {
    keys: Vec<&'static str>,
    secrets: Vec<String>,
}

impl Redactor {
    /// The secrets among these arguments; `None` where the tool has none, so that others pay
    /// nothing. Arguments that are no JSON yield only what can be read of them.
    #[inline]
    pub(crate) fn of(spec: &ToolSpec, arguments: &str) -> Option<Self> {
        if spec.parameters().iter().any(|parameter| parameter.secret) {
            Self::of_marked(spec, arguments)
        } else {
            None
        }
    }

    /// What takes out these secrets, the longest first; `None` where there are none.
    pub(crate) fn of_secrets(secrets: &[String]) -> Option<Self> {
        let of = || Self { keys: Vec::new(), secrets: secrets.to_vec() };
        (!secrets.is_empty()).then(of)
    }

    /// The secrets, the longest first.
    pub(crate) fn secrets(&self) -> &[String] {
        &self.secrets
    }

    fn of_marked(spec: &ToolSpec, arguments: &str) -> Option<Self> {
        let mut keys: Vec<&'static str> = Vec::new();
        for parameter in spec.parameters().iter().filter(|parameter| parameter.secret) {
            keys.extend_from_slice(parameter.aliases);
            keys.push(parameter.name);
        }
        if keys.is_empty() {
            return None;
        }
        let mut redactor = Self { keys, secrets: Vec::new() };
        redactor.learn(arguments);
        Some(redactor)
    }

    /// Takes in what is secret in these arguments as well.
    pub(crate) fn learn(&mut self, arguments: &str) {
        if self.collect_from(arguments).is_err() {
            // No text of ours may quote what can't be read.
            self.secrets.push(arguments.trim().to_owned());
        }
        self.secrets.retain(|secret| secret.len() >= SHORTEST);
        order::sort_by(&mut self.secrets, |a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.secrets.dedup();
    }

    /// Takes the secrets out of an object, or of one that a string holds. Not through a `Value`, which
    /// can't hold every number, and rounds some that it does.
    fn collect_from(&mut self, text: &str) -> Result<(), Failed> {
        let mut scanner = Scanner::new(text);
        scanner.space();
        match scanner.peek() {
            Some(b'{') => self.members(&mut scanner)?,
            Some(b'"') => {
                let content = scanner.string()?.text();
                let mut inner = Scanner::new(&content);
                inner.space();
                if inner.peek() == Some(b'{') {
                    self.members(&mut inner)?;
                }
            }
            Some(_) => scanner.skip()?,
            None => return Ok(()),
        }
        scanner.end()
    }

    fn members(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Failed> {
        let mut more = scanner.open_object()?;
        while more {
            let key = scanner.key()?.text();
            if self.keys.contains(&key.as_ref()) {
                self.leaves(scanner)?;
            } else {
                scanner.skip()?;
            }
            more = scanner.next_member()?;
        }
        Ok(())
    }

    fn leaves(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Failed> {
        match scanner.peek() {
            Some(b'"') => {
                let quoted = scanner.string()?;
                let text = quoted.text();
                // As it stands, as it came, and as it stands inside JSON text and Rust's own quotes.
                let (mut json, debug) = (String::new(), format!("{text:?}"));
                string(&text, &mut json);
                self.secrets.extend([quoted.raw, inside(&json), inside(&debug)].map(str::to_owned));
                self.secrets.push(text.into_owned());
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = scanner.number()?;
                // As it came, in its digits, and as a float is written.
                self.secrets.extend([number.to_owned(), Decimal::new(number).canonical()]);
                if let Ok(float) = number.parse::<f64>() {
                    self.secrets.extend([float.to_string(), Value::from(float).to_string()]);
                }
            }
            Some(b'[') => {
                let mut more = scanner.open_array()?;
                while more {
                    self.leaves(scanner)?;
                    more = scanner.next_element()?;
                }
            }
            Some(b'{') => {
                let mut more = scanner.open_object()?;
                while more {
                    scanner.key()?;
                    self.leaves(scanner)?;
                    more = scanner.next_member()?;
                }
            }
            _ => drop(scanner.literal()?),
        }
        Ok(())
    }

    /// What a person means by arguments that they wrote over those they were shown: an argument that
    /// is as it was shown is as it was. The error names one in which a mark would run as it stands.
    pub(crate) fn restored<'w>(
        &self,
        canonical: &str,
        written: &'w str,
    ) -> Result<Cow<'w, str>, String> {
        let mut scanner = Scanner::new(written);
        scanner.space();
        let object = scanner.clone();
        if scanner.peek() != Some(b'{') || scanner.skip().and_then(|()| scanner.end()).is_err() {
            // Nothing runs on what can't be read.
            return Ok(Cow::Borrowed(written));
        }
        let asked = members(&Scanner::new(canonical));
        let mut meant: Vec<String> = Vec::new();
        let mut hidden = false;
        for (key, value) in members(&object) {
            let now = crate::json::canonical(value);
            let was = asked.iter().find(|(asked, _)| *asked == key).map(|(_, value)| *value);
            let shown = was.map(|was| (was, self.member(&key, was)));
            let value = match shown {
                Some((was, shown)) if now == shown => {
                    hidden |= was != shown;
                    was
                }
                _ if now.contains(REDACTED) => return Err(key.into_owned()),
                _ => value,
            };
            let mut member = String::new();
            string(&key, &mut member);
            meant.push(member + ":" + value);
        }
        let whole = || Cow::Owned(format!("{{{}}}", meant.join(",")));
        Ok(if hidden { whole() } else { Cow::Borrowed(written) })
    }

    /// How the value of an argument is shown.
    fn member<'v>(&self, key: &str, value: &'v str) -> Cow<'v, str> {
        if self.keys.contains(&key) {
            let mut mark = String::new();
            string(REDACTED, &mut mark);
            Cow::Owned(mark)
        } else {
            self.json(value)
        }
    }

    /// The text without the secrets.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.secrets.iter().all(|secret| !text.contains(secret.as_str())) {
            return Cow::Borrowed(text);
        }
        // In one go: of secrets that overlap no rest may stay, and no mark is looked at again.
        let (mut shown, mut covered) = (String::with_capacity(text.len()), 0);
        for (start, end) in found(&self.secrets, text, text.len()) {
            if start >= covered {
                shown.push_str(&text[covered..start]);
                shown.push_str(REDACTED);
            }
            covered = covered.max(end);
        }
        shown.push_str(&text[covered..]);
        Cow::Owned(shown)
    }

    /// Bytes without the secrets; `None` where there are none in them. Nothing is left of bytes that
    /// hold one and are no text.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if let Ok(text) = str::from_utf8(bytes) {
            return match self.text(text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(clean) => Some(clean.into_bytes()),
            };
        }
        let holds = |secret: &String| bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
        self.secrets.iter().any(holds).then(|| REDACTED.into())
    }

    /// JSON text without the secrets, which is JSON still: a number or a word that says one becomes a
    /// string that doesn't.
    pub(crate) fn json<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // An escape may spell a secret in a way that no list of them has.
        if !text.contains('\\') && self.secrets.iter().all(|one| !text.contains(one.as_str())) {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let (token, after) = rest.split_at(token(rest));
            rest = after;
            // A string's content may be spelled with escapes, so it is looked at as it reads; of
            // escapes that say no character, as much as can be read.
            let said = token
                .starts_with('"')
                .then(|| Unquote::default().content(token.as_bytes()))
                .map(|said| String::from_utf8_lossy(&said).into_owned());
            match self.text(said.as_deref().unwrap_or(token)) {
                Cow::Borrowed(_) => shown.push_str(token),
                Cow::Owned(clean) if said.is_some() => shown += &Value::from(clean).to_string(),
                Cow::Owned(_) => shown += &Value::from(REDACTED).to_string(),
            }
        }
        Cow::Owned(shown)
    }

    /// The arguments without the secrets, as canonical JSON: what is shown is what would run, so all
    /// else stays in its digits and letters.
    pub(crate) fn arguments(&self, canonical: &str) -> String {
        self.shown(canonical).unwrap_or_else(|Failed| Value::from(REDACTED).to_string())
    }

    fn shown(&self, canonical: &str) -> Result<String, Failed> {
        let mut scanner = Scanner::new(canonical);
        let mut shown = String::from("{");
        let mut more = scanner.open_object()?;
        while more {
            let start = scanner.at;
            let key = scanner.key()?.text();
            shown.push_str(&self.json(scanner.since(start)));
            let start = scanner.at;
            scanner.skip()?;
            shown.push_str(&self.member(&key, scanner.since(start)));
            more = scanner.next_member()?;
            if more {
                shown.push(',');
            }
        }
        shown.push('}');
        scanner.end().map(|()| shown)
    }
}

/// A text without the quotes around it.
fn inside(quoted: &str) -> &str {
    quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(quoted)
}

/// The length of the piece of JSON that the text begins with: a string, a number, a word, or one
/// character of anything else.
fn token(text: &str) -> usize {
    if let Some(content) = text.strip_prefix('"') {
        let mut escaped = false;
        let end = content.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        return end.map_or(text.len(), |end| end + 2);
    }
    let is_scalar = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    match text.find(|c| !is_scalar(c)) {
        Some(0) => text.chars().next().map_or(0, char::len_utf8),
        Some(end) => end,
        None => text.len(),
    }
}

/// The text without the secrets, where there are any.
pub(crate) fn text<'t>(redactor: Option<&Redactor>, text: &'t str) -> Cow<'t, str> {
    redactor.map_or(Cow::Borrowed(text), |redactor| redactor.text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_json() {
        let secrets = ["90210", "a\\", "\"q\"", "tru", "ä→"];
        let redactor = Redactor { keys: Vec::new(), secrets: secrets.map(str::to_owned).into() };
        for (text, shown) in [
            (
                r#"{"a":90210,"b":[1.902105,true,null]}"#,
                r#"{"a":"[redacted]","b":["[redacted]","[redacted]",null]}"#,
            ),
            (r#"{"90210":"x90210y"}"#, r#"{"[redacted]":"x[redacted]y"}"#),
            (r#"["a\\\"","\"q\"","a\""]"#, r#"["[redacted]\"","[redacted]","a\""]"#),
            (r#"[ "xä→" , "ö", 902 ]"#, r#"[ "x[redacted]" , "ö", 902 ]"#),
            ("[9021]", "[9021]"),
        ] {
            let got = redactor.json(text);
            assert_eq!(got, shown, "{text}");
            assert!(serde_json::from_str::<Value>(&got).is_ok(), "{got}");
        }
    }
    #[test]
    fn no_rest_is_left_of_secrets_that_overlap_and_no_mark_is_taken_for_one() {
        let secrets = ["hunter2", "2fast", "→a→", "act"];
        let redactor = Redactor { keys: Vec::new(), secrets: secrets.map(str::to_owned).into() };
        for (text, shown) in [
            ("x hunter2fast y", "x [redacted] y"),
            ("hunter2hunter2", "[redacted][redacted]"),
            ("→a→a→a", "[redacted]a"),
            ("hunter2 acts", "[redacted] [redacted]s"),
        ] {
            assert_eq!(redactor.text(text), shown);
            assert_eq!(redactor.json(&format!("[{text:?}]")), format!("[{shown:?}]"));
        }
    }
}
