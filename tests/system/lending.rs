//! Permits between an outer body and its inner calls: lent, never waited for by their own holder, and
//! held until the last body that runs on them has ended.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;
use toolkit::prelude::*;
use toolkit::testing::Probe;

use crate::blocking::{Latch, hold, until};

/// Call a tool, then another, and say what came of both.
#[tool(name = "lend.both", timeout = "1m", risk = "write", concurrency = 1)]
async fn both(
    /// The tools to call, e.g. `["clock.now"]`.
    tools: &[String],
    #[context] cx: &CallContext,
) -> String {
    let mut codes = Vec::new();
    for tool in tools {
        codes.push(cx.call(ToolCall::new(tool.as_str(), "{}")).await.code().to_string());
    }
    codes.join(" ")
}

/// Call itself, through another tool, as often as is left.
#[tool(name = "lend.again", concurrency = 1)]
async fn again(
    /// How many levels are left, e.g. `3`.
    left: u32,
    #[context] cx: &CallContext,
) -> String {
    let Some(left) = left.checked_sub(1) else { return "bottom".to_owned() };
    let call = ToolCall::new("lend.through", format!(r#"{{"left": {left}}}"#));
    cx.call(call).await.into_text()
}

/// Pass a call on to the tool that came here.
#[tool(name = "lend.through", concurrency = 1)]
async fn through(
    /// How many levels are left, e.g. `3`.
    left: u32,
    #[context] cx: &CallContext,
) -> String {
    let call = ToolCall::new("lend.again", format!(r#"{{"left": {left}}}"#));
    cx.call(call).await.into_text()
}

/// Call a tool from a thread, and wait for what it says.
#[tool(name = "lend.thread", blocking = "abandon", timeout = "5s", risk = "write")]
fn thread(#[context] cx: &CallContext, #[state] latch: &Latch) -> String {
    let reply = Handle::current().block_on(cx.call(ToolCall::new("lend.never", "")));
    latch.wait();
    reply.code().to_string()
}

/// Never end, and listen to nobody.
#[tool(name = "lend.never", timeout = "none", risk = "write")]
async fn never(#[state] probe: &Probe) {
    let _running = probe.enter();
    std::future::pending::<()>().await;
}

/// Answer at once.
#[tool(name = "lend.quick", concurrency = 1)]
fn quick() {}

struct Bench {
    latch: Latch,
    probe: Probe,
    toolkit: Toolkit,
}

fn bench(limit: usize) -> Bench {
    let (latch, probe) = (Latch::default(), Probe::new());
    let ids = [id(hold), id(both), id(again), id(through), id(thread), id(never), id(quick)];
    let builder = Toolkit::builder().only(ids).state(latch.clone()).state(probe.clone());
    let toolkit = builder.policy(Policy::trusting()).concurrency(limit).build().unwrap();
    Bench { latch, probe, toolkit }
}

impl Bench {
    fn spawn(
        &self,
        name: &'static str,
        arguments: &'static str,
    ) -> tokio::task::JoinHandle<ToolReply> {
        let toolkit = self.toolkit.clone();
        tokio::spawn(async move {
            toolkit.call(&CallContext::model(), ToolCall::new(name, arguments)).await
        })
    }

    /// The code of a quick call, and how long it took.
    async fn quick(&self) -> (Code, Duration) {
        let started = Instant::now();
        let call = self.spawn("lend.quick", "");
        for _ in 0..60 {
            until(|| true).await;
            if call.is_finished() {
                break;
            }
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        (call.await.unwrap().code(), started.elapsed())
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_of_one_permit_may_call_itself() {
    let bench = bench(1);
    let started = Instant::now();
    let reply = bench.spawn("lend.again", r#"{"left": 3}"#).await.unwrap();
    assert_eq!((reply.code(), reply.text()), (Code::Ok, "bottom"));
    assert_eq!(started.elapsed(), Duration::ZERO);
    // All is as before.
    assert_eq!(bench.spawn("lend.again", r#"{"left": 3}"#).await.unwrap().text(), "bottom");
}

#[tokio::test(start_paused = true)]
async fn what_an_outer_body_held_is_not_free_before_its_inner_one_has_ended() {
    let bench = bench(1);
    let outer = bench.spawn("lend.both", r#"{"tools": ["block.hold"]}"#);
    until(|| bench.probe.running() == 1).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(outer.await.unwrap().text(), "timed_out");
    assert_eq!((bench.toolkit.abandoned(), bench.probe.running()), (1, 1));
    assert_eq!(bench.quick().await, (Code::Busy, Duration::from_secs(30)));
    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    assert_eq!(bench.quick().await, (Code::Ok, Duration::ZERO));
    // The outer tool's own permit is back as well.
    let outer = bench.spawn("lend.both", r#"{"tools": ["block.hold"]}"#);
    assert_eq!(outer.await.unwrap().text(), "ok");
}

#[tokio::test(start_paused = true)]
async fn a_body_goes_on_with_another_permit_where_one_is_free() {
    let bench = bench(2);
    let tools = r#"{"tools": ["block.hold", "lend.quick", "lend.quick"]}"#;
    let outer = bench.spawn("lend.both", tools);
    until(|| bench.probe.running() == 1).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    let started = Instant::now();
    assert_eq!(outer.await.unwrap().text(), "timed_out ok ok");
    assert_eq!(started.elapsed(), Duration::ZERO);
    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    assert_eq!(bench.quick().await.0, Code::Ok);
}

#[tokio::test(start_paused = true)]
async fn where_no_other_is_free_it_waits_for_the_one_it_lent() {
    let bench = bench(2);
    let other = bench.spawn("lend.never", "");
    let outer = bench.spawn("lend.both", r#"{"tools": ["block.hold", "lend.quick"]}"#);
    until(|| bench.probe.running() == 2).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    until(|| bench.toolkit.abandoned() == 1).await;
    tokio::time::advance(Duration::from_secs(29)).await;
    until(|| true).await;
    assert!(!outer.is_finished());
    bench.latch.open();
    assert_eq!(outer.await.unwrap().text(), "timed_out ok");
    until(|| bench.toolkit.abandoned() == 0).await;
    other.abort();
    assert!(other.await.is_err());
    let two = [bench.spawn("lend.never", ""), bench.spawn("lend.never", "")];
    until(|| bench.probe.running() == 2).await;
    two.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn an_inner_call_has_a_fate_of_its_own() {
    let bench = bench(2);
    let outer = bench.spawn("lend.thread", "");
    until(|| bench.probe.running() == 1).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    // The inner body is told with the outer one, and is gone; the outer one is abandoned.
    until(|| bench.probe.running() == 0).await;
    tokio::time::advance(Duration::from_secs(1)).await;
    let reply = outer.await.unwrap();
    assert_eq!((reply.code(), bench.toolkit.abandoned()), (Code::TimedOut, 1));
    assert!(reply.text().contains("still runs"), "{}", reply.text());
    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    assert_eq!(bench.quick().await.0, Code::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_leaves_its_inner_bodys_permit_to_it() {
    let bench = bench(1);
    let outer = bench.spawn("lend.both", r#"{"tools": ["block.hold"]}"#);
    until(|| bench.probe.running() == 1).await;
    outer.abort();
    assert!(outer.await.is_err());
    assert_eq!((bench.toolkit.abandoned(), bench.probe.running()), (1, 1));
    assert_eq!(bench.quick().await.0, Code::Busy);
    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    assert_eq!(bench.quick().await.0, Code::Ok);
}
