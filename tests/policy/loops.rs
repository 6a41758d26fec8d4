//! The guard against loops: a model's same call that fails again and again is advised against three
//! times, then stopped; what begins anew, what isn't counted, and who is never stopped.

use std::time::Duration;

use toolkit::prelude::*;
use toolkit::testing::{Probe, Recorder};
use toolkit::{Builder, Executed, Would};

use crate::support::{Finished, GOOD, counters};

/// Try something that may fail.
#[tool(name = "loop.try")]
async fn attempt(
    /// What comes of it: `ok`, or a failure.
    what: String,
    #[state] probe: &Probe,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    if what.starts_with("ok") { Ok(what) } else { Err(ToolError::expected(what)) }
}

/// Try something else that may fail.
#[tool(name = "loop.other")]
async fn other(
    /// What comes of it, e.g. `late`.
    what: String,
) -> Result<String, ToolError> {
    Err(ToolError::expected(what))
}

/// Ask whether a job is done, which fails until it is.
#[tool(name = "loop.poll", polling)]
async fn poll(#[state] probe: &Probe) -> Result<(), ToolError> {
    let _running = probe.enter();
    Err(ToolError::expected("not yet"))
}

/// A poll that is behind a flag.
#[tool(name = "loop.hidden", polling, flag = "jobs")]
async fn hidden() -> Result<(), ToolError> {
    Err(ToolError::expected("not yet"))
}

/// Try the same thing ten times over, and say how often it ran.
#[tool(name = "loop.outer")]
async fn outer(#[context] cx: &CallContext) -> Result<usize, ToolError> {
    let mut run = 0;
    for _ in 0..10 {
        let reply = cx.call(ToolCall::new("loop.try", LATE)).await;
        run += usize::from(reply.executed() == Executed::Yes);
    }
    Ok(run)
}

const LATE: &str = r#"{"what": "late"}"#;
const EARLY: &str = r#"{"what": "early"}"#;
const OK: &str = r#"{"what": "ok"}"#;

fn tries() -> (Builder, Probe) {
    let probe = Probe::new();
    let ids = [id(attempt), id(other), id(poll), id(hidden), id(outer)];
    (Toolkit::builder().only(ids).state(probe.clone()), probe)
}

fn toolkit() -> (Toolkit, Probe) {
    let (builder, probe) = tries();
    (builder.build().unwrap(), probe)
}

fn model() -> CallContext {
    CallContext::model().session("s-42")
}

/// The codes of the same call, made so often.
async fn codes(toolkit: &Toolkit, cx: &CallContext, tool: &str, args: &str, n: usize) -> Vec<Code> {
    let mut codes = Vec::new();
    for _ in 0..n {
        codes.push(toolkit.call(cx, ToolCall::new(tool, args)).await.code());
    }
    codes
}

fn failed_then_stopped(code: Code) -> Vec<Code> {
    [vec![code; 4], vec![Code::LoopStopped; 2]].concat()
}

#[tokio::test]
async fn the_same_failing_call_is_advised_against_three_times_then_stopped() {
    let (builder, probe) = tries();
    let finished = Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let cx = model();
    let mut texts = Vec::new();
    for n in 1..=6 {
        // However the same arguments are spelled.
        let args = if n % 2 == 0 { r#"{ "what":"l\u0061te" }"# } else { LATE };
        let reply = toolkit.call(&cx, ToolCall::new("loop.try", args)).await;
        texts.push(reply.text().to_owned());
        let stopped = n > 4;
        assert_eq!(reply.code(), if stopped { Code::LoopStopped } else { Code::Failed });
        assert_eq!(reply.executed(), if stopped { Executed::No } else { Executed::Yes });
    }
    assert_eq!(probe.entered(), 4);
    let what = "use other arguments or another tool, or say what is in the way";
    assert_eq!(texts[0], "late");
    let advised = |n, last| {
        format!("late\nthis same call has failed {n} times; don't make it again{last}; {what}")
    };
    assert_eq!(texts[1], advised(2, ""));
    assert_eq!(texts[2], advised(3, ""));
    assert_eq!(texts[3], advised(4, "; it won't be run as it is"));
    let stopped = format!(
        "`loop.try` was not run: this same call has failed 4 times and isn't run any more; {what}"
    );
    assert_eq!(&texts[4..], [stopped.as_str(); 2]);
    let code = Code::LoopStopped;
    assert!(code.is_error() && !code.retryable() && code.counts_as_failure());
    // The operator finds who stopped it.
    let decision = &finished.records()[4].decision;
    assert_eq!(decision.to_string(), "deny; loop guard: deny (it has failed 4 times)");
}

#[tokio::test]
async fn a_success_or_other_arguments_begin_anew() {
    for between in [OK, EARLY, r#"{"what": "late", "more": 1}"#] {
        let (toolkit, probe) = toolkit();
        let cx = model();
        codes(&toolkit, &cx, "loop.try", LATE, 4).await;
        toolkit.call(&cx, ToolCall::new("loop.try", between)).await;
        let entered = probe.entered();
        let after = codes(&toolkit, &cx, "loop.try", LATE, 6).await;
        assert_eq!(after, failed_then_stopped(Code::Failed), "{between}");
        assert_eq!(probe.entered() - entered, 4);
    }
    // What another tool does changes nothing of it.
    let (toolkit, _) = toolkit();
    let cx = model();
    codes(&toolkit, &cx, "loop.other", LATE, 4).await;
    codes(&toolkit, &cx, "loop.try", OK, 1).await;
    codes(&toolkit, &cx, "loop.try", EARLY, 1).await;
    assert_eq!(codes(&toolkit, &cx, "loop.other", LATE, 1).await, [Code::LoopStopped]);
}

#[tokio::test]
async fn failures_are_counted_for_each_tool_not_for_all() {
    let (toolkit, probe) = toolkit();
    let cx = model();
    // Invented names in a row use up nothing of what is there.
    for n in 0..20 {
        let name = format!("loop.invented_{n}");
        assert_eq!(codes(&toolkit, &cx, &name, "{}", 1).await, [Code::UnknownTool]);
    }
    // Interleaved, each has its own count.
    for n in 0..6 {
        for (tool, code) in [("loop.try", Code::Failed), ("loop.other", Code::Failed)] {
            let code = if n < 4 { code } else { Code::LoopStopped };
            assert_eq!(codes(&toolkit, &cx, tool, LATE, 1).await, [code]);
        }
    }
    assert_eq!(probe.entered(), 4);
    // By either name it is one tool.
    assert_eq!(codes(&toolkit, &cx, "loop__try", LATE, 1).await, [Code::LoopStopped]);
}

#[tokio::test]
async fn unknown_tools_and_bad_arguments_are_loops_as_well() {
    let (toolkit, _) = toolkit();
    let cx = model();
    for (tool, args, code) in [
        ("loop.tyr", "{}", Code::UnknownTool),
        ("loop.try", "{", Code::MalformedArguments),
        ("loop.try", r#"{"waht": 1}"#, Code::InvalidArguments),
    ] {
        assert_eq!(codes(&toolkit, &cx, tool, args, 6).await, failed_then_stopped(code));
    }
    // Each reply is that of a tool which isn't there, also where the hidden one is polling and has
    // another name on the wire.
    let mut texts = [Vec::new(), Vec::new()];
    for n in 0..12 {
        let (hidden, invented) =
            [("loop.hidden", "loop.midden"), ("loop__hidden", "loop__midden")][n % 2];
        for (texts, tool) in texts.iter_mut().zip([hidden, invented]) {
            let reply = toolkit.call(&cx, ToolCall::new(tool, "{}")).await;
            texts.push((reply.code(), reply.text().replace(tool, "it")));
        }
    }
    assert_eq!(texts[0], texts[1]);
    assert_eq!((texts[0][7].0, texts[0][8].0), (Code::UnknownTool, Code::LoopStopped));
    assert!(texts[0][8].1.ends_with("call a tool that is there, or go on without it"));
}

#[tokio::test]
async fn a_refusal_counts_and_nobody_is_asked_once_more() {
    let (builder, probe) = counters();
    let recorder = Recorder::denying();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    let cx = model();
    let codes = codes(&toolkit, &cx, "count.delete", GOOD, 6).await;
    assert_eq!(codes, failed_then_stopped(Code::Rejected));
    assert_eq!((probe.entered(), recorder.requests().len()), (0, 4));
    let reply = toolkit.call(&cx, ToolCall::new("count.delete", GOOD)).await;
    assert!(
        reply.text().ends_with("it stays refused, so go on without it, or say what you can't do")
    );
}

#[tokio::test]
async fn what_may_succeed_later_does_not_count() {
    let (builder, _) = tries();
    let toolkit = builder.build().unwrap();
    let token = toolkit::CancellationToken::new();
    token.cancel();
    let cx = model().cancellation(token);
    let cancelled = codes(&toolkit, &cx, "loop.try", LATE, 9).await;
    assert_eq!(cancelled, [Code::CancelledBeforeStart; 9]);
    // Nor does it make what failed before anew.
    let calls = model();
    codes(&toolkit, &calls, "loop.try", LATE, 4).await;
    codes(&toolkit, &cx, "loop.try", LATE, 1).await;
    assert_eq!(codes(&toolkit, &calls, "loop.try", LATE, 1).await, [Code::LoopStopped]);
}

#[tokio::test]
async fn a_polling_tool_is_never_stopped() {
    let (toolkit, probe) = toolkit();
    assert_eq!(codes(&toolkit, &model(), "loop.poll", "{}", 9).await, [Code::Failed; 9]);
    let reply = toolkit.call(&model(), ToolCall::new("loop.poll", "{}")).await;
    assert_eq!((reply.text(), probe.entered()), ("not yet", 10));
    let closure = |polling| {
        let fail = |_: std::collections::BTreeMap<String, String>, _| async {
            Err::<(), _>(ToolError::expected("no"))
        };
        let tool = TypedTool::new("job.poll", "Ask whether the job is done.", Risk::Read, fail);
        Toolkit::builder().only([]).tool(tool.polling(polling)).build().unwrap()
    };
    assert_eq!(codes(&closure(true), &model(), "job.poll", "{}", 6).await, [Code::Failed; 6]);
    let stopped = codes(&closure(false), &model(), "job.poll", "{}", 6).await;
    assert_eq!(stopped, failed_then_stopped(Code::Failed));
}

#[tokio::test]
async fn people_plans_and_bodies_are_not_stopped_and_do_not_count() {
    let (toolkit, probe) = toolkit();
    for cx in [CallContext::human(), CallContext::plan()] {
        assert_eq!(codes(&toolkit, &cx.session("s"), "loop.try", LATE, 9).await, [Code::Failed; 9]);
    }
    let entered = probe.entered();
    let cx = model();
    for _ in 0..2 {
        let reply = toolkit.call(&cx, ToolCall::new("loop.outer", "{}")).await;
        assert_eq!(reply.text(), "10");
    }
    assert_eq!(probe.entered() - entered, 20);
    let stopped = codes(&toolkit, &cx, "loop.try", LATE, 6).await;
    assert_eq!(stopped, failed_then_stopped(Code::Failed));
    // A person for whom it works has shown that it may.
    let human = CallContext::human().session("s-42");
    codes(&toolkit, &human, "loop.try", LATE, 1).await;
    assert_eq!(codes(&toolkit, &cx, "loop.try", LATE, 1).await, [Code::LoopStopped]);
    codes(&toolkit, &human, "loop.try", OK, 1).await;
    assert_eq!(codes(&toolkit, &cx, "loop.try", LATE, 1).await, [Code::Failed]);
}

#[tokio::test]
async fn each_session_has_its_own_count_and_each_context_without_one() {
    let (toolkit, _) = toolkit();
    let stopped = |cx: CallContext| {
        let toolkit = &toolkit;
        async move { codes(toolkit, &cx, "loop.try", LATE, 1).await == [Code::LoopStopped] }
    };
    codes(&toolkit, &model(), "loop.try", LATE, 4).await;
    assert!(stopped(model().flag("other").turn(7)).await);
    assert!(!stopped(model().principal("ada")).await);
    assert!(!stopped(CallContext::model().session("s-43")).await);
    let alone = CallContext::model();
    codes(&toolkit, &alone, "loop.try", LATE, 4).await;
    assert!(stopped(alone.clone().flag("other").with(1_u8)).await);
    assert!(!stopped(alone.clone().principal("ada")).await);
    assert!(!stopped(CallContext::model()).await);
}

#[tokio::test]
async fn calls_of_one_turn_stand_side_by_side() {
    let (toolkit, probe) = toolkit();
    let cx = model();
    let turn = || [LATE, EARLY].map(|args| ToolCall::new("loop.try", args));
    for n in 0..6 {
        let replies = toolkit.turn(&cx, turn()).await.into_replies();
        let code = if n < 4 { Code::Failed } else { Code::LoopStopped };
        assert!(replies.iter().all(|reply| reply.code() == code), "{n}");
    }
    assert_eq!(probe.entered(), 8);
    // One of them alone is other than both.
    codes(&toolkit, &cx, "loop.try", OK, 1).await;
    toolkit.turn(&cx, turn()).await;
    codes(&toolkit, &cx, "loop.try", LATE, 3).await;
    assert_eq!(codes(&toolkit, &cx, "loop.try", EARLY, 4).await, [Code::Failed; 4]);
    // None is lost where they end at once.
    codes(&toolkit, &cx, "loop.try", OK, 1).await;
    toolkit.turn(&cx, std::iter::repeat_n(ToolCall::new("loop.try", LATE), 4)).await;
    assert_eq!(codes(&toolkit, &cx, "loop.try", LATE, 1).await, [Code::LoopStopped]);
}

#[tokio::test]
async fn a_call_that_is_made_again_is_counted_once() {
    let (builder, probe) = counters();
    let recorder = Recorder::denying();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    let call = |tool: &'static str| ToolCall::new(tool, GOOD).id("call_1");
    for turn in 1..=4 {
        let cx = model().turn(turn);
        let first = toolkit.turn(&cx, [call("count.delete")]).await.into_replies();
        for _ in 0..3 {
            // What a person refused is kept; that a name is unknown is found anew.
            let again = toolkit.turn(&cx, [call("count.delete")]).await.into_replies();
            assert_eq!((again[0].code(), again[0].text()), (Code::Rejected, first[0].text()));
            let unknown = toolkit.turn(&cx, [call("count.erase")]).await.into_replies();
            assert_eq!(unknown[0].code(), Code::UnknownTool);
        }
    }
    // The turns before can still be made again when the next is stopped.
    for tool in ["count.delete", "count.erase"] {
        let next = toolkit.turn(&model().turn(5), [call(tool)]).await.into_replies();
        assert_eq!(next[0].code(), Code::LoopStopped, "{tool}");
    }
    let again = toolkit.turn(&model().turn(4), [call("count.delete")]).await.into_replies();
    assert_eq!((again[0].code(), again[0].is_replay()), (Code::Rejected, true));
    assert_eq!((probe.entered(), recorder.requests().len()), (0, 4));
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_forgotten_after_ten_minutes() {
    let (toolkit, _) = toolkit();
    let cx = model();
    codes(&toolkit, &cx, "loop.try", LATE, 4).await;
    tokio::time::advance(Duration::from_secs(599)).await;
    // To be stopped is no failure: it doesn't put off the end.
    assert_eq!(codes(&toolkit, &cx, "loop.try", LATE, 1).await, [Code::LoopStopped]);
    tokio::time::advance(Duration::from_secs(1)).await;
    let after = codes(&toolkit, &cx, "loop.try", LATE, 6).await;
    assert_eq!(after, failed_then_stopped(Code::Failed));
}

#[tokio::test]
async fn what_is_remembered_is_bounded() {
    let (toolkit, _) = toolkit();
    let first = CallContext::model().session("first");
    codes(&toolkit, &first, "loop.try", LATE, 4).await;
    for n in 0..4_095 {
        let cx = CallContext::model().session(format!("s-{n}"));
        codes(&toolkit, &cx, "loop.try", LATE, 1).await;
    }
    assert_eq!(codes(&toolkit, &first, "loop.try", LATE, 1).await, [Code::LoopStopped]);
    let last = CallContext::model().session("last");
    codes(&toolkit, &last, "loop.try", LATE, 1).await;
    assert_eq!(codes(&toolkit, &first, "loop.try", LATE, 1).await, [Code::Failed]);
}

#[tokio::test]
async fn explaining_a_call_tells_that_it_is_stopped() {
    let (toolkit, _) = toolkit();
    let cx = model();
    let would = |tool: &'static str| {
        let (toolkit, cx) = (&toolkit, &cx);
        async move { toolkit.explain(cx, ToolCall::new(tool, LATE)).await }
    };
    for tool in ["loop.try", "loop.tyr"] {
        codes(&toolkit, &cx, tool, LATE, 3).await;
        // To explain it counts nothing.
        assert_ne!(would(tool).await.would, Would::Refuse(Code::LoopStopped));
        codes(&toolkit, &cx, tool, LATE, 1).await;
        let explained = would(tool).await;
        assert_eq!(explained.would, Would::Refuse(Code::LoopStopped), "{tool}");
        assert_eq!(explained.deciding().unwrap().source, "loop guard");
    }
    assert!(would("loop.try").await.advice[0].starts_with("make another call"));
}

#[tokio::test]
async fn a_host_says_how_often_or_never() {
    let (builder, _) = tries();
    let toolkit = builder.loop_guard(1).build().unwrap();
    let often = codes(&toolkit, &model(), "loop.try", LATE, 3).await;
    assert_eq!(often, [Code::Failed, Code::Failed, Code::LoopStopped]);
    let (builder, _) = tries();
    let toolkit = builder.no_loop_guard().build().unwrap();
    assert_eq!(codes(&toolkit, &model(), "loop.try", LATE, 20).await, [Code::Failed; 20]);
    let reply = toolkit.call(&model(), ToolCall::new("loop.try", LATE)).await;
    assert_eq!(reply.text(), "late");
    let (builder, _) = tries();
    let error = builder.loop_guard(0).build().unwrap_err();
    assert!(error.to_string().contains("`loop_guard` must be at least 1"), "{error}");
}
