//! The room of replies: what the calls of numbered turns came to, for when one is made again.

use std::fmt;

use super::{StoreError, sealed};
use crate::call::ToolReply;
use crate::hook::BoxFuture;

/// A call that was made before.
#[derive(Clone)]
#[non_exhaustive]
pub struct Made {
    /// The fingerprint of the call, by which another one under the same id is told from it. It is
    /// made of secrets as well, and is for this room alone.
    pub fingerprint: String,
    /// What came of it.
    pub end: End,
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A short secret could be guessed by its digest.
        f.debug_struct("Made").field("end", &self.end).finish_non_exhaustive()
    }
}

/// What came of a call that was made before.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum End {
    /// Its body was begun, and that it ended was never written down.
    Open,
    /// This reply.
    Reply(Box<ToolReply>),
    /// A reply that made room for others.
    Gone,
}

/// Keeps the replies of calls by our own ids of them.
pub trait Replies: sealed::Sealed {
    /// The call of this id, if it was made before and had an effect, or may have had one.
    ///
    /// # Errors
    /// It can't be told; the body doesn't run.
    fn made<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<Option<Made>, StoreError>>;

    /// Writes that the body is about to run; false where it was begun before, unless it may run
    /// `again`.
    ///
    /// # Errors
    /// It isn't written; the body doesn't run.
    fn begin<'a>(
        &'a self,
        call: &'a str,
        fingerprint: &'a str,
        again: bool,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Keeps the reply.
    ///
    /// # Errors
    /// It isn't kept; the operator is told, and the reply stands.
    fn finish<'a>(
        &'a self,
        call: &'a str,
        fingerprint: &'a str,
        reply: ToolReply,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Takes back what [`begin`](Self::begin) wrote: the body didn't run after all.
    ///
    /// # Errors
    /// It stands; the operator is told.
    fn forget<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Hears that nobody will write what came of this call any more. A store that is short of room may
    /// let such a record go before it refuses a new one; else it stands as it is.
    fn leave_reply(&self, _call: &str) {}
}
