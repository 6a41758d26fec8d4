//! The end of a toolkit, and what a body says of its progress before its own.

use std::time::Duration;

use toolkit::approval::{Answer, ApprovalRequest, Approver};
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{BoxFuture, Builder, Event, Executed, HookError, Progress, ToolReply};

use crate::support::Finished;

/// Take some time.
#[tool(name = "end.work", timeout = "none")]
async fn work(
    /// How many seconds, e.g. `10`.
    seconds: u64,
    #[state] probe: &Probe,
) -> &'static str {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    "worked"
}

/// Call another tool after a while.
#[tool(name = "end.outer", timeout = "none")]
async fn outer(#[context] cx: &CallContext) -> String {
    tokio::time::sleep(Duration::from_secs(5)).await;
    cx.call(ToolCall::new("end.work", r#"{"seconds": 1}"#)).await.code().to_string()
}

/// Erase everything there is.
#[tool(name = "end.erase", risk = "destructive")]
fn erase(#[state] probe: &Probe) {
    let _running = probe.enter();
}

/// Say how it goes, once with what it must not say.
#[tool(name = "end.progress")]
async fn progress(
    /// The password.
    #[arg(secret)]
    password: String,
    #[context] cx: &CallContext,
) -> &'static str {
    cx.progress("begun");
    cx.progress(Progress::done(1).of(2).message(format!("opened with {password}")));
    cx.progress("long ".repeat(500));
    // What is left behind is heard no more.
    let late = cx.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        late.progress("late");
    });
    "done"
}

/// An approver that nobody sits at.
struct Away;

impl Approver for Away {
    fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(std::future::pending())
    }
}

fn tools() -> (Builder, Probe) {
    let probe = Probe::new();
    let ids = [id(work), id(outer), id(erase), id(progress)];
    (Toolkit::builder().only(ids).state(probe.clone()).approver(Away), probe)
}

/// Begins a call, and lets it come as far as it can.
async fn begin(
    toolkit: &Toolkit,
    tool: &'static str,
    arguments: &'static str,
) -> tokio::task::JoinHandle<ToolReply> {
    let toolkit = toolkit.clone();
    let call = tokio::spawn(async move {
        toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    call
}

#[tokio::test(start_paused = true)]
async fn what_has_started_ends_and_what_waits_is_refused() {
    let (builder, probe) = tools();
    let finished = Finished::default();
    let toolkit = builder.concurrency(1).observer(finished.observer()).build().unwrap();
    let runs = begin(&toolkit, "end.outer", "").await;
    let queues = begin(&toolkit, "end.work", r#"{"seconds": 1}"#).await;
    let asks = begin(&toolkit, "end.erase", "").await;
    let begun = tokio::time::Instant::now();
    toolkit.shutdown().await;
    assert_eq!(begun.elapsed().as_secs(), 5);
    // What a running body calls belongs to it.
    assert_eq!(runs.await.unwrap().text(), "ok");
    for call in [queues, asks] {
        let reply = call.await.unwrap();
        assert_eq!((reply.code(), reply.executed()), (Code::Busy, Executed::No));
        assert!(reply.took() < Duration::from_secs(1));
    }
    assert_eq!(probe.entered(), 1);
    let late = toolkit.call(&CallContext::model(), ToolCall::new("end.outer", "")).await;
    assert_eq!(late.code(), Code::Busy);
    assert_eq!(finished.records().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_hook_holds_back_does_not_start_any_more() {
    let (builder, probe) = tools();
    let slow = toolkit::hook::guard_async("slow", |_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            Ok(Ruling::Pass)
        })
    });
    let toolkit = builder.guard(slow).build().unwrap();
    let call = begin(&toolkit, "end.work", r#"{"seconds": 1}"#).await;
    toolkit.shutdown().await;
    assert_eq!((call.await.unwrap().code(), probe.entered()), (Code::Busy, 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_its_twin_does_not_start_any_more() {
    let (builder, probe) = tools();
    let toolkit = builder.build().unwrap();
    let twin = || {
        let toolkit = toolkit.clone();
        let call = ToolCall::new("end.work", r#"{"seconds": 9}"#).id("c1");
        tokio::spawn(async move {
            toolkit.call(&CallContext::model().session("s-1").turn(1), call).await
        })
    };
    let (first, second) = (twin(), twin());
    tokio::time::sleep(Duration::from_millis(1)).await;
    let end = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.shutdown().await }
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    first.abort();
    let reply = second.await.unwrap();
    assert_eq!((reply.code(), reply.executed(), probe.entered()), (Code::Busy, Executed::No, 1));
    end.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_not_done_in_time_is_cancelled() {
    let (builder, probe) = tools();
    let toolkit = builder.build().unwrap();
    let short = begin(&toolkit, "end.work", r#"{"seconds": 2}"#).await;
    let long = begin(&toolkit, "end.work", r#"{"seconds": 1000}"#).await;
    let nested = begin(&toolkit, "end.outer", "").await;
    let begun = tokio::time::Instant::now();
    assert_eq!(toolkit.shutdown_within(Duration::from_secs(3)).await, 0);
    assert!(begun.elapsed() < Duration::from_secs(4));
    assert!(short.await.unwrap().is_ok());
    for call in [long, nested] {
        let reply = call.await.unwrap();
        assert_eq!((reply.code(), reply.executed()), (Code::Cancelled, Executed::Yes));
    }
    assert_eq!(probe.running(), 0);
    // With nothing to wait for it is over at once.
    assert_eq!(toolkit.shutdown_within(Duration::from_secs(3)).await, 0);
}

#[tokio::test(start_paused = true)]
async fn progress_is_heard_at_once_and_until_the_end() {
    let (builder, _) = tools();
    let finished = Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let call = || ToolCall::new("end.progress", r#"{"password": "s3cret"}"#);
    let cx = CallContext::model().session("s-1");
    // Where nobody listens it costs nothing and does nothing.
    assert!(toolkit.call(&cx, call()).await.is_ok());
    let mut events = toolkit.events();
    assert!(toolkit.call(&cx, call()).await.is_ok());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut heard = Vec::new();
    while let Ok(event) = events.try_recv() {
        let json = serde_json::to_value(&event).unwrap();
        assert_eq!(json["kind"], event.kind());
        match event {
            Event::Progress(record) => heard.push(record),
            Event::CallFinished(record) => {
                assert!(heard.iter().all(|heard| heard.call == record.call));
                assert_eq!(heard.len(), 3, "the end comes last");
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(heard.len(), 3);
    assert_eq!((&*heard[0].tool, heard[0].session.as_deref()), ("end.progress", Some("s-1")));
    assert_eq!((heard[1].done, heard[1].total), (Some(1), Some(2)));
    let message = |at: usize| heard[at].message.as_deref().unwrap();
    assert_eq!((message(0), message(1)), ("begun", "opened with [redacted]"));
    assert_eq!(message(2).chars().count(), 500, "with the sign that there was more");
    // A context of the host's own has no body.
    CallContext::model().progress("nothing");
    assert!(events.try_recv().is_err());
}
