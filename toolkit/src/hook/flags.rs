//! Where the host says which feature flags are on.

use super::HookError;
use crate::context::CallContext;

/// Says which feature flags are on, beside those that a context states.
///
/// Closures are flag sources. An error or a panic switches the flag off, and no other.
pub trait FlagSource: Send + Sync {
    /// Whether the flag is on in these surroundings. Called on each call of a flagged tool, so it
    /// must be quick.
    ///
    /// # Errors
    /// Any error switches the flag off; its text goes to the operator.
    fn is_on(&self, flag: &str, context: &CallContext) -> Result<bool, HookError>;
}

impl<F> FlagSource for F
where
    F: Fn(&str, &CallContext) -> Result<bool, HookError> + Send + Sync,
{
    fn is_on(&self, flag: &str, context: &CallContext) -> Result<bool, HookError> {
        self(flag, context)
    }
}
