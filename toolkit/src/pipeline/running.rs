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
const GRACE: Duration = Duration::from_secs(1);

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
    /// Refuses calls from now on, also those that wait to be started, and waits for those under way.
    pub(crate) async fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.closing.cancel();
        loop {
            let idle = self.idle.notified();
            if self.calls.load(Ordering::SeqCst) == 0 {
                return;
            }
            idle.await;
        }
    }

    /// The same, and ends the bodies that still run after this time. How many go on all the same.
    pub(crate) async fn close_within(&self, time: Duration) -> usize {
        if tokio::time::timeout(time, self.close()).await.is_err() {
            self.ending.cancel();
            // Whoever is late even so is counted.
            let _ = tokio::time::timeout(GRACE, self.close()).await;
        }
        self.calls.load(Ordering::SeqCst) + self.abandoned()
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
        // Before it looks whether it is refused, so that `close` either sees this call or is seen by it.
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
