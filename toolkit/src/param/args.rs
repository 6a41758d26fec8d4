//! The arguments of one call: the outer object is walked by hand, and each value is read in place
//! into its slot. The first thing amiss ends the reading; another pass explains.

use serde::de::DeserializeOwned;

use super::AnySlot;
use super::cursor::Cursor;
use crate::json::Scanner;

/// The arguments don't fit their parameters; the explaining pass says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit;

/// What holds a value to its schema where decoding doesn't. The decoder has taken the text already.
pub(crate) trait Check {
    /// Whether the argument of the parameter at `index` fits; the text is one JSON value.
    fn argument(&self, index: usize, text: &str) -> bool;
    /// Whether the whole object fits; the text is one JSON value.
    fn whole(&self, text: &str) -> bool;
    /// Whether to ask before decoding, which may take for ever. The decoder hasn't taken the text then.
    fn comes_first(&self) -> bool {
        false
    }
    /// The whole object as a value, if it fits a schema that somebody else wrote.
    #[cfg(feature = "jsonschema")]
    fn given(&self, _text: &str) -> Option<serde_json::Value> {
        None
    }
}

/// What a slot asks before it decodes a value of a type that isn't plain.
pub struct Ahead<'a> {
    check: &'a dyn Check,
    index: usize,
}

impl Ahead<'_> {
    /// Whether the value that the text begins with must be checked when it has been decoded: it needn't
    /// be if that was done here.
    ///
    /// # Errors
    /// [`Unfit`]: the value doesn't fit.
    pub(super) fn leaves_open(&self, rest: &str) -> Result<bool, Unfit> {
        if self.check.comes_first() { self.fits(rest).map(|()| false) } else { Ok(true) }
    }

    #[cold]
    fn fits(&self, rest: &str) -> Result<(), Unfit> {
        let mut scan = Scanner::within(rest, 0, 1);
        scan.skip().map_err(|_| Unfit)?;
        if self.check.argument(self.index, scan.since(0)) { Ok(()) } else { Err(Unfit) }
    }
}

/// The arguments of one call, not yet read.
pub struct Args<'a> {
    text: &'a str,
    check: &'a dyn Check,
}

/// The longest text of arguments, in bytes.
pub(crate) const MAX_LEN: usize = 1 << 20;

impl<'a> Args<'a> {
    /// Arguments as they came; `check` is asked only where a parameter needs it.
    pub(crate) fn new(text: &'a str, check: &'a dyn Check) -> Self {
        Self { text, check }
    }

    /// Reads every argument into its slot; the slots are in the order of the declared parameters.
    ///
    /// # Errors
    /// [`Unfit`]: the text or an argument isn't what it must be. The slots are then of no use.
    pub fn read(&mut self, slots: &mut [&mut dyn AnySlot]) -> Result<(), Unfit> {
        let mut cursor = Cursor::new(self.text)?;
        while let Some(index) = cursor.key(slots)? {
            let slot = &mut *slots[index];
            if slot.is_set() {
                return Err(Unfit);
            }
            let rest = cursor.value()?;
            let taken = slot.read(rest, &Ahead { check: self.check, index })?;
            if taken.check && !self.check.argument(index, &rest[..taken.len]) {
                return Err(Unfit);
            }
            cursor.took(taken.len)?;
        }
        for slot in slots {
            if !slot.is_set() && !slot.absent() {
                return Err(Unfit);
            }
        }
        Ok(())
    }

    /// Reads the whole object as one value.
    ///
    /// # Errors
    /// [`Unfit`]: the text isn't what it must be.
    pub(crate) fn typed<T: DeserializeOwned>(&mut self) -> Result<T, Unfit> {
        if self.text.len() > MAX_LEN {
            return Err(Unfit);
        }
        let text = self.object();
        let ahead = self.check.comes_first();
        if ahead {
            let mut scan = Scanner::new(text);
            scan.skip().and_then(|()| scan.end()).map_err(|_| Unfit)?;
            if !self.check.whole(text) {
                return Err(Unfit);
            }
        }
        let value = whole(text).map_err(|_| Unfit)?;
        if ahead || self.check.whole(text) { Ok(value) } else { Err(Unfit) }
    }

    /// Reads the whole object as a value that fits a schema of somebody else's.
    ///
    /// # Errors
    /// [`Unfit`]: the text isn't what it must be.
    #[cfg(feature = "jsonschema")]
    pub(crate) fn given(&mut self) -> Result<serde_json::Value, Unfit> {
        if self.text.len() > MAX_LEN {
            return Err(Unfit);
        }
        self.check.given(self.object()).ok_or(Unfit)
    }

    /// The text of the object; nothing is an empty one.
    fn object(&self) -> &'a str {
        match self.text.trim_matches([' ', '\n', '\r', '\t']) {
            "" | "null" => "{}",
            text => text,
        }
    }
}

/// Reads the whole object as one value; an empty one also as nothing, for `()` and unit structs.
pub(crate) fn whole<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| {
        let mut inner = text.chars().filter(|c| !c.is_ascii_whitespace());
        if inner.by_ref().eq(['{', '}']) {
            serde_json::from_str("null").map_err(|_| error)
        } else {
            Err(error)
        }
    })
}
