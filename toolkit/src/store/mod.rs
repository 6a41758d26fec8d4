//! What must outlive a call: the intent before a recorded body and its outcome after.

mod memory;

use std::time::SystemTime;

pub use memory::Memory;

use crate::call::{Code, Executed};
use crate::context::Origin;
use crate::hook::BoxFuture;
use crate::risk::RiskSet;

/// That a body is about to run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Intent {
    /// Our own id of the call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The tool's declared levels.
    pub risk: RiskSet,
    /// Who decided to make the call.
    pub origin: Origin,
    /// On whose behalf.
    pub principal: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// SHA-256 of the canonical final arguments without their secrets, in hexadecimal.
    pub digest: String,
    /// The final arguments as canonical JSON with secrets redacted, where the policy's detail says
    /// so.
    pub arguments: Option<String>,
    /// When the intent was made.
    pub at: SystemTime,
}

/// What became of an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// The code of the reply.
    pub code: Code,
    /// Whether the body had its effect.
    pub executed: Executed,
    /// When the body ended.
    pub at: SystemTime,
}

/// An intent, with its outcome once there is one. One without an outcome was cut off: whether its
/// body had its effect can't be known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// What was to be done.
    pub intent: Intent,
    /// What became of it.
    pub ended: Option<Ended>,
}

/// Why a store didn't do its work; for the operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Every place is taken by a body that still runs.
    #[error("the store is full: {0} intents are open")]
    Full(usize),
    /// No intent has this call id.
    #[error("there is no intent of call {0}")]
    NoIntent(String),
}

/// Keeps intents and outcomes. Sealed: the stores of this crate pass one suite, and a store that
/// loses an intent would break a promise of the pipeline.
pub trait Store: sealed::Sealed + Send + Sync {
    /// Writes an intent.
    ///
    /// # Errors
    /// The intent isn't kept; the body doesn't run.
    fn intend<'a>(&'a self, intent: Intent) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Writes the outcome of an intent.
    ///
    /// # Errors
    /// The outcome isn't kept; the operator is told, and the reply stands.
    fn end<'a>(&'a self, call: &'a str, ended: Ended) -> BoxFuture<'a, Result<(), StoreError>>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
