//! The hook of events: it hears of what happened, and changes nothing.

use super::{BoxFuture, HookError, Named, Waiting};
use crate::event::Event;

/// Hears of calls, approvals and changes of the set, through exactly one of its two methods:
/// [`observe`](Self::observe) where the event can wait for it, before the reply leaves;
/// [`observe_now`](Self::observe_now) where it can't. That a hook failed, and how far a body has come,
/// reaches [`Toolkit::events`](crate::Toolkit::events) alone. Its failure, panic or slowness (5 s) is
/// told there and in the log, and changes nothing else.
///
/// A closure that takes an [`Event`] is an observer, and hears both ways; others are made by
/// [`observer`] and [`observer_async`].
///
/// # Cancellation
/// The future of `observe` is dropped where that of the call is. An observer that must lose nothing
/// hands the event over (to a channel, a task) when it is called, and waits afterwards.
pub trait Observer: Send + Sync {
    /// A short name for messages; `observer` unless given.
    fn name(&self) -> &str {
        "observer"
    }

    /// Takes one event.
    ///
    /// # Errors
    /// Any error is told to the operator.
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>>;

    /// Takes one event that nothing can wait for: the end of a call whose future was dropped, what
    /// comes after a reply, a tool that came or went; and every event outside of a Tokio runtime with its
    /// timers on, since nobody could be waited for within a time. It may be called outside of a runtime and must
    /// be quick, so as a rule it hands the event over; unless overridden it does nothing.
    fn observe_now(&self, event: &Event) {
        let _ = event;
    }

    /// Waits until what was taken by `observe_now` is kept; the last step of
    /// [`Toolkit::shutdown`](crate::Toolkit::shutdown). Unless overridden there is nothing to wait for.
    ///
    /// # Errors
    /// Any error is told to the operator.
    fn flush(&self) -> BoxFuture<'_, Result<(), HookError>> {
        Box::pin(std::future::ready(Ok(())))
    }
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

    fn observe_now(&self, event: &Event) {
        self(event);
    }
}

/// An observer from a name and a closure that doesn't wait and may fail; it hears both ways.
pub fn observer<F>(name: impl Into<String>, observe: F) -> Named<F>
where
    F: Fn(&Event) -> Result<(), HookError> + Send + Sync,
{
    Named::new(name, observe)
}

/// An observer from a name and a closure that returns a future. It doesn't hear of what nothing can
/// wait for.
///
/// ```
/// use toolkit::hook::observer_async;
///
/// let (sender, _receiver) = tokio::sync::mpsc::channel(16);
/// let forward = observer_async("forward", move |event| {
///     let sender = sender.clone();
///     Box::pin(async move { Ok(sender.send(event.clone()).await?) })
/// });
/// ```
pub fn observer_async<F>(name: impl Into<String>, observe: F) -> Waiting<F>
where
    F: for<'a> Fn(&'a Event) -> BoxFuture<'a, Result<(), HookError>> + Send + Sync,
{
    Waiting::new(name, observe)
}

impl<F> Observer for Named<F>
where
    F: Fn(&Event) -> Result<(), HookError> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move { (self.hook)(event) })
    }

    fn observe_now(&self, event: &Event) {
        if let Err(error) = (self.hook)(event) {
            tracing::error!(target: "toolkit", hook = self.name, %error, "hook at fault");
        }
    }
}

impl<F> Observer for Waiting<F>
where
    F: for<'a> Fn(&'a Event) -> BoxFuture<'a, Result<(), HookError>> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        (self.hook)(event)
    }
}
