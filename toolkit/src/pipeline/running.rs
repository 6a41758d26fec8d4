//! What is under way, and how a shutdown waits for it, or ends it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::execute::unless_cancelled;
use crate::call::{Code, ToolReply};
use crate::context::CallContext;
use crate::hook::BoxFuture;

/// How long a shutdown still waits for bodies that it has told to stop.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// The calls under way, for a shutdown that waits for them.
#[derive(Default)]
pub(crate) struct Running {
    calls: AtomicUsize,
    closed: AtomicBool,
    idle: Notify,
    /// Ends the waiting of calls that haven't started.
    closing: CancellationToken,
    /// Ends the bodies.
    ending: CancellationToken,
    /// Bodies on threads that go on though nobody waits for them any more.
    left: AtomicUsize,
}

/// Why a call no longer waits for what it needs to start.
pub(super) enum Halted {
    Cancelled,
    /// The toolkit shuts down.
    Closed,
}

impl Running {
    /// For the calls that come through a set above this one's: they end with these.
    pub(super) fn above(&self) -> Self {
        Self {
            closed: AtomicBool::new(self.closed.load(Ordering::SeqCst)),
            closing: self.closing.child_token(),
            ending: self.ending.child_token(),
            ..Self::default()
        }
    }

    /// Refuses calls from now on, also those that wait to be started.
    pub(super) fn refuse(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.closing.cancel();
    }

    /// Waits for the calls under way, once calls are refused.
    pub(super) async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            if self.under_way() == 0 {
                return;
            }
            idle.await;
        }
    }

    /// How many calls are under way.
    pub(super) fn under_way(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Tells the bodies to stop.
    pub(super) fn end(&self) {
        self.ending.cancel();
    }

    /// Resolves when the call is cancelled, or all bodies are to end.
    pub(super) fn stop(&self, call: Option<CancellationToken>) -> BoxFuture<'static, ()> {
        let ending = self.ending.clone().cancelled_owned();
        let Some(call) = call else { return Box::pin(ending) };
        let call = call.cancelled_owned();
        Box::pin(async move {
            let (mut ending, mut call) = (pin!(ending), pin!(call));
            poll_fn(|cx| match call.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(()),
                Poll::Pending => ending.as_mut().poll(cx),
            })
            .await;
        })
    }

    /// Whether the call isn't started any more. One inside a running body belongs to it, and a shutdown
    /// waits for that.
    #[inline]
    pub(super) fn refuses(&self, context: &CallContext) -> bool {
        self.closed.load(Ordering::SeqCst) && context.depth() == 0
    }

    /// The future's output, unless the call is cancelled first or the toolkit shuts down.
    pub(super) async fn unless_stopped<F: Future>(
        &self,
        context: &CallContext,
        future: F,
    ) -> Result<F::Output, Halted> {
        let mut closing: Option<Pin<Box<_>>> =
            (context.depth() == 0).then(|| Box::pin(self.closing.cancelled()));
        let mut waiting = pin!(unless_cancelled(context, future));
        poll_fn(|cx| {
            if let Some(closing) = &mut closing
                && closing.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(Err(Halted::Closed));
            }
            waiting.as_mut().poll(cx).map(|output| output.ok_or(Halted::Cancelled))
        })
        .await
    }

    /// Counts a body that nobody waits for any more.
    pub(super) fn leave(&self) {
        self.left.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts the end of such a body.
    pub(super) fn left(&self) {
        self.left.fetch_sub(1, Ordering::SeqCst);
    }

    /// How many of them there are.
    pub(crate) fn abandoned(&self) -> usize {
        self.left.load(Ordering::SeqCst)
    }

    /// Counts a call as under way.
    #[inline]
    pub(super) fn enter(&self) -> Entered<'_> {
        // Before it looks whether it is refused, so that `refuse` either sees this call or is seen by it.
        self.calls.fetch_add(1, Ordering::SeqCst);
        Entered(self)
    }
}

/// The reply to a call that isn't started any more.
#[cold]
pub(super) fn shut() -> ToolReply {
    ToolReply::not_run(Code::Busy, "shutting down; no tool runs any more")
}

pub(super) struct Entered<'a>(&'a Running);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let last = self.0.calls.fetch_sub(1, Ordering::SeqCst) == 1;
        if last && self.0.closed.load(Ordering::SeqCst) {
            self.0.idle.notify_waiters();
        }
    }
}
