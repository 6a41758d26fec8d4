//! The room of intents in memory: bounded, forgetting the oldest finished record first.

use std::collections::VecDeque;

use super::Memory;
use crate::hook::BoxFuture;
use crate::store::{Ended, Intent, Intents, Record, StoreError};

/// One record, and whether its outcome will be written.
#[derive(Debug)]
pub(super) struct Kept {
    record: Record,
    left: bool,
}

impl Memory {
    /// The intents and what became of them, oldest first.
    pub fn records(&self) -> Vec<Record> {
        self.intents.lock().iter().map(|kept| kept.record.clone()).collect()
    }

    fn put(&self, intent: Intent) -> Result<(), StoreError> {
        let mut records = self.intents.lock();
        if records.len() >= self.capacity {
            let finished = records.iter().position(|kept| kept.record.ended.is_some());
            match finished.or_else(|| records.iter().position(|kept| kept.left)) {
                Some(oldest) => drop(records.remove(oldest)),
                None => return Err(StoreError::Full(records.len())),
            }
        }
        records.push_back(Kept { record: Record { intent, ended: None }, left: false });
        Ok(())
    }

    fn close(&self, call: &str, ended: Ended) -> Result<(), StoreError> {
        let mut records = self.intents.lock();
        match open(&mut records, call) {
            Some(kept) => {
                kept.record.ended = Some(ended);
                Ok(())
            }
            None => Err(StoreError::NoIntent(call.to_owned())),
        }
    }
}

/// The newest open record of this call: what ends is mostly new. A host that numbers turns may make one
/// call twice: each outcome ends an open one.
fn open<'k>(records: &'k mut VecDeque<Kept>, call: &str) -> Option<&'k mut Kept> {
    let open = |kept: &&mut Kept| {
        kept.record.ended.is_none() && !kept.left && kept.record.intent.call == call
    };
    records.iter_mut().rev().find(open)
}

impl Intents for Memory {
    fn intend<'a>(&'a self, intent: Intent) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.put(intent) })
    }

    fn end<'a>(&'a self, call: &'a str, ended: Ended) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.close(call, ended) })
    }

    fn leave_intent(&self, call: &str) {
        if let Some(kept) = open(&mut self.intents.lock(), call) {
            kept.left = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::call::{Code, Executed};
    use crate::context::Origin;
    use crate::risk::RiskSet;

    fn intent(call: &str) -> Intent {
        Intent {
            call: call.to_owned(),
            tool: "t".to_owned(),
            risk: RiskSet::READ,
            origin: Origin::Human,
            principal: None,
            session: None,
            digest: String::new(),
            arguments: None,
            at: SystemTime::UNIX_EPOCH,
        }
    }

    const OK: Ended = Ended { code: Code::Ok, executed: Executed::Yes, at: SystemTime::UNIX_EPOCH };

    #[test]
    fn finished_records_make_room_and_open_ones_do_not() {
        let store = Memory::with_capacity(2);
        store.put(intent("a")).unwrap();
        store.put(intent("b")).unwrap();
        assert_eq!(store.put(intent("c")), Err(StoreError::Full(2)));
        store.close("b", OK).unwrap();
        store.put(intent("c")).unwrap();
        let calls: Vec<_> = store.records().into_iter().map(|r| r.intent.call).collect();
        assert_eq!(calls, ["a", "c"]);
        assert_eq!(store.close("b", OK), Err(StoreError::NoIntent("b".to_owned())));
    }

    #[test]
    fn what_nobody_will_end_makes_room_before_a_new_one_is_refused() {
        let store = Memory::with_capacity(2);
        let calls =
            || -> Vec<_> { store.records().into_iter().map(|record| record.intent.call).collect() };
        store.put(intent("a")).unwrap();
        store.put(intent("b")).unwrap();
        store.leave_intent("a");
        assert_eq!(calls(), ["a", "b"], "it stands while there is room");
        store.put(intent("c")).unwrap();
        assert_eq!(calls(), ["b", "c"]);
        assert_eq!(store.put(intent("d")), Err(StoreError::Full(2)));
        store.leave_intent("b");
        store.close("c", OK).unwrap();
        store.put(intent("d")).unwrap();
        assert_eq!(calls(), ["b", "d"], "a finished one goes before one that is only left");
    }
}
