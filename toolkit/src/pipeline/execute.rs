//! The third stage: permits, intent, the body under its deadline, outcome.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use super::blocking::Reached;
use super::draft::exact_draft;
use super::fit::with_stream;
use super::run::{Run, poll_body};
use super::validate::Ready;
use super::written::Written;
use super::{Engine, Trail, defect, hex_digest, now};
use crate::call::{Code, Executed, ToolReply};
use crate::contain::{Unwound, contained, drop_contained};
use crate::context::CallContext;
use crate::hook::{BoxFuture, Course, Kept};
use crate::output::Outcome;
use crate::policy::Detail;
use crate::registry::Entry;
use crate::spec::Blocking;
use crate::store::{Ended as Outcomes, Intent};
use crate::tool::Body;

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
        ready: Ready,
        recorded: bool,
    ) -> ToolReply {
        let context = trail.context;
        let Ready { body, own } = ready;
        let own = own.as_ref();
        if context.is_cancelled() {
            return cancelled_before_start(entry);
        }
        let mut permits = match self.permits_at_once(context, entry) {
            Some(permits) => permits,
            None => {
                match Box::pin(self.queue(trail.set, context, entry, &mut trail.waited)).await {
                    Ok(permits) => match self.still_stands(trail, entry) {
                        Ok(()) => permits,
                        Err(reply) => return *reply,
                    },
                    Err(reply) => return *reply,
                }
            }
        };
        if (recorded || !trail.is_bare())
            && let Err(reply) = Box::pin(self.about_to_run(trail, entry, recorded)).await
        {
            return *reply;
        }
        // Whoever waited for nothing (a hook, a person, a permit, the store) started when the call
        // came, so the clock needn't be read again.
        let at_once = trail.free && trail.waited.is_zero();
        let start = if at_once { trail.started } else { Instant::now() };
        let limit = trail.limit(entry);
        let span = self.span(trail, entry);
        if let Some(lent) = own.and_then(CallContext::lent) {
            trail.share(lent, &self.minter);
            if self.events.has_listeners() {
                self.listen(trail, entry, lent);
            }
        }
        permits.lend(own);
        let mut permits = Some(permits);
        let mut waits = false;
        let body = match body.begin() {
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
        let mut body: Option<BoxFuture<'_, Outcome>> = match (body, &course) {
            (Some(body), Some(course)) => Some(self.wrapped(trail, entry, body, own, course)),
            (body, _) => body.map(|body| body as _),
        };
        let first = poll_fn(|cx| Poll::Ready(poll_body(&mut body, &span, cx))).await;
        let mut ended = match first {
            Poll::Ready(ended) => {
                drop_contained(&mut body);
                drop(body);
                if let Some(own) = own {
                    own.end();
                }
                ended
            }
            // Most bodies never get here.
            Poll::Pending => {
                Box::pin(Run {
                    body,
                    polled: true,
                    entered: &trail.entered,
                    limit,
                    start,
                    outer: context,
                    own,
                    running: &trail.set.running,
                    sleep: None,
                    cancelled: None,
                    ending: None,
                    waits,
                    thread: trail.thread.as_deref(),
                    span: &span,
                })
                .await
            }
        };
        drop(permits);
        // Within hooks it has been joined already, so that they see the whole.
        if course.is_none()
            && let Some(streamed) = own.and_then(|own| own.lent()?.streamed())
        {
            ended = Box::pin(with_stream(ended, streamed)).await;
        }
        let wrapped = course.map(|course| (course.innermost(), course.into_kept()));
        let usual =
            !recorded && wrapped.is_none() && trail.thread.is_none() && entry.commit().is_none();
        let mut reply = match ended {
            Ended::Done(Outcome(Ok(output))) if usual => self.success(trail, entry, output),
            ended => Box::pin(self.conclude(trail, entry, ended, wrapped, recorded)).await,
        };
        let untrusted = self.is_untrusted(entry, own) && trail.has_entered();
        if untrusted {
            self.taint_by(trail, entry);
        }
        if self.is_long(&reply) || trail.consent.is_some() || untrusted {
            reply = Box::pin(self.fit(trail, reply)).await;
        }
        if untrusted {
            self.delimit(trail, entry, &mut reply);
        }
        self.close_span(&span, &reply);
        reply
    }

    /// The last before the body: what runs is what was approved, and what is recorded is so first. The
    /// error is the reply.
    async fn about_to_run(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        recorded: bool,
    ) -> Result<(), Box<ToolReply>> {
        if let Some(consent) = &trail.consent
            && consent.binding.as_ref() != Some(&trail.binding())
        {
            let cause = "the arguments are not those that were approved";
            return Err(Box::new(defect(self, trail, Executed::No, cause)));
        }
        self.still_stands(trail, entry)?;
        if trail.once.is_some() {
            self.begin(trail, entry).await?;
        }
        if trail.delivering.is_some() {
            self.claim(trail, entry).await
        } else if recorded {
            self.intend(trail, entry).await
        } else {
            Ok(())
        }
    }

    /// The reply of a body that didn't succeed, or isn't done with that: one that was recorded, had
    /// hooks around it, ran on a thread, or drafted.
    async fn conclude(
        &self,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        ended: Ended,
        wrapped: Option<(usize, Kept)>,
        recorded: bool,
    ) -> ToolReply {
        let (mut reply, exact) = self.reply_of_course(trail, entry, ended, wrapped);
        if entry.commit().is_some() {
            reply = self.settle(trail, entry, reply, exact).await;
        }
        if recorded {
            self.end(trail, &reply).await;
        }
        reply
    }

    /// The reply of a body that had hooks around it, ran on a thread, or drafted; and the draft.
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
            Ok(Ok(())) => {
                trail.intent = Some(Written::intent(&self.store, call));
                return Ok(());
            }
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
            Ok(Ok(())) => {
                if let Some(intent) = trail.intent.take() {
                    intent.end();
                }
                return;
            }
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
