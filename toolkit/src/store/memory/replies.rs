//! The room of replies in memory: bounded in number and in bytes, forgetting the oldest first.

use std::collections::{HashMap, VecDeque};

use super::Memory;
use crate::call::ToolReply;
use crate::hook::BoxFuture;
use crate::store::{End, Made, Replies, StoreError};

/// How many bytes of text all replies together may have.
const MOST: usize = 16 << 20;

/// A reply of more bytes than this isn't kept, so that it doesn't take the room of all others.
const LONGEST: usize = MOST / 8;

/// A call, and whether what came of it will be written.
#[derive(Debug)]
struct Call {
    made: Made,
    left: bool,
}

impl Call {
    fn is_open(&self) -> bool {
        matches!(self.made.end, End::Open)
    }
}

/// The calls, and in which order they came.
#[derive(Debug, Default)]
pub(super) struct Kept {
    calls: HashMap<String, Call>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Kept {
    /// A place for one more, for which the oldest that isn't open goes, or else the oldest that nobody
    /// will write the end of.
    fn make_room(&mut self, capacity: usize) -> Result<(), StoreError> {
        if self.order.len() < capacity {
            return Ok(());
        }
        let oldest = |goes: fn(&Call) -> bool| {
            self.order.iter().position(|call| self.calls.get(call).is_none_or(goes))
        };
        let oldest = oldest(|call| !call.is_open()).or_else(|| oldest(|call| call.left));
        let oldest = oldest.and_then(|at| self.order.remove(at));
        let oldest = oldest.ok_or(StoreError::Full(self.order.len()))?;
        self.remove(&oldest);
        Ok(())
    }

    fn remove(&mut self, call: &str) {
        if let Some(call) = self.calls.remove(call) {
            self.bytes -= weight(&call.made.end);
        }
    }

    /// Puts the end of a call in its place, and lets the oldest replies go where all are too long;
    /// that there were such calls stays.
    fn put(
        &mut self,
        capacity: usize,
        call: &str,
        fingerprint: &str,
        end: End,
    ) -> Result<(), StoreError> {
        if self.calls.contains_key(call) {
            self.remove(call);
        } else {
            self.make_room(capacity)?;
            self.order.push_back(call.to_owned());
        }
        let end = if weight(&end) > LONGEST { End::Gone } else { end };
        self.bytes += weight(&end);
        let made = Made { fingerprint: fingerprint.to_owned(), end };
        self.calls.insert(call.to_owned(), Call { made, left: false });
        for call in &self.order {
            if self.bytes <= MOST {
                break;
            }
            if let Some(Call { made, .. }) = self.calls.get_mut(call)
                && matches!(made.end, End::Reply(_))
            {
                self.bytes -= weight(&made.end);
                made.end = End::Gone;
            }
        }
        Ok(())
    }
}

fn weight(end: &End) -> usize {
    match end {
        End::Reply(reply) => reply.weight(),
        End::Open | End::Gone => 0,
    }
}

impl Memory {
    fn begin_call(&self, call: &str, fingerprint: &str, again: bool) -> Result<bool, StoreError> {
        let mut kept = self.replies.lock();
        if !again && kept.calls.contains_key(call) {
            return Ok(false);
        }
        kept.put(self.capacity, call, fingerprint, End::Open).map(|()| true)
    }
}

impl Replies for Memory {
    fn made<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<Option<Made>, StoreError>> {
        Box::pin(
            async move { Ok(self.replies.lock().calls.get(call).map(|call| call.made.clone())) },
        )
    }

    fn begin<'a>(
        &'a self,
        call: &'a str,
        fingerprint: &'a str,
        again: bool,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { self.begin_call(call, fingerprint, again) })
    }

    fn finish<'a>(
        &'a self,
        call: &'a str,
        fingerprint: &'a str,
        reply: ToolReply,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let end = End::Reply(Box::new(reply));
            self.replies.lock().put(self.capacity, call, fingerprint, end)
        })
    }

    fn forget<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut kept = self.replies.lock();
            kept.remove(call);
            // What is forgotten was begun just now.
            if let Some(at) = kept.order.iter().rposition(|held| held == call) {
                kept.order.remove(at);
            }
            Ok(())
        })
    }

    fn leave_reply(&self, call: &str) {
        if let Some(call) = self.replies.lock().calls.get_mut(call).filter(|call| call.is_open()) {
            call.left = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Code;

    fn reply(bytes: usize) -> End {
        End::Reply(Box::new(ToolReply::not_run(Code::Rejected, "x".repeat(bytes))))
    }

    fn ends(kept: &Kept) -> Vec<(&str, &'static str)> {
        let end = |call: &String| match kept.calls[call].made.end {
            End::Open => "open",
            End::Reply(_) => "reply",
            End::Gone => "gone",
        };
        kept.order.iter().map(|call| (call.as_str(), end(call))).collect()
    }

    #[test]
    fn the_oldest_goes_and_what_is_open_stays() {
        let mut kept = Kept::default();
        kept.put(2, "a", "1", End::Open).unwrap();
        kept.put(2, "b", "2", reply(1)).unwrap();
        kept.put(2, "c", "3", End::Open).unwrap();
        assert_eq!(ends(&kept), [("a", "open"), ("c", "open")]);
        assert_eq!(kept.put(2, "d", "4", reply(1)), Err(StoreError::Full(2)));
        kept.put(2, "a", "1", reply(7)).unwrap();
        assert_eq!((ends(&kept), kept.bytes), (vec![("a", "reply"), ("c", "open")], 7));
        kept.put(2, "d", "4", reply(1)).unwrap();
        assert_eq!((ends(&kept), kept.bytes), (vec![("c", "open"), ("d", "reply")], 1));
    }

    #[test]
    fn what_nobody_will_end_makes_room_before_a_new_one_is_refused() {
        let store = Memory::with_capacity(2);
        assert_eq!(store.begin_call("a", "1", false), Ok(true));
        assert_eq!(store.begin_call("b", "2", false), Ok(true));
        assert_eq!(store.begin_call("c", "3", false), Err(StoreError::Full(2)));
        store.leave_reply("b");
        assert_eq!(ends(&store.replies.lock()), [("a", "open"), ("b", "open")]);
        assert_eq!(store.begin_call("b", "2", true), Ok(true), "it is under way once more");
        assert_eq!(store.begin_call("c", "3", false), Err(StoreError::Full(2)));
        store.leave_reply("b");
        assert_eq!(store.begin_call("c", "3", false), Ok(true));
        assert_eq!(ends(&store.replies.lock()), [("a", "open"), ("c", "open")]);
    }

    #[test]
    fn long_texts_make_room_and_their_calls_are_remembered() {
        let mut kept = Kept::default();
        kept.put(99, "open", "0", End::Open).unwrap();
        for call in 0..9 {
            kept.put(99, &format!("{call}"), "f", reply(LONGEST)).unwrap();
        }
        assert_eq!(ends(&kept)[..3], [("open", "open"), ("0", "gone"), ("1", "reply")]);
        assert_eq!(kept.bytes, MOST);
        kept.put(99, "huge", "f", reply(LONGEST + 1)).unwrap();
        assert_eq!(ends(&kept).last(), Some(&("huge", "gone")));
        assert_eq!(kept.bytes, MOST);
    }

    #[test]
    fn a_log_of_the_store_has_no_digest_of_a_secret() {
        let store = Memory::default();
        assert_eq!(store.begin_call("a", "digest of a secret", false), Ok(true));
        let logged = format!("{store:?}");
        assert!(logged.contains("Open") && !logged.contains("digest"), "{logged}");
    }
}
