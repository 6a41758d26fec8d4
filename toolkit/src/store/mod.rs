//! What must outlive a call, kept in rooms: each room is a trait, and a [`Store`] has them all.

mod intents;
mod memory;

pub use intents::{Ended, Intent, Intents, Record};
pub use memory::Memory;

/// Why a store didn't do its work; for the operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Every place of a room is taken by what is still open.
    #[error("the store is full: {0} records are open")]
    Full(usize),
    /// No intent has this call id.
    #[error("there is no intent of call {0}")]
    NoIntent(String),
}

/// Keeps what must outlive a call: the sum of all rooms. Sealed: the stores of this crate pass one
/// suite, and a store that loses an intent would break a promise of the pipeline.
pub trait Store: sealed::Sealed + Intents {}

pub(crate) mod sealed {
    pub trait Sealed: Send + Sync {}
}
