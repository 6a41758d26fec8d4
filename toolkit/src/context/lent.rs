//! The permit that a body lends to what it calls, one call at a time, and what it streams.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::Semaphore;

use super::CallContext;
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
    /// The id of the body's call; made at first need, as most are never asked for it.
    id: OnceLock<Arc<str>>,
    /// How many calls the body has made.
    calls: AtomicU64,
    /// Whether the body has read untrusted data.
    untrusted: AtomicBool,
}

impl Default for Lent {
    fn default() -> Self {
        Self {
            permit: Semaphore::new(1),
            left: AtomicBool::new(false),
            inherited: Mutex::new(None),
            streamed: OnceLock::new(),
            about: OnceLock::new(),
            id: OnceLock::new(),
            calls: AtomicU64::new(0),
            untrusted: AtomicBool::new(false),
        }
    }
}

impl Lent {
    pub(crate) fn permit(&self) -> &Semaphore {
        &self.permit
    }

    /// The id of the body's call.
    pub(crate) fn id(&self, make: impl FnOnce() -> Arc<str>) -> &Arc<str> {
        self.id.get_or_init(make)
    }

    /// Notes that the body has read untrusted data.
    pub(crate) fn read_untrusted(&self) {
        self.untrusted.store(true, Ordering::SeqCst);
    }

    /// Whether the body has read untrusted data.
    #[inline]
    pub(crate) fn has_read_untrusted(&self) -> bool {
        self.untrusted.load(Ordering::Relaxed)
    }

    /// Counts a call of the body; from 0.
    pub(crate) fn count(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
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

impl CallContext {
    /// Our own id of the call whose body borrows this context; `None` in one of a host's own.
    ///
    /// It differs between calls, and is the same where the host makes a call again in a turn that it
    /// numbers: a key to hand to a service that knows a repeated request by its key. A call that such
    /// a body makes has the same id again where it is the same in number, from the first one on.
    pub fn call_id(&self) -> Option<&str> {
        let nested = self.inner.nested.as_ref()?;
        Some(nested.lent.id(|| nested.dispatch.fresh_id()))
    }
}
