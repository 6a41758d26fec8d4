//! A call that the host makes again in a turn that it numbered: the reply is the one that was given,
//! and nothing has a second effect.

use std::sync::Arc;
use std::time::Duration;

use toolkit::approval::Answer;
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::{Probe, Recorder};
use toolkit::{Builder, CancellationToken, Executed, Ruling, guard};

use crate::support::{Finished, GOOD, counters};

fn cx() -> CallContext {
    CallContext::model().session("s-1").turn(7).principal("ada")
}

fn call(tool: &'static str) -> ToolCall<'static> {
    ToolCall::new(tool, GOOD).id("call_1")
}

/// End in the way that is asked for.
#[tool(name = "replay.end", risk = "write", timeout = "1s")]
async fn end(
    /// How to end, e.g. `ok`.
    how: String,
    #[state] probe: &Probe,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    match how.as_str() {
        "ok" => Ok(format!("run {}", probe.entered())),
        "expected" => Err(ToolError::expected(format!("refused in run {}", probe.entered()))),
        "internal" => Err(std::io::Error::other("disk").into()),
        "panic" => panic!("no such way"),
        "long" => Ok("x".repeat(30_000)),
        "huge" => Ok("x".repeat(3 << 20)),
        _ => std::future::pending().await,
    }
}

/// The same where a second run has no second effect.
#[tool(name = "replay.again", risk = "write", idempotent)]
async fn again(
    /// Which run waits for ever, e.g. `1`.
    waits: usize,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    if probe.entered() == waits {
        std::future::pending::<()>().await;
    }
    format!("run {}", probe.entered())
}

/// Take a while.
#[tool(name = "replay.slow", risk = "write")]
async fn slow(#[state] probe: &Probe) -> String {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_secs(5)).await;
    format!("run {}", probe.entered())
}

/// Look for a while.
#[tool(name = "replay.look")]
async fn look(#[state] probe: &Probe) -> String {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_secs(5)).await;
    format!("run {}", probe.entered())
}

fn tools() -> (Builder, Probe) {
    let probe = Probe::new();
    let tools = [id(end), id(again), id(slow), id(look), id(crate::support::read)];
    let builder = Toolkit::builder().only(tools).policy(Policy::trusting());
    (builder.state(probe.clone()), probe)
}

fn ended(how: &str) -> ToolCall<'static> {
    ToolCall::json("replay.end", &serde_json::json!({"how": how})).unwrap().id("call_1")
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_made_again_gives_the_reply_that_it_gave() {
    for (how, code) in [
        ("ok", Code::Ok),
        ("long", Code::Ok),
        ("expected", Code::Failed),
        ("internal", Code::Failed),
        ("panic", Code::Defect),
        ("hang", Code::TimedOut),
    ] {
        let (builder, probe) = tools();
        let (finished, store) = (Finished::default(), Memory::default());
        let builder = builder.observer(finished.observer()).store(store.clone());
        let toolkit = builder.build().unwrap();
        let first = toolkit.call(&cx(), ended(how)).await;
        assert_eq!((first.code(), first.is_replay()), (code, false));
        // However it is spelled, and by whichever handle.
        let spelled = format!(r#"{{ "h\u006fw" : "{how}" }}"#);
        for (name, arguments) in
            [("replay.end", ended(how).arguments().to_owned()), ("replay__end", spelled)]
        {
            let call = ToolCall::new(name, arguments).id("call_1");
            let reply = toolkit.clone().call(&cx(), call).await;
            assert!(reply.is_replay());
            assert_eq!((reply.text(), reply.code()), (first.text(), first.code()));
            assert_eq!((reply.value(), reply.reference()), (first.value(), first.reference()));
            assert_eq!((reply.tool(), reply.provider_id()), (first.tool(), Some("call_1")));
            assert_eq!(reply.executed(), Executed::Yes);
        }
        assert_eq!(probe.entered(), 1, "{how}");
        assert_eq!(store.records().len(), 1, "{how}");
        let records = finished.records();
        let replays: Vec<_> = records.iter().map(|record| record.replay).collect();
        assert_eq!(replays, [false, true, true]);
        assert!(records.iter().all(|record| record.call == records[0].call));
    }
}

#[tokio::test]
async fn what_reads_is_not_read_again_and_a_turn_is_replayed_as_a_whole() {
    let (builder, probe) = counters();
    let toolkit = builder.build().unwrap();
    let turn = || {
        let read = |id| ToolCall::new("count.read", GOOD).id(id);
        // The same id twice, and none: the place in the turn tells them apart.
        [read("a"), read("a"), ToolCall::new("count.read", GOOD)]
    };
    for round in [false, true] {
        let replies = toolkit.turn(&cx(), turn()).await.into_replies();
        assert!(replies.iter().all(|reply| reply.is_ok() && reply.is_replay() == round));
        assert_eq!(probe.entered(), 3);
    }
    // Repaired arguments are told of each time.
    let call = || ToolCall::new("count.read", r#"{"name": "visits"}"#).id("b");
    assert!(toolkit.call(&cx(), call()).await.is_ok());
    assert_eq!(probe.entered(), 4);
}

#[tokio::test]
async fn another_call_under_the_same_id_is_refused_before_its_body() {
    let (builder, probe) = counters();
    let toolkit = builder.policy(Policy::trusting()).build().unwrap();
    assert!(toolkit.call(&cx(), call("count.write")).await.is_ok());
    let other = ToolCall::new("count.write", r#"{"name": "sales"}"#).id("call_1");
    let others = [
        (cx(), other),
        (cx(), call("count.read")),
        (cx().principal("eve"), call("count.write")),
        (CallContext::human().session("s-1").turn(7).principal("ada"), call("count.write")),
    ];
    for (cx, call) in others {
        let reply = toolkit.call(&cx, call).await;
        assert_eq!((reply.code(), reply.executed()), (Code::CallIdReused, Executed::No));
        assert!(reply.code().is_error() && !reply.code().retryable());
        assert!(!reply.is_replay() && reply.value().is_none());
        assert!(reply.text().ends_with("make a new call with an id of its own"));
    }
    assert_eq!(probe.entered(), 1);
    // The first one still stands.
    assert!(toolkit.call(&cx(), call("count.write")).await.is_replay());
    // In another turn, or session, or under another id it is another call.
    for (cx, id) in [(cx().turn(8), "call_1"), (cx().session("s-2"), "call_1"), (cx(), "call_2")] {
        assert!(!toolkit.call(&cx, call("count.write").id(id)).await.is_replay());
    }
    assert_eq!(probe.entered(), 4);
}

#[tokio::test]
async fn where_nothing_is_counted_nothing_is_judged() {
    let (builder, probe) = counters();
    let toolkit = builder.policy(Policy::trusting()).build().unwrap();
    let model = CallContext::model;
    let alone = ToolCall::new("count.write", GOOD);
    let calls = [
        (model(), call("count.write")),
        (model().session("s-1"), call("count.write")),
        (model().turn(7), call("count.write")),
        // Nothing tells two single calls of a turn apart, so both were meant.
        (cx(), alone.clone()),
        (cx(), alone.id("")),
    ];
    for (i, (cx, call)) in calls.into_iter().enumerate() {
        for _ in 0..2 {
            assert!(!toolkit.call(&cx, call.clone()).await.is_replay());
        }
        assert_eq!(probe.entered(), 2 * (i + 1));
    }
}

#[tokio::test]
async fn what_was_not_run_may_be_tried_again_and_what_a_person_refused_may_not() {
    let recorder = Recorder::new([Answer::Deny(None), Answer::Approve]);
    let (builder, probe) = counters();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    // Mended arguments are no other call, since there was none.
    let bad = ToolCall::new("count.delete", "{}").id("call_1");
    assert_eq!(toolkit.call(&cx(), bad).await.code(), Code::InvalidArguments);
    let refused = toolkit.call(&cx(), call("count.delete")).await;
    assert_eq!((refused.code(), refused.is_replay()), (Code::Rejected, false));
    let reply = toolkit.call(&cx(), call("count.delete")).await;
    assert_eq!(
        (reply.code(), reply.is_replay(), reply.text()),
        (Code::Rejected, true, refused.text())
    );
    assert_eq!(recorder.requests().len(), 1, "nobody is asked twice");
    let other = ToolCall::new("count.delete", r#"{"name": "sales"}"#).id("call_1");
    assert_eq!(toolkit.call(&cx(), other).await.code(), Code::CallIdReused);
    assert_eq!(probe.entered(), 0);

    let (builder, probe) = counters();
    let toolkit = builder.build().unwrap();
    for _ in 0..2 {
        let reply = toolkit.call(&cx(), call("count.delete")).await;
        assert_eq!((reply.code(), reply.is_replay()), (Code::NoApprover, false));
    }
    // Cancelled before it began, and then not.
    let token = CancellationToken::new();
    token.cancel();
    let cancelled = cx().cancellation(token);
    let reply = toolkit.call(&cancelled, call("count.read")).await;
    assert_eq!(reply.code(), Code::CancelledBeforeStart);
    assert!(toolkit.call(&cx(), call("count.read")).await.is_ok());
    assert_eq!(probe.entered(), 1);
}

#[tokio::test]
async fn a_guard_that_changes_its_mind_is_heard_until_it_has_run() {
    let (builder, probe) = counters();
    let asked = Probe::new();
    let counts = asked.clone();
    let moody = guard("moody", move |_: toolkit::HookCall<'_>| {
        let _running = counts.enter();
        Ok(if counts.entered() == 1 { Ruling::Deny("not now".into()) } else { Ruling::Pass })
    });
    let toolkit = builder.guard(moody).build().unwrap();
    let codes = async || toolkit.call(&cx(), call("count.read")).await.code();
    assert_eq!([codes().await, codes().await, codes().await], [Code::Denied, Code::Ok, Code::Ok]);
    assert_eq!((asked.entered(), probe.entered()), (2, 1));
}

#[tokio::test]
async fn an_edited_call_is_replayed_as_it_was_told() {
    let edit = Answer::edit(&serde_json::json!({"name": "other"})).unwrap();
    let (builder, probe) = counters();
    let recorder = Recorder::new([edit]);
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    let first = toolkit.call(&cx(), call("count.delete")).await;
    let reply = toolkit.call(&cx(), call("count.delete")).await;
    assert!(reply.is_replay());
    assert_eq!((reply.text(), reply.edited()), (first.text(), Some(r#"{"name":"other"}"#)));
    assert_eq!((probe.entered(), recorder.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_reply_is_shown_to_nobody_who_may_not_see_the_tool() {
    let (builder, probe) = counters();
    let toolkit = builder.policy(Policy::trusting()).build().unwrap();
    let cx = cx().flag("counters").scope("desk");
    assert!(toolkit.call(&cx, call("count.flagged")).await.is_ok());
    assert!(toolkit.call(&cx, call("count.write").id("w")).await.is_ok());
    let blind = self::cx().scope("desk");
    let reply = toolkit.call(&blind, call("count.flagged")).await;
    assert_eq!((reply.code(), reply.is_replay()), (Code::UnknownTool, false));
    let reply = toolkit.read_only().call(&cx, call("count.write").id("w")).await;
    assert_eq!((reply.code(), reply.is_replay()), (Code::UnknownTool, false));
    assert!(!reply.text().contains("visits"));
    assert_eq!(probe.entered(), 2);
}

#[tokio::test(start_paused = true)]
async fn of_many_at_once_one_runs_and_the_others_have_its_reply() {
    let (builder, probe) = tools();
    let toolkit = builder.build().unwrap();
    let slow = || ToolCall::new("replay.slow", "").id("call_1");
    let calls: Vec<_> = (0..64)
        .map(|_| {
            let toolkit = toolkit.clone();
            tokio::spawn(async move { toolkit.call(&cx(), slow()).await })
        })
        .collect();
    let mut replays = 0;
    for call in calls {
        let reply = call.await.unwrap();
        assert_eq!((reply.code(), reply.text()), (Code::Ok, "run 1"));
        replays += usize::from(reply.is_replay());
    }
    assert_eq!((probe.entered(), replays), (1, 63));

    // One that waits may be cancelled; one that runs may be given up.
    let token = CancellationToken::new();
    let (next, cancelled) = (cx().turn(8), cx().turn(8).cancellation(token.clone()));
    let (first, second, ()) = tokio::join!(
        tokio::time::timeout(Duration::from_secs(2), toolkit.call(&next, slow())),
        toolkit.call(&cancelled, slow()),
        async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            token.cancel();
        }
    );
    assert!(first.is_err());
    assert_eq!(second.code(), Code::CancelledBeforeStart);
    assert_eq!(probe.entered(), 2);
    let reply = toolkit.call(&next, slow()).await;
    assert_eq!((reply.code(), reply.executed()), (Code::OutcomeUnknown, Executed::Unknown));
    assert!(reply.code().is_error() && !reply.code().retryable() && !reply.is_replay());
    assert!(reply.text().contains("what came of it isn't known"), "{}", reply.text());
    // And so for ever, and for no other call.
    assert_eq!(toolkit.call(&next, slow()).await.code(), Code::OutcomeUnknown);
    assert_eq!(toolkit.call(&next, ended("ok")).await.code(), Code::CallIdReused);
    assert_eq!(probe.entered(), 2);
}

#[tokio::test(start_paused = true)]
async fn one_that_waits_for_its_twin_does_not_start_after_a_shutdown() {
    let (builder, probe) = tools();
    let toolkit = builder.build().unwrap();
    let call = || ToolCall::new("replay.look", "").id("call_1");
    let cx = cx();
    let first = tokio::time::timeout(Duration::from_secs(2), toolkit.call(&cx, call()));
    let (first, second, ()) = tokio::join!(first, toolkit.call(&cx, call()), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        toolkit.shutdown().await;
    });
    assert!(first.is_err(), "nobody waits for the first any more");
    assert_eq!((second.code(), second.executed()), (Code::Busy, Executed::No));
    assert_eq!(second.took(), Duration::from_secs(1), "nor does it hold up the shutdown");
    assert_eq!(probe.entered(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_idempotent_tool_runs_again_where_its_outcome_is_not_known() {
    let (builder, probe) = tools();
    let toolkit = builder.build().unwrap();
    let call = || ToolCall::new("replay.again", r#"{"waits": 1}"#).id("call_1");
    let dropped = tokio::time::timeout(Duration::from_secs(1), toolkit.call(&cx(), call())).await;
    assert!(dropped.is_err());
    let other = ToolCall::new("replay.again", r#"{"waits": 2}"#).id("call_1");
    assert_eq!(toolkit.call(&cx(), other).await.code(), Code::CallIdReused);
    let reply = toolkit.call(&cx(), call()).await;
    assert_eq!((reply.text(), reply.is_replay()), ("run 2", false));
    // Now it is known.
    let reply = toolkit.call(&cx(), call()).await;
    assert_eq!((reply.text(), reply.is_replay(), probe.entered()), ("run 2", true, 2));
}

#[tokio::test]
async fn a_reply_that_is_not_kept_is_not_made_anew() {
    let (builder, probe) = tools();
    let toolkit = builder.build().unwrap();
    // Its output lies in a file: what the model read stays, the value goes.
    let first = toolkit.call(&cx(), ended("huge")).await;
    let reply = toolkit.call(&cx(), ended("huge")).await;
    assert!(reply.is_replay() && reply.value().is_none());
    assert_eq!((reply.text(), probe.entered()), (first.text(), 1));

    // A store without a place refuses what it could not remember, and reads all the same.
    let (builder, probe) = tools();
    let toolkit = builder.store(Memory::with_capacity(0)).build().unwrap();
    let reply = toolkit.call(&cx(), ended("ok")).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Denied, 0));
    assert!(toolkit.call(&cx(), call("count.read")).await.is_ok());
}

#[tokio::test]
async fn toolkits_on_one_store_know_each_others_calls() {
    let (store, probe) = (Memory::default(), Probe::new());
    let toolkit = || {
        let builder = Toolkit::builder().only([id(end)]).policy(Policy::trusting());
        builder.state(probe.clone()).store(store.clone()).build().unwrap()
    };
    let first = toolkit().call(&cx(), ended("ok")).await;
    let reply = toolkit().call(&cx(), ended("ok")).await;
    assert_eq!((reply.text(), reply.is_replay(), probe.entered()), (first.text(), true, 1));
    // Both under way at once.
    let (one, two) = (Arc::new(toolkit()), Arc::new(toolkit()));
    let next = cx().turn(8);
    let (first, second) =
        tokio::join!(one.call(&next, ended("hang")), two.call(&next, ended("hang")));
    assert_eq!((first.code(), second.code()), (Code::TimedOut, Code::OutcomeUnknown));
    assert_eq!(probe.entered(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_its_twin_has_waited() {
    let (builder, _) = tools();
    let finished = crate::support::Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let cx = CallContext::model().session("s").turn(1);
    let slow = || ToolCall::new("replay.slow", "").id("call_1");
    let (first, second) = tokio::join!(toolkit.call(&cx, slow()), toolkit.call(&cx, slow()));
    assert!(!first.is_replay() && second.is_replay());
    let waited: Vec<_> = finished.records().iter().map(|record| record.waited).collect();
    assert_eq!(waited, [Duration::ZERO, Duration::from_secs(5)]);
}
