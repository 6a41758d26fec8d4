//! The room of intents in memory: bounded, forgetting the oldest finished record first.

use super::Memory;
use crate::hook::BoxFuture;
use crate::store::{Ended, Intent, Intents, Record, StoreError};

impl Memory {
    /// The intents and what became of them, oldest first.
    pub fn records(&self) -> Vec<Record> {
        self.intents.lock().iter().cloned().collect()
    }

    fn put(&self, intent: Intent) -> Result<(), StoreError> {
        let mut records = self.intents.lock();
        if records.len() >= self.capacity {
            match records.iter().position(|record| record.ended.is_some()) {
                Some(oldest) => drop(records.remove(oldest)),
                None => return Err(StoreError::Full(records.len())),
            }
        }
        records.push_back(Record { intent, ended: None });
        Ok(())
    }

    fn close(&self, call: &str, ended: Ended) -> Result<(), StoreError> {
        let mut records = self.intents.lock();
        // The newest are at the back, and what ends is mostly new. A host that numbers turns may make
        // one call twice: each outcome ends an open one.
        let open = |record: &&mut Record| record.ended.is_none() && record.intent.call == call;
        match records.iter_mut().rev().find(open) {
            Some(record) => {
                record.ended = Some(ended);
                Ok(())
            }
            None => Err(StoreError::NoIntent(call.to_owned())),
        }
    }
}

impl Intents for Memory {
    fn intend<'a>(&'a self, intent: Intent) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.put(intent) })
    }

    fn end<'a>(&'a self, call: &'a str, ended: Ended) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.close(call, ended) })
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
}
