//! Strings in JSON text: where they end, and what they say.

use std::borrow::Cow;

use super::super::plain::{plain, special};
use super::{Scan, Scanner};

/// A string as it stands between its quotes.
#[derive(Clone, Copy)]
pub(crate) struct Quoted<'t> {
    pub(crate) raw: &'t str,
    escaped: bool,
}

impl<'t> Quoted<'t> {
    /// What the string says.
    #[inline]
    pub(crate) fn text(self) -> Cow<'t, str> {
        if self.escaped { Cow::Owned(unescape(self.raw)) } else { Cow::Borrowed(self.raw) }
    }

    /// Whether the string, as a key, is one that `serde_json` takes for a sign of its own: some of
    /// its readers then put what stands in the value for the object itself, and others don't, so that
    /// a guard would judge something else than what a body gets.
    pub(super) fn is_reserved(self) -> bool {
        (self.raw.starts_with('$') || self.escaped)
            && self.text().starts_with("$serde_json::private::")
    }
}

/// The text of a string with valid escapes.
#[cold]
fn unescape(raw: &str) -> String {
    // The scanner has passed the string, so serde_json takes it.
    serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_else(|_| raw.to_owned())
}

impl<'t> Scanner<'t> {
    /// Passes a string.
    #[inline]
    pub(crate) fn string(&mut self) -> Scan<Quoted<'t>> {
        let start = self.at + 1;
        let escaped = self.pass_string()?;
        Ok(Quoted { raw: &self.text[start..self.at - 1], escaped })
    }

    /// Whether the string has escapes.
    #[inline]
    fn pass_string(&mut self) -> Scan<bool> {
        if self.peek() != Some(b'"') {
            return self.expected("a string");
        }
        self.at += 1;
        // Most strings are short, and have nothing special but their end.
        let bytes = self.text.as_bytes();
        if let Some(chunk) = bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            match special(*chunk) {
                0 => self.at += 8,
                hits => {
                    let end = self.at + (hits.trailing_zeros() / 8) as usize;
                    if bytes.get(end) == Some(&b'"') {
                        self.at = end + 1;
                        return Ok(false);
                    }
                }
            }
        }
        self.pass_rest_of_string()
    }

    fn pass_rest_of_string(&mut self) -> Scan<bool> {
        let mut escaped = false;
        loop {
            self.at += plain(&self.text.as_bytes()[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return self.expected("no bare control character in a string"),
                None => return self.expected("`\"` at the end of the string"),
            }
        }
    }

    fn escape(&mut self) -> Scan<()> {
        const ESCAPE: &str = "one of `\"\\/bfnrtu` after a backslash";
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                let start = self.at - 1;
                let mut unit = self.unit()?;
                if (0xD800..0xDC00).contains(&unit) && self.peek() == Some(b'\\') {
                    self.at += 1;
                    if self.peek() == Some(b'u') {
                        unit = match self.unit()? {
                            0xDC00..0xE000 => 0,
                            _ => unit,
                        };
                    }
                }
                if (0xD800..0xE000).contains(&unit) {
                    self.at = start;
                    return self.expected("a pair of surrogates");
                }
                Ok(())
            }
            _ => self.expected(ESCAPE),
        }
    }

    /// Passes `u` and four hexadecimal digits.
    fn unit(&mut self) -> Scan<u32> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            match self.peek().and_then(|b| char::from(b).to_digit(16)) {
                Some(digit) => unit = unit * 16 + digit,
                None => return self.expected("four hexadecimal digits"),
            }
            self.at += 1;
        }
        Ok(unit)
    }
}
