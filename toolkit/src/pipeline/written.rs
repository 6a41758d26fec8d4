//! What stands open in the store while a call is under way. Where nobody will write its end any more,
//! since the call's future was dropped or its outcome can't be known, the store hears of that.

use std::sync::Arc;

use crate::contain::contain;
use crate::store::Store;

/// An open record of a call.
pub(super) struct Written {
    store: Arc<dyn Store>,
    call: Arc<str>,
    leave: fn(&dyn Store, &str),
    ended: bool,
}

impl Written {
    /// That the call's intent is written.
    pub(super) fn intent(store: &Arc<dyn Store>, call: Arc<str>) -> Self {
        Self::new(store, call, |store, call| store.leave_intent(call))
    }

    /// That the call is begun.
    pub(super) fn begun(store: &Arc<dyn Store>, call: Arc<str>) -> Self {
        Self::new(store, call, |store, call| store.leave_reply(call))
    }

    fn new(store: &Arc<dyn Store>, call: Arc<str>, leave: fn(&dyn Store, &str)) -> Self {
        Self { store: Arc::clone(store), call, leave, ended: false }
    }

    /// Its end is written.
    pub(super) fn end(mut self) {
        self.ended = true;
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        // A store that panics has lost nothing but room.
        if !self.ended && contain(|| (self.leave)(&*self.store, &self.call)).is_err() {
            tracing::error!(target: super::report::TARGET, call = &*self.call, "the store panicked");
        }
    }
}
