//! Walks JSON text strictly, in place: exactly what `serde_json` takes, less objects that give a key
//! twice and values nested too deep. Builds nothing.

mod strings;

pub(crate) use strings::Quoted;

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
        self.next(b']', "`,` or `]`")
    }

    /// Passes a comma and says that more follows, or passes the end of what is open.
    #[inline]
    fn next(&mut self, end: u8, expected: &'static str) -> Scan<bool> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space();
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.close();
                Ok(false)
            }
            _ => self.expected(expected),
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
        self.next(b'}', "`,` or `}`")
    }
}
