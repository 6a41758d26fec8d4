//! Bodies on threads: how a job is a future like another, and what becomes of a body that nothing can
//! stop. Knows nothing of deadlines: it is told that nobody waits any more.

use std::borrow::Cow;
use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::execute::Ended;
use super::permits::{Owed, Permits};
use super::render::seconds;
use super::{Engine, Trail, now};
use crate::call::{Code, Executed, ToolReply};
use crate::contain::{Unwound, caught, contain, drop_contained};
use crate::context::Lent;
use crate::event::LateRecord;
use crate::output::{Failure, Outcome, spawn};
use crate::redact::Redactor;
use crate::registry::Entry;
use crate::tool::{Job, Running};

/// What a body on a thread gave, or what it threw.
type Result = thread::Result<Outcome>;

/// A body on a thread: held by its call, and by the thread until it ends.
pub(crate) struct Thread {
    engine: Arc<Engine>,
    entry: Arc<Entry>,
    call: Arc<str>,
    redactor: Option<Redactor>,
    started: Instant,
    /// Whose permit it runs on, if an outer body lent it.
    lender: Option<Arc<Lent>>,
    span: tracing::Span,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// The call that waits for the end.
    waker: Option<Waker>,
}

enum Phase {
    /// No thread has begun it.
    Waiting(Job, Owed),
    Runs,
    /// It runs, and nobody waits for it any more.
    Left,
    /// It has ended; the result until somebody takes it.
    Ended(Option<Result>),
    /// No thread will begin it.
    Withdrawn,
}

/// How far a body came that nobody waits for any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    NotBegun,
    Runs,
    Ended,
}

impl Engine {
    /// Makes a job a future. The permits go with it: they are held until the body has ended, whether
    /// or not anybody still waits for it.
    #[cold]
    pub(super) fn on_a_thread(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        job: Job,
        permits: Permits<'_>,
        span: &tracing::Span,
    ) -> Running {
        let owed = permits.into_owed();
        let thread = Arc::new(Thread {
            engine: Arc::clone(self),
            entry: Arc::clone(entry),
            call: trail.id(&self.minter),
            redactor: trail.redactor.clone(),
            started: trail.started,
            lender: owed.lender().cloned(),
            span: span.clone(),
            state: Mutex::new(State { phase: Phase::Waiting(job, owed), waker: None }),
        });
        trail.thread = Some(Arc::clone(&thread));
        Box::pin(OnThread { thread, sent: false })
    }

    /// The reply of a body that was given to a thread.
    #[cold]
    pub(super) fn reply_of_thread(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        ended: Ended,
        reached: Reached,
    ) -> ToolReply {
        let name = entry.spec().name();
        let (code, what) = match &ended {
            Ended::TimedOut(limit) => {
                (Code::TimedOut, format!("`{name}` took longer than {}", seconds(*limit)))
            }
            Ended::Cancelled => (Code::Cancelled, format!("the call of `{name}` was cancelled")),
            Ended::Done(_) | Ended::Panicked(_) | Ended::Fault(_) => {
                return self.reply(trail, entry, ended);
            }
        };
        let (code, executed, what) = match reached {
            Reached::NotBegun if code == Code::Cancelled => {
                (Code::CancelledBeforeStart, Executed::No, format!("{what} before it began"))
            }
            Reached::NotBegun => {
                let what = format!("`{name}` was not run: no thread was free for it; try later");
                (Code::Busy, Executed::No, what)
            }
            Reached::Runs => {
                let what = format!(
                    "{what}; it can't be stopped and still runs, and what comes of it won't be \
                     told; look before you try again"
                );
                (code, Executed::Unknown, what)
            }
            Reached::Ended => {
                let what =
                    format!("{what}; it was told to stop and has ended, and what it did may stand");
                (code, Executed::Yes, what)
            }
        };
        let mut reply = ToolReply::not_run(code, what);
        reply.executed = executed;
        reply
    }
}

impl Thread {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the body to a thread.
    fn send(self: &Arc<Self>) -> std::result::Result<(), &'static str> {
        let Ok(runtime) = Handle::try_current() else {
            return Err("there is no Tokio runtime with threads for it");
        };
        let errand = Errand(Arc::clone(self));
        // Panics where the system gives no more threads.
        match contain(|| drop(spawn(&runtime, Box::new(move || errand.run())))) {
            Ok(()) => Ok(()),
            Err(_) => Err("the system gives no more threads"),
        }
    }

    /// Sees to it that no thread begins it; whether none has.
    pub(super) fn withdraw(&self) -> bool {
        let waiting = {
            let mut state = self.state();
            match &mut state.phase {
                phase @ Phase::Waiting(..) => std::mem::replace(phase, Phase::Withdrawn),
                Phase::Withdrawn => return true,
                Phase::Runs | Phase::Left | Phase::Ended(_) => return false,
            }
        };
        if let Phase::Waiting(job, _owed) = waiting {
            // Its arguments are of the author's types.
            drop_contained(&mut Some(job));
        }
        true
    }

    /// Says that nobody waits any more.
    pub(super) fn leave(&self) -> Reached {
        if self.withdraw() {
            return Reached::NotBegun;
        }
        let (result, reached) = {
            let mut state = self.state();
            state.waker = None;
            match &mut state.phase {
                phase @ Phase::Runs => {
                    *phase = Phase::Left;
                    self.engine.root.running.leave();
                    (None, Reached::Runs)
                }
                Phase::Left => (None, Reached::Runs),
                Phase::Ended(result) => (result.take(), Reached::Ended),
                Phase::Waiting(..) | Phase::Withdrawn => (None, Reached::NotBegun),
            }
        };
        if let Some(result) = result {
            self.tell(result);
        }
        if reached == Reached::Runs
            && let Some(lender) = &self.lender
        {
            lender.leave();
        }
        reached
    }

    /// Tells those who watch how a body ended that nobody waited for.
    fn tell(&self, result: Result) {
        let (code, cause) = match result {
            Ok(Outcome(Ok(_))) => (Code::Ok, None),
            Ok(Outcome(Err(Failure::Expected(cause) | Failure::Internal(cause)))) => {
                (Code::Failed, Some(cause))
            }
            Ok(Outcome(Err(failure))) => (Code::Defect, Some(failure.to_string())),
            Err(thrown) => (Code::Defect, Some(Unwound::of(thrown).0)),
        };
        let redacted =
            |text: String| crate::redact::text(self.redactor.as_ref(), &text).into_owned();
        self.engine.observe_late(LateRecord {
            call: Arc::clone(&self.call),
            tool: self.entry.spec().name().into(),
            code,
            cause: cause.map(redacted).map(Cow::Owned),
            at: now(),
            took: self.started.elapsed(),
        });
    }
}

/// What the thread is to do. Dropped without having been run where the runtime shuts down.
struct Errand(Arc<Thread>);

impl Errand {
    fn run(self) {
        let thread = &*self.0;
        let (job, owed) = {
            let mut state = thread.state();
            match std::mem::replace(&mut state.phase, Phase::Withdrawn) {
                Phase::Waiting(job, owed) => {
                    state.phase = Phase::Runs;
                    (job, owed)
                }
                other => {
                    state.phase = other;
                    return;
                }
            }
        };
        let result = {
            let _entered = thread.span.enter();
            caught(job)
        };
        // Back before anybody hears of the end, who may call again at once.
        drop(owed);
        let (late, waker) = {
            let mut state = thread.state();
            let left = matches!(state.phase, Phase::Left);
            state.phase = Phase::Ended(None);
            if left {
                (Some(result), None)
            } else {
                state.phase = Phase::Ended(Some(result));
                (None, state.waker.take())
            }
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        if let Some(result) = late {
            thread.tell(result);
            thread.engine.root.running.left();
        }
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        let waker = {
            let mut state = self.0.state();
            if !matches!(state.phase, Phase::Waiting(..)) {
                return;
            }
            state.waker.take()
        };
        self.0.leave();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The body as its call sees it.
struct OnThread {
    thread: Arc<Thread>,
    sent: bool,
}

impl Future for OnThread {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let this = self.get_mut();
        if !this.sent {
            this.sent = true;
            if let Err(cause) = this.thread.send() {
                this.thread.leave();
                return Poll::Ready(Outcome(Err(Failure::NotBegun(cause))));
            }
        }
        let result = {
            let mut state = this.thread.state();
            match &mut state.phase {
                Phase::Ended(result) => result.take(),
                Phase::Withdrawn => {
                    let cause = "the runtime shut down before a thread was free";
                    return Poll::Ready(Outcome(Err(Failure::NotBegun(cause))));
                }
                Phase::Waiting(..) | Phase::Runs | Phase::Left => {
                    state.waker = Some(cx.waker().clone());
                    return Poll::Pending;
                }
            }
        };
        match result {
            Some(Ok(outcome)) => Poll::Ready(outcome),
            // Whoever contains panics of bodies contains this one.
            Some(Err(thrown)) => resume_unwind(thrown),
            None => Poll::Pending,
        }
    }
}

impl Drop for OnThread {
    fn drop(&mut self) {
        self.thread.leave();
    }
}
