//! The hook of the gate: it may refuse a call, or have a person asked. It sees what would run, and can
//! change nothing of it.

use std::borrow::Cow;

use super::{BoxFuture, HookCall, HookError, Named, Waiting};

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
/// Closures are guards through [`guard`] and [`guard_async`].
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
pub fn guard<F>(name: impl Into<String>, judge: F) -> Named<F>
where
    F: Fn(HookCall<'_>) -> Result<Ruling, HookError> + Send + Sync,
{
    Named::new(name, judge)
}

/// A guard from a name and a closure that returns a future.
///
/// ```
/// use std::time::Duration;
///
/// use toolkit::Ruling;
/// use toolkit::hook::guard_async;
///
/// let slow = guard_async("slow", |_call| {
///     Box::pin(async {
///         tokio::time::sleep(Duration::from_millis(10)).await;
///         Ok(Ruling::Pass)
///     })
/// });
/// ```
pub fn guard_async<F>(name: impl Into<String>, judge: F) -> Waiting<F>
where
    F: for<'a> Fn(HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> + Send + Sync,
{
    Waiting::new(name, judge)
}

impl<F> Guard for Named<F>
where
    F: Fn(HookCall<'_>) -> Result<Ruling, HookError> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn judge<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        Box::pin(async move { (self.hook)(call) })
    }
}

impl<F> Guard for Waiting<F>
where
    F: for<'a> Fn(HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn judge<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        (self.hook)(call)
    }
}
