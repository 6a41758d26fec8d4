//! Events for user interfaces: whoever listens hears them, and nobody waits for that.

use std::sync::OnceLock;

use tokio::sync::broadcast;

use crate::event::Event;

/// Events for whoever subscribed. Made by the first who does, since looking whether anybody listens
/// takes a lock.
#[derive(Default)]
pub(crate) struct Broadcast(OnceLock<broadcast::Sender<Event>>);

impl Broadcast {
    /// How many events a slow listener may fall behind.
    const CAPACITY: usize = 1024;

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.get_or_init(|| broadcast::Sender::new(Self::CAPACITY)).subscribe()
    }

    #[inline]
    pub(super) fn has_listeners(&self) -> bool {
        self.0.get().is_some_and(|sender| sender.receiver_count() > 0)
    }

    pub(super) fn send(&self, event: &Event) {
        if let Some(sender) = self.0.get() {
            // Nobody listening is no failure.
            let _ = sender.send(event.clone());
        }
    }
}
