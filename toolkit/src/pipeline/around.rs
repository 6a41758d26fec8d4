//! Hooks around the body: how they and the body are one future, and what becomes of a call whose hook
//! didn't run the body, or was at fault.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tokio::task::coop::unconstrained;
use tokio::time::sleep;

use super::execute::{Ended, cancelled_before_start};
use super::fit::joined;
use super::hooks::{FAILED, denied, late, name_of};
use super::render::seconds;
use super::{Engine, Trail, defect};
use crate::call::{Executed, ToolReply};
use crate::contain::{Unwound, contained};
use crate::context::CallContext;
use crate::event::HookKind;
use crate::hook::{self, BoxFuture, Course, HOOK_TIME, Kept, Next};
use crate::output::{Failure, Outcome};
use crate::registry::Entry;
use crate::spec::Blocking;

impl Engine {
    /// The body with the hooks around it.
    #[cold]
    pub(super) fn wrapped<'a>(
        &'a self,
        trail: &'a Trail<'_>,
        entry: &'a Entry,
        body: BoxFuture<'a, Outcome>,
        own: Option<&'a CallContext>,
        course: &'a Course<'a>,
    ) -> BoxFuture<'a, Outcome> {
        let spec = entry.spec();
        let call = trail.hook_call(entry);
        let limit = trail.limit(entry);
        let body: BoxFuture<'a, Outcome> = match own {
            None => body,
            Some(own) => Box::pin(async move {
                let outcome = match contained(body).await {
                    Ok(outcome) => outcome,
                    Err(Unwound(panic)) => Outcome(Err(Failure::Panicked(panic))),
                };
                match own.lent().and_then(|lent| lent.streamed()) {
                    Some(streamed) => joined(outcome, streamed).await,
                    None => outcome,
                }
            }),
        };
        let run = Next::new(&self.arounds, call, body, course).run();
        Box::pin(async move {
            let run = pin!(run);
            // Dropped before the hooks are.
            let _ending = course.ending();
            // A body that is waited for has no deadline that would end a hook's waiting.
            if limit.is_some() && spec.blocking != Some(Blocking::Wait) {
                return hook::outcome(run.await);
            }
            match in_hook_time(run, course).await {
                Some(given) => hook::outcome(given),
                None => {
                    course.hang();
                    Outcome(Err(Failure::Internal(late())))
                }
            }
        })
    }

    /// How the body ended, as far as the hooks around it leave it at that; the error is the reply.
    #[cold]
    pub(super) fn unwrapped(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        innermost: usize,
        kept: Kept,
        ended: Ended,
    ) -> Result<Ended, Box<ToolReply>> {
        let name = self.arounds.get(innermost).map_or("", |hook| name_of(|| hook.name()));
        for (hook, what) in &kept.faults {
            self.at_fault(trail, HookKind::Around, hook, what);
        }
        let ended = if kept.hung { Ended::TimedOut(HOOK_TIME) } else { ended };
        if kept.let_in {
            let executed = if trail.has_entered() { Executed::Yes } else { Executed::No };
            if let Ended::TimedOut(limit) = ended
                && kept.left
            {
                let what = format!("didn't end within {}", seconds(limit));
                self.at_fault(trail, HookKind::Around, name, &what);
                if kept.defect.is_none() && kept.faults.is_empty() {
                    return Ok(ended);
                }
            }
            let cause = match kept.defect {
                Some(cause) => Some(Cow::Owned(cause)),
                None if kept.faults.is_empty() => None,
                None => trail.cause.take(),
            };
            return match cause {
                Some(cause) => Err(Box::new(defect(self, trail, executed, cause))),
                None => Ok(ended),
            };
        }
        let reason = match ended {
            Ended::Cancelled => return Err(Box::new(cancelled_before_start(entry))),
            Ended::Fault(cause) => return Err(Box::new(defect(self, trail, Executed::No, cause))),
            Ended::Done(_) if !kept.faults.is_empty() => FAILED.to_owned(),
            Ended::Done(Outcome(Err(Failure::Expected(reason)))) => reason,
            Ended::Done(_) => "a hook did not let it run".to_owned(),
            Ended::Panicked(what) => {
                self.at_fault(trail, HookKind::Around, name, &what);
                FAILED.to_owned()
            }
            Ended::TimedOut(limit) => {
                let what = format!("didn't run the body within {}", seconds(limit));
                self.at_fault(trail, HookKind::Around, name, &what);
                FAILED.to_owned()
            }
        };
        Err(denied(trail, entry, format!("around {name}"), &reason))
    }
}

/// The future's output; `None` where a hook took too long before the body, or after it.
async fn in_hook_time<F: Future>(run: F, course: &Course<'_>) -> Option<F::Output> {
    let mut run = pin!(run);
    let mut timer = None;
    let mut left = course.has_left();
    poll_fn(|cx| {
        if let Poll::Ready(given) = run.as_mut().poll(cx) {
            return Poll::Ready(Some(given));
        }
        if course.in_body() || left != course.has_left() {
            timer = None;
            left = course.has_left();
        }
        if course.in_body() {
            return Poll::Pending;
        }
        let timer = timer.get_or_insert_with(|| Box::pin(unconstrained(sleep(HOOK_TIME))));
        timer.as_mut().poll(cx).map(|()| None)
    })
    .await
}
