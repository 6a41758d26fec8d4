//! Our own ids of calls: a provider's repeat across turns, or are missing.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use super::{Counter, hex_digest};
use crate::call::ToolCall;
use crate::context::CallContext;

/// Where a call stands among others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Nowhere: it came alone.
    Alone,
    /// In its turn, from 0; and a number that no other turn has.
    InTurn(usize, u64),
    /// Among the calls of one body, from 0.
    Within(u64),
}

impl Place {
    /// The place in a turn; that of a single call is 0.
    pub(super) fn index(self) -> usize {
        match self {
            Self::Alone | Self::Within(_) => 0,
            Self::InTurn(index, _) => index,
        }
    }

    /// Whether the call can be known when it is made again: the host counts turns, and there is
    /// something that tells it from the others of its turn.
    #[inline]
    pub(super) fn is_counted(self, context: &CallContext, call: &ToolCall<'_>) -> bool {
        context.turn_number().is_some()
            && context.session_id().is_some()
            && context.depth() == 0
            && (matches!(self, Self::InTurn(..))
                || call.provider_id().is_some_and(|id| !id.is_empty()))
    }
}

/// Makes call ids that differ between calls and between processes.
pub(crate) struct Minter {
    instance: u64,
    /// What no id that leaves the process is made of.
    secret: u64,
    calls: Counter,
}

impl Minter {
    pub(crate) fn new() -> Self {
        // The standard library's only source of randomness without a dependency.
        let random = || RandomState::new().build_hasher().finish();
        Self { instance: random(), secret: random(), calls: Counter::default() }
    }

    /// The id of a draft: always fresh, since it names one thing that is sent once.
    pub(crate) fn draft(&self) -> Arc<str> {
        let parts = format!("toolkit draft {} {}", self.instance, self.calls.next());
        format!("draft-{}", &hex_digest(parts.as_bytes())[..16]).into()
    }

    /// What marks the ends of untrusted data: nobody who writes such can know it.
    pub(super) fn boundary(&self) -> String {
        let mut parts = Parts::new(b"toolkit boundary");
        parts.add(&self.instance.to_be_bytes());
        parts.add(&self.secret.to_be_bytes());
        parts.add(&self.calls.next().to_be_bytes());
        parts.digest()[..16].to_owned()
    }

    /// The id of a grant.
    pub(super) fn grant(&self) -> Arc<str> {
        let parts = format!("toolkit grant {} {}", self.instance, self.calls.next());
        format!("grant-{}", &hex_digest(parts.as_bytes())[..16]).into()
    }

    /// The id of a call: where it can be known again, the same call has the same id, in any process;
    /// else each is fresh. One of a child's own tool is no other's, whatever ids a provider repeats; `set` is
    /// the number of the tool's.
    pub(super) fn mint(
        &self,
        context: &CallContext,
        call: &ToolCall<'_>,
        place: Place,
        set: u64,
    ) -> Arc<str> {
        if let (Place::Within(number), Some(_), Some(outer)) =
            (place, context.turn_number(), context.call_id())
        {
            let mut parts = Parts::new(b"toolkit inner call");
            parts.add(outer.as_bytes());
            parts.add(&number.to_be_bytes());
            return parts.digest()[..16].into();
        }
        let mut parts = Parts::new(b"toolkit call");
        match (context.session_id(), context.turn_number()) {
            (Some(session), Some(turn)) if place.is_counted(context, call) => {
                parts.add(session.as_bytes());
                parts.add(&turn.to_be_bytes());
                parts.add(&(place.index() as u64).to_be_bytes());
                parts.add(call.provider_id().unwrap_or_default().as_bytes());
                if set != 0 {
                    parts.add(&set.to_be_bytes());
                }
            }
            _ => return self.fresh(),
        }
        parts.digest()[..16].into()
    }

    /// An id that no other call has.
    pub(super) fn fresh(&self) -> Arc<str> {
        let mut parts = Parts::new(b"toolkit call");
        parts.add(&self.instance.to_be_bytes());
        parts.add(&self.calls.next().to_be_bytes());
        parts.digest()[..16].into()
    }
}

/// Bytes to be digested: each part with its length before it, so that no two lists of parts give the
/// same.
pub(super) struct Parts(Vec<u8>);

impl Parts {
    /// What the list is for comes first.
    pub(super) fn new(purpose: &[u8]) -> Self {
        let mut parts = Self(Vec::with_capacity(128));
        parts.add(purpose);
        parts
    }

    pub(super) fn add(&mut self, part: &[u8]) {
        self.0.extend_from_slice(&(part.len() as u64).to_be_bytes());
        self.0.extend_from_slice(part);
    }

    pub(super) fn digest(&self) -> String {
        hex_digest(&self.0)
    }
}
