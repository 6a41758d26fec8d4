//! The body under its deadline: polled once, and where it has to wait, until it ends or must.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::coop::{Unconstrained, unconstrained};
use tokio::time::{Instant, Sleep};

use super::blocking::Thread;
use super::execute::Ended;
use super::running::Running;
use crate::contain::{Unwound, contain, drop_contained, poll_contained};
use crate::context::{CallContext, MAX_DEPTH};
use crate::hook::BoxFuture;
use crate::output::Outcome;

/// How long a body that has been told to stop may go on before it is dropped.
const DRAIN: Duration = Duration::from_millis(500);

/// The same for a call at this depth: an inner call ends, and is told and recorded, while the body
/// around it still may go on.
fn drain(depth: usize) -> Duration {
    let depth = u32::try_from(depth.min(MAX_DEPTH)).unwrap_or_default();
    DRAIN.saturating_sub(Duration::from_millis(50) * depth)
}

/// The body, polled once; what it throws is an end like another.
#[inline]
pub(super) fn poll_body(
    body: &mut Option<BoxFuture<'_, Outcome>>,
    span: &tracing::Span,
    cx: &mut Context<'_>,
) -> Poll<Ended> {
    let Some(body) = body else {
        return Poll::Ready(Ended::Fault("polled after its end"));
    };
    let _entered = span.enter();
    match poll_contained(body, cx) {
        Poll::Pending => Poll::Pending,
        Poll::Ready(Ok(outcome)) => Poll::Ready(Ended::Done(outcome)),
        Poll::Ready(Err(Unwound(panic))) => Poll::Ready(Ended::Panicked(panic)),
    }
}

/// A body that has had to wait, under its deadline.
pub(super) struct Run<'a> {
    pub(super) body: Option<BoxFuture<'a, Outcome>>,
    /// Whether it has just been polled.
    pub(super) polled: bool,
    /// Whether the body has begun: a hook around it may not have let it yet.
    pub(super) entered: &'a AtomicBool,
    pub(super) limit: Option<Duration>,
    pub(super) start: Instant,
    pub(super) outer: &'a CallContext,
    pub(super) own: Option<&'a CallContext>,
    /// Outside the runtime's budget: a body that has used it up each time would else never be
    /// stopped.
    pub(super) sleep: Option<Pin<Box<Unconstrained<Sleep>>>>,
    pub(super) cancelled: Option<BoxFuture<'static, ()>>,
    pub(super) running: &'a Running,
    /// Set once the body has been told to stop.
    pub(super) ending: Option<Ended>,
    /// Whether it is waited for once it has been told to stop, however long it takes.
    pub(super) waits: bool,
    /// The body, where it is given to a thread.
    pub(super) thread: Option<&'a Thread>,
    pub(super) span: &'a tracing::Span,
}

impl Run<'_> {
    fn poll_body(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        if std::mem::take(&mut self.polled) {
            return Poll::Pending;
        }
        // What a body says after it was told to stop comes too late.
        poll_body(&mut self.body, self.span, cx).map(|ended| self.ending.take().unwrap_or(ended))
    }

    /// Why the body must stop now.
    fn poll_limits(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        let cancelled =
            self.cancelled.get_or_insert_with(|| self.running.stop(self.outer.token().cloned()));
        if cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ended::Cancelled);
        }
        let Some(limit) = self.limit else { return Poll::Pending };
        let mut deadline = self.start.checked_add(limit);
        loop {
            match self.poll_sleep(deadline, cx) {
                Ok(Poll::Ready(())) => {}
                Ok(Poll::Pending) => return Poll::Pending,
                Err(fault) => return Poll::Ready(fault),
            }
            // While a person decides on an inner call, it isn't this body that takes its time.
            let stood = self.own.map_or(Some(Duration::ZERO), |own| own.stood(cx.waker()));
            let Some(stood) = stood else { return Poll::Pending };
            deadline = self.start.checked_add(limit.saturating_add(stood));
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Poll::Ready(Ended::TimedOut(limit));
            }
            self.sleep = None;
        }
    }

    fn poll_sleep(
        &mut self,
        until: Option<Instant>,
        cx: &mut Context<'_>,
    ) -> Result<Poll<()>, Ended> {
        // A deadline beyond what the clock can count is none.
        let Some(until) = until else { return Ok(Poll::Pending) };
        let sleep = &mut self.sleep;
        // Outside a Tokio runtime with its timer on, making one panics.
        contain(|| {
            let sleep = sleep
                .get_or_insert_with(|| Box::pin(unconstrained(tokio::time::sleep_until(until))));
            sleep.as_mut().poll(cx)
        })
        .map_err(|_| Ended::Fault("there is no Tokio runtime with its timer on"))
    }
}

impl Future for Run<'_> {
    type Output = Ended;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Ended> {
        let this = self.get_mut();
        loop {
            if let Poll::Ready(ended) = this.poll_body(cx) {
                drop_contained(&mut this.body);
                return Poll::Ready(ended);
            }
            if this.ending.is_some() {
                let drain = drain(this.outer.depth());
                let until = if this.waits { None } else { Instant::now().checked_add(drain) };
                let drained = match this.poll_sleep(until, cx) {
                    Ok(Poll::Pending) => return Poll::Pending,
                    Ok(Poll::Ready(())) => this.ending.take(),
                    Err(fault) => Some(fault),
                };
                drop_contained(&mut this.body);
                return Poll::Ready(drained.unwrap_or(Ended::Cancelled));
            }
            let Poll::Ready(ending) = this.poll_limits(cx) else { return Poll::Pending };
            // One that no thread has begun yet isn't begun any more: it has nothing to put in order.
            if this.thread.is_some_and(Thread::withdraw) {
                drop_contained(&mut this.body);
                return Poll::Ready(ending);
            }
            match this.own.and_then(CallContext::token) {
                // Told to stop, and polled again: it may have something to put in order.
                Some(token) if this.entered.load(Ordering::Relaxed) => {
                    token.cancel();
                    this.sleep = None;
                    this.ending = Some(ending);
                }
                None if this.waits && this.entered.load(Ordering::Relaxed) => {
                    this.sleep = None;
                    this.ending = Some(ending);
                }
                _ => {
                    drop_contained(&mut this.body);
                    return Poll::Ready(ending);
                }
            }
        }
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        if let Some(own) = self.own {
            own.end();
        }
        if self.body.is_some() {
            drop_contained(&mut self.body);
        }
    }
}
