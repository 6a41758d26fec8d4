//! Our own ids of calls: a provider's repeat across turns, or are missing.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use super::{Counter, hex_digest};
use crate::context::CallContext;

/// Makes call ids that differ between calls and between processes.
pub(crate) struct Minter {
    instance: u64,
    calls: Counter,
}

impl Minter {
    pub(crate) fn new() -> Self {
        // The standard library's only source of randomness without a dependency.
        Self { instance: RandomState::new().build_hasher().finish(), calls: Counter::default() }
    }

    /// The id of a draft: always fresh, since it names one thing that is sent once.
    pub(crate) fn draft(&self) -> Arc<str> {
        let parts = format!("toolkit draft {} {}", self.instance, self.calls.next());
        format!("draft-{}", &hex_digest(parts.as_bytes())[..16]).into()
    }

    /// The id of a call: where the host counts turns, the same call of the same turn has the same
    /// id, in any process; else each is fresh.
    pub(crate) fn mint(
        &self,
        context: &CallContext,
        provider_id: Option<&str>,
        index: usize,
    ) -> Arc<str> {
        let mut parts = Vec::with_capacity(128);
        // Each part with its length before it, so that no two lists of parts give the same bytes.
        let mut part = |bytes: &[u8]| {
            parts.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
            parts.extend_from_slice(bytes);
        };
        part(b"toolkit call");
        match (context.session_id(), context.turn_number()) {
            (Some(session), Some(turn)) if context.depth() == 0 => {
                part(session.as_bytes());
                part(&turn.to_be_bytes());
                part(&(index as u64).to_be_bytes());
                part(provider_id.unwrap_or_default().as_bytes());
            }
            _ => {
                part(&self.instance.to_be_bytes());
                part(&self.calls.next().to_be_bytes());
            }
        }
        hex_digest(&parts)[..16].into()
    }
}
