//! A store in memory: each room bounded, forgetting the oldest finished record first.

mod drafts;
mod intents;
mod outputs;
mod replies;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use outputs::OutputCaps;
use outputs::Shelf;

use super::{Store, sealed};

/// Keeps the newest records in memory; clones share them.
///
/// When a room is full, its oldest finished record makes room, and where none is finished the oldest
/// whose outcome nobody will write any more. One that is still to be written never does: where all are,
/// the next is refused, and what it was to stand for doesn't happen.
#[derive(Clone, Debug)]
pub struct Memory {
    capacity: usize,
    intents: Room<VecDeque<intents::Kept>>,
    output_caps: OutputCaps,
    outputs: Room<Shelf>,
    drafts: Room<drafts::Kept>,
    replies: Room<replies::Kept>,
}

impl Memory {
    /// How many records each room keeps unless told otherwise.
    pub const DEFAULT_CAPACITY: usize = 10_000;

    /// How many bytes of drafts are kept at most.
    pub const DRAFT_BYTES: usize = 64 << 20;

    /// A store whose rooms keep this many records each; 0 refuses every one.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            capacity,
            intents: Room::default(),
            output_caps: OutputCaps::default(),
            outputs: Room::default(),
            drafts: Room::default(),
            replies: Room::default(),
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::with_capacity(Self::DEFAULT_CAPACITY)
    }
}

impl sealed::Sealed for Memory {}

impl Store for Memory {}

/// What one room holds.
#[derive(Debug, Default)]
struct Room<T>(Arc<Mutex<T>>);

impl<T> Room<T> {
    fn lock(&self) -> MutexGuard<'_, T> {
        // Each change leaves a room whole, so a poisoned lock holds nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Room<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
