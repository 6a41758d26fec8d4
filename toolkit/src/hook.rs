//! Hooks of the host: guards, which may refuse a call, and observers, which hear of it.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use crate::context::CallContext;
use crate::event::Event;
use crate::spec::ToolSpec;

/// A boxed future, as hooks return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How long a guard or an observer may take.
pub const HOOK_TIME: std::time::Duration = std::time::Duration::from_secs(5);

/// The error of a hook; its text is for the operator.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;

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

/// Hears of calls and approvals, and is awaited before the reply leaves; that a tool came or went
/// reaches [`Toolkit::events`](crate::Toolkit::events) alone. Its failure, panic or slowness (5 s)
/// is logged and changes nothing else.
pub trait Observer: Send + Sync {
    /// Takes one event.
    ///
    /// # Errors
    /// Any error is logged.
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>>;
}

impl<F> Observer for F
where
    F: Fn(&Event) + Send + Sync,
{
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            self(event);
            Ok(())
        })
    }
}

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
