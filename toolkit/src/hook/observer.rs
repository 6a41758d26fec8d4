//! The hook of events: it hears of what happened, and changes nothing.

use super::{BoxFuture, HookError};
use crate::event::Event;

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
