//! The clock of a body: it stands while a person decides on a call that the body has made.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use tokio::time::Instant;

/// How long the clock of a body stood. It stands with the clocks of the bodies around it.
#[derive(Default)]
pub(crate) struct Clock {
    stood: Mutex<Stood>,
    outer: Option<Arc<Self>>,
}

#[derive(Default)]
struct Stood {
    /// How many people decide now, and since when the first of them does.
    asked: usize,
    since: Option<Instant>,
    /// How long it stood before.
    before: Duration,
    /// Whose time it is, to be told when it goes on.
    waker: Option<Waker>,
}

impl Clock {
    /// The clock of a body within another.
    pub(crate) fn inside(outer: Option<&Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { outer: outer.cloned(), ..Self::default() })
    }

    fn state(&self) -> MutexGuard<'_, Stood> {
        self.stood.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long it stood so far; `None` while it stands: whoever asks is woken when it goes on.
    pub(crate) fn stood(&self, waker: &Waker) -> Option<Duration> {
        let mut state = self.state();
        if state.since.is_none() {
            return Some(state.before);
        }
        state.waker = Some(waker.clone());
        None
    }

    /// Stops it, and those around it, until the guard is dropped.
    pub(crate) fn stop(self: &Arc<Self>) -> Stopped {
        let now = Instant::now();
        let mut clock = Some(self);
        while let Some(stopped) = clock {
            let mut state = stopped.state();
            state.asked += 1;
            state.since.get_or_insert(now);
            clock = stopped.outer.as_ref();
        }
        Stopped(Arc::clone(self))
    }

    fn go_on(&self, now: Instant) {
        let waker = {
            let mut state = self.state();
            state.asked = state.asked.saturating_sub(1);
            if state.asked > 0 {
                return;
            }
            if let Some(since) = state.since.take() {
                state.before = state.before.saturating_add(now.saturating_duration_since(since));
            }
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Clocks that stand.
#[must_use = "they go on when this is dropped"]
pub(crate) struct Stopped(Arc<Clock>);

impl Drop for Stopped {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut clock = Some(&self.0);
        while let Some(stopped) = clock {
            stopped.go_on(now);
            clock = stopped.outer.as_ref();
        }
    }
}
