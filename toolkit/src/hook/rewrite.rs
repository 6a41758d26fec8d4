//! The hook before the gate: it may put other arguments in the place of those that came, since nothing
//! has been judged or shown yet. Which tool is called is not its to say.

use std::borrow::Cow;

use serde::Serialize;

use super::{BoxFuture, HookCall, HookError, Named, Waiting};

/// What a rewrite hook makes of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// They stay as they are.
    Keep,
    /// This JSON text takes their place: an object, as in a call.
    Replace(String),
    /// The call doesn't run; the reason is told to whoever made it.
    Refuse(Cow<'static, str>),
}

impl Change {
    /// These arguments take the place of the others.
    ///
    /// # Errors
    /// The value can't be written as JSON; the hook hands the error on with `?`, which denies.
    pub fn to<T: Serialize + ?Sized>(arguments: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(arguments).map(Self::Replace)
    }
}

/// Rewrites the arguments of calls, after they have passed validation and before anything judges them.
/// The hooks of a toolkit run in the order in which they were added, each on what the last one left;
/// a call whose arguments don't fit its schema reaches none. Each may take 5 s.
///
/// What the last one leaves is validated again, by the same rules but without repairs, and is final:
/// it is judged, shown to a person, recorded and run. Arguments that no longer fit, a hook that
/// returns an error, one that panics and one that hangs deny the call. What is secret in the
/// arguments as they came is redacted as well as what is in the final ones.
///
/// Closures are rewrite hooks through [`rewrite`] and [`rewrite_async`].
///
/// # Cancellation
/// The future is dropped when its time is up or the call is cancelled.
pub trait Rewrite: Send + Sync {
    /// A short name for decisions and messages.
    fn name(&self) -> &str;

    /// Looks at the arguments of one call.
    ///
    /// # Errors
    /// Any error denies; its text goes to the operator.
    fn rewrite<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, Result<Change, HookError>>;
}

/// A rewrite hook from a name and a closure that doesn't wait.
///
/// ```
/// use toolkit::{Change, rewrite};
///
/// // Whatever the model asks for, a search gives ten hits at most.
/// let modest = rewrite("modest", |call| {
///     let mut arguments = call.value()?;
///     match arguments.get_mut("limit") {
///         Some(limit) if limit.as_u64() > Some(10) => *limit = 10.into(),
///         _ => return Ok(Change::Keep),
///     }
///     Ok(Change::to(&arguments)?)
/// });
/// ```
pub fn rewrite<F>(name: impl Into<String>, rewrite: F) -> Named<F>
where
    F: Fn(HookCall<'_>) -> Result<Change, HookError> + Send + Sync,
{
    Named::new(name, rewrite)
}

/// A rewrite hook from a name and a closure that returns a future.
///
/// ```
/// use toolkit::Change;
/// use toolkit::hook::rewrite_async;
///
/// let resolve = rewrite_async("resolve", |call| {
///     Box::pin(async move {
///         let arguments = call.value()?;
///         // … ask a directory what its short names stand for …
///         Ok(Change::to(&arguments)?)
///     })
/// });
/// ```
pub fn rewrite_async<F>(name: impl Into<String>, rewrite: F) -> Waiting<F>
where
    F: for<'a> Fn(HookCall<'a>) -> BoxFuture<'a, Result<Change, HookError>> + Send + Sync,
{
    Waiting::new(name, rewrite)
}

impl<F> Rewrite for Named<F>
where
    F: Fn(HookCall<'_>) -> Result<Change, HookError> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn rewrite<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, Result<Change, HookError>> {
        Box::pin(async move { (self.hook)(call) })
    }
}

impl<F> Rewrite for Waiting<F>
where
    F: for<'a> Fn(HookCall<'a>) -> BoxFuture<'a, Result<Change, HookError>> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn rewrite<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, Result<Change, HookError>> {
        (self.hook)(call)
    }
}
