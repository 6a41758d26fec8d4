//! The room of drafts in memory: bounded in number and in bytes, forgetting the oldest finished one
//! first, never one that waits.

use std::collections::VecDeque;
use std::time::SystemTime;

use super::Memory;
use crate::hook::BoxFuture;
use crate::store::{Changed, DraftChange, DraftState, Drafts, StoreError, StoredDraft};

/// How many are ended at once.
const OVERDUE: usize = 64;

/// What the room holds, oldest first.
#[derive(Debug, Default)]
pub(super) struct Kept {
    drafts: VecDeque<StoredDraft>,
    bytes: usize,
}

impl Kept {
    fn put(&mut self, draft: StoredDraft, capacity: usize, bytes: usize) -> Result<(), StoreError> {
        let size = draft.size();
        // Looked at first: one that can't be kept makes nobody go.
        let open = self.drafts.iter().filter(|draft| draft.state.is_open());
        let (count, taken) = open.fold((0, 0_usize), |(count, taken), draft| {
            (count + 1, taken.saturating_add(draft.size()))
        });
        if count >= capacity || taken.saturating_add(size) > bytes {
            return Err(StoreError::Full(count));
        }
        while self.drafts.len() >= capacity || self.bytes.saturating_add(size) > bytes {
            let finished = self.drafts.iter().position(|draft| !draft.state.is_open());
            let Some(gone) = finished.and_then(|at| self.drafts.remove(at)) else {
                return Err(StoreError::Full(self.drafts.len()));
            };
            self.bytes = self.bytes.saturating_sub(gone.size());
        }
        self.bytes += size;
        self.drafts.push_back(draft);
        Ok(())
    }

    fn change(&mut self, id: &str, change: DraftChange) -> Changed {
        let Some(draft) = self.drafts.iter_mut().rev().find(|draft| draft.id == id) else {
            return Changed::Unknown;
        };
        let before = draft.size();
        let changed = draft.change(change);
        // An edit may be longer than what it replaces: it was let in under the same bound.
        self.bytes = (self.bytes + draft.size()).saturating_sub(before);
        let now = Box::new(draft.clone());
        if changed { Changed::Yes(now) } else { Changed::No(now) }
    }
}

impl Drafts for Memory {
    fn keep_draft<'a>(&'a self, draft: StoredDraft) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.drafts.lock().put(draft, self.capacity, Self::DRAFT_BYTES) })
    }

    fn draft<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredDraft>, StoreError>> {
        Box::pin(async move {
            Ok(self.drafts.lock().drafts.iter().rev().find(|draft| draft.id == id).cloned())
        })
    }

    fn drafts<'a>(
        &'a self,
        session: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Vec<StoredDraft>, StoreError>> {
        Box::pin(async move {
            let kept = self.drafts.lock();
            let of = kept.drafts.iter().filter(|draft| draft.session.as_deref() == session);
            Ok(of.cloned().collect())
        })
    }

    fn overdue<'a>(&'a self, at: SystemTime) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let kept = self.drafts.lock();
            let late =
                |draft: &&StoredDraft| draft.state == DraftState::Pending && at >= draft.expires;
            Ok(kept
                .drafts
                .iter()
                .filter(late)
                .take(OVERDUE)
                .map(|draft| draft.id.clone())
                .collect())
        })
    }

    fn change_draft<'a>(
        &'a self,
        id: &'a str,
        change: DraftChange,
    ) -> BoxFuture<'a, Result<Changed, StoreError>> {
        Box::pin(async move { Ok(self.drafts.lock().change(id, change)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Origin;
    use crate::risk::RiskSet;
    use crate::store::Decided;
    use crate::store::drafts::Exact;

    fn draft(id: &str, value: &str) -> StoredDraft {
        let exact = Exact { value: value.to_owned(), ..Exact::default() };
        StoredDraft {
            id: id.to_owned(),
            call: String::new(),
            tool: String::new(),
            spec: String::new(),
            risk: RiskSet::READ,
            origin: Origin::Model,
            principal: None,
            session: None,
            digest: String::new(),
            value: value.to_owned(),
            text: None,
            edited: false,
            made: SystemTime::UNIX_EPOCH,
            expires: SystemTime::UNIX_EPOCH,
            state: DraftState::Pending,
            set: 0,
            exact,
        }
    }

    fn decided() -> Decided {
        Decided::new(Some("ada"), SystemTime::UNIX_EPOCH)
    }

    #[test]
    fn what_waits_is_never_forgotten() {
        let mut kept = Kept::default();
        kept.put(draft("a", "1"), 2, 100).unwrap();
        kept.put(draft("b", "2"), 2, 100).unwrap();
        assert_eq!(kept.put(draft("c", "3"), 2, 100), Err(StoreError::Full(2)));
        assert!(matches!(kept.change("a", DraftChange::Claim(decided(), None)), Changed::Yes(_)));
        assert_eq!(kept.put(draft("c", "3"), 2, 100), Err(StoreError::Full(2)));
        assert!(matches!(kept.change("b", DraftChange::Withdraw(decided())), Changed::Yes(_)));
        kept.put(draft("c", "3"), 2, 100).unwrap();
        assert!(matches!(kept.change("b", DraftChange::Expire), Changed::Unknown));
    }

    #[test]
    fn bytes_are_bounded_too() {
        let mut kept = Kept::default();
        kept.put(draft("a", "12345"), 9, 20).unwrap();
        assert_eq!(kept.bytes, 10);
        assert_eq!(kept.put(draft("b", "123456"), 9, 20), Err(StoreError::Full(1)));
        kept.change("a", DraftChange::Expire);
        assert_eq!(kept.bytes, 5, "what would be sent is forgotten at its end");
        kept.put(draft("b", "123456"), 9, 20).unwrap();
        assert_eq!(kept.bytes, 17);
        kept.put(draft("c", "1234"), 9, 20).unwrap();
        assert_eq!(kept.bytes, 20);
        // One that can't be kept makes nobody go.
        kept.change("c", DraftChange::Expire);
        assert_eq!(kept.put(draft("d", "1234"), 9, 10), Err(StoreError::Full(1)));
        assert!(kept.drafts.iter().any(|draft| draft.id == "c"));
    }

    #[test]
    fn each_step_has_its_beginning() {
        let steps = |from: DraftState| {
            let end = DraftState::Expired;
            [
                DraftChange::Claim(decided(), None),
                DraftChange::Release(Box::new(draft("a", "1"))),
                DraftChange::End(end),
                DraftChange::Expire,
                DraftChange::Withdraw(decided()),
            ]
            .map(|change| StoredDraft { state: from.clone(), ..draft("a", "1") }.change(change))
        };
        assert_eq!(steps(DraftState::Pending), [true, false, false, true, true]);
        assert_eq!(steps(DraftState::Claimed(decided())), [false, true, true, false, false]);
        assert_eq!(steps(DraftState::Expired), [false; 5]);
        assert_eq!(steps(DraftState::Withdrawn(decided())), [false; 5]);
    }
}
