//! The hook of the gate: it may refuse a call, or have a person asked. It sees what would run, and can
//! change nothing of it.

use std::borrow::Cow;

use super::{BoxFuture, HookCall, HookError};

/// What a guard says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ruling {
    /// Nothing against it.
    Pass,
    /// A person must agree first; the reason is shown to them.
    Ask(Cow<'static, str>),
    /// No; the reason is told to whoever made the call.
    Deny(Cow<'static, str>),
}

/// Judges calls after the policy and before a person is asked. All guards of a toolkit run at the
/// same time; the first no ends it. A guard that returns an error, panics, or takes over 5 s denies.
///
/// Closures from [`HookCall`] to `Result<Ruling, _>` are guards through [`guard`].
///
/// # Cancellation
/// A guard is dropped when another has refused.
pub trait Guard: Send + Sync {
    /// A short name for decisions and messages.
    fn name(&self) -> &str;

    /// Judges one call.
    ///
    /// # Errors
    /// Any error denies; its text goes to the operator.
    fn judge<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>>;
}

/// A guard from a name and a closure that doesn't wait.
///
/// ```
/// use toolkit::{Ruling, guard};
///
/// let hours = guard("office_hours", |call| {
///     if call.tool().domain() == Some("ticket") {
///         return Ok(Ruling::Deny("tickets are closed today".into()));
///     }
///     Ok(Ruling::Pass)
/// });
/// ```
pub fn guard<F>(name: impl Into<String>, judge: F) -> NamedGuard<F>
where
    F: Fn(HookCall<'_>) -> Result<Ruling, HookError> + Send + Sync,
{
    NamedGuard { name: name.into(), judge }
}

/// What [`guard`] makes.
pub struct NamedGuard<F> {
    name: String,
    judge: F,
}

impl<F> Guard for NamedGuard<F>
where
    F: Fn(HookCall<'_>) -> Result<Ruling, HookError> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn judge<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        // Inside the future, so that a panic is met where it is polled.
        Box::pin(async move { (self.judge)(call) })
    }
}
