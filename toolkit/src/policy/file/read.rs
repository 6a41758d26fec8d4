//! Reads values of a TOML file, and keeps what is wrong with them.

use std::time::Duration;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::super::rule::Place;
use crate::text::nearest;

pub(super) type Key<'t> = Spanned<DeString<'t>>;
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// A file that is being read.
pub(super) struct Reader<'t> {
    name: &'t str,
    text: &'t str,
    /// Each with its line.
    problems: Vec<(u32, String)>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(name: &'t str, text: &'t str) -> Self {
        Self { name, text, problems: Vec::new() }
    }

    pub(super) fn into_problems(self) -> Vec<(u32, String)> {
        self.problems
    }

    /// The whole file, as far as it is TOML.
    pub(super) fn document(&mut self) -> Option<DeTable<'t>> {
        let (document, errors) = DeTable::parse_recoverable(self.text);
        for error in &errors {
            let at = error.span().map_or(self.text.len(), |span| span.start);
            self.wrong(at, format!("no TOML: {}", error.message()));
        }
        // What can be read of a broken file is not what was meant.
        errors.is_empty().then(|| document.into_inner())
    }

    fn line(&self, at: usize) -> u32 {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    pub(super) fn place(&self, at: usize) -> Place {
        Place { file: self.name.to_owned().into(), line: self.line(at) }
    }

    /// Takes note of what is wrong at a place of the text.
    pub(super) fn wrong(&mut self, at: usize, what: impl AsRef<str>) {
        let line = self.line(at);
        self.told(line, format!("{}:{line}: {}", self.name, what.as_ref()));
    }

    /// Takes note of what says itself where it is wrong.
    pub(super) fn told(&mut self, line: u32, text: String) {
        self.problems.push((line, text));
    }

    /// A key that isn't one.
    pub(super) fn unknown(&mut self, of: &str, key: &Key<'_>, known: &[&str]) {
        let given = key.get_ref().as_ref();
        let what = format!("unknown key `{of}{given}`; {}", meant(given, known));
        self.wrong(key.span().start, what);
    }

    /// A text.
    pub(super) fn text<'v>(&mut self, what: &str, value: &'v Value<'_>) -> Option<&'v str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            let kind = kind(value.get_ref());
            self.wrong(value.span().start, format!("`{what}` must be a text, not {kind}"));
        }
        text
    }

    pub(super) fn switch(&mut self, what: &str, value: &Value<'_>) -> Option<bool> {
        let on = value.get_ref().as_bool();
        if on.is_none() {
            let kind = kind(value.get_ref());
            self.wrong(value.span().start, format!("`{what}` must be true or false, not {kind}"));
        }
        on
    }

    pub(super) fn table<'v>(
        &mut self,
        what: &str,
        value: &'v Value<'t>,
    ) -> Option<&'v DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            let kind = kind(value.get_ref());
            self.wrong(value.span().start, format!("`{what}` must be a table, not {kind}"));
        }
        table
    }

    /// A text, or a list of them.
    pub(super) fn texts(&mut self, what: &str, value: &Value<'_>) -> Vec<String> {
        let Some(list) = value.get_ref().as_array() else {
            return self.text(what, value).map(str::to_owned).into_iter().collect();
        };
        if list.is_empty() {
            self.wrong(value.span().start, format!("`{what}` is an empty list"));
        }
        let texts = list.iter().filter_map(|item| self.text(what, item).map(str::to_owned));
        texts.collect()
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        what: &str,
        value: &Value<'_>,
        words: &[(&str, T)],
    ) -> Option<T> {
        let given = self.text(what, value)?;
        let found = words.iter().find(|(word, _)| *word == given);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let text = format!("`{what}` can't be \"{given}\"; {}", meant(given, &known));
            self.wrong(value.span().start, text);
        }
        found.map(|(_, meant)| *meant)
    }

    /// One of some words, or a list of them.
    pub(super) fn words<T: Copy>(
        &mut self,
        what: &str,
        value: &Value<'_>,
        words: &[(&str, T)],
    ) -> Vec<T> {
        match value.get_ref().as_array() {
            None => self.word(what, value, words).into_iter().collect(),
            Some(list) => list.iter().filter_map(|item| self.word(what, item, words)).collect(),
        }
    }

    /// A time as `#[tool(timeout)]` takes it.
    pub(super) fn time(&mut self, what: &str, value: &Value<'_>) -> Option<Duration> {
        let given = self.text(what, value)?;
        let digits = given.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = given.split_at(digits);
        let unit: Option<u64> = match unit {
            "ms" => Some(1),
            "s" => Some(1_000),
            "m" => Some(60_000),
            "h" => Some(3_600_000),
            _ => None,
        };
        let number = number.parse::<u64>().ok();
        let time = number.zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
        if time.is_none() {
            let text =
                format!("`{what}` can't be \"{given}\"; say a number of ms, s, m or h: \"90s\"");
            self.wrong(value.span().start, text);
        }
        time.map(Duration::from_millis)
    }
}

/// What may have been meant, and what there is.
pub(super) fn meant(given: &str, known: &[&str]) -> String {
    let near = nearest(given, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("{near}known: {}", known.join(", "))
}

/// What a value is, for a message.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
