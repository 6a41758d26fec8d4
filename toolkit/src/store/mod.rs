//! What must outlive a call, kept in rooms: each room is a trait, and a [`Store`] has them all.

mod drafts;
mod intents;
mod memory;
mod outputs;
mod replies;

pub(crate) use drafts::Exact;
pub use drafts::{
    Changed, Decided, Delivered, DraftChange, DraftState, Drafts, Edited, StoredDraft,
};
pub use intents::{Ended, Intent, Intents, Record};
pub use memory::{Memory, OutputCaps};
pub use outputs::{KeptOutput, OutputPage, Outputs, PageOf};
pub use replies::{End, Made, Replies};

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
    /// An output is longer than all that may be kept.
    #[error("an output of {0} bytes is too long to be kept")]
    OutputTooLong(u64),
    /// No output has this handle, for this reader.
    #[error("there is no output {0}")]
    NoOutput(String),
    /// The output of this handle has made room for others.
    #[error("output {0} has made room for others")]
    OutputGone(String),
    /// An output is shorter than this offset.
    #[error("offset {offset} is beyond the {total} bytes of the output")]
    BeyondOutput {
        /// What was asked for, in bytes.
        offset: u64,
        /// The length of the output, in bytes.
        total: u64,
    },
    /// An output can't be read back.
    #[error("the output can't be read back: {0}")]
    Unreadable(String),
}

/// Keeps what must outlive a call: the sum of all rooms. Sealed: the stores of this crate pass one
/// suite, and a store that loses an intent would break a promise of the pipeline.
pub trait Store: sealed::Sealed + Intents + Drafts + Replies + Outputs {}

pub(crate) mod sealed {
    pub trait Sealed: Send + Sync {}
}
