//! The third stage: permits, intent, the body under its deadline, outcome.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::coop::{Unconstrained, unconstrained};
use tokio::time::{Instant, Sleep};

use super::blocking::Reached;
use super::draft::exact_draft;
use super::fit::with_stream;
use super::validate::Ready;
use super::{Engine, Running, Trail, defect, hex_digest, now};
use crate::call::{Code, Executed, ToolReply};
use crate::contain::{Unwound, contain, contained, drop_contained, poll_contained};
use crate::context::{CallContext, MAX_DEPTH};
use crate::hook::{BoxFuture, Course, Kept};
use crate::output::Outcome;
use crate::policy::Detail;
use crate::registry::Entry;
use crate::spec::Blocking;
use crate::store::{Ended as Outcomes, Intent};
use crate::tool::Body;

/// How long a body that has been told to stop may go on before it is dropped.
const DRAIN: Duration = Duration::from_millis(500);

/// The same for a call at this depth: an inner call ends, and is told and recorded, while the body
/// around it still may go on.
fn drain(depth: usize) -> Duration {
    let depth = u32::try_from(depth.min(MAX_DEPTH)).unwrap_or_default();
    DRAIN.saturating_sub(Duration::from_millis(50) * depth)
}

/// How a body ended.
pub(super) enum Ended {
    Done(Outcome),
    Panicked(String),
    TimedOut(Duration),
    Cancelled,
    /// The engine couldn't do its part.
    Fault(&'static str),
}

impl Engine {
    /// Runs the body.
    pub(super) async fn execute(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        mut ready: Ready,
        recorded: bool,
    ) -> ToolReply {
        let context = trail.context;
        if context.is_cancelled() {
            return cancelled_before_start(entry);
        }
        let mut permits = match self.permits_at_once(context, entry) {
            Some(permits) => permits,
            None => match Box::pin(self.queue(context, entry, &mut trail.waited)).await {
                Ok(permits) => permits,
                Err(reply) => return *reply,
            },
        };
        if let Some(consent) = &trail.consent
            && consent.binding.as_ref() != Some(&trail.binding())
        {
            let cause = "the arguments are not those that were approved";
            return defect(self, trail, Executed::No, cause);
        }
        if trail.once.is_some()
            && let Err(reply) = Box::pin(self.begin(trail, entry)).await
        {
            return *reply;
        }
        let begun = if trail.delivering.is_some() {
            Box::pin(self.claim(trail, entry)).await
        } else if recorded {
            Box::pin(self.intend(trail, entry)).await
        } else {
            Ok(())
        };
        if let Err(reply) = begun {
            return *reply;
        }
        // Whoever waited for nothing (a hook, a person, a permit, the store) started when the call
        // came, so the clock needn't be read again.
        let unhooked = self.guards.is_empty() && self.rewrites.is_empty();
        let at_once = unhooked && !recorded && trail.waited.is_zero();
        let start = if at_once { trail.started } else { Instant::now() };
        let limit = trail.limit(entry);
        let span = self.span(trail, entry);
        if let Some(lent) = ready.own.as_ref().and_then(CallContext::lent) {
            trail.share(lent, &self.minter);
            if self.events.has_listeners() {
                self.listen(trail, entry, lent);
            }
        }
        permits.lend(ready.own.as_ref());
        let mut permits = Some(permits);
        let mut waits = false;
        let body = match ready.body.take() {
            Some(Body::Future(body)) => Some(body),
            Some(Body::Job(job)) => {
                if entry.spec().blocking == Some(Blocking::Wait) {
                    waits = true;
                }
                let permits = permits.take();
                permits.map(|permits| self.on_a_thread(trail, entry, *job, permits, &span))
            }
            None => None,
        };
        let course = if self.arounds.is_empty() {
            trail.entered.store(true, Ordering::Relaxed);
            None
        } else {
            Some(Box::new(Course::new(&trail.entered)))
        };
        let body: Option<BoxFuture<'_, Outcome>> = match (body, &course) {
            (Some(body), Some(course)) => {
                Some(self.wrapped(trail, entry, body, ready.own.as_ref(), course))
            }
            (body, _) => body.map(|body| body as _),
        };
        let mut run = Run {
            body,
            entered: &trail.entered,
            limit,
            start,
            outer: context,
            own: ready.own.as_ref(),
            sleep: None,
            cancelled: None,
            running: &self.running,
            ending: None,
            waits,
            span: &span,
        };
        // Lent, so that it isn't moved once more to be polled.
        let mut ended = (&mut run).await;
        drop(run);
        drop(permits);
        // Within hooks it has been joined already, so that they see the whole.
        if course.is_none()
            && let Some(streamed) = ready.own.as_ref().and_then(|own| own.lent()?.streamed())
        {
            ended = Box::pin(with_stream(ended, streamed)).await;
        }
        let wrapped = course.map(|course| (course.innermost(), course.into_kept()));
        let sends = entry.commit().is_some();
        let mut reply = if wrapped.is_none() && trail.thread.is_none() && !sends {
            self.reply(trail, entry, ended)
        } else {
            let (reply, exact) = self.reply_of_course(trail, entry, ended, wrapped);
            if sends { Box::pin(self.settle(trail, entry, reply, exact)).await } else { reply }
        };
        if recorded {
            Box::pin(self.end(trail, &reply)).await;
        }
        if self.is_long(&reply) || trail.consent.is_some() {
            reply = Box::pin(self.fit(trail, reply)).await;
        }
        self.close_span(&span, &reply);
        reply
    }

    /// The reply of a body that had hooks around it, ran on a thread, or drafted; and the draft.
    #[cold]
    fn reply_of_course(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        ended: Ended,
        wrapped: Option<(usize, Kept)>,
    ) -> (ToolReply, Option<String>) {
        let reached = trail.thread.as_ref().map(|thread| {
            let reached = thread.leave();
            trail.entered.store(reached != Reached::NotBegun, Ordering::Relaxed);
            reached
        });
        let ended = match wrapped {
            None => Ok(ended),
            Some((innermost, kept)) => self.unwrapped(trail, entry, innermost, kept, ended),
        };
        let exact = ended.as_ref().ok().and_then(|ended| exact_draft(trail, entry, ended));
        let mut reply = match (ended, reached) {
            (Ok(ended), None) => self.reply(trail, entry, ended),
            (Ok(ended), Some(reached)) => self.reply_of_thread(trail, entry, ended, reached),
            (Err(reply), _) => *reply,
        };
        if reached == Some(Reached::Runs) {
            // A hook may have given it up.
            reply.executed = Executed::Unknown;
        }
        (reply, exact)
    }

    /// Writes the intent; the error is the reply, since no intent means no body.
    pub(super) async fn intend(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let (spec, context) = (entry.spec(), trail.context);
        let call = trail.id(&self.minter);
        let arguments = trail.shown();
        let digest = hex_digest(arguments.as_bytes());
        let detail = self.policy.detail_of(context.origin(), spec.risk());
        let intent = Intent {
            call: call.as_ref().to_owned(),
            tool: spec.name().to_owned(),
            risk: spec.risk(),
            origin: context.origin(),
            principal: context.principal_name().map(str::to_owned),
            session: context.session_id().map(str::to_owned),
            digest,
            arguments: (detail >= Detail::Arguments).then_some(arguments),
            at: now(),
        };
        let cause = match contained(self.store.intend(intent)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => format!("the store refused the intent: {error}"),
            Err(Unwound(panic)) => format!("the store {panic}"),
        };
        trail.cause = Some(Cow::Owned(cause));
        let text = format!("`{}` was not run: it can't be recorded now; try later", spec.name());
        Err(Box::new(ToolReply::not_run(Code::Denied, text)))
    }

    /// Writes the outcome. The effect has happened, so a failure here changes nothing of the reply.
    async fn end(&self, trail: &mut Trail<'_>, reply: &ToolReply) {
        let call = trail.id(&self.minter);
        let ended = Outcomes { code: reply.code, executed: reply.executed, at: now() };
        let what = match contained(self.store.end(&call, ended)).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(Unwound(panic)) => panic,
        };
        tracing::error!(target: super::report::TARGET, call = &*call, what, "outcome not stored");
    }
}

pub(super) fn cancelled_before_start(entry: &Entry) -> ToolReply {
    let text = format!("`{}` was not run: the call was cancelled", entry.spec().name());
    ToolReply::not_run(Code::CancelledBeforeStart, text)
}

/// The future's output; `None` where the call was cancelled first.
pub(super) async fn unless_cancelled<F: Future>(
    context: &CallContext,
    future: F,
) -> Option<F::Output> {
    let mut cancelled = std::pin::pin!(context.cancelled());
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| {
        if cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

/// A body under its deadline. The timer and the wait for a cancellation are made only once the body
/// has had to wait: most never do.
struct Run<'a> {
    body: Option<BoxFuture<'a, Outcome>>,
    /// Whether the body has begun: a hook around it may not have let it yet.
    entered: &'a AtomicBool,
    limit: Option<Duration>,
    start: Instant,
    outer: &'a CallContext,
    own: Option<&'a CallContext>,
    /// Outside the runtime's budget: a body that has used it up each time would else never be
    /// stopped.
    sleep: Option<Pin<Box<Unconstrained<Sleep>>>>,
    cancelled: Option<BoxFuture<'static, ()>>,
    running: &'a Running,
    /// Set once the body has been told to stop.
    ending: Option<Ended>,
    /// Whether it is waited for once it has been told to stop, however long it takes.
    waits: bool,
    span: &'a tracing::Span,
}

impl Run<'_> {
    fn poll_body(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(Ended::Fault("polled after its end"));
        };
        let _entered = self.span.enter();
        let ended = match poll_contained(body, cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(outcome)) => Ended::Done(outcome),
            Poll::Ready(Err(Unwound(panic))) => Ended::Panicked(panic),
        };
        // What a body says after it was told to stop comes too late.
        Poll::Ready(self.ending.take().unwrap_or(ended))
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
