//! How many calls may run in a time: by level, tool, session and principal; what takes, what gives up,
//! and how long to wait. On Tokio's clock, which stands still here.

use std::time::Duration;

use tokio::time::advance;
use toolkit::prelude::*;
use toolkit::testing::Recorder;
use toolkit::{Rate, Would};

use crate::support::{Finished, GOOD, counters};

fn model() -> CallContext {
    CallContext::model().session("s-42").principal("ada")
}

async fn call(toolkit: &Toolkit, cx: &CallContext, tool: &str) -> ToolReply {
    toolkit.call(cx, ToolCall::new(tool, GOOD)).await
}

async fn codes(toolkit: &Toolkit, cx: &CallContext, tool: &str, n: usize) -> Vec<Code> {
    let mut codes = Vec::new();
    for _ in 0..n {
        codes.push(call(toolkit, cx, tool).await.code());
    }
    codes
}

const LIMITED: Code = Code::RateLimited;

#[tokio::test(start_paused = true)]
async fn a_tool_runs_as_often_as_its_rate_says() {
    let (builder, probe) = counters();
    let finished = Finished::default();
    let builder = builder.observer(finished.observer());
    let toolkit = builder.rate("count.read", Rate::per_minute(6).burst(2)).build().unwrap();
    let cx = model();
    assert_eq!(codes(&toolkit, &cx, "count.read", 2).await, [Code::Ok; 2]);
    let reply = call(&toolkit, &cx, "count.read").await;
    assert_eq!((reply.code(), reply.retry_after()), (LIMITED, Some(Duration::from_secs(10))));
    assert_eq!(
        reply.text(),
        "`count.read` was not run: the rate of `count.read` is used up (6 a minute, 2 at once); \
         wait 10 s, then make the same call again"
    );
    let record = &finished.records()[2];
    assert_eq!(record.code, LIMITED);
    let found = record.decision.to_string();
    assert!(found.contains("rate: deny (the rate of `count.read` is used up"), "{found}");
    // To be refused takes nothing, and it isn't a failure that is counted.
    assert_eq!(codes(&toolkit, &cx, "count.read", 20).await, [LIMITED; 20]);
    advance(Duration::from_millis(9_999)).await;
    let reply = call(&toolkit, &cx, "count.read").await;
    assert_eq!(reply.retry_after(), Some(Duration::from_millis(1)));
    assert!(reply.text().contains("wait 1 s,"), "{}", reply.text());
    advance(Duration::from_millis(1)).await;
    assert_eq!(codes(&toolkit, &cx, "count.read", 2).await, [Code::Ok, LIMITED]);
    // A long pause brings back the burst and no more.
    advance(Duration::from_secs(3_600)).await;
    assert_eq!(codes(&toolkit, &cx, "count.read", 3).await, [Code::Ok, Code::Ok, LIMITED]);
    assert_eq!(probe.entered(), 5);
    // It holds for everyone, and for this tool alone.
    assert_eq!(codes(&toolkit, &CallContext::human(), "count.read", 1).await, [LIMITED]);
    assert_eq!(codes(&toolkit, &CallContext::human(), "count.write", 3).await, [Code::Ok; 3]);
}

#[tokio::test(start_paused = true)]
async fn each_level_of_a_tool_takes_of_its_cell() {
    let (builder, _) = counters();
    let both = TypedTool::new(
        "count.both",
        "Write a counter here and at another host.",
        toolkit::RiskSet::of(&[Risk::Write, Risk::Network]),
        |_: std::collections::BTreeMap<String, String>, _| async { Ok::<_, ToolError>(()) },
    );
    let policy = Policy::trusting().rate(Origin::Model, Risk::Write, Rate::per_hour(3)).rate(
        Origin::Model,
        Risk::Network,
        Rate::per_hour(1),
    );
    // Whatever the first call has read.
    let policy = policy.tainted(Origin::Model, Risk::Write, Verdict::Allow).tainted(
        Origin::Model,
        Risk::Network,
        Verdict::Allow,
    );
    let builder = builder.tool(both.hosts(["example.com"])).policy(policy);
    let toolkit = builder.build().unwrap();
    let cx = model();
    assert_eq!(codes(&toolkit, &cx, "count.both", 2).await, [Code::Ok, LIMITED]);
    // The one that was refused took nothing of `write`, and other origins have no rate.
    let write = codes(&toolkit, &cx, "count.write", 3).await;
    assert_eq!(write, [Code::Ok, Code::Ok, LIMITED]);
    assert_eq!(codes(&toolkit, &CallContext::human(), "count.write", 9).await, [Code::Ok; 9]);
    assert_eq!(codes(&toolkit, &cx, "count.read", 9).await, [Code::Ok; 9]);
    // The longer wait is said.
    let reply = call(&toolkit, &cx, "count.both").await;
    assert_eq!(reply.retry_after(), Some(Duration::from_secs(3_600)));
    assert!(reply.text().contains("the rate of network calls by a model is used up (1 an hour)"));
    assert!(reply.text().contains("wait 60 min,"), "{}", reply.text());
}

#[tokio::test(start_paused = true)]
async fn sessions_and_principals_have_rates_of_their_own() {
    let (builder, _) = counters();
    let toolkit = builder.rate_per_session(Rate::per_minute(2)).build().unwrap();
    let session = |id: &str| CallContext::model().session(id.to_owned());
    for id in ["a", "b"] {
        let ran = codes(&toolkit, &session(id), "count.read", 3).await;
        assert_eq!(ran, [Code::Ok, Code::Ok, LIMITED]);
    }
    // Without one all are one, whatever the context.
    for code in [Code::Ok, Code::Ok, LIMITED] {
        assert_eq!(codes(&toolkit, &CallContext::model(), "count.read", 1).await, [code]);
    }
    let reply = call(&toolkit, &CallContext::model(), "count.read").await;
    assert!(reply.text().contains("the rate of calls without a session"), "{}", reply.text());
    // One within another takes of both.
    let outer = toolkit.session("c");
    let (first, second) = (outer.child("1"), outer.child("2"));
    assert_eq!(codes(&toolkit, &session(first.id()), "count.read", 1).await, [Code::Ok]);
    let ran = codes(&toolkit, &session(second.id()), "count.read", 2).await;
    assert_eq!(ran, [Code::Ok, LIMITED]);

    let (builder, _) = counters();
    let toolkit = builder.rate_per_principal(Rate::per_minute(1)).build().unwrap();
    let ada = |id: &str| session(id).principal("ada");
    assert_eq!(codes(&toolkit, &ada("a"), "count.read", 1).await, [Code::Ok]);
    assert_eq!(codes(&toolkit, &ada("b"), "count.read", 1).await, [LIMITED]);
    assert_eq!(codes(&toolkit, &session("a").principal("bob"), "count.read", 1).await, [Code::Ok]);
    let nobody = codes(&toolkit, &session("a"), "count.read", 2).await;
    assert_eq!(nobody, [Code::Ok, LIMITED]);
}

#[tokio::test(start_paused = true)]
async fn a_call_takes_of_all_that_count_it_or_of_none() {
    let (builder, _) = counters();
    let builder = builder
        .rate("count.read", Rate::per_minute(1))
        .rate("count.read", Rate::per_hour(30))
        .rate_per_principal(Rate::per_hour(3))
        .calls_per_session(3);
    let toolkit = builder.build().unwrap();
    let cx = model();
    // Nine are refused for the tool's rate: they take nothing of the principal's, nor of the budget.
    assert_eq!(codes(&toolkit, &cx, "count.read", 1).await, [Code::Ok]);
    assert_eq!(codes(&toolkit, &cx, "count.read", 9).await, [LIMITED; 9]);
    advance(Duration::from_secs(60)).await;
    assert_eq!(codes(&toolkit, &cx, "count.read", 1).await, [Code::Ok]);
    advance(Duration::from_secs(60)).await;
    assert_eq!(codes(&toolkit, &cx, "count.read", 1).await, [Code::Ok]);
    // Now the budget is spent, and that takes nothing of the rates.
    advance(Duration::from_secs(1_200)).await;
    assert_eq!(codes(&toolkit, &cx, "count.read", 3).await, [Code::LoopStopped; 3]);
    let next = CallContext::model().session("s-43").principal("ada");
    assert_eq!(codes(&toolkit, &next, "count.read", 1).await, [Code::Ok]);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_calls_is_no_flood_of_questions() {
    let (builder, probe) = counters();
    let recorder = Recorder::denying();
    let policy = Policy::default().rate(Origin::Model, Risk::Destructive, Rate::per_hour(2));
    let toolkit = builder.approver(recorder.clone()).policy(policy).build().unwrap();
    let asked = codes(&toolkit, &model(), "count.delete", 5).await;
    assert_eq!(asked, [Code::Rejected, Code::Rejected, LIMITED, LIMITED, LIMITED]);
    assert_eq!((recorder.requests().len(), probe.entered()), (2, 0));
    // What the rules refuse takes nothing.
    let (builder, _) = counters();
    let builder = builder.rate("count.read", Rate::per_hour(1)).no_loop_guard();
    let toolkit = builder.build().unwrap();
    for _ in 0..5 {
        let reply = toolkit.call(&model(), ToolCall::new("count.read", "{}")).await;
        assert_eq!(reply.code(), Code::InvalidArguments);
    }
    assert_eq!(codes(&toolkit, &model(), "count.read", 1).await, [Code::Ok]);
}

#[tokio::test(start_paused = true)]
async fn calls_at_once_never_take_more_than_there_is() {
    let (builder, probe) = counters();
    let toolkit = builder.rate("count.read", Rate::per_hour(5)).build().unwrap();
    let cx = model();
    let calls = std::iter::repeat_n(ToolCall::new("count.read", GOOD), 40);
    let turn = toolkit.turn(&cx, calls).await;
    let ran = turn.replies().iter().filter(|reply| reply.is_ok()).count();
    let limited = turn.replies().iter().filter(|reply| reply.code() == LIMITED).count();
    assert_eq!((ran, limited, probe.entered()), (5, 35, 5));
}

#[tokio::test(start_paused = true)]
async fn explaining_takes_nothing() {
    let (builder, _) = counters();
    let toolkit = builder.rate("count.read", Rate::per_hour(1)).build().unwrap();
    let cx = model();
    for _ in 0..3 {
        let explained = toolkit.explain(&cx, ToolCall::new("count.read", GOOD)).await;
        assert_eq!(explained.would, Would::Run);
    }
    assert_eq!(codes(&toolkit, &cx, "count.read", 1).await, [Code::Ok]);
    let explained = toolkit.explain(&cx, ToolCall::new("count.read", GOOD)).await;
    assert_eq!(explained.would, Would::Refuse(LIMITED));
    assert_eq!(explained.deciding().unwrap().source, "rate");
    assert!(explained.advice.iter().any(|advice| advice.contains("a higher rate")));
}

#[tokio::test(start_paused = true)]
async fn what_is_counted_is_bounded_and_where_it_is_full_nothing_more_runs() {
    let (builder, _) = counters();
    let toolkit = builder.rate_per_session(Rate::per_hour(1)).build().unwrap();
    let session = |n: usize| CallContext::human().session(format!("s-{n}"));
    for n in 0..65_536 {
        let reply = call(&toolkit, &session(n), "count.read").await;
        assert!(reply.is_ok(), "{n}: {}", reply.text());
    }
    let reply = call(&toolkit, &session(65_536), "count.read").await;
    assert_eq!((reply.code(), reply.retry_after()), (LIMITED, Some(Duration::from_secs(1))));
    // Those that are counted still are, and once they have their calls back, others have room.
    assert_eq!(codes(&toolkit, &session(7), "count.read", 1).await, [LIMITED]);
    advance(Duration::from_secs(3_600)).await;
    assert_eq!(codes(&toolkit, &session(65_536), "count.read", 2).await, [Code::Ok, LIMITED]);
    assert_eq!(codes(&toolkit, &session(7), "count.read", 2).await, [Code::Ok, LIMITED]);
}

#[test]
fn a_bad_rate_is_a_mistake_of_the_host() {
    let (builder, _) = counters();
    let policy = Policy::default().rate(Origin::Plan, Risk::Write, Rate::per_second(0));
    let error = builder
        .policy(policy)
        .rate("count.raed", Rate::per_hour(1))
        .rate("count.read", Rate::per_hour(1).burst(0))
        .rate_per_session(Rate::per_hour(1).burst(u32::MAX))
        .build()
        .unwrap_err()
        .to_string();
    for what in [
        "`rate` names a tool `count.raed` that isn't there; did you mean `count.read`?",
        "the rate of write for plan (0 a second): it must allow at least one call",
        "the rate of `count.read` (1 an hour, 0 at once): its burst must be at least 1",
        "the rate of each session (1 an hour, 4294967295 at once): its burst must come back within \
         a year",
    ] {
        assert!(error.contains(what), "{what}\n{error}");
    }
    let (builder, _) = counters();
    let fast = Rate::per_second(u32::MAX);
    assert!(builder.rate("count.read", fast).build().is_ok());
}
