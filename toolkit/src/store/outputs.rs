//! The room of outputs: the whole of what a reply shows in part, for whoever reads on.

use super::{StoreError, sealed};
use crate::hook::BoxFuture;
use crate::output::Whole;

/// The whole text of an output that was cut, with secrets redacted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeptOutput {
    /// The session that it belongs to.
    pub session: String,
    /// On whose behalf it was made; where somebody is named, nobody else reads it.
    pub principal: Option<String>,
    /// Whether it is untrusted: then so is each of its pages.
    pub untrusted: bool,
    pub(crate) text: Whole,
}

impl KeptOutput {
    pub(crate) fn new(
        session: &str,
        principal: Option<&str>,
        text: Whole,
        untrusted: bool,
    ) -> Self {
        let (session, principal) = (session.to_owned(), principal.map(str::to_owned));
        Self { session, principal, untrusted, text }
    }

    /// The length in bytes.
    pub fn bytes(&self) -> u64 {
        self.text.bytes()
    }
}

/// Which part of which output, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageOf<'a> {
    /// The reader's session.
    pub session: &'a str,
    /// On whose behalf it is read.
    pub principal: Option<&'a str>,
    /// The output.
    pub handle: &'a str,
    /// Where the page begins, in bytes. One within a character begins with that character.
    pub offset: u64,
    /// How many characters it has at most.
    pub characters: usize,
}

impl<'a> PageOf<'a> {
    pub(crate) fn new(
        session: &'a str,
        principal: Option<&'a str>,
        handle: &'a str,
        offset: u64,
        characters: usize,
    ) -> Self {
        Self { session, principal, handle, offset, characters }
    }
}

/// A part of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputPage {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// What stands there, whole characters alone.
    pub text: String,
    /// The length of the whole output, in bytes.
    pub total: u64,
    /// Whether the output is untrusted.
    pub untrusted: bool,
}

/// Keeps the outputs that a reply shows in part.
pub trait Outputs: sealed::Sealed {
    /// Keeps an output, and gives the handle by which its session reads it. What nobody can read is
    /// forgotten in time: the oldest make room.
    ///
    /// # Errors
    /// It isn't kept; the reply says that it can't be read back.
    fn keep<'a>(&'a self, output: KeptOutput) -> BoxFuture<'a, Result<String, StoreError>>;

    /// Reads a part of an output.
    ///
    /// # Errors
    /// - [`StoreError::NoOutput`]: this reader has none of that handle; that of another is unknown to
    ///   it.
    /// - [`StoreError::OutputGone`]: it made room for others.
    /// - [`StoreError::BeyondOutput`]: it has no such offset.
    /// - [`StoreError::Unreadable`]: the disk refuses it.
    fn page<'a>(&'a self, page: PageOf<'a>) -> BoxFuture<'a, Result<OutputPage, StoreError>>;
}
