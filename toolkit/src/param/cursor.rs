//! A position in the outer object of arguments.

use super::AnySlot;
use super::args::{MAX_LEN, Unfit};
use crate::json::Scanner;
use crate::spec::ParamSpec;

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
    #[inline(always)]
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

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8) -> Result<(), Unfit> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(Unfit)
        }
    }

    /// Reads the next key; which slot it names, or `None` after the last member.
    #[inline(always)]
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
    #[inline(always)]
    fn name(&mut self, slots: &[&mut dyn AnySlot], guess: usize) -> Result<usize, Unfit> {
        let rest = &self.text[self.at..];
        if let Some(slot) = slots.get(guess) {
            let name = slot.spec().name;
            if rest.starts_with(name) && rest.as_bytes().get(name.len()) == Some(&b'"') {
                self.at += name.len() + 1;
                return Ok(guess);
            }
        }
        let (index, len) = named(slots, &self.text[self.at - 1..])?;
        self.at += len - 1;
        Ok(index)
    }

    /// The text from the value on.
    #[inline(always)]
    pub(super) fn value(&mut self) -> Result<&'a str, Unfit> {
        self.space();
        self.expect(b':')?;
        self.space();
        Ok(&self.text[self.at..])
    }

    /// Passes the value.
    #[inline(always)]
    pub(super) fn took(&mut self, len: usize) -> Result<(), Unfit> {
        self.at += len;
        if self.at <= self.text.len() { Ok(()) } else { Err(Unfit) }
    }

    #[inline(always)]
    fn close(&mut self) -> Result<(), Unfit> {
        self.at += 1;
        self.space();
        self.state = State::Done;
        if self.at == self.text.len() { Ok(()) } else { Err(Unfit) }
    }
}

const SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

/// Which slot the key names that the text begins with, and how long the key is with its quotes.
#[inline(never)]
fn named(slots: &[&mut dyn AnySlot], text: &str) -> Result<(usize, usize), Unfit> {
    let mut scan = Scanner::new(text);
    let key = scan.string().map_err(|_| Unfit)?.text();
    let place = |is: &dyn Fn(&ParamSpec) -> bool| slots.iter().position(|slot| is(slot.spec()));
    let index = place(&|spec| spec.name == key)
        .or_else(|| place(&|spec| spec.aliases.contains(&key.as_ref())))
        .ok_or(Unfit)?;
    Ok((index, scan.at))
}
