//! What is under way, and how a shutdown waits for it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// The calls under way, for a shutdown that waits for them.
#[derive(Default)]
pub(crate) struct Running {
    calls: AtomicUsize,
    closed: AtomicBool,
    idle: Notify,
    /// Bodies on threads that go on though nobody waits for them any more.
    left: AtomicUsize,
}

impl Running {
    /// Refuses calls from now on, and waits for those under way.
    pub(crate) async fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        loop {
            let idle = self.idle.notified();
            if self.calls.load(Ordering::SeqCst) == 0 {
                return;
            }
            idle.await;
        }
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

    #[inline]
    pub(super) fn enter(&self) -> Option<Entered<'_>> {
        // Counted before the look, so that `close` either sees this call or is seen by it.
        self.calls.fetch_add(1, Ordering::SeqCst);
        let entered = Entered(self);
        (!self.closed.load(Ordering::SeqCst)).then_some(entered)
    }
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
