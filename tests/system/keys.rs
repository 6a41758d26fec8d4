//! The id of a call as its body has it: the key that an effect has over retries.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolkit::prelude::*;

use crate::support::Finished;

fn cx() -> CallContext {
    CallContext::model().session("s-1").turn(7)
}

/// The keys that effects had.
#[derive(Clone, Default)]
struct Keys(Arc<Mutex<Vec<String>>>);

impl Keys {
    fn add(&self, cx: &CallContext) -> usize {
        let mut keys = self.0.lock().unwrap();
        keys.push(cx.call_id().unwrap().to_owned());
        keys.len()
    }
}

/// Have an effect under the key of the call.
#[tool(name = "replay.inner", risk = "write", idempotent)]
async fn inner(#[context] cx: &CallContext, #[state] keys: &Keys) {
    keys.add(cx);
}

/// Have an effect under the key of the call, two more, and wait for ever the first time.
#[tool(name = "replay.outer", risk = "write", idempotent)]
async fn outer(#[context] cx: &CallContext, #[state] keys: &Keys) {
    let first = keys.add(cx) == 1;
    for _ in 0..2 {
        cx.call(ToolCall::new("replay.inner", "").id("same")).await;
    }
    if first {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn the_key_of_an_effect_is_the_same_over_retries_and_differs_between_calls() {
    let (keys, finished) = (Keys::default(), Finished::default());
    let toolkit = Toolkit::builder()
        .only([id(inner), id(outer)])
        .policy(Policy::trusting())
        .state(keys.clone())
        .observer(finished.observer())
        .build()
        .unwrap();
    assert_eq!(cx().call_id(), None);
    let run = async |cx: CallContext, id: &'static str| {
        let call = toolkit.call(&cx, ToolCall::new("replay.outer", "").id(id));
        let ended = tokio::time::timeout(Duration::from_secs(1), call).await;
        let mut told: Vec<_> = finished.records().iter().map(|r| r.call.to_string()).collect();
        let keys = keys.0.lock().unwrap().split_off(0);
        // One id for the body, the events and the record, whoever asked first.
        let mut told = told.split_off(told.len() - 3);
        told.rotate_right(1);
        assert_eq!(keys, told);
        (ended.is_ok(), keys)
    };
    let (ended, first) = run(cx(), "call_1").await;
    assert!(!ended);
    keys.0.lock().unwrap().push(String::new());
    let (ended, mut second) = run_again(&toolkit, &keys).await;
    assert!(ended);
    assert_eq!(second.split_off(1), first);
    let mut all = first;
    // In no numbered turn each call is another one.
    for (cx, id) in [
        (cx(), "call_2"),
        (cx().turn(8), "call_1"),
        (CallContext::model(), "call_1"),
        (CallContext::model(), "call_1"),
    ] {
        all.extend(run(cx, id).await.1);
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!((all.len(), count), (15, 15), "{all:?}");
}

/// The first call of the test above, made again; what it did first is marked as its second time.
async fn run_again(toolkit: &Toolkit, keys: &Keys) -> (bool, Vec<String>) {
    let reply = toolkit.call(&cx(), ToolCall::new("replay.outer", "").id("call_1")).await;
    (reply.is_ok() && !reply.is_replay(), keys.0.lock().unwrap().split_off(0))
}
