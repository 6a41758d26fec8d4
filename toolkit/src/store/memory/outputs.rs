//! The room of outputs in memory, the long ones in files: bounded, the oldest making room.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::Memory;
use crate::hook::BoxFuture;
use crate::output::{Whole, off_thread};
use crate::store::{KeptOutput, OutputPage, Outputs, PageOf, StoreError};

/// How many outputs, and how many bytes of them, are kept for a session and for all. An output of up
/// to 1 MiB takes memory, a longer one a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputCaps {
    /// Outputs of one session; 32 unless set.
    pub session_count: usize,
    /// Bytes of one session; 256 MiB unless set.
    pub session_bytes: u64,
    /// Outputs in all; 128 unless set.
    pub count: usize,
    /// Bytes in all; 1 GiB unless set.
    pub bytes: u64,
}

impl Default for OutputCaps {
    fn default() -> Self {
        Self { session_count: 32, session_bytes: 256 << 20, count: 128, bytes: 1 << 30 }
    }
}

impl OutputCaps {
    /// Sets how many outputs, and how many bytes of them, are kept for one session; 0 keeps none.
    #[must_use]
    pub fn session(mut self, count: usize, bytes: u64) -> Self {
        (self.session_count, self.session_bytes) = (count, bytes);
        self
    }

    /// Sets how many outputs, and how many bytes of them, are kept in all; 0 keeps none.
    #[must_use]
    pub fn all(mut self, count: usize, bytes: u64) -> Self {
        (self.count, self.bytes) = (count, bytes);
        self
    }
}

/// How many handles are remembered whose outputs have made room.
const GONE: usize = 1_024;

/// What the room holds.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    kept: VecDeque<Held>,
    /// Handles of outputs that made room, with their owners.
    gone: VecDeque<(String, Owner)>,
    minted: u64,
    /// What nobody else knows, so that nobody can guess a handle.
    key: RandomState,
}

#[derive(Debug)]
struct Held {
    handle: String,
    owner: Owner,
    text: Arc<Whole>,
    untrusted: bool,
}

#[derive(Debug)]
struct Owner {
    session: String,
    principal: Option<String>,
}

impl Owner {
    fn admits(&self, page: &PageOf<'_>) -> bool {
        self.session == page.session
            && (self.principal.is_none() || self.principal.as_deref() == page.principal)
    }
}

impl Shelf {
    fn keep(&mut self, output: KeptOutput, caps: &OutputCaps) -> Result<String, StoreError> {
        let bytes = output.bytes();
        let most = caps.session_bytes.min(caps.bytes);
        if caps.session_count == 0 || caps.count == 0 || bytes > most {
            return Err(StoreError::OutputTooLong(bytes));
        }
        self.make_room(Some(&output.session), caps.session_count, caps.session_bytes - bytes);
        self.make_room(None, caps.count, caps.bytes - bytes);
        let KeptOutput { session, principal, untrusted, text } = output;
        let handle = self.mint();
        let owner = Owner { session, principal };
        let text = Arc::new(text);
        self.kept.push_back(Held { handle: handle.clone(), owner, text, untrusted });
        Ok(handle)
    }

    /// Lets the oldest go, of a session or of all, until there is room for one more of this many, and
    /// no more than so many bytes are left.
    fn make_room(&mut self, session: Option<&str>, count: usize, bytes: u64) {
        loop {
            let concerns = |held: &&Held| session.is_none_or(|one| held.owner.session == one);
            let theirs = self.kept.iter().filter(concerns);
            let (mut outputs, mut total) = (0, 0_u64);
            for held in theirs {
                outputs += 1;
                total = total.saturating_add(held.text.bytes());
            }
            if outputs < count && total <= bytes {
                return;
            }
            let Some(oldest) = self.kept.iter().position(|held| concerns(&held)) else { return };
            if let Some(held) = self.kept.remove(oldest) {
                if self.gone.len() >= GONE {
                    self.gone.pop_front();
                }
                self.gone.push_back((held.handle, held.owner));
            }
        }
    }

    fn mint(&mut self) -> String {
        self.minted += 1;
        let (a, b) = (self.key.hash_one((self.minted, 'a')), self.key.hash_one((self.minted, 'b')));
        format!("{a:016x}{:04x}", b & 0xffff)
    }

    /// The whole of an output, and whether it is untrusted.
    fn find(&self, page: &PageOf<'_>) -> Result<(Arc<Whole>, bool), StoreError> {
        let held = |held: &&Held| held.handle == page.handle && held.owner.admits(page);
        if let Some(held) = self.kept.iter().find(held) {
            return Ok((Arc::clone(&held.text), held.untrusted));
        }
        let gone = |(handle, owner): &(String, Owner)| handle == page.handle && owner.admits(page);
        Err(if self.gone.iter().any(gone) {
            StoreError::OutputGone(page.handle.to_owned())
        } else {
            StoreError::NoOutput(page.handle.to_owned())
        })
    }
}

impl Memory {
    /// The same store with these caps for the outputs that it keeps.
    #[must_use]
    pub fn output_caps(mut self, caps: OutputCaps) -> Self {
        self.output_caps = caps;
        self
    }

    async fn read(&self, page: PageOf<'_>) -> Result<OutputPage, StoreError> {
        let (whole, untrusted) = self.outputs.lock().find(&page)?;
        let (total, PageOf { offset, characters, .. }) = (whole.bytes(), page);
        if offset > total {
            return Err(StoreError::BeyondOutput { offset, total });
        }
        let read = if whole.text().is_some() {
            whole.page(offset, characters)
        } else {
            let read = off_thread(move || whole.page(offset, characters)).await;
            read.unwrap_or_else(Err)
        };
        match read {
            Ok((offset, text)) => Ok(OutputPage { offset, text, total, untrusted }),
            Err(error) => Err(StoreError::Unreadable(error.to_string())),
        }
    }
}

impl Outputs for Memory {
    fn keep<'a>(&'a self, output: KeptOutput) -> BoxFuture<'a, Result<String, StoreError>> {
        Box::pin(async move { self.outputs.lock().keep(output, &self.output_caps) })
    }

    fn page<'a>(&'a self, page: PageOf<'a>) -> BoxFuture<'a, Result<OutputPage, StoreError>> {
        Box::pin(self.read(page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(shelf: &mut Shelf, session: &str, bytes: usize) -> Result<String, StoreError> {
        let caps = OutputCaps::default().session(3, 100).all(4, 150);
        shelf.keep(KeptOutput::new(session, None, Whole::Text("x".repeat(bytes)), false), &caps)
    }

    fn kept(shelf: &Shelf) -> Vec<String> {
        shelf.kept.iter().map(|h| format!("{}{}", h.owner.session, h.text.bytes())).collect()
    }

    #[test]
    fn the_oldest_make_room_in_their_session_and_in_all() {
        let mut shelf = Shelf::default();
        let first = keep(&mut shelf, "a", 10).unwrap();
        for bytes in [20, 30, 40] {
            keep(&mut shelf, "a", bytes).unwrap();
        }
        assert_eq!(kept(&shelf), ["a20", "a30", "a40"]);
        keep(&mut shelf, "a", 50).unwrap();
        assert_eq!(kept(&shelf), ["a40", "a50"]);
        keep(&mut shelf, "b", 60).unwrap();
        assert_eq!(kept(&shelf), ["a40", "a50", "b60"]);
        keep(&mut shelf, "c", 1).unwrap();
        assert_eq!(kept(&shelf), ["a50", "b60", "c1"]);
        assert!(keep(&mut shelf, "d", 101).is_err());
        let page = |session, handle| PageOf::new(session, None, handle, 0, 9);
        assert_eq!(
            shelf.find(&page("a", &first)).unwrap_err(),
            StoreError::OutputGone(first.clone())
        );
        assert_eq!(
            shelf.find(&page("b", &first)).unwrap_err(),
            StoreError::NoOutput(first.clone())
        );
    }

    #[test]
    fn handles_differ() {
        let mut shelf = Shelf::default();
        let mut handles: Vec<_> = (0..1_000).map(|_| shelf.mint()).collect();
        handles.sort_unstable();
        handles.dedup();
        assert_eq!(handles.len(), 1_000);
        assert!(handles.iter().all(|handle| handle.len() == 20));
    }
}
