//! How many calls a session and a turn may make at all: who counts, what counts, and what is said.

use toolkit::prelude::*;
use toolkit::testing::Recorder;
use toolkit::{Builder, Would};

use crate::support::{Finished, GOOD, counters};

/// Read a counter as often as is asked for, and say how often it was let.
#[tool(name = "budget.outer")]
async fn outer(
    /// How often, e.g. `3`.
    times: u32,
    #[context] cx: &CallContext,
) -> Result<u32, ToolError> {
    let mut run = 0;
    for _ in 0..times {
        let reply = cx.call(ToolCall::new("count.read", GOOD)).await;
        run += u32::from(reply.is_ok());
    }
    Ok(run)
}

fn tools() -> (Builder, toolkit::testing::Probe) {
    let (builder, probe) = counters();
    (builder.only([id(outer)]), probe)
}

fn model() -> CallContext {
    CallContext::model().session("s-42")
}

async fn codes(toolkit: &Toolkit, cx: &CallContext, tool: &str, n: usize) -> Vec<Code> {
    let mut codes = Vec::new();
    for _ in 0..n {
        codes.push(toolkit.call(cx, ToolCall::new(tool, GOOD)).await.code());
    }
    codes
}

fn turn(n: usize) -> impl Iterator<Item = ToolCall<'static>> {
    std::iter::repeat_n(ToolCall::new("count.read", GOOD), n)
}

#[tokio::test]
async fn a_session_that_has_made_its_calls_makes_no_more() {
    let (builder, probe) = tools();
    let finished = Finished::default();
    let builder = builder.observer(finished.observer());
    let toolkit = builder.calls_per_session(3).build().unwrap();
    let cx = model();
    assert_eq!(codes(&toolkit, &cx, "count.read", 3).await, [Code::Ok; 3]);
    let reply = toolkit.call(&cx.clone().turn(7), ToolCall::new("count.read", GOOD)).await;
    assert_eq!((reply.code(), reply.retry_after()), (Code::LoopStopped, None));
    assert_eq!(
        reply.text(),
        "`count.read` was not run: this session has made all of its 3 calls; \
         make no more, and say what you have and what is missing"
    );
    let decision = finished.records()[3].decision.to_string();
    assert!(decision.ends_with("; budget: deny (this session has made all of its 3 calls)"));
    assert_eq!(probe.entered(), 3);
    // People go on, and another session does.
    let human = CallContext::human().session("s-42");
    assert_eq!(codes(&toolkit, &human, "count.read", 5).await, [Code::Ok; 5]);
    let next = CallContext::model().session("s-43");
    assert_eq!(codes(&toolkit, &next, "count.read", 1).await, [Code::Ok]);
    // A plan isn't a person.
    let plan = CallContext::plan().session("s-42");
    assert_eq!(codes(&toolkit, &plan, "count.read", 1).await, [Code::LoopStopped]);
    // Without a session, a context and its clones are one.
    let alone = CallContext::model();
    assert_eq!(codes(&toolkit, &alone, "count.read", 3).await, [Code::Ok; 3]);
    let clone = alone.clone().principal("ada").flag("more");
    assert_eq!(codes(&toolkit, &clone, "count.read", 1).await, [Code::LoopStopped]);
    assert_eq!(codes(&toolkit, &CallContext::model(), "count.read", 1).await, [Code::Ok]);
}

#[tokio::test]
async fn only_what_the_rules_let_through_is_counted_and_before_a_person_is_asked() {
    let (builder, probe) = tools();
    let recorder = Recorder::denying();
    let builder = builder.approver(recorder.clone()).no_loop_guard();
    let toolkit = builder.calls_per_session(3).build().unwrap();
    let cx = model();
    for (tool, arguments) in [("count.wirte", GOOD), ("count.read", "{"), ("count.fetch", GOOD)] {
        for _ in 0..5 {
            let reply = toolkit.call(&cx, ToolCall::new(tool, arguments)).await;
            assert!(!reply.is_ok() && reply.code() != Code::LoopStopped);
        }
    }
    // What a person refuses has asked them.
    let asked = codes(&toolkit, &cx, "count.delete", 5).await;
    assert_eq!(asked[..3], [Code::Rejected; 3]);
    assert_eq!(asked[3..], [Code::LoopStopped; 2]);
    assert_eq!((recorder.requests().len(), probe.entered()), (3, 0));
}

#[tokio::test]
async fn a_turn_that_has_made_its_calls_goes_on_in_the_next() {
    let (builder, _) = tools();
    let toolkit = builder.calls_per_turn(2).build().unwrap();
    let codes_of = |turn: toolkit::Turn| {
        turn.replies().iter().map(toolkit::ToolReply::code).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        let turn = toolkit.turn(&model(), turn(3)).await;
        let reply = &turn.replies()[2];
        assert_eq!(
            reply.text(),
            "`count.read` was not run: this turn has made all of its 2 calls; use the results that \
             you have, and make what is still needed in the next turn"
        );
        assert!(reply.code().retryable() && !reply.code().counts_as_failure());
        assert_eq!(codes_of(turn), [Code::Ok, Code::Ok, Code::RateLimited]);
    }
    // A numbered one is one, however its calls come.
    let cx = model().turn(1);
    assert_eq!(codes_of(toolkit.turn(&cx, turn(1)).await), [Code::Ok]);
    let single = codes(&toolkit, &cx, "count.read", 2).await;
    assert_eq!(single, [Code::Ok, Code::RateLimited]);
    // Also where another was in between.
    assert_eq!(codes(&toolkit, &model().turn(2), "count.read", 1).await, [Code::Ok]);
    assert_eq!(codes(&toolkit, &cx, "count.read", 1).await, [Code::RateLimited]);
    // Single calls are turns of their own.
    assert_eq!(codes(&toolkit, &model(), "count.read", 5).await, [Code::Ok; 5]);
}

#[tokio::test]
async fn the_calls_of_a_body_count_with_the_call_around_them() {
    let call = |times: u32| ToolCall::json("budget.outer", &serde_json::json!({ "times": times }));
    for numbered in [false, true] {
        let (builder, _) = tools();
        let toolkit = builder.calls_per_turn(4).calls_per_session(10).build().unwrap();
        let cx = |turn| if numbered { model().turn(turn) } else { model() };
        for (turn, run) in [(1, "3"), (2, "3"), (3, "1")] {
            let reply = toolkit.call(&cx(turn), call(5).unwrap()).await;
            assert_eq!(reply.text(), run, "{turn}");
        }
        assert_eq!(codes(&toolkit, &cx(4), "count.read", 1).await, [Code::LoopStopped]);
        // Those of a person's call are a person's.
        let human = CallContext::human().session("s-42");
        assert_eq!(toolkit.call(&human, call(9).unwrap()).await.text(), "9");
    }
}

#[tokio::test]
async fn a_session_within_another_spends_of_both() {
    let (builder, _) = tools();
    let toolkit = builder.calls_per_session(4).build().unwrap();
    let outer = toolkit.session("s-1");
    let (first, second) = (outer.child("a"), outer.child("b"));
    let of = |session: &toolkit::Session| CallContext::model().session(session.id());
    assert_eq!(codes(&toolkit, &of(&first), "count.read", 3).await, [Code::Ok; 3]);
    let next = codes(&toolkit, &of(&second), "count.read", 2).await;
    assert_eq!(next, [Code::Ok, Code::LoopStopped]);
    assert_eq!(codes(&toolkit, &of(&outer), "count.read", 1).await, [Code::LoopStopped]);
    // That names look alike makes no session: nobody holds `tenant`.
    for n in 0..5 {
        let cx = CallContext::model().session(format!("tenant/{n}"));
        assert_eq!(codes(&toolkit, &cx, "count.read", 1).await, [Code::Ok]);
    }
}

#[tokio::test]
async fn explaining_spends_nothing_and_says_what_is_spent() {
    let (builder, _) = tools();
    let toolkit = builder.calls_per_session(1).build().unwrap();
    let cx = model();
    for _ in 0..3 {
        let explained = toolkit.explain(&cx, ToolCall::new("count.read", GOOD)).await;
        assert_eq!(explained.would, Would::Run);
    }
    assert_eq!(codes(&toolkit, &cx, "count.read", 1).await, [Code::Ok]);
    let explained = toolkit.explain(&cx, ToolCall::new("count.read", GOOD)).await;
    assert_eq!(explained.would, Would::Refuse(Code::LoopStopped));
    assert_eq!(explained.deciding().unwrap().source, "budget");
    assert!(explained.advice.iter().any(|advice| advice.contains("greater budget")));
}

#[tokio::test]
async fn a_budget_of_nothing_is_a_mistake() {
    let (builder, _) = tools();
    let error = builder.calls_per_session(0).calls_per_turn(0).build().unwrap_err().to_string();
    assert!(error.contains("`calls_per_session` must be at least 1"), "{error}");
    assert!(error.contains("`calls_per_turn` must be at least 1"), "{error}");
}
