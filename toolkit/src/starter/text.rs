//! Counting, finding and replacing in texts.

use regex_lite::RegexBuilder;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::ToolError;

/// Texts: `text.count`, `text.find` and `text.replace`. Load it with
/// [`Builder::toolset`](crate::Builder::toolset) or [`Toolkit::load`](crate::Toolkit::load).
#[derive(Clone, Copy, Debug, Default)]
pub struct Text;

/// How long a text is.
#[derive(Clone, Copy, Debug, Serialize)]
struct Count {
    characters: usize,
    words: usize,
    lines: usize,
    bytes: usize,
}

impl JsonSchema for Count {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = || serde_json::json!({"type": "integer", "minimum": 0});
        json_schema!({
            "type": "object",
            "properties": {
                "characters": number(), "words": number(), "lines": number(), "bytes": number()
            },
            "required": ["characters", "words", "lines", "bytes"]
        })
    }
}

#[toolkit_macros::toolset(domain = "text", ceiling = "read", crate = crate)]
impl Text {
    /// Count the characters, words, lines and bytes of a text.
    ///
    /// Use it where a length matters, as for a limit of a form. Not for estimating tokens of a model.
    #[tool(risk = "read", title = "Text count")]
    fn count(
        /// The text, e.g. `Dear Ann, thank you.`.
        #[arg(length = 0..=100_000)]
        text: &str,
    ) -> Count {
        Count {
            characters: text.chars().count(),
            words: text.split_whitespace().count(),
            lines: text.lines().count(),
            bytes: text.len(),
        }
    }

    /// Find what matches a regular expression in a text, and return each match, in order.
    ///
    /// Use it to pull numbers, addresses or codes out of a text. Not for JSON: that is `json.query`.
    #[tool(risk = "read", title = "Text search", blocking = "abandon")]
    fn find(
        /// The text to look in, e.g. `Invoice 2026-117, paid twice.`.
        #[arg(length = 0..=100_000)]
        text: &str,
        /// The regular expression, e.g. `[0-9]{4}-[0-9]+`. Without look-around and back-references.
        #[arg(length = 1..=200)]
        pattern: &str,
        /// Whether upper and lower case are the same.
        #[arg(default = false)]
        ignore_case: bool,
        /// How many matches to return at most, e.g. `10`.
        #[arg(default = 100, range = 1..=1000)]
        limit: usize,
    ) -> Result<Vec<String>, ToolError> {
        let built =
            RegexBuilder::new(pattern).case_insensitive(ignore_case).size_limit(1 << 18).build();
        let regex = built.map_err(|error| {
            ToolError::expected(format!(
                "`pattern` is no regular expression that can be used: {error}; write it like \
                 `[0-9]+`, with a backslash before a sign that is meant as it stands"
            ))
        })?;
        Ok(regex.find_iter(text).take(limit).map(|found| found.as_str().to_owned()).collect())
    }

    /// Return a text in which another piece stands at every occurrence of one, to replace it.
    ///
    /// Use it for exact changes that must not touch anything else. Not for patterns: look with
    /// `text.find` first, then replace what it found.
    #[tool(risk = "read", title = "Text replacement")]
    fn replace(
        /// The text, e.g. `Dear Anne`.
        #[arg(length = 0..=100_000)]
        text: &str,
        /// The piece to be replaced, as it stands in the text, e.g. `Anne`.
        #[arg(length = 1..=1000)]
        from: &str,
        /// What stands there instead, e.g. `Ann`. Empty to take the piece out.
        #[arg(length = 0..=1000)]
        to: &str,
    ) -> Result<String, ToolError> {
        let found = text.matches(from).count();
        if found == 0 {
            return Err(ToolError::expected(
                "`from` isn't in `text`: it is compared letter for letter, case and space included",
            ));
        }
        let length = text.len() + found * to.len();
        if length > 1 << 20 {
            return Err(ToolError::expected(format!(
                "the new text would have some {length} bytes, and at most 1048576 are made; replace in \
                 parts"
            )));
        }
        Ok(text.replace(from, to))
    }
}
