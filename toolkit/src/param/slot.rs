//! The place that one argument is read into. Everything here is generic in the parameter's type and
//! nothing in the tool, so that two tools share the code of a type.

use serde::de::DeserializeOwned;

use super::args::{Ahead, Unfit};
use super::{Param, fast};
use crate::spec::ParamSpec;

/// How far a value reached, and whether the schema has more to say of it.
#[derive(Clone, Copy)]
pub struct Taken {
    pub(crate) len: usize,
    /// Whether decoding leaves open what only the schema refuses.
    pub(crate) check: bool,
}

/// Reads the value at the start of a text.
pub(super) type Read<T> = fn(&mut Option<T>, &str, &Ahead<'_>) -> Result<Taken, Unfit>;

/// Where one argument goes.
pub struct Slot<'p, T: 'static> {
    param: &'p Param<T>,
    value: Option<T>,
}

/// An empty slot for the parameter's argument.
pub const fn slot<T: 'static>(param: &Param<T>) -> Slot<'_, T> {
    Slot { param, value: None }
}

impl<T: 'static> Slot<'_, T> {
    /// The argument, after [`Args::read`](super::Args::read). Infallible, since a `?` for each argument
    /// is a tenth of what an expansion costs to compile.
    #[allow(clippy::expect_used)]
    pub fn take(self) -> T {
        // `Args::read` has filled every slot, or has ended the function that holds this one.
        self.value.expect("an argument was read")
    }
}

/// A [`Slot`] whatever its type.
pub trait AnySlot {
    /// The parameter's facts.
    fn spec(&self) -> &ParamSpec;
    /// Reads the value at the start of the text, and holds it to the constraints of `#[arg]`.
    ///
    /// # Errors
    /// The value doesn't fit.
    fn read(&mut self, rest: &str, ahead: &Ahead<'_>) -> Result<Taken, Unfit>;
    /// Whether a value was read.
    fn is_set(&self) -> bool;
    /// Fills the slot as for an absent argument; whether that is allowed.
    fn absent(&mut self) -> bool;
}

impl<T: 'static> AnySlot for Slot<'_, T> {
    fn spec(&self) -> &ParamSpec {
        &self.param.facts.spec
    }

    fn read(&mut self, rest: &str, ahead: &Ahead<'_>) -> Result<Taken, Unfit> {
        let param = self.param;
        let mut taken = (param.read)(&mut self.value, rest, ahead)?;
        let Some(value) = &self.value else { return Err(Unfit) };
        if let Some(range) = param.range {
            taken.check |= !range.whole();
            if !range.holds(value) {
                return Err(Unfit);
            }
        }
        if let (Some(length), Some((min, max))) = (param.length, param.facts.spec.length)
            && let Some(length) = length(value)
            && (min.is_some_and(|min| length < min) || max.is_some_and(|max| length > max))
        {
            return Err(Unfit);
        }
        taken.check |= param.facts.spec.pattern.is_some();
        Ok(taken)
    }

    fn is_set(&self) -> bool {
        self.value.is_some()
    }

    fn absent(&mut self) -> bool {
        self.value = match self.param.default {
            Some(default) => Some(default()),
            None => (self.param.absent)(),
        };
        self.value.is_some()
    }
}

/// Reads a value by hand where its type is a plain one and its text is ordinary, else by serde.
pub(super) fn read<T: DeserializeOwned + 'static>(
    out: &mut Option<T>,
    rest: &str,
    ahead: &Ahead<'_>,
) -> Result<Taken, Unfit> {
    let check = match fast::read(out, rest) {
        fast::Read::Done(taken) => return Ok(taken),
        fast::Read::Serde { check } => check && ahead.leaves_open(rest)?,
    };
    let (value, len) = take::<T>(rest).map_err(|_| Unfit)?;
    *out = Some(value);
    Ok(Taken { len, check })
}

pub(super) fn probe<T: DeserializeOwned>(rest: &str) -> Result<(), serde_json::Error> {
    take::<T>(rest).map(drop)
}

/// Reads the value at the start of a text; the second is how many bytes it took.
fn take<T: DeserializeOwned>(rest: &str) -> Result<(T, usize), serde_json::Error> {
    let mut stream = serde_json::Deserializer::from_str(scalar(rest)).into_iter::<T>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, stream.byte_offset())),
        Some(Err(error)) => Err(error),
        None => Err(serde::de::Error::custom("a value is missing")),
    }
}

/// Cuts a number or a literal at its end: `StreamDeserializer` promises to stop only after values
/// that delimit themselves.
fn scalar(text: &str) -> &str {
    match text.bytes().next() {
        Some(b'"' | b'[' | b'{') | None => text,
        _ => {
            let end = text.bytes().position(|b| {
                matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b':' | b'"')
            });
            // Every one of those bytes is a character, so the cut is at a boundary.
            end.map_or(text, |end| &text[..end])
        }
    }
}
