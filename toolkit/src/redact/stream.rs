//! The same redaction of a text that is too long for memory: in pieces, with what a piece ends within
//! held back.

use std::io::{self, Write};

use super::find::found;
use super::{REDACTED, Redactor};
use crate::json::{Unquote, string};

/// How much is read at once, in bytes.
const PIECE: usize = 1 << 16;

/// The longest number or word that is looked at, in bytes; a longer one is a secret for all we know.
const WORD: usize = 1 << 12;

impl Redactor {
    /// Copies a text, or JSON text, without the secrets. JSON stays JSON.
    pub(crate) fn pour(
        &self,
        read: &mut dyn FnMut(&mut [u8]) -> io::Result<usize>,
        into: &mut dyn Write,
        json: bool,
    ) -> io::Result<()> {
        let mut sieve = Sieve::new(&self.secrets);
        let mut reader = JsonSieve { sieve: Sieve::new(&self.secrets), ..JsonSieve::default() };
        let mut piece = Vec::with_capacity(PIECE);
        loop {
            let mut end = piece.len();
            piece.resize(PIECE, 0);
            loop {
                let more = read(&mut piece[end..])?;
                end += more;
                if more == 0 || end == PIECE {
                    break;
                }
            }
            piece.truncate(end);
            if piece.is_empty() {
                break;
            }
            let length = match str::from_utf8(&piece) {
                Ok(text) => text.len(),
                // A character goes on in the next piece.
                Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
                    error.valid_up_to()
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            };
            let rest = piece.split_off(length);
            let text = String::from_utf8(std::mem::replace(&mut piece, rest))
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            if json {
                reader.pass(&text, into)?;
            } else {
                into.write_all(sieve.pass(&text, false).as_bytes())?;
            }
        }
        into.write_all(sieve.pass("", true).as_bytes())?;
        reader.word(into)
    }
}

/// Takes the secrets out of a text.
#[derive(Default)]
struct Sieve<'r> {
    secrets: &'r [String],
    longest: usize,
    /// What can't be judged before more is seen.
    held: String,
    /// How much of that belongs to a secret that was replaced already.
    covered: usize,
}

impl<'r> Sieve<'r> {
    fn new(secrets: &'r [String]) -> Self {
        let longest = secrets.iter().map(String::len).max().unwrap_or_default();
        Self { secrets, longest, held: String::new(), covered: 0 }
    }

    /// What can be said of the text after this piece of it; at its end, all.
    fn pass(&mut self, piece: &str, last: bool) -> String {
        self.held.push_str(piece);
        // A secret that begins before this is wholly here.
        let mut safe = self.held.len();
        if !last {
            safe = safe.saturating_sub(self.longest.saturating_sub(1));
            while !self.held.is_char_boundary(safe) {
                safe -= 1;
            }
        }
        let mut clean = String::with_capacity(safe);
        let mut covered = self.covered;
        for (start, end) in found(self.secrets, &self.held, safe) {
            if start >= covered {
                clean.push_str(&self.held[covered..start]);
                clean.push_str(REDACTED);
            }
            covered = covered.max(end);
        }
        clean.push_str(self.held.get(covered..safe).unwrap_or_default());
        self.held.drain(..safe);
        self.covered = covered.saturating_sub(safe);
        clean
    }
}

/// Takes the secrets out of JSON text.
#[derive(Default)]
struct JsonSieve<'r> {
    /// For the content of the string that goes on.
    sieve: Sieve<'r>,
    content: Option<Unquote>,
    escaped: bool,
    /// The number or word that goes on.
    word: String,
}

impl JsonSieve<'_> {
    fn pass(&mut self, text: &str, into: &mut dyn Write) -> io::Result<()> {
        let mut rest = text;
        while !rest.is_empty() {
            if self.content.is_some() {
                let end = rest.bytes().position(|byte| {
                    let ends = byte == b'"' && !self.escaped;
                    self.escaped = byte == b'\\' && !self.escaped;
                    ends
                });
                let (inside, after) = rest.split_at(end.unwrap_or(rest.len()));
                self.inside(inside, end.is_some(), into)?;
                rest = after.strip_prefix('"').unwrap_or(after);
                continue;
            }
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
            let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
            let room = WORD.saturating_sub(self.word.len()).min(word.len());
            self.word.push_str(&word[..room]);
            let Some(next) = after.chars().next() else { return Ok(()) };
            self.word(into)?;
            rest = &after[next.len_utf8()..];
            match next {
                '"' => {
                    (self.content, self.escaped) = (Some(Unquote::inside()), false);
                    into.write_all(b"\"")?;
                }
                other => into.write_all(other.encode_utf8(&mut [0; 4]).as_bytes())?,
            }
        }
        Ok(())
    }

    /// A piece of a string's content, as it is spelled.
    fn inside(&mut self, piece: &str, last: bool, into: &mut dyn Write) -> io::Result<()> {
        let said = self.content.as_mut().map(|content| content.content(piece.as_bytes()));
        let said = String::from_utf8_lossy(said.as_deref().unwrap_or_default());
        let mut quoted = String::new();
        string(&self.sieve.pass(&said, last), &mut quoted);
        into.write_all(super::inside(&quoted).as_bytes())?;
        if last {
            self.content = None;
            into.write_all(b"\"")?;
        }
        Ok(())
    }

    /// The end of a number or word.
    fn word(&mut self, into: &mut dyn Write) -> io::Result<()> {
        let secret = |secret: &String| self.word.contains(secret.as_str());
        if self.word.len() == WORD || self.sieve.secrets.iter().any(secret) {
            write!(into, "\"{REDACTED}\"")?;
        } else {
            into.write_all(self.word.as_bytes())?;
        }
        self.word.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::io::Read;

    use super::*;

    /// Gives so many bytes at once.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(self.1).min(into.len());
            into[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn redactor(secrets: &[&str]) -> Redactor {
        Redactor { keys: Vec::new(), secrets: secrets.iter().map(|s| (*s).to_owned()).collect() }
    }

    fn poured(redactor: &Redactor, text: &str, json: bool) -> String {
        let mut out = Vec::new();
        let mut drops = Drops(text.as_bytes(), 7);
        redactor.pour(&mut |into| drops.read(into), &mut out, json).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_secret_across_a_border_is_found() {
        let redactor = redactor(&["hunter2→", "ä→"]);
        for before in (PIECE - 20)..(PIECE + 4) {
            let text =
                format!("{}hunter2→ and xä→x", "é".repeat(before / 2) + &"-".repeat(before % 2));
            let clean = redactor.text(&text).into_owned();
            assert_eq!(poured(&redactor, &text, false), clean);
            let json = serde_json::to_string(&[&text]).unwrap();
            assert_eq!(poured(&redactor, &json, true), serde_json::to_string(&[clean]).unwrap());
        }
    }

    #[test]
    fn secrets_that_overlap_leave_no_rest() {
        let redactor = redactor(&["bcdefg", "abc", "aaa"]);
        assert_eq!(redactor.text("xabcdefgx aaaaa"), "x[redacted]x [redacted]");
        assert_eq!(poured(&redactor, "xabcdefgx aaaaa", false), "x[redacted]x [redacted]");
    }

    #[test]
    fn a_word_too_long_to_be_looked_at_is_a_secret() {
        let long = format!("[{},1]", "1".repeat(PIECE * 2));
        assert_eq!(poured(&redactor(&["xyz"]), &long, true), "[\"[redacted]\",1]");
    }

    proptest! {
        #[test]
        fn in_pieces_it_is_the_same(
            texts in prop::collection::vec("[a-c\"\\\\→0-3 \n]{0,12}", 0..12),
            numbers in prop::collection::vec(0..20_000_i32, 0..6),
        ) {
            let redactor = redactor(&["ab→", "→a", "bab", "123", "23,", "c\"b"]);
            let json = serde_json::json!([texts, numbers, true, null]).to_string();
            prop_assert_eq!(poured(&redactor, &json, true), redactor.json(&json));
            let text = texts.concat();
            prop_assert_eq!(poured(&redactor, &text, false), redactor.text(&text));
        }
    }
}
