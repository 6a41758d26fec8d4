//! Limits, clocks, cancellation, panics: the body under guard.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Probe;
use toolkit::{CancellationToken, Executed};

use crate::support::{GOOD, counters};

/// Wait for a while, then answer.
#[tool(name = "slow.wait", timeout = "5s")]
async fn wait(
    /// How many milliseconds to wait, e.g. `100`.
    millis: u64,
    #[state] probe: &Probe,
) -> &'static str {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_millis(millis)).await;
    "waited"
}

/// Wait for a while, one call at a time.
#[tool(name = "slow.single", timeout = "none", concurrency = 1)]
async fn single(
    /// How many milliseconds to wait, e.g. `100`.
    millis: u64,
    #[state] probe: &Probe,
) -> &'static str {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_millis(millis)).await;
    "waited"
}

/// Was the body told to stop?
#[derive(Clone, Default)]
struct Told(Arc<AtomicBool>);

/// Wait until told to stop, then put things in order.
#[tool(name = "slow.tidy", timeout = "1s")]
async fn tidy(#[context] cx: &CallContext, #[state] told: &Told) -> &'static str {
    cx.cancelled().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    told.0.store(true, Ordering::SeqCst);
    "too late to say"
}

/// Never listen to anybody.
#[tool(name = "slow.deaf", timeout = "1s")]
async fn deaf(#[context] _cx: &CallContext) -> &'static str {
    std::future::pending::<()>().await;
    "never"
}

/// Panic in the way that is asked for.
#[tool(name = "bad.panic")]
async fn panics(
    /// How to panic, e.g. `at_once`.
    how: String,
) -> Result<f64, ToolError> {
    match how.as_str() {
        "at_once" => panic!("s3cret"),
        "unwrap" => Ok(std::hint::black_box(None::<f64>).unwrap()),
        "later" => {
            tokio::task::yield_now().await;
            panic!("s3cret {how}")
        }
        "odd" => std::panic::panic_any(7_u8),
        "nan" => Ok(f64::NAN),
        "infinite" => Ok(f64::INFINITY),
        "expected" => Err(ToolError::expected("no such way; use `at_once`")),
        _ => {
            let inner = std::io::Error::other("postgres://u:s3cret@h refused");
            Err(inner.into())
        }
    }
}

fn slow() -> (toolkit::Builder, Probe) {
    let probe = Probe::new();
    let ids = [id(wait), id(single), id(tidy), id(deaf), id(panics)];
    (Toolkit::builder().only(ids).state(probe.clone()).state(Told::default()), probe)
}

fn millis(tool: &'static str, millis: u64) -> ToolCall<'static> {
    ToolCall::new(tool, format!(r#"{{"millis": {millis}}}"#))
}

#[tokio::test(start_paused = true)]
async fn a_body_is_stopped_at_its_deadline() {
    let (builder, probe) = slow();
    let toolkit = builder.build().unwrap();
    let started = tokio::time::Instant::now();
    let reply = toolkit.call(&CallContext::model(), millis("slow.wait", 60_000)).await;
    assert_eq!(started.elapsed(), Duration::from_secs(5));
    assert_eq!((reply.code(), reply.executed()), (Code::TimedOut, Executed::Yes));
    assert!(reply.text().contains("longer than 5 s"), "{}", reply.text());
    assert_eq!((probe.entered(), probe.running()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_listens_may_tidy_up() {
    let (builder, _) = slow();
    let told = Told::default();
    let toolkit = builder.state(told.clone()).build().unwrap();
    let started = tokio::time::Instant::now();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("slow.tidy", "")).await;
    assert_eq!(reply.code(), Code::TimedOut);
    assert_eq!(started.elapsed(), Duration::from_millis(1_100));
    assert!(told.0.load(Ordering::SeqCst));
    // One that doesn't is dropped after half a second more.
    let started = tokio::time::Instant::now();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("slow.deaf", "")).await;
    assert_eq!(reply.code(), Code::TimedOut);
    assert_eq!(started.elapsed(), Duration::from_millis(1_500));
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_a_body_takes_its_time() {
    let (builder, _) = slow();
    let toolkit = builder.build().unwrap();
    let reply = toolkit.call(&CallContext::model(), millis("slow.single", 3_600_000)).await;
    assert_eq!(reply.text(), "waited");
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_reaches_a_queued_and_a_running_body() {
    let (builder, probe) = slow();
    let toolkit = builder.build().unwrap();
    let token = CancellationToken::new();
    let run = |token: &CancellationToken| {
        let (toolkit, cx) = (toolkit.clone(), CallContext::model().cancellation(token.clone()));
        tokio::spawn(async move { toolkit.call(&cx, millis("slow.single", 1_000)).await })
    };
    let running = run(&token);
    tokio::task::yield_now().await;
    let queued = run(&token);
    tokio::task::yield_now().await;
    token.cancel();
    let (running, queued) = (running.await.unwrap(), queued.await.unwrap());
    assert_eq!((running.code(), running.executed()), (Code::Cancelled, Executed::Yes));
    assert_eq!((queued.code(), queued.executed()), (Code::CancelledBeforeStart, Executed::No));
    assert_eq!((probe.entered(), probe.running()), (1, 0));
    // The permit is back.
    assert!(toolkit.call(&CallContext::model(), millis("slow.single", 1)).await.is_ok());
    // Cancelled before it came.
    let cx = CallContext::model().cancellation(token);
    let reply = toolkit.call(&cx, millis("slow.wait", 1)).await;
    assert_eq!(reply.code(), Code::CancelledBeforeStart);
}

#[tokio::test(start_paused = true)]
async fn the_queue_has_a_clock_of_its_own() {
    let (builder, probe) = slow();
    let toolkit = builder.build().unwrap();
    let run = |wait: u64| {
        let toolkit = toolkit.clone();
        tokio::spawn(async move {
            let started = tokio::time::Instant::now();
            let reply = toolkit.call(&CallContext::model(), millis("slow.single", wait)).await;
            (reply.code(), started.elapsed())
        })
    };
    let long = run(40_000);
    tokio::task::yield_now().await;
    let late = run(1);
    assert_eq!(late.await.unwrap(), (Code::Busy, Duration::from_secs(30)));
    assert_eq!(long.await.unwrap(), (Code::Ok, Duration::from_secs(40)));
    assert_eq!(probe.entered(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_keep_to_the_cap_and_all_finish() {
    let (builder, probe) = slow();
    let toolkit = builder.concurrency(8).queue_time(Duration::from_secs(3_600)).build().unwrap();
    let calls: Vec<_> = (0..1_000).map(|i| millis("slow.wait", i % 7)).collect();
    let turn = toolkit.turn(&CallContext::model(), calls).await;
    assert_eq!(turn.replies().len(), 1_000);
    assert!(turn.replies().iter().all(toolkit::ToolReply::is_ok));
    assert_eq!((probe.most(), probe.running()), (8, 0));
}

#[tokio::test(start_paused = true)]
async fn a_slow_capped_tool_does_not_block_the_others() {
    let (builder, _) = slow();
    let toolkit = builder.concurrency(2).build().unwrap();
    let blocked: Vec<_> = (0..3)
        .map(|_| {
            let toolkit = toolkit.clone();
            tokio::spawn(async move {
                toolkit.call(&CallContext::model(), millis("slow.single", 5_000)).await
            })
        })
        .collect();
    tokio::task::yield_now().await;
    let started = tokio::time::Instant::now();
    assert!(toolkit.call(&CallContext::model(), millis("slow.wait", 10)).await.is_ok());
    assert_eq!(started.elapsed(), Duration::from_millis(10));
    for call in blocked {
        assert!(call.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_panic_is_a_reply_and_says_nothing_to_the_model() {
    let (builder, _) = slow();
    let finished = crate::support::Finished::default();
    let toolkit = builder.observer(finished.observer()).concurrency(1).build().unwrap();
    for how in ["at_once", "unwrap", "later", "odd", "nan", "infinite"] {
        let call = ToolCall::json("bad.panic", &serde_json::json!({"how": how})).unwrap();
        let reply = toolkit.call(&CallContext::model(), call).await;
        assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes), "{how}");
        let reference = reply.reference().unwrap();
        assert!(reply.text().contains(reference));
        assert!(!reply.text().contains("s3cret") && !reply.text().contains("panic"));
        let records = finished.records();
        let record = records.last().unwrap();
        assert_eq!(record.reference.as_deref(), Some(reference));
        assert!(record.cause.is_some(), "{how}");
    }
    // The one permit is back each time.
    let call = ToolCall::new("bad.panic", r#"{"how": "expected"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!((reply.code(), reply.text()), (Code::Failed, "no such way; use `at_once`"));
}

#[tokio::test]
async fn an_error_that_is_not_for_the_model_stays_with_the_operator() {
    let call = || ToolCall::new("bad.panic", r#"{"how": "?"}"#);
    let (builder, _) = slow();
    let finished = crate::support::Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!(reply.code(), Code::Failed);
    assert!(!reply.text().contains("s3cret"), "{}", reply.text());
    assert!(reply.text().contains(reply.reference().unwrap()));
    assert_eq!(finished.records()[0].cause.as_deref(), Some("postgres://u:s3cret@h refused"));

    let (builder, _) = slow();
    let toolkit = builder.show_errors().build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!(reply.text(), "`bad.panic` failed: postgres://u:s3cret@h refused");
}

#[tokio::test]
async fn a_recorded_call_leaves_an_intent_and_an_outcome() {
    let (builder, probe) = counters();
    let store = Memory::default();
    let toolkit = builder.policy(Policy::trusting()).store(store.clone()).build().unwrap();
    let cx = CallContext::model().session("s").principal("ada").turn(3);
    assert!(toolkit.call(&cx, ToolCall::new("count.write", GOOD).id("c1")).await.is_ok());
    assert!(toolkit.call(&cx, ToolCall::new("count.read", GOOD)).await.is_ok());
    let records = store.records();
    assert_eq!(records.len(), 1, "a read is not recorded");
    assert_eq!(records[0].intent.tool, "count.write");
    assert_eq!(records[0].intent.arguments.as_deref(), Some(r#"{"name":"visits"}"#));
    assert_eq!(records[0].intent.principal.as_deref(), Some("ada"));
    assert_eq!(records[0].ended.unwrap().code, Code::Ok);
    assert_eq!(probe.entered(), 2);
}

#[tokio::test]
async fn no_intent_no_body() {
    let (builder, probe) = counters();
    let toolkit =
        builder.policy(Policy::trusting()).store(Memory::with_capacity(0)).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.write", GOOD)).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
    assert_eq!(probe.entered(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_drains_and_then_refuses() {
    let (builder, probe) = slow();
    let toolkit = builder.build().unwrap();
    let running = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.call(&CallContext::model(), millis("slow.wait", 1_000)).await }
    });
    tokio::task::yield_now().await;
    let started = tokio::time::Instant::now();
    toolkit.shutdown().await;
    assert_eq!(started.elapsed(), Duration::from_secs(1));
    assert!(running.await.unwrap().is_ok());
    let reply = toolkit.call(&CallContext::model(), millis("slow.wait", 1)).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Busy, 1));
    toolkit.shutdown().await;
}

#[test]
fn without_a_timer_a_waiting_body_is_a_defect_and_nothing_unwinds() {
    let (builder, _) = slow();
    let toolkit = builder.build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let reply = runtime.block_on(async {
        toolkit.call(&CallContext::model(), ToolCall::new("slow.deaf", "")).await
    });
    assert_eq!(reply.code(), Code::Defect);
}
