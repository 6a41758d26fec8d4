//! What a body gives back: the canonical value, and apart from it the text that a model reads.

mod content;
mod secret;
mod spill;
mod spool;
mod stream;
mod track;
mod whole;

use std::convert::Infallible;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::redact::Redactor;
pub use content::{Content, Part};
pub use secret::Secret;
pub(crate) use spill::{off_thread, spawn};
pub(crate) use spool::{Form, Spool};
pub(crate) use stream::Streamed;
pub use stream::{OutputError, OutputWriter};
pub use whole::OutputReader;
pub(crate) use whole::{Whole, start_of};

/// What a body came to, before the reply is made.
#[derive(Debug)]
pub struct Outcome(pub(crate) Result<Output, Failure>);

/// The result of a body that succeeded: a canonical value, and the text that a model reads of it.
///
/// Most values are their own text: a string bare, nothing as `done`, all else as compact JSON. It is
/// stored once, as text: a [`Value`] costs only the one who asks for it. One of more than 1 MiB lies in
/// a file that has no name and goes with the last who holds the output.
///
/// ```
/// use toolkit::Output;
/// let output = Output::of(&[1, 2])?.with_text("one, two");
/// assert_eq!(output.text(), Some("one, two"));
/// assert_eq!(output.value(), Some(serde_json::json!([1, 2])));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Output(Repr);

#[derive(Clone, Debug)]
enum Repr {
    /// A value that is its own text.
    Alone(Whole),
    /// What few outputs are; apart, since every reply is moved from stage to stage.
    Apart(Box<Apart>),
}

/// A value, a text of its own, and what is shown as neither.
#[derive(Clone, Debug)]
struct Apart {
    value: Whole,
    text: Whole,
    parts: Vec<Part>,
}

impl Output {
    /// The output of this value, as if a body had returned it.
    ///
    /// # Errors
    /// The value holds NaN or an infinity, or its own `Serialize` fails, and the caller mends it; or it
    /// is too long for memory and the disk refuses it.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        let mut spool = Spool::new(Form::Serialised, 64, u64::MAX);
        crate::json::write(value, &mut spool)?;
        let whole = spool.finish(size_of_val(value) == 0).map_err(serde_json::Error::io)?;
        Ok(Self::alone(whole))
    }

    /// The same value, with this as the text that a model reads.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        let mut apart = self.apart();
        apart.text = Whole::Text(text.into());
        Self(Repr::Apart(apart))
    }

    /// The same with what the body has streamed as its text. Where the body returned nothing, that is
    /// its value as well.
    pub(crate) fn streamed(self, text: Whole) -> Self {
        if let Repr::Alone(Whole::Unit) = self.0 {
            return Self::alone(text);
        }
        let mut apart = self.apart();
        apart.text = text;
        Self(Repr::Apart(apart))
    }

    pub(crate) fn alone(value: Whole) -> Self {
        Self(Repr::Alone(value))
    }

    fn with_parts(self, parts: Vec<Part>) -> Self {
        let mut apart = self.apart();
        apart.parts = parts;
        Self(Repr::Apart(apart))
    }

    /// The images and files that are shown neither in the text nor in the value, in order.
    pub fn parts(&self) -> &[Part] {
        match &self.0 {
            Repr::Alone(_) => &[],
            Repr::Apart(apart) => &apart.parts,
        }
    }

    /// What a model reads, before truncation; `None` where it lies in a file.
    pub fn text(&self) -> Option<&str> {
        self.shown().text()
    }

    /// The length in bytes of what a model reads, before truncation.
    pub fn bytes(&self) -> u64 {
        self.shown().bytes()
    }

    /// Reads what a model reads, before truncation, wherever it lies. Reading waits for the disk.
    pub fn reader(&self) -> OutputReader<'_> {
        self.shown().reader()
    }

    /// The canonical value, whole in memory; `None` where its file can't be read.
    pub fn value(&self) -> Option<Value> {
        self.canonical().value()
    }

    /// The canonical value, where it is kept as JSON text.
    pub(crate) fn json(&self) -> Option<&str> {
        let value = match &self.0 {
            Repr::Alone(value) => value,
            Repr::Apart(apart) => &apart.value,
        };
        value.text().filter(|_| value.is_json())
    }

    /// The text, where the author wrote one.
    pub(crate) fn rendered(&self) -> Option<&str> {
        match &self.0 {
            Repr::Alone(_) => None,
            Repr::Apart(apart) => apart.text.text(),
        }
    }

    /// What a model reads, and whether that is JSON.
    #[inline]
    pub(crate) fn shown(&self) -> &Whole {
        match &self.0 {
            Repr::Alone(value) => value,
            Repr::Apart(apart) => &apart.text,
        }
    }

    /// The canonical value, as text.
    pub(crate) fn canonical(&self) -> &Whole {
        match &self.0 {
            Repr::Alone(value) => value,
            Repr::Apart(apart) => &apart.value,
        }
    }

    /// Whether the text is in memory, and no longer in bytes than a budget in characters.
    #[inline]
    pub(crate) fn is_short(&self, budget: usize) -> bool {
        match &self.0 {
            Repr::Alone(whole) => whole.text().is_some_and(|text| text.len() <= budget),
            Repr::Apart(_) => false,
        }
    }

    /// Whether all of it is in memory, and short enough to stay there.
    pub(crate) fn is_near(&self) -> bool {
        [self.canonical(), self.shown()].iter().all(|whole| whole.is_near())
    }

    /// The same output with each of its texts changed.
    pub(crate) fn try_map<E>(
        self,
        mut change: impl FnMut(Whole) -> Result<Whole, E>,
    ) -> Result<Self, E> {
        Ok(Self(match self.0 {
            Repr::Alone(value) => Repr::Alone(change(value)?),
            Repr::Apart(apart) => {
                let Apart { value, text, parts } = *apart;
                let (value, text) = (change(value)?, change(text)?);
                Repr::Apart(Box::new(Apart { value, text, parts }))
            }
        }))
    }

    pub(crate) fn into_shown(self) -> Whole {
        match self.0 {
            Repr::Alone(value) => value,
            Repr::Apart(apart) => apart.text,
        }
    }

    /// The value, ready to have a text of its own: none, where it has none yet.
    fn apart(self) -> Box<Apart> {
        match self.0 {
            Repr::Alone(value) => Box::new(Apart { value, text: Whole::Unit, parts: Vec::new() }),
            Repr::Apart(apart) => apart,
        }
    }

    /// The same output without these secrets, but for what lies in a file.
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        let Ok(mut clean) = self.try_map(|whole| Ok::<_, Infallible>(whole.redacted(redactor)));
        if let Repr::Apart(apart) = &mut clean.0 {
            let parts = std::mem::take(&mut apart.parts).into_iter();
            apart.parts = parts.map(|part| part.redacted(redactor)).collect();
        }
        clean
    }
}

/// Why a body did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error that the author wrote for the model.
    Expected(String),
    /// Any other error: its whole chain, for the operator.
    Internal(String),
    /// The body could not be begun.
    NotBegun(&'static str),
    /// A result that can't be JSON, such as NaN.
    BadOutput(String),
    /// The body panicked, and a hook around it saw that.
    Panicked(String),
}

/// The whole story, for the operator.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected(text) | Self::Internal(text) | Self::Panicked(text) => f.write_str(text),
            Self::NotBegun(text) => f.write_str(text),
            Self::BadOutput(text) => write!(f, "bad output: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_its_own_text() {
        let of = |value: Value| Output::of(&value).unwrap();
        for (output, text, value) in [
            (Output::of(&()).unwrap(), "done", Value::Null),
            (of(json!("a\"\n→")), "a\"\n→", json!("a\"\n→")),
            (of(json!("")), "", json!("")),
            (of(json!("[1]")), "[1]", json!("[1]")),
            (of(json!([1])), "[1]", json!([1])),
            (of(Value::Null), "null", Value::Null),
        ] {
            assert_eq!(output.text(), Some(text));
            assert_eq!(output.value(), Some(value));
        }
        assert!(Output::of(&f64::NAN).is_err());
    }
}
