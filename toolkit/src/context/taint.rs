//! What marks a context: that untrusted data has reached it.

use std::sync::{Arc, OnceLock};

use super::CallContext;

/// Whether a context and its clones have read untrusted data, and whose.
#[derive(Clone, Default)]
pub(super) struct Taint(Arc<OnceLock<Arc<str>>>);

impl CallContext {
    /// Says that the body has read data that nobody here answers for: a mail, a page, a file that others
    /// write. `source` says what, for the operator: at most 200 characters are kept.
    ///
    /// It marks the call's session at once, or without one the context and its clones, and the
    /// [policy](crate::Policy::tainted) may be stricter from then on. The call's text reaches a model
    /// between marks, see [`Builder::untrusted`](crate::Builder::untrusted), which does the same for all
    /// that a tool returns; tools with the risk `network` are such without being told.
    ///
    /// In a context of a host's own it marks that and its clones.
    pub fn read_untrusted(&self, source: &str) {
        let source: Arc<str> = crate::text::excerpt(source, 200).into();
        match &self.inner.nested {
            Some(nested) => {
                nested.lent.read_untrusted();
                nested.dispatch.taint(self, &source);
            }
            None => self.mark(&source),
        }
    }

    /// Marks the context and its clones.
    pub(crate) fn mark(&self, source: &Arc<str>) {
        // The first is the reason.
        let _ = self.inner.taint.0.set(Arc::clone(source));
    }

    /// What has marked it, or one that it is a clone of.
    pub(crate) fn mark_of(&self) -> Option<&Arc<str>> {
        self.inner.taint.0.get()
    }
}
