//! Whose time it is: a body's limit counts its own running and nothing else, and always ends it.

use std::time::Duration;

use toolkit::approval::{Answer, ApprovalRequest, Approver};
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Probe;
use toolkit::{
    BoxFuture, CancellationToken, Event, Executed, Guard, HookCall, HookError, Observer, Ruling,
};

use crate::support::Finished;

/// Take half of the time there is.
#[tool(name = "clock.half", risk = "write", timeout = "1s")]
async fn half(#[state] probe: &Probe) -> &'static str {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_millis(500)).await;
    "in time"
}

/// A hook that takes its time.
struct Slow(Duration);

impl Guard for Slow {
    fn name(&self) -> &str {
        "slow"
    }
    fn judge<'a>(&'a self, _: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        Box::pin(async {
            tokio::time::sleep(self.0).await;
            Ok(Ruling::Pass)
        })
    }
}

impl Observer for Slow {
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async {
            if !matches!(event, Event::CallFinished(_)) || self.0 < Duration::from_secs(1) {
                tokio::time::sleep(self.0).await;
            }
            Ok(())
        })
    }
}

impl Approver for Slow {
    fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async {
            tokio::time::sleep(self.0).await;
            Ok(Answer::Approve)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn what_hooks_and_people_take_is_not_the_bodys_time() {
    let long = Duration::from_secs(4);
    let build = || Toolkit::builder().only([id(half)]).state(Probe::new());
    let at_once = || Slow(Duration::ZERO);
    for builder in [
        build().policy(Policy::trusting()).guard(Slow(long)),
        build().approver(Slow(long)),
        // A person answers at once, and those who hear of it are slow.
        build().approver(at_once()).observer(Slow(long)),
    ] {
        let toolkit = builder.build().unwrap();
        let started = tokio::time::Instant::now();
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("clock.half", "")).await;
        assert_eq!((reply.code(), reply.text()), (Code::Ok, "in time"));
        assert!(started.elapsed() >= long + Duration::from_millis(500));
        assert_eq!(reply.took(), started.elapsed());
    }
}

/// Never wait for anything, and never end.
#[tool(name = "clock.busy", timeout = "60ms")]
async fn busy(#[state] probe: &Probe) {
    let _running = probe.enter();
    loop {
        // Always ready, but for the runtime's own reminder to let others run.
        tokio::task::consume_budget().await;
    }
}

/// Never wait for anything, and never end, but for a cancellation.
#[tool(name = "clock.deaf", timeout = "none")]
async fn deaf(#[context] _cx: &CallContext, #[state] probe: &Probe) {
    let _running = probe.enter();
    loop {
        tokio::task::consume_budget().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_always_ready_is_stopped_all_the_same() {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(busy), id(deaf)]).state(probe.clone());
    let toolkit = builder.build().unwrap();
    let stuck = Duration::from_secs(20);
    let cx = CallContext::model();
    let call = toolkit.call(&cx, ToolCall::new("clock.busy", ""));
    let reply = tokio::time::timeout(stuck, call).await.expect("the limit was never looked at");
    assert_eq!((reply.code(), probe.running()), (Code::TimedOut, 0));

    let token = CancellationToken::new();
    let cx = CallContext::model().cancellation(token.clone());
    let running = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.call(&cx, ToolCall::new("clock.deaf", "")).await }
    });
    while probe.running() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    token.cancel();
    let reply = tokio::time::timeout(stuck, running).await.expect("never stopped").unwrap();
    assert_eq!((reply.code(), probe.running()), (Code::Cancelled, 0));
}

/// Hold on until the time is up.
#[tool(name = "clock.hold", timeout = "1s", concurrency = 2)]
async fn hold(#[state] probe: &Probe) {
    let _running = probe.enter();
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn bodies_that_are_out_of_time_are_gone_and_their_permits_back() {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(hold), id(half)]).state(probe.clone());
    let toolkit = builder.policy(Policy::trusting()).build().unwrap();
    let calls = (0..40).map(|_| ToolCall::new("clock.hold", ""));
    let turn = toolkit.turn(&CallContext::model(), calls).await;
    let codes: Vec<_> = turn.replies().iter().map(|reply| reply.code()).collect();
    assert!(codes.iter().all(|code| *code == Code::TimedOut), "{codes:?}");
    assert_eq!((probe.entered(), probe.most(), probe.running()), (40, 2, 0));
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("clock.half", "")).await;
    assert!(reply.is_ok());
}

/// Do what it is told and fail or not.
#[tool(name = "clock.sibling")]
async fn sibling(
    /// What to do, e.g. `panic`.
    what: String,
    #[state] probe: &Probe,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    match what.as_str() {
        "panic" => panic!("a sibling panics"),
        "fail" => Err(ToolError::expected("a sibling fails")),
        "internal" => Err(std::io::Error::other("a sibling's disk is full").into()),
        _ => {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Ok(what)
        }
    }
}

fn siblings() -> Vec<ToolCall<'static>> {
    ["one", "panic", "two", "fail", "internal", "three"]
        .map(|what| ToolCall::new("clock.sibling", format!(r#"{{"what": "{what}"}}"#)))
        .into()
}

#[tokio::test(start_paused = true)]
async fn a_siblings_failure_stops_nobody_and_a_cancellation_everybody() {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(sibling)]).state(probe.clone());
    let toolkit = builder.concurrency(8).build().unwrap();
    let turn = toolkit.turn(&CallContext::model(), siblings()).await;
    let codes: Vec<_> = turn.replies().iter().map(|reply| reply.code()).collect();
    use Code::{Cancelled, Defect, Failed, Ok};
    assert_eq!(codes, [Ok, Defect, Ok, Failed, Failed, Ok]);
    assert_eq!(probe.running(), 0);

    let token = CancellationToken::new();
    let cx = CallContext::model().cancellation(token.clone());
    let turn = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.turn(&cx, siblings()).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(probe.running(), 3);
    token.cancel();
    let turn = turn.await.unwrap();
    let codes: Vec<_> = turn.replies().iter().map(|reply| reply.code()).collect();
    assert_eq!(codes, [Cancelled, Defect, Cancelled, Failed, Failed, Cancelled]);
    assert_eq!(probe.running(), 0, "the turn ends when all its bodies have");
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_ends_a_turn_that_waits_for_permits() {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(hold), id(sibling)]).state(probe.clone());
    let toolkit = builder.concurrency(2).build().unwrap();
    // Others hold every permit, and don't give up by themselves before a second has passed.
    let others = tokio::spawn({
        let toolkit = toolkit.clone();
        async move {
            let calls = (0..2).map(|_| ToolCall::new("clock.hold", ""));
            toolkit.turn(&CallContext::model(), calls).await
        }
    });
    tokio::task::yield_now().await;
    assert_eq!(probe.running(), 2);
    let token = CancellationToken::new();
    let cx = CallContext::model().cancellation(token.clone());
    let waiting = tokio::spawn({
        let toolkit = toolkit.clone();
        async move {
            let calls = (0..50).flat_map(|_| siblings().into_iter().take(1));
            toolkit.turn(&cx, calls.chain([ToolCall::new("clock.hold", "")])).await
        }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let cancelled = tokio::time::Instant::now();
    token.cancel();
    let turn = waiting.await.unwrap();
    assert_eq!(cancelled.elapsed(), Duration::ZERO);
    assert_eq!(turn.replies().len(), 51);
    for reply in turn.replies() {
        let end = (reply.code(), reply.executed());
        assert_eq!(end, (Code::CancelledBeforeStart, Executed::No));
    }
    assert!(others.await.unwrap().replies().iter().all(|r| r.code() == Code::TimedOut));
    // Nothing of it holds a permit: as many run at once as before.
    let calls = siblings().into_iter().cycle().step_by(6).take(6);
    let turn = toolkit.turn(&CallContext::model(), calls).await;
    assert!(turn.replies().iter().all(toolkit::ToolReply::is_ok));
    assert_eq!((probe.running(), probe.most()), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_reads_cannot_starve_a_call_that_stands_alone() {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(half), id(sibling)]).state(probe.clone());
    let toolkit = builder.policy(Policy::trusting()).concurrency(2).build().unwrap();
    // Four at a time, each ready to go again as soon as it is done: no permit is ever idle.
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let toolkit = toolkit.clone();
            tokio::spawn(async move {
                loop {
                    let call = siblings().swap_remove(0);
                    assert!(toolkit.call(&CallContext::model(), call).await.is_ok());
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    for _ in 0..5 {
        let started = tokio::time::Instant::now();
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("clock.half", "")).await;
        assert!(reply.is_ok());
        // Two are ahead in the queue at most, and each takes 200 ms.
        let waited = started.elapsed() - Duration::from_millis(500);
        assert!(waited <= Duration::from_millis(600), "{waited:?}");
    }
    readers.iter().for_each(tokio::task::JoinHandle::abort);

    // Within a turn the reads before it end, and those after it wait.
    let calls = (0..9)
        .map(|i| if i == 4 { ToolCall::new("clock.half", "") } else { siblings().swap_remove(0) });
    let turn = toolkit.turn(&CallContext::model(), calls).await;
    assert!(turn.replies().iter().all(toolkit::ToolReply::is_ok));
}

/// Call another tool and wait for what it says.
#[tool(name = "clock.outer", timeout = "1s")]
async fn outer(#[context] cx: &CallContext) -> String {
    let reply = cx.call(ToolCall::new("clock.inner", "")).await;
    reply.code().to_string()
}

/// Write for as long as nobody stops it, and listen to nobody.
#[tool(name = "clock.inner", risk = "write", timeout = "none")]
async fn inner(#[context] _cx: &CallContext, #[state] probe: &Probe) {
    let _running = probe.enter();
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn an_inner_call_that_ends_with_its_outer_one_is_told_and_recorded() {
    let (probe, store, finished) = (Probe::new(), Memory::default(), Finished::default());
    let toolkit = Toolkit::builder()
        .only([id(outer), id(inner)])
        .state(probe.clone())
        .policy(Policy::trusting())
        .store(store.clone())
        // Even if the telling takes a while.
        .observer(Slow(Duration::from_millis(20)))
        .observer(finished.observer())
        .build()
        .unwrap();
    let started = tokio::time::Instant::now();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("clock.outer", "")).await;
    assert_eq!(reply.code(), Code::TimedOut);
    assert_eq!(started.elapsed(), Duration::from_millis(1_450 + 20 + 20));
    assert_eq!((probe.entered(), probe.running()), (1, 0));
    let ends: Vec<_> =
        finished.records().iter().map(|record| (record.tool.to_string(), record.code)).collect();
    assert_eq!(
        ends,
        [("clock.inner".to_owned(), Code::Cancelled), ("clock.outer".to_owned(), Code::TimedOut)]
    );
    let ended: Vec<_> = store.records().iter().map(|record| record.ended.map(|e| e.code)).collect();
    assert_eq!(ended, [Some(Code::Cancelled)]);
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_ends_the_waiting_for_a_guard() {
    let (probe, token) = (Probe::new(), CancellationToken::new());
    let builder = Toolkit::builder().only([id(half)]).state(probe.clone());
    let builder = builder.policy(Policy::trusting()).guard(Slow(Duration::from_secs(4)));
    let toolkit = builder.build().unwrap();
    let cx = CallContext::model().cancellation(token.clone());
    let judged =
        tokio::spawn(async move { toolkit.call(&cx, ToolCall::new("clock.half", "")).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let cancelled = tokio::time::Instant::now();
    token.cancel();
    assert_eq!(judged.await.unwrap().code(), Code::CancelledBeforeStart);
    assert_eq!((cancelled.elapsed(), probe.entered()), (Duration::ZERO, 0));
}

#[tokio::test(start_paused = true)]
async fn after_a_cancelled_question_nobody_waits_for_an_answer() {
    let (approver, mut questions) = toolkit::approval::channel(4);
    let token = CancellationToken::new();
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(half)]).state(probe.clone()).approver(approver);
    let toolkit = builder.build().unwrap();
    let cx = CallContext::model().cancellation(token.clone());
    let asking =
        tokio::spawn(async move { toolkit.call(&cx, ToolCall::new("clock.half", "")).await });
    let pending = questions.recv().await.unwrap();
    assert!(pending.is_open());
    token.cancel();
    assert_eq!(asking.await.unwrap().code(), Code::CancelledBeforeStart);
    assert!(!pending.is_open());
    assert!(!pending.answer(Answer::Approve), "a late yes goes nowhere");
    assert_eq!(probe.entered(), 0);
}

/// Ask for a deletion, then take the time that is left and more.
#[tool(name = "clock.asks", timeout = "5s")]
async fn asks(
    /// The tool to call, e.g. `clock.half`.
    tool: String,
    /// How many milliseconds to take afterwards, e.g. `100`.
    millis: u64,
    #[context] cx: &CallContext,
) -> String {
    let arguments = r#"{"tool": "clock.half", "millis": 1000}"#;
    let arguments = if tool == "clock.half" { "" } else { arguments };
    let reply = cx.call(ToolCall::new(tool, arguments)).await;
    tokio::time::sleep(Duration::from_millis(millis)).await;
    reply.into_text()
}

#[tokio::test(start_paused = true)]
async fn the_clocks_of_outer_bodies_stand_while_a_person_decides() {
    let builder = Toolkit::builder().only([id(half), id(asks)]).state(Probe::new());
    let toolkit = builder.approver(Slow(Duration::from_secs(100))).build().unwrap();
    let run = async |tool: &str, millis: u64| {
        let started = tokio::time::Instant::now();
        let arguments = format!(r#"{{"tool": "{tool}", "millis": {millis}}}"#);
        let call = ToolCall::new("clock.asks", arguments);
        let reply = toolkit.call(&CallContext::model(), call).await;
        (reply.code(), started.elapsed())
    };
    // The person takes 100 s, the inner body half a second, and the rest is the outer one's own.
    for (tool, millis, expected) in [
        ("clock.half", 4_000, (Code::Ok, 104_500)),
        ("clock.half", 5_000, (Code::TimedOut, 105_000)),
        ("clock.asks", 3_000, (Code::Ok, 104_500)),
        ("clock.asks", 4_000, (Code::TimedOut, 105_000)),
    ] {
        let (code, took) = run(tool, millis).await;
        let late = u64::from(code == Code::TimedOut) * 500;
        assert_eq!((code, took), (expected.0, Duration::from_millis(expected.1 + late)), "{tool}");
    }
}
