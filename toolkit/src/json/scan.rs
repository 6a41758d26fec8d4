//! Walks JSON text strictly, in place: exactly what `serde_json` takes, less objects that give a key
//! twice and values nested too deep. Builds nothing.

use std::borrow::Cow;

use super::keys::Keys;

/// How deep arrays and objects may nest; the outermost counts as one.
pub(crate) const MAX_DEPTH: usize = 64;

/// A position in a text.
#[derive(Clone)]
pub(crate) struct Scanner<'t> {
    text: &'t str,
    pub(crate) at: usize,
    /// How many arrays and objects are open.
    depth: usize,
    /// Why the last step failed, if one did.
    why: Why,
}

/// A step failed; the scanner knows where and why, so that what succeeds fits into registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

/// Where a text stops being what it must be, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) why: Why,
}

/// Why a text isn't what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Something else must stand there.
    Expected(&'static str),
    /// One array or object too many is open.
    Deep,
    /// The key has been given before.
    Twice,
}

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
    fn is_reserved(self) -> bool {
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

type Scan<T> = Result<T, Failed>;

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self::within(text, 0, 0)
    }

    /// A scanner from `at` on, where `depth` arrays and objects are open.
    pub(crate) fn within(text: &'t str, at: usize, depth: usize) -> Self {
        Self { text, at, depth, why: Why::Expected("a value") }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// The text from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(crate) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Where and why the last step failed.
    pub(crate) fn fault(&self) -> Fault {
        Fault { at: self.at, why: self.why }
    }

    #[cold]
    fn expected<T>(&mut self, expected: &'static str) -> Scan<T> {
        self.why = Why::Expected(expected);
        Err(Failed)
    }

    /// Nothing but white space is left.
    pub(crate) fn end(&mut self) -> Scan<()> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { self.expected("nothing after the value") }
    }

    /// Passes a value of any kind.
    pub(crate) fn skip(&mut self) -> Scan<()> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number().map(drop),
            Some(b'{') => {
                let mut keys = Keys::new();
                let mut more = self.open_object()?;
                while more {
                    let start = self.at;
                    let key = self.key()?;
                    if !keys.insert(key) {
                        self.at = start;
                        self.why = Why::Twice;
                        return Err(Failed);
                    }
                    self.skip()?;
                    more = self.next_member()?;
                }
                Ok(())
            }
            Some(b'[') => {
                let mut more = self.open_array()?;
                while more {
                    self.skip()?;
                    more = self.next_element()?;
                }
                Ok(())
            }
            _ => self.literal().map(drop),
        }
    }

    /// Passes `true`, `false` or `null`.
    pub(crate) fn literal(&mut self) -> Scan<&'static str> {
        let rest = &self.text.as_bytes()[self.at..];
        for word in ["true", "false", "null"] {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(word);
            }
        }
        self.expected("a value")
    }

    /// Passes a number.
    pub(crate) fn number(&mut self) -> Scan<&'t str> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.expected("no digit after a leading 0");
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(self.since(start))
    }

    fn digits(&mut self) -> Scan<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { self.expected("a digit") } else { Ok(()) }
    }

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

    fn open(&mut self) -> Scan<()> {
        if self.depth == MAX_DEPTH {
            self.why = Why::Deep;
            return Err(Failed);
        }
        self.depth += 1;
        self.at += 1;
        self.space();
        Ok(())
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Passes `[`; whether an element follows. If none does, the array is passed.
    pub(crate) fn open_array(&mut self) -> Scan<bool> {
        self.open()?;
        if self.peek() == Some(b']') {
            self.close();
            return Ok(false);
        }
        Ok(true)
    }

    /// Passes what follows an element; whether another does. If none does, the array is passed.
    pub(crate) fn next_element(&mut self) -> Scan<bool> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space();
                Ok(true)
            }
            Some(b']') => {
                self.close();
                Ok(false)
            }
            _ => self.expected("`,` or `]`"),
        }
    }

    /// Passes `{`; whether a member follows. If none does, the object is passed.
    pub(crate) fn open_object(&mut self) -> Scan<bool> {
        self.open()?;
        match self.peek() {
            Some(b'}') => {
                self.close();
                Ok(false)
            }
            Some(b'"') => Ok(true),
            _ => self.expected("a key in quotes or `}`"),
        }
    }

    /// Passes a key and its colon; the scanner then stands at the value.
    pub(crate) fn key(&mut self) -> Scan<Quoted<'t>> {
        if self.peek() != Some(b'"') {
            return self.expected("a key in quotes");
        }
        let start = self.at;
        let key = self.string()?;
        if key.is_reserved() {
            self.at = start;
            return self.expected("a key that isn't reserved");
        }
        self.colon()?;
        Ok(key)
    }

    #[inline]
    fn colon(&mut self) -> Scan<()> {
        self.space();
        if self.peek() != Some(b':') {
            return self.expected("`:` after the key");
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// Passes a key and its colon if it is this one; the name must need no escapes.
    #[inline]
    pub(crate) fn key_is(&mut self, name: &str) -> Scan<bool> {
        let rest = &self.text.as_bytes()[self.at..];
        let is = rest.len() > name.len() + 1
            && rest[0] == b'"'
            && rest[name.len() + 1] == b'"'
            && &rest[1..=name.len()] == name.as_bytes();
        if is {
            self.at += name.len() + 2;
            self.colon()?;
        }
        Ok(is)
    }

    /// Passes what follows a member; whether another does. If none does, the object is passed.
    pub(crate) fn next_member(&mut self) -> Scan<bool> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space();
                Ok(true)
            }
            Some(b'}') => {
                self.close();
                Ok(false)
            }
            _ => self.expected("`,` or `}`"),
        }
    }
}

/// The high bits of the bytes that are a quote, a backslash or a control character. Those above the
/// lowest may be wrong; it is right, and none is set if there is none.
#[inline]
fn special(chunk: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let word = u64::from_le_bytes(chunk);
    let quote = word ^ (ONES * b'"' as u64);
    let slash = word ^ (ONES * b'\\' as u64);
    // A subtraction sets a byte's high bit where the byte is too small, or where a lower one was.
    let hits = (word.wrapping_sub(ONES * 0x20) & !word)
        | (quote.wrapping_sub(ONES) & !quote)
        | (slash.wrapping_sub(ONES) & !slash);
    hits & HIGH
}

/// How many bytes a string goes on without a quote, a backslash or a control character.
#[inline]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        match special(*chunk) {
            0 => at += 8,
            hits => return at + (hits.trailing_zeros() / 8) as usize,
        }
    }
    while let Some(b) = bytes.get(at) {
        if matches!(b, b'"' | b'\\' | 0..0x20) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn scan(text: &str) -> Result<(), Fault> {
        let mut scanner = Scanner::new(text);
        scanner.space();
        scanner.skip().and_then(|()| scanner.end()).map_err(|Failed| scanner.fault())
    }

    /// serde_json's verdict, without its limit on a number's size: that is the type's business.
    pub(crate) fn serde_takes(text: &str) -> bool {
        match serde_json::from_str::<Value>(text) {
            Ok(_) => true,
            Err(e) => e.to_string().starts_with("number out of range"),
        }
    }

    #[test]
    fn takes_what_serde_json_takes() {
        for text in [
            "0",
            "-0",
            "-",
            "01",
            "-01",
            "1.",
            ".5",
            "1.5e",
            "1e+",
            "1E-7",
            "1e5",
            "+1",
            "1_0",
            "0x1",
            "true",
            "tru",
            "null",
            "nullx",
            "\"\"",
            "\"",
            "\"\\",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\\n\"",
            "\"\\ud83d\\ud83d\\ude00\"",
            "\"a\tb\"",
            "\"a\u{7f}b\"",
            "\"é→😀\"",
            "[]",
            "[ ]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1",
            "{}",
            "{ }",
            "{\"a\":1}",
            "{\"a\" : 1 , \"b\":[{}]}",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\"}",
            "{\"a\":}",
            "{,}",
            "",
            " ",
            "\u{feff}{}",
            "{} x",
            "NaN",
            "Infinity",
            "'a'",
            "/*c*/1",
            "1\u{a0}",
            "\u{b}1",
            "1e999",
            "\"12345678\\\"9\"",
            "\"1234567\u{1}8\"",
            "\"\u{80}\u{100}€€€€\"",
        ] {
            assert_eq!(scan(text).is_ok(), serde_takes(text), "{text:?}");
        }
    }

    #[test]
    fn keys_that_are_signs_to_a_reader_are_refused() {
        for key in ["$serde_json::private::RawValue", "\\u0024serde_json::private::Number"] {
            for text in [format!("{{\"{key}\":\"1\"}}"), format!("[{{\"a\":1,\"{key}\":\"1\"}}]")] {
                assert!(scan(&text).is_err(), "{text}");
            }
            assert_eq!(scan(&format!("{{\"a\":\"{key}\"}}")), Ok(()));
        }
        assert_eq!(scan("{\"$ref\":1,\"$serde\":2,\"\\u0024\":3}"), Ok(()));
    }

    #[test]
    fn says_where_and_why() {
        let at = |text: &str| scan(text).unwrap_err();
        assert_eq!(at("{\"a\":1"), Fault { at: 6, why: Why::Expected("`,` or `}`") });
        assert_eq!(at("[1 2]"), Fault { at: 3, why: Why::Expected("`,` or `]`") });
        assert_eq!(at("{\"a\":{\"b\":1,\"\\u0062\":2}}"), Fault { at: 12, why: Why::Twice });
    }

    #[test]
    fn sixty_four_deep_and_no_deeper() {
        let nested = |n| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(scan(&nested(64)), Ok(()));
        assert_eq!(scan(&nested(65)), Err(Fault { at: 64, why: Why::Deep }));
        let objects = |n| format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n));
        assert_eq!(scan(&objects(64)), Ok(()));
        assert!(scan(&objects(65)).is_err());
    }

    #[test]
    fn plain_finds_the_first_that_is_not() {
        for special in [0x00, 0x1f, b'"', b'\\', 0x20, 0x21, 0x7f, 0x80, 0xff] {
            for len in 0..20 {
                for at in 0..len {
                    let mut bytes = vec![b'a'; len];
                    bytes[at] = special;
                    let odd = special < 0x20 || special == b'"' || special == b'\\';
                    assert_eq!(plain(&bytes), if odd { at } else { len });
                    // A neighbour that the subtraction borrows from changes nothing.
                    if at + 1 < len {
                        bytes[at + 1] = special ^ 1;
                        let first = bytes.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20));
                        assert_eq!(plain(&bytes), first.unwrap_or(len));
                    }
                }
            }
        }
    }
}
