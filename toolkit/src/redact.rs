//! The one redaction: what a tool's author marked as secret is taken out of every text that leaves
//! the call, for the model, for the operator and for every sink alike.

use std::borrow::Cow;

use serde_json::Value;

use crate::spec::ToolSpec;

/// What stands in a secret's place.
pub(crate) const REDACTED: &str = "[redacted]";

/// Shorter values are no secrets: taking `1` out of every text would leave none readable.
const SHORTEST: usize = 3;

/// The secrets of one call.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    keys: Vec<&'static str>,
    secrets: Vec<String>,
}

impl Redactor {
    /// The secrets among these arguments; `None` where the tool has none, so that others pay
    /// nothing. Arguments that are no JSON yield only what can be read of them.
    pub(crate) fn of(spec: &ToolSpec, arguments: &str) -> Option<Self> {
        let marked = spec.parameters().iter().filter(|parameter| parameter.secret);
        let keys: Vec<&'static str> = marked
            .flat_map(|parameter| parameter.aliases.iter().copied().chain([parameter.name]))
            .collect();
        if keys.is_empty() {
            return None;
        }
        let mut redactor = Self { keys, secrets: Vec::new() };
        match serde_json::from_str::<Value>(arguments) {
            Ok(Value::String(inner)) => redactor.collect_from(&inner),
            Ok(value) => redactor.collect(&value),
            // No text of ours may quote what can't be read.
            Err(_) => redactor.secrets.push(arguments.trim().to_owned()),
        }
        redactor.secrets.retain(|secret| secret.len() >= SHORTEST);
        // The longest first, so that a secret inside another leaves no rest of it.
        redactor.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        redactor.secrets.dedup();
        Some(redactor)
    }

    fn collect_from(&mut self, text: &str) {
        if let Ok(value) = serde_json::from_str(text) {
            self.collect(&value);
        }
    }

    fn collect(&mut self, arguments: &Value) {
        for key in self.keys.clone() {
            if let Some(value) = arguments.get(key) {
                self.leaves(value);
            }
        }
    }

    fn leaves(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                // As it stands, and as it stands inside JSON text.
                let escaped = Value::String(text.clone()).to_string();
                let escaped = escaped[1..escaped.len() - 1].to_owned();
                if escaped != *text {
                    self.secrets.push(escaped);
                }
                self.secrets.push(text.clone());
            }
            Value::Number(number) => self.secrets.push(number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.leaves(item)),
            Value::Object(members) => members.values().for_each(|member| self.leaves(member)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The text without the secrets.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed(text);
        for secret in &self.secrets {
            if shown.contains(secret.as_str()) {
                shown = Cow::Owned(shown.replace(secret.as_str(), REDACTED));
            }
        }
        shown
    }

    /// JSON text without the secrets, which is JSON still: a number or a word that says one becomes a
    /// string that doesn't.
    pub(crate) fn json<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.secrets.iter().all(|secret| !text.contains(secret.as_str())) {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let (token, after) = rest.split_at(token(rest));
            rest = after;
            // A string's content may be spelled with escapes, so it is looked at as it reads.
            let said = serde_json::from_str::<String>(token);
            match self.text(said.as_deref().unwrap_or(token)) {
                Cow::Borrowed(_) => shown.push_str(token),
                Cow::Owned(clean) if said.is_ok() => shown += &Value::from(clean).to_string(),
                Cow::Owned(_) => shown += &Value::from(REDACTED).to_string(),
            }
        }
        Cow::Owned(shown)
    }

    /// The arguments without the secrets, as canonical JSON.
    pub(crate) fn arguments(&self, canonical: &str) -> String {
        let Ok(mut value) = serde_json::from_str::<Value>(canonical) else {
            return Value::from(REDACTED).to_string();
        };
        for key in &self.keys {
            if let Some(held) = value.get_mut(key) {
                *held = Value::from(REDACTED);
            }
        }
        self.json(&value.to_string()).into_owned()
    }
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
}
