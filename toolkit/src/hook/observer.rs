//! The hook of events: it hears of what happened, and changes nothing.

use super::{BoxFuture, HookError};
use crate::event::Event;

/// Hears of every event, through exactly one of its two methods: [`observe`](Self::observe) where
/// the event can wait for it, before the reply leaves; [`observe_now`](Self::observe_now) where it
/// can't. Its failure, panic or slowness (5 s) is logged and changes nothing else.
///
/// Closures from [`Event`] are observers; they hear both ways.
///
/// # Cancellation
/// The future of `observe` is dropped where that of the call is. An observer that must lose nothing
/// hands the event over (to a channel, a task) when it is called, and waits afterwards.
pub trait Observer: Send + Sync {
    /// Takes one event.
    ///
    /// # Errors
    /// Any error is logged.
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>>;

    /// Takes one event that nothing can wait for: the end of a call whose future was dropped, what
    /// comes after a reply, a tool that came or went. It may be called outside of a runtime and must
    /// be quick, so as a rule it hands the event over; unless overridden it does nothing.
    fn observe_now(&self, event: &Event) {
        let _ = event;
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
