//! The arguments of one call: the outer object is walked by hand, and each value is read in place
//! into its slot. The first thing amiss ends the reading; another pass explains.

use serde::de::DeserializeOwned;

use super::AnySlot;
use super::cursor::Cursor;

/// The arguments don't fit their parameters; the explaining pass says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit;

/// What holds a value to its schema where decoding doesn't. The decoder has taken the text already.
pub(crate) trait Check {
    /// Whether the argument of the parameter at `index` fits; the text is one JSON value.
    fn argument(&self, index: usize, text: &str) -> bool;
    /// Whether the whole object fits; the text is one JSON value.
    fn whole(&self, text: &str) -> bool;
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
            let taken = slot.read(rest)?;
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
        let text = match self.text.trim_matches([' ', '\n', '\r', '\t']) {
            "" | "null" => "{}",
            text => text,
        };
        let value = whole(text).map_err(|_| Unfit)?;
        if self.check.whole(text) { Ok(value) } else { Err(Unfit) }
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
