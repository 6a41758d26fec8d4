//! The permit that a body lends to what it calls, one call at a time, and what it streams.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::Semaphore;

use super::progress::About;
use crate::output::Streamed;

/// A body's permit, for its inner calls. An inner body that can't be stopped may outlive the body that
/// lent it the permit: then what that one held isn't free before the inner one ends.
pub(crate) struct Lent {
    permit: Semaphore,
    /// Whether it is out with a body whose call has its reply.
    left: AtomicBool,
    /// What the lender held, while somebody still has what it lent.
    inherited: Mutex<Option<Box<dyn Send>>>,
    /// What the body streams. Here, since few bodies do and a place of its own would cost each one.
    streamed: OnceLock<Arc<Streamed>>,
    /// Whose progress it is, where anybody listens.
    about: OnceLock<Box<About>>,
}

impl Default for Lent {
    fn default() -> Self {
        Self {
            permit: Semaphore::new(1),
            left: AtomicBool::new(false),
            inherited: Mutex::new(None),
            streamed: OnceLock::new(),
            about: OnceLock::new(),
        }
    }
}

impl Lent {
    pub(crate) fn permit(&self) -> &Semaphore {
        &self.permit
    }

    /// Whether an inner call has it.
    pub(crate) fn is_out(&self) -> bool {
        self.permit.available_permits() == 0
    }

    /// Notes that a body has it whose call nobody waits for any more.
    pub(crate) fn leave(&self) {
        self.left.store(true, Ordering::SeqCst);
    }

    /// Whether a body has it whose call nobody waits for any more.
    pub(crate) fn is_left(&self) -> bool {
        self.left.load(Ordering::SeqCst)
    }

    /// What the body streams, at most so many bytes; `None` once it has ended.
    pub(crate) fn stream(&self, most: u64) -> Option<&Arc<Streamed>> {
        let stream = || Arc::new(Streamed::new(most));
        (!self.permit.is_closed()).then(|| self.streamed.get_or_init(stream))
    }

    /// What the body has streamed, if it has.
    pub(crate) fn streamed(&self) -> Option<&Arc<Streamed>> {
        self.streamed.get()
    }

    /// Lets the body's progress be heard.
    pub(crate) fn listen(&self, about: About) {
        // A body has one call.
        let _ = self.about.set(Box::new(about));
    }

    /// Whose progress it is, where anybody listens and the body hasn't ended.
    pub(crate) fn about(&self) -> Option<&About> {
        self.about.get().filter(|_| !self.permit.is_closed()).map(AsRef::as_ref)
    }

    /// Lends no more.
    pub(crate) fn end(&self) {
        self.permit.close();
    }

    /// Keeps what the lender held until the permit is back; gives it up at once where that is so
    /// already.
    pub(crate) fn inherit(&self, held: Box<dyn Send>) {
        let mut held = Some(held);
        {
            let mut inherited = self.inherited.lock().unwrap_or_else(PoisonError::into_inner);
            // Looked at under the lock: else the permit might come back unseen in between.
            if self.is_out() {
                *inherited = held.take();
            }
        }
        // Outside of the lock, since it may hand on to a lender in turn.
        drop(held);
    }

    /// To be called when the permit is back.
    pub(crate) fn returned(&self) {
        self.left.store(false, Ordering::SeqCst);
        let inherited = {
            let mut inherited = self.inherited.lock().unwrap_or_else(PoisonError::into_inner);
            if self.is_out() { None } else { inherited.take() }
        };
        drop(inherited);
    }
}
