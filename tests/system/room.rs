//! A bounded store and calls that nobody waited for: what stays open doesn't close the store for ever.

use std::time::Duration;

use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Probe;

/// Wait for ever, or not at all.
#[tool(name = "room.wait", risk = "write")]
async fn wait(
    /// Whether it waits, e.g. `true`.
    long: bool,
    #[state] probe: &Probe,
) -> &'static str {
    let _running = probe.enter();
    if long {
        std::future::pending::<()>().await;
    }
    "done"
}

fn call(long: bool) -> ToolCall<'static> {
    ToolCall::new("room.wait", if long { r#"{"long": true}"# } else { r#"{"long": false}"# })
}

#[tokio::test(start_paused = true)]
async fn calls_that_were_dropped_do_not_close_the_store() {
    let store = Memory::with_capacity(3);
    let builder = Toolkit::builder().only([id(wait)]).state(Probe::new()).store(store.clone());
    let toolkit = builder.policy(Policy::trusting()).build().unwrap();
    for turn in 0..10 {
        // One whose reply is kept as well, and one that is only recorded.
        for cx in [CallContext::model().session("s").turn(turn), CallContext::model()] {
            let call = call(true).id("call_1");
            let dropped = tokio::time::timeout(Duration::from_secs(1), toolkit.call(&cx, call));
            assert!(dropped.await.is_err());
        }
    }
    assert!(store.records().iter().all(|record| record.ended.is_none()), "they stay as they were");
    let cx = CallContext::model().session("s").turn(10);
    assert_eq!(toolkit.call(&cx, call(false)).await.code(), Code::Ok);
    // What was cut off is known while there is room for it.
    let cx = CallContext::model().session("s").turn(9);
    let again = toolkit.call(&cx, call(true).id("call_1")).await;
    assert_eq!(again.code(), Code::OutcomeUnknown);
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_under_way_do() {
    let store = Memory::with_capacity(3);
    let builder = Toolkit::builder().only([id(wait)]).state(Probe::new()).store(store);
    let toolkit = builder.policy(Policy::trusting()).concurrency(9).build().unwrap();
    let cx = CallContext::model();
    let three = async {
        let one = || toolkit.call(&cx, call(true));
        tokio::join!(one(), one(), one());
    };
    let one_more = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        toolkit.call(&cx, call(false)).await
    };
    tokio::select! {
        () = three => unreachable!("they wait for 30 s"),
        reply = one_more => assert_eq!(reply.code(), Code::Denied, "{}", reply.text()),
    }
}
