//! A position in the outer object of arguments.

use super::AnySlot;
use super::args::{MAX_LEN, Unfit};

/// Where reading stands: before a key, or before a value.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    First,
    Next(usize),
    Done,
}

impl<'a> Cursor<'a> {
    /// Opens the object.
    pub(super) fn new(text: &'a str) -> Result<Self, Unfit> {
        if text.len() > MAX_LEN {
            return Err(Unfit);
        }
        let mut cursor = Self { text, at: 0, state: State::First };
        cursor.space();
        match cursor.peek() {
            Some(b'{') => cursor.at += 1,
            // Nothing, and `null`, are arguments without a member.
            _ if matches!(text[cursor.at..].trim_end_matches(SPACE), "" | "null") => {
                cursor.state = State::Done;
            }
            _ => return Err(Unfit),
        }
        Ok(cursor)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Unfit> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(Unfit)
        }
    }

    /// Reads the next key; which slot it names, or `None` after the last member.
    pub(super) fn key(&mut self, slots: &[&mut dyn AnySlot]) -> Result<Option<usize>, Unfit> {
        if self.state == State::Done {
            return Ok(None);
        }
        self.space();
        let guess = match self.state {
            _ if self.peek() == Some(b'}') => return self.close().map(|()| None),
            State::Next(guess) => {
                self.expect(b',')?;
                self.space();
                guess
            }
            _ => 0,
        };
        self.expect(b'"')?;
        let index = self.name(slots, guess)?;
        self.state = State::Next(index + 1);
        Ok(Some(index))
    }

    /// Which slot the key names that starts here, quote taken. The next declared one is tried first.
    fn name(&mut self, slots: &[&mut dyn AnySlot], guess: usize) -> Result<usize, Unfit> {
        let rest = &self.text[self.at..];
        if let Some(slot) = slots.get(guess) {
            let name = slot.spec().name;
            if rest.starts_with(name) && rest.as_bytes().get(name.len()) == Some(&b'"') {
                self.at += name.len() + 1;
                return Ok(guess);
            }
        }
        let end = rest.bytes().position(|b| b == b'"' || b == b'\\').ok_or(Unfit)?;
        if rest.as_bytes()[end] == b'"' {
            self.at += end + 1;
            return find(slots, &rest[..end]);
        }
        let quoted = &self.text[self.at - 1..];
        let mut stream = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        let name = stream.next().and_then(Result::ok).ok_or(Unfit)?;
        self.at += stream.byte_offset() - 1;
        find(slots, &name)
    }

    /// The text from the value on.
    pub(super) fn value(&mut self) -> Result<&'a str, Unfit> {
        self.space();
        self.expect(b':')?;
        self.space();
        Ok(&self.text[self.at..])
    }

    /// Passes the value.
    pub(super) fn took(&mut self, len: usize) -> Result<(), Unfit> {
        self.at += len;
        if self.at <= self.text.len() { Ok(()) } else { Err(Unfit) }
    }

    fn close(&mut self) -> Result<(), Unfit> {
        self.at += 1;
        self.space();
        self.state = State::Done;
        if self.at == self.text.len() { Ok(()) } else { Err(Unfit) }
    }
}

const SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

fn find(slots: &[&mut dyn AnySlot], name: &str) -> Result<usize, Unfit> {
    let named = |slot: &&mut dyn AnySlot| slot.spec().name == name;
    let aliased = |slot: &&mut dyn AnySlot| slot.spec().aliases.contains(&name);
    slots
        .iter()
        .position(|slot| named(&slot))
        .or_else(|| slots.iter().position(|slot| aliased(&slot)))
        .ok_or(Unfit)
}
