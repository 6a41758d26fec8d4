//! Errors that a tool's body returns, and what each reader may see of them.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

/// The error of a tool's body, with two readers.
///
/// [`ToolError::expected`] is for the model: an ordinary failure that it can act on, and its text
/// arrives word for word (capped and redacted). Any error that `?` converts is for the operator;
/// the model gets a reference to it.
///
/// ```
/// use toolkit::ToolError;
///
/// fn find(id: u64) -> Result<String, ToolError> {
///     let text = std::fs::read_to_string("/nowhere")?; // for the operator
///     if text.is_empty() {
///         return Err(ToolError::expected(format!("no ticket {id}; search for it first")));
///     }
///     Ok(text)
/// }
/// assert_eq!(find(7).unwrap_err().for_model(), None);
/// ```
pub struct ToolError(Repr);

enum Repr {
    Expected(Cow<'static, str>),
    Internal(Box<dyn StdError + Send + Sync>),
}

impl ToolError {
    /// An ordinary failure, told to the model word for word. Say what was wrong and what to do
    /// next; put no secret, path or trace in it.
    pub fn expected(text: impl Into<Cow<'static, str>>) -> Self {
        Self(Repr::Expected(text.into()))
    }

    /// A failure for the operator; the same as `?` on an error.
    pub fn internal(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(Repr::Internal(error.into()))
    }

    /// The text for the model, if this error has one.
    pub fn for_model(&self) -> Option<&str> {
        match &self.0 {
            Repr::Expected(text) => Some(text),
            Repr::Internal(_) => None,
        }
    }

    pub(crate) fn chain(&self) -> String {
        match &self.0 {
            Repr::Expected(text) => text.clone().into_owned(),
            Repr::Internal(error) => chain(error.as_ref()),
        }
    }
}

/// The most causes that are told of one error.
const MAX_CAUSES: usize = 64;

/// An error and all its causes, each after a colon.
pub(crate) fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    // Nothing keeps an error from being its own cause.
    for _ in 0..MAX_CAUSES {
        let Some(error) = cause else { break };
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

impl<E: StdError + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::internal(error)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Expected(text) => f.write_str(text),
            Repr::Internal(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Expected(text) => f.debug_tuple("Expected").field(text).finish(),
            Repr::Internal(error) => f.debug_tuple("Internal").field(error).finish(),
        }
    }
}
