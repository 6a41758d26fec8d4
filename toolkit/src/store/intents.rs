//! The room of intents: the intent before a recorded body and its outcome after.

use std::time::SystemTime;

use super::{StoreError, sealed};
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

/// Keeps intents and outcomes.
pub trait Intents: sealed::Sealed {
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

    /// Hears that nobody will write the outcome of this call's intent any more. A store that is short of
    /// room may let such a record go before it refuses a new one; else it stands as it is.
    fn leave_intent(&self, _call: &str) {}
}
