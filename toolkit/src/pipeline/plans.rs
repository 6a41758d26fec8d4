//! What plans need of the engine beside calls.

use std::sync::Arc;

use super::Engine;
use super::digest::hex_digest;
use crate::context::Dispatch;
use crate::event::Event;
use crate::registry::Entry;

impl Engine {
    /// A name that no other run has.
    pub(crate) fn run_id(&self) -> Arc<str> {
        self.fresh_id()
    }

    /// SHA-256 of a text, in hexadecimal.
    pub(crate) fn digest(&self, text: &str) -> String {
        hex_digest(text.as_bytes())
    }

    /// What two versions of a tool differ in; of one whose schema can't be told, its name.
    pub(crate) fn contract_hash(&self, entry: &Entry) -> String {
        self.spec_hash(entry).unwrap_or_else(|_| entry.spec().name().to_owned())
    }

    /// Tells those who listen, and nobody else.
    pub(crate) fn tell_listeners(&self, event: impl FnOnce() -> Event) {
        if self.events.has_listeners() {
            self.events.send(&event());
        }
    }
}
