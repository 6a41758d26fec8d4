//! The hook of the gate: it may refuse a call, or have a person asked. It sees what would run, and can
//! change nothing of it.

use std::borrow::Cow;

use super::{BoxFuture, HookError};
use crate::context::CallContext;
use crate::spec::ToolSpec;

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

/// What a guard sees: the final arguments, exactly as they would run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GuardCall<'a> {
    /// The tool.
    pub tool: &'a ToolSpec,
    /// The final arguments as JSON text.
    pub arguments: &'a str,
    /// What surrounds the call.
    pub context: &'a CallContext,
}

impl GuardCall<'_> {
    /// The final arguments as a value; an empty object where there are none.
    ///
    /// # Errors
    /// A [`Value`](serde_json::Value) can't hold them, such as a number that no float reaches under a
    /// key that a schema leaves open. A guard hands the error on with `?`, which denies.
    pub fn value(&self) -> Result<serde_json::Value, serde_json::Error> {
        match self.arguments.trim() {
            "" | "null" => Ok(serde_json::Map::new().into()),
            text => serde_json::from_str(text),
        }
    }
}

/// Judges calls after the policy and before a person is asked. All guards of a toolkit run at the
/// same time; the first no ends it. A guard that returns an error, panics, or takes over 5 s denies.
///
/// Closures from [`GuardCall`] to `Result<Ruling, _>` are guards through [`guard`].
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
    fn judge<'a>(&'a self, call: GuardCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>>;
}

/// A guard from a name and a closure that doesn't wait.
///
/// ```
/// use toolkit::{Ruling, guard};
///
/// let hours = guard("office_hours", |call| {
///     if call.tool.domain() == Some("ticket") {
///         return Ok(Ruling::Deny("tickets are closed today".into()));
///     }
///     Ok(Ruling::Pass)
/// });
/// ```
pub fn guard<F>(name: impl Into<String>, judge: F) -> NamedGuard<F>
where
    F: Fn(GuardCall<'_>) -> Result<Ruling, HookError> + Send + Sync,
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
    F: Fn(GuardCall<'_>) -> Result<Ruling, HookError> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn judge<'a>(&'a self, call: GuardCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        // Inside the future, so that a panic is met where it is polled.
        Box::pin(async move { (self.judge)(call) })
    }
}
