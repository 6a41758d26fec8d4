//! Blocking tools: bodies on threads, which nothing can stop, and what becomes of them.

use std::sync::{Arc, Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use tokio::time::Instant;
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Probe;
use toolkit::{Blocking, CancellationToken, Event, Executed, LateRecord};

use crate::support::Finished;

/// Holds bodies while it is closed.
#[derive(Clone, Default)]
pub(crate) struct Latch(Arc<(Mutex<bool>, Condvar)>);

impl Latch {
    pub(crate) fn wait(&self) {
        let (open, opened) = &*self.0;
        drop(opened.wait_while(open.lock().unwrap(), |open| !*open).unwrap());
    }

    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    pub(crate) fn close(&self) {
        *self.0.0.lock().unwrap() = false;
    }
}

/// Opens it whatever becomes of a test: a runtime waits for its threads.
impl Drop for Latch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.open();
        }
    }
}

/// Hold on to a thread until the latch opens.
#[tool(name = "block.hold", timeout = "5s", blocking = "abandon", risk = "write")]
pub(crate) fn hold(#[state] latch: &Latch, #[state] probe: &Probe) -> &'static str {
    let _running = probe.enter();
    latch.wait();
    "held"
}

/// Hold on to a thread, one call at a time, and fail.
#[tool(name = "block.fail", timeout = "5s", blocking = "abandon", concurrency = 1, errors = "show")]
fn fail(
    /// What nobody else may read.
    #[arg(secret)]
    token: &str,
    #[state] latch: &Latch,
    #[state] probe: &Probe,
) -> Result<(), ToolError> {
    let _running = probe.enter();
    latch.wait();
    Err(std::io::Error::other(format!("the server knows no {token}")).into())
}

/// Hold on to a task, and never end.
#[tool(name = "block.never", timeout = "5s", risk = "write")]
async fn never(#[state] probe: &Probe) {
    let _running = probe.enter();
    std::future::pending::<()>().await;
}

/// Work until told to stop, then until the latch opens.
#[tool(name = "block.wait", timeout = "5s", blocking = "wait", risk = "write")]
fn wait(#[context] cx: &CallContext, #[state] latch: &Latch, #[state] probe: &Probe) -> String {
    let _running = probe.enter();
    while !cx.is_cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let _told = probe.enter();
    latch.wait();
    "done all the same".to_owned()
}

/// Work until told to stop, and stop then.
#[tool(name = "block.listen", timeout = "5s", blocking = "abandon")]
fn listen(#[context] cx: &CallContext, #[state] probe: &Probe) {
    let _running = probe.enter();
    while !cx.is_cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Say on which thread this runs, or panic.
#[tool(name = "block.who", blocking = "wait")]
fn who(
    /// Whether to panic, e.g. `no`.
    panic: &str,
    /// Numbers to sum up, e.g. `[1, 2]`.
    numbers: &[u32],
    #[state] seen: &Seen,
    #[context] cx: &CallContext,
) -> String {
    assert_ne!(panic, "yes", "a thread panics");
    *seen.0.lock().unwrap() = Some(std::thread::current().id());
    format!("{} {}", cx.origin(), numbers.iter().sum::<u32>())
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Option<ThreadId>>>);

/// The late results that an observer heard of.
#[derive(Clone, Default)]
struct Late(Arc<Mutex<Vec<Arc<LateRecord>>>>);

impl Late {
    fn observer(&self) -> impl toolkit::Observer + 'static {
        let kept = Arc::clone(&self.0);
        move |event: &Event| {
            if let Event::LateResult(record) = event {
                kept.lock().unwrap().push(Arc::clone(record));
            }
        }
    }

    fn records(&self) -> Vec<Arc<LateRecord>> {
        self.0.lock().unwrap().clone()
    }
}

pub(crate) struct Bench {
    pub(crate) latch: Latch,
    pub(crate) probe: Probe,
    finished: Finished,
    late: Late,
    pub(crate) toolkit: Toolkit,
}

pub(crate) fn bench(edit: impl FnOnce(toolkit::Builder) -> toolkit::Builder) -> Bench {
    let (latch, probe, finished, late) =
        (Latch::default(), Probe::new(), Finished::default(), Late::default());
    let builder = Toolkit::builder()
        .only([id(hold), id(fail), id(never), id(wait), id(listen), id(who)])
        .state(latch.clone())
        .state(probe.clone())
        .state(Seen::default())
        .policy(Policy::trusting())
        .observer(finished.observer())
        .observer(late.observer());
    Bench { toolkit: edit(builder).build().unwrap(), latch, probe, finished, late }
}

/// Lets tasks and threads get on until something is so, on whatever clock.
pub(crate) async fn until(mut so: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    loop {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        if so() {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "it never came about");
        std::thread::sleep(Duration::from_micros(200));
    }
}

impl Bench {
    /// A call in a task of its own; it has begun when this returns.
    async fn start(
        &self,
        cx: &CallContext,
        name: &'static str,
    ) -> tokio::task::JoinHandle<ToolReply> {
        let (toolkit, cx, before) = (self.toolkit.clone(), cx.clone(), self.probe.entered());
        let arguments = if name == "block.fail" { r#"{"token": "hunter2"}"# } else { "" };
        let call =
            tokio::spawn(async move { toolkit.call(&cx, ToolCall::new(name, arguments)).await });
        until(|| self.probe.entered() > before).await;
        call
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_out_of_time_are_answered_in_time_and_keep_to_the_limit() {
    const LIMIT: usize = 16;
    let bench = bench(|builder| builder.concurrency(LIMIT));
    let started = Instant::now();
    let calls: Vec<_> = (0..1_000)
        .map(|i| {
            let toolkit = bench.toolkit.clone();
            let name = if i % 2 == 0 { "block.never" } else { "block.hold" };
            tokio::spawn(async move {
                let reply = toolkit.call(&CallContext::model(), ToolCall::new(name, "")).await;
                (reply, started.elapsed())
            })
        })
        .collect();
    // As many as may run do, up to the end: whoever can't be stopped keeps its permit.
    for _ in 0..31 {
        until(|| bench.probe.running() == LIMIT).await;
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    until(|| calls.iter().all(tokio::task::JoinHandle::is_finished)).await;
    let (mut late, mut busy) = (0, 0);
    for call in calls {
        let (reply, at) = call.await.unwrap();
        match reply.code() {
            Code::TimedOut => {
                late += 1;
                // Whoever came later waited for one that could be stopped, for a whole limit.
                assert_eq!((at.as_millis() % 5_000, reply.took()), (0, at), "{}", reply.text());
                let unknown = reply.executed() == Executed::Unknown;
                assert_eq!(unknown, reply.tool() == Some("block.hold"));
            }
            Code::Busy => {
                busy += 1;
                assert_eq!((at, reply.executed()), (Duration::from_secs(30), Executed::No));
                assert!(reply.text().contains("waited 30 s"), "{}", reply.text());
            }
            code => panic!("{code}: {}", reply.text()),
        }
    }
    for record in bench.finished.records() {
        if record.code == Code::TimedOut {
            assert_eq!(record.took - record.waited, Duration::from_secs(5));
        }
    }
    assert_eq!((late + busy, bench.finished.records().len()), (1_000, 1_000));
    assert_eq!((late, bench.probe.entered()), (bench.probe.entered(), late));
    assert_eq!((bench.probe.most(), bench.probe.running()), (LIMIT, LIMIT));
    assert_eq!((bench.toolkit.abandoned(), bench.late.records().len()), (LIMIT, 0));

    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    assert_eq!((bench.probe.running(), bench.late.records().len()), (0, LIMIT));
    // All permits are back: as many run at once as before, and not one more.
    let calls: Vec<_> = (0..LIMIT + 1)
        .map(|_| {
            let toolkit = bench.toolkit.clone();
            tokio::spawn(async move {
                toolkit.call(&CallContext::model(), ToolCall::new("block.never", "")).await
            })
        })
        .collect();
    until(|| bench.probe.running() == LIMIT).await;
    assert_eq!(bench.probe.most(), LIMIT);
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_body_is_answered_in_time_and_its_result_goes_to_the_audit_alone() {
    let store = Memory::default();
    let bench = bench(|builder| builder.store(store.clone()));
    let mut events = bench.toolkit.events();
    let started = Instant::now();
    let call = bench.start(&CallContext::model(), "block.hold").await;
    tokio::time::advance(Duration::from_secs(5)).await;
    let reply = call.await.unwrap();
    assert_eq!(started.elapsed(), Duration::from_secs(5));
    assert_eq!((reply.code(), reply.executed()), (Code::TimedOut, Executed::Unknown));
    assert!(reply.text().contains("longer than 5 s; it can't be stopped"), "{}", reply.text());
    assert_eq!((bench.toolkit.abandoned(), bench.probe.running()), (1, 1));
    let ended = store.records()[0].ended.unwrap();
    assert_eq!((ended.code, ended.executed), (Code::TimedOut, Executed::Unknown));

    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    let (late, finished) = (bench.late.records(), bench.finished.records());
    assert_eq!((late.len(), finished.len()), (1, 1));
    assert_eq!((late[0].code, &late[0].cause), (Code::Ok, &None));
    assert_eq!((&late[0].call, &*late[0].tool), (&finished[0].call, "block.hold"));
    let heard = std::iter::from_fn(|| events.try_recv().ok()).map(|event| event.kind());
    assert_eq!(heard.collect::<Vec<_>>(), ["call_finished"]);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_body_keeps_its_permits_and_tells_no_secret() {
    let bench = bench(|builder| builder);
    let cx = CallContext::model();
    let call = bench.start(&cx, "block.fail").await;
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(call.await.unwrap().code(), Code::TimedOut);
    // The tool's own permit is the body's, and those of others aren't.
    let second = tokio::spawn({
        let (toolkit, cx) = (bench.toolkit.clone(), cx.clone());
        async move { toolkit.call(&cx, ToolCall::new("block.fail", r#"{"token": "b"}"#)).await }
    });
    until(|| true).await;
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(second.await.unwrap().code(), Code::Busy);
    assert_eq!(bench.probe.entered(), 1);
    let other = ToolCall::new("block.who", r#"{"panic": "no", "numbers": []}"#);
    assert!(bench.toolkit.call(&cx, other).await.is_ok());

    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    let late = bench.late.records();
    assert_eq!((late.len(), late[0].code), (1, Code::Failed));
    assert_eq!(late[0].cause.as_deref(), Some("the server knows no [redacted]"));
    let third = ToolCall::new("block.fail", r#"{"token": "hunter2"}"#);
    let reply = bench.toolkit.call(&cx, third).await;
    assert_eq!((reply.code(), bench.probe.most()), (Code::Failed, 1));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_is_answered_when_its_body_has_ended() {
    let bench = bench(|builder| builder);
    let token = CancellationToken::new();
    let cancellable = CallContext::model().cancellation(token.clone());
    for (cx, code) in [(CallContext::model(), Code::TimedOut), (cancellable, Code::Cancelled)] {
        let call = bench.start(&cx, "block.wait").await;
        match code {
            Code::Cancelled => token.cancel(),
            _ => tokio::time::advance(Duration::from_secs(5)).await,
        }
        // Told to stop, it does so in its own time.
        until(|| bench.probe.running() == 2).await;
        tokio::time::advance(Duration::from_secs(600)).await;
        until(|| true).await;
        assert!(!call.is_finished());
        assert_eq!(bench.toolkit.abandoned(), 0);
        bench.latch.open();
        let reply = call.await.unwrap();
        assert_eq!((reply.code(), reply.executed()), (code, Executed::Yes));
        assert!(reply.text().contains("was told to stop and has ended"), "{}", reply.text());
        assert_eq!(bench.probe.running(), 0);
        bench.latch.close();
    }
    assert!(bench.late.records().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_listens_ends_with_its_call_whatever_its_fate() {
    let bench = bench(|builder| builder);
    let call = bench.start(&CallContext::model(), "block.listen").await;
    tokio::time::advance(Duration::from_secs(5)).await;
    let reply = call.await.unwrap();
    assert_eq!((reply.code(), reply.executed()), (Code::TimedOut, Executed::Yes));
    assert_eq!((bench.toolkit.abandoned(), bench.probe.running()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_and_a_dropped_one_leave_their_body_and_are_told_of() {
    let bench = bench(|builder| builder.concurrency(2));
    let token = CancellationToken::new();
    let cx = CallContext::model().cancellation(token.clone());
    let cancelled = bench.start(&cx, "block.hold").await;
    let dropped = bench.start(&CallContext::model(), "block.hold").await;
    token.cancel();
    let reply = cancelled.await.unwrap();
    assert_eq!((reply.code(), reply.executed()), (Code::Cancelled, Executed::Unknown));
    dropped.abort();
    assert!(dropped.await.is_err());
    assert_eq!((bench.toolkit.abandoned(), bench.probe.running()), (2, 2));
    let ends: Vec<_> = bench.finished.records().iter().map(|r| (r.code, r.executed)).collect();
    assert_eq!(ends, [(Code::Cancelled, Executed::Unknown); 2]);
    // Both hold their permits.
    let third = tokio::spawn({
        let toolkit = bench.toolkit.clone();
        async move { toolkit.call(&CallContext::model(), ToolCall::new("block.never", "")).await }
    });
    until(|| true).await;
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(third.await.unwrap().code(), Code::Busy);
    // A shutdown waits for replies, and not for what may never end.
    bench.toolkit.shutdown().await;
    assert_eq!(bench.toolkit.abandoned(), 2);
    bench.latch.open();
    until(|| bench.toolkit.abandoned() == 0).await;
    assert_eq!(bench.late.records().len(), 2);
}

#[tokio::test]
async fn a_body_on_a_thread_is_a_body_like_another() {
    let seen = Seen::default();
    let bench = bench(|builder| builder.state(seen.clone()));
    let spec = bench.toolkit.tool(who).unwrap();
    assert_eq!(spec.blocking(), Some(Blocking::Wait));
    assert_eq!(bench.toolkit.tool(never).unwrap().blocking(), None);
    let cx = CallContext::model();
    let call = ToolCall::new("block.who", r#"{"panic": "no", "numbers": [1, 2]}"#);
    let reply = bench.toolkit.call(&cx, call).await;
    assert_eq!((reply.text(), reply.executed()), ("model 3", Executed::Yes));
    assert_ne!(seen.0.lock().unwrap().unwrap(), std::thread::current().id());

    let call = ToolCall::new("block.who", r#"{"panic": "yes", "numbers": []}"#);
    let reply = bench.toolkit.call(&cx, call).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
    let records = bench.finished.records();
    let cause = records[1].cause.as_deref().unwrap();
    assert!(cause.contains("a thread panics"), "{cause}");
    assert_eq!((bench.toolkit.abandoned(), bench.late.records().len()), (0, 0));
}

#[test]
fn without_a_runtime_no_body_is_begun() {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(hold)]).state(probe.clone()).state(Latch::default());
    let toolkit = builder.build().unwrap();
    let cx = CallContext::human();
    let mut call = std::pin::pin!(toolkit.call(&cx, ToolCall::new("block.hold", "")));
    let polled = call.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    let std::task::Poll::Ready(reply) = polled else { panic!("it waits for nobody") };
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::No));
    assert_eq!((probe.entered(), toolkit.abandoned()), (0, 0));
}
