//! The audit in a file: every call ends in exactly one line, whatever becomes of it, of its future, or
//! of the disk.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolkit::approval::{Answer, ApprovalRequest, Approver};
use toolkit::audit::{self, Fsync, Jsonl};
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{BoxFuture, CancellationToken, Event, HookError, HookKind, Observer};

use crate::blocking::{Latch, hold};
use crate::outcomes::ways;
use crate::support::{GOOD, counters};

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolkit-system-audit-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("audit.jsonl")
    }

    fn open(&self) -> Jsonl {
        Jsonl::builder(self.file()).fsync(Fsync::Never).open().unwrap()
    }

    fn records(&self) -> Vec<Value> {
        audit::read(self.file()).unwrap().collect::<Result<_, _>>().unwrap()
    }

    fn calls(&self) -> Vec<Value> {
        let mut calls = self.records();
        calls.retain(|record| record["kind"] == "call_finished");
        calls
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An audit for a clock that stands still: while a thread of the runtime waits, it doesn't jump ahead
/// over the writer's work.
struct Still(Jsonl);

impl Observer for Still {
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        let written = self.0.observe(event);
        Box::pin(async {
            let (done, waits) = std::sync::mpsc::channel::<()>();
            let waiting = tokio::task::spawn_blocking(move || waits.recv());
            let outcome = written.await;
            drop(done);
            let _ = waiting.await;
            outcome
        })
    }

    fn observe_now(&self, event: &Event) {
        self.0.observe_now(event);
    }
}

#[tokio::test(start_paused = true)]
async fn each_end_is_one_line() {
    let mut shape = None;
    for (code, .., way) in ways() {
        let folder = Folder::new();
        let ended = way.run(Still(folder.open())).await;
        assert_eq!(ended.code, code);
        let mut lines = folder.calls();
        lines.retain(|line| line["provider_id"] == "call_abc123");
        assert_eq!(lines.len(), 1, "{code}: {lines:?}");
        let (line, record) = (&lines[0], &ended.records[0]);
        assert_eq!(line["code"], code.as_str());
        assert_eq!(line["executed"], record.executed.as_str());
        assert_eq!(line["call"], *record.call);
        assert_eq!((&line["principal"], &line["session"]), (&json!("ada"), &json!("s")));
        // Always the same members, whatever became of the call.
        let members: Vec<_> = line.as_object().unwrap().keys().cloned().collect();
        assert_eq!(&members, shape.get_or_insert_with(|| members.clone()), "{code}");
        let findings = record.decision.findings();
        match line["decision"]["findings"].as_array() {
            Some(told) => assert_eq!(told.len(), findings.len(), "{code}"),
            None => assert!(findings.is_empty(), "{code}"),
        }
    }
}

/// Hang until nobody waits any more.
#[tool(name = "audit.hang", concurrency = 1)]
async fn hang() {
    std::future::pending::<()>().await;
}

/// Never answers.
struct Nobody;

impl Approver for Nobody {
    fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(std::future::pending())
    }
}

/// Takes its time over every event.
struct Slow;

impl Observer for Slow {
    fn observe<'a>(&'a self, _: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_is_one_line() {
    let folder = Folder::new();
    let audit = folder.open();
    let (builder, probe) = counters();
    let toolkit =
        builder.only([id(hang)]).approver(Nobody).observer(audit.clone()).build().unwrap();
    let cx = CallContext::model();
    let (running, queued) = (cx.clone().session("running"), cx.clone().session("queued"));
    let calls = [(&running, "audit.hang", ""), (&queued, "audit.hang", "")];
    let mut calls: Vec<_> = calls
        .into_iter()
        .map(|(cx, name, arguments)| Box::pin(toolkit.call(cx, ToolCall::new(name, arguments))))
        .collect();
    for call in &mut calls {
        assert!(poll_once(call.as_mut()).await.is_none());
    }
    // One in its body, one in the queue, one that was never begun.
    drop(calls);
    drop(toolkit.call(&cx, ToolCall::new("count.read", GOOD)));
    // While a person decides.
    let asked = cx.clone().session("asked");
    let mut call = Box::pin(toolkit.call(&asked, ToolCall::new("count.delete", GOOD)));
    while folder.records().iter().all(|record| record["kind"] != "approval_requested") {
        assert!(poll_once(call.as_mut()).await.is_none());
        std::thread::yield_now();
    }
    drop(call);
    drop(toolkit);
    // While it is told: before the audit has its turn, and after.
    let first = Toolkit::builder().only([id(hang)]).observer(audit.clone()).observer(Slow);
    let last = Toolkit::builder().only([id(hang)]).observer(Slow).observer(audit.clone());
    for (name, builder) in [("first", first), ("last", last)] {
        let (toolkit, cx) = (builder.build().unwrap(), cx.clone().session(name));
        let mut call = Box::pin(toolkit.call(&cx, ToolCall::new("nothing", "")));
        assert!(poll_once(call.as_mut()).await.is_none());
    }
    audit.flush().await.unwrap();
    let mut ends: Vec<_> = folder
        .calls()
        .iter()
        .map(|line| {
            ["session", "code", "executed"].map(|key| line[key].as_str().unwrap().to_owned())
        })
        .collect();
    ends.sort();
    assert_eq!(
        ends,
        [
            ["asked", "cancelled_before_start", "no"],
            ["first", "unknown_tool", "no"],
            ["last", "unknown_tool", "no"],
            ["queued", "cancelled_before_start", "no"],
            ["running", "cancelled", "yes"],
        ]
    );
    assert_eq!(probe.entered(), 0);
}

/// Polls once.
async fn poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
        std::task::Poll::Ready(output) => std::task::Poll::Ready(Some(output)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

/// Call a tool that panics, and go on.
#[tool(name = "audit.outer")]
async fn outer(#[context] cx: &CallContext) -> String {
    cx.call(ToolCall::new("audit.inner", "").id("within")).await.code().to_string()
}

/// Panic at once.
#[tool(name = "audit.inner")]
async fn inner() {
    panic!("within")
}

#[tokio::test]
async fn calls_within_calls_and_turns_are_a_line_each() {
    let folder = Folder::new();
    let toolkit =
        Toolkit::builder().only([id(outer), id(inner)]).observer(folder.open()).build().unwrap();
    let calls = ["audit.outer", "audit.inner", "audit.nothing", "audit.outer"];
    let turn =
        calls.iter().enumerate().map(|(i, name)| ToolCall::new(*name, "").id(format!("c{i}")));
    let replies = toolkit.turn(&CallContext::model(), turn).await.into_replies();
    let mut expected: Vec<_> = replies
        .iter()
        .enumerate()
        .map(|(index, reply)| {
            let id = reply.provider_id().unwrap().to_owned();
            (id, reply.code().to_string(), index, reply.reference().map(str::to_owned))
        })
        .collect();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut told: Vec<_> = folder
        .calls()
        .iter()
        .map(|line| {
            let index = usize::try_from(line["index"].as_u64().unwrap()).unwrap();
            let reference = line["reference"].as_str().map(str::to_owned);
            (text(&line["provider_id"]), text(&line["code"]), index, reference)
        })
        .collect();
    let within: Vec<_> = told.extract_if(.., |(id, ..)| id == "within").collect();
    told.sort();
    expected.sort();
    assert_eq!(told, expected);
    assert_eq!(within.len(), 2);
    assert!(within.iter().all(|(_, code, ..)| code == "defect"));
    // What the model got in place of the cause leads to it.
    let (_, _, _, reference) = &expected[1];
    let line =
        folder.calls().into_iter().find(|line| line["reference"].as_str() == reference.as_deref());
    assert_eq!(line.unwrap()["cause"], "panicked: within");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_calls_at_once_are_a_line_each() {
    let folder = Folder::new();
    let audit = Jsonl::builder(folder.file()).max_bytes(4_000).fsync(Fsync::Always).open().unwrap();
    // Two toolkits, one file.
    let toolkits: Vec<_> = (0..2)
        .map(|_| {
            let (builder, _) = counters();
            let builder = builder.policy(Policy::trusting()).concurrency(64);
            builder.observer(audit.clone()).build().unwrap()
        })
        .collect();
    let calls: Vec<_> = (0..64)
        .map(|n| {
            let toolkit = toolkits[n % 2].clone();
            tokio::spawn(async move {
                let cx = CallContext::model().session(format!("s{}", n % 2));
                let call = ToolCall::new("count.write", GOOD).id(format!("{n}"));
                assert!(toolkit.call(&cx, call).await.is_ok());
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
    // Each was written before its reply came, so nothing need be waited for.
    let lines = folder.calls();
    let mut ids: Vec<_> = lines.iter().map(|line| line["provider_id"].as_str().unwrap()).collect();
    ids.sort_by_key(|id| id.parse::<u32>().unwrap());
    let all: Vec<_> = (0..64).map(|n: u32| n.to_string()).collect();
    assert_eq!(ids, all);
    assert!(std::fs::read_dir(&folder.0).unwrap().count() > 4, "and the file was rotated");
}

#[tokio::test]
async fn a_disk_at_fault_changes_no_reply_and_is_told() {
    let folder = Folder::new();
    let (builder, _) = counters();
    let toolkit = builder.observer(folder.open()).build().unwrap();
    let mut events = toolkit.events();
    let mut call = async || {
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await;
        assert!(reply.is_ok());
        let mut faults = Vec::new();
        while let Ok(event) = events.try_recv() {
            if let Event::HookFailed(fault) = event {
                faults.push((fault.kind, fault.hook.to_string(), fault.what.to_string()));
            }
        }
        faults
    };
    assert_eq!(call().await, []);
    // On Unix an open file stays what it is while its folder goes.
    if cfg!(unix) {
        std::fs::remove_dir_all(&folder.0).unwrap();
        let faults = call().await;
        assert_eq!(faults.len(), 1);
        let (kind, hook, what) = &faults[0];
        assert_eq!((*kind, hook.as_str()), (HookKind::Observer, "audit"));
        assert!(what.contains("audit.jsonl"), "{what}");
        std::fs::create_dir(&folder.0).unwrap();
        assert_eq!(call().await, []);
        let kinds: Vec<_> = folder.records().iter().map(|record| record["kind"].clone()).collect();
        assert_eq!(kinds, ["lost", "call_finished"]);
        assert_eq!(folder.records()[0]["records"], 1);
    }
}

#[tokio::test]
async fn a_shutdown_leaves_nothing_unwritten() {
    let folder = Folder::new();
    let (builder, _) = counters();
    let toolkit = builder.only([id(hang)]).observer(folder.open()).build().unwrap();
    drop(toolkit.register(inner).unwrap());
    let cx = CallContext::model();
    for _ in 0..50 {
        let mut call = Box::pin(toolkit.call(&cx, ToolCall::new("audit.hang", "")));
        assert!(poll_once(call.as_mut()).await.is_none());
    }
    toolkit.shutdown().await;
    let records = folder.records();
    assert_eq!(records[0]["kind"], "registered");
    assert_eq!(records[1]["kind"], "unregistered");
    assert_eq!((folder.calls().len(), records.len()), (50, 52));
    assert!(records.iter().all(|record| record["at"].is_string()));
}

#[tokio::test]
async fn what_a_body_comes_to_that_nobody_waits_for_is_a_line_of_its_own() {
    let (folder, latch, probe) = (Folder::new(), Latch::default(), Probe::new());
    let audit = folder.open();
    let toolkit = Toolkit::builder()
        .only([id(hold)])
        .state(latch.clone())
        .state(probe.clone())
        .observer(audit.clone())
        .build()
        .unwrap();
    let mut events = toolkit.events();
    let cx = CallContext::human();
    let mut call = Box::pin(toolkit.call(&cx, ToolCall::new("block.hold", "")));
    while probe.running() == 0 {
        assert!(poll_once(call.as_mut()).await.is_none());
        std::thread::yield_now();
    }
    drop(call);
    latch.open();
    while toolkit.abandoned() > 0 {
        std::thread::yield_now();
    }
    audit.flush().await.unwrap();
    let records = folder.records();
    let told = |record: &Value| {
        ["kind", "code", "executed", "tool"]
            .map(|key| record[key].as_str().unwrap_or("-").to_owned())
    };
    assert_eq!(
        records.iter().map(told).collect::<Vec<_>>(),
        [
            ["call_finished", "cancelled", "unknown", "block.hold"],
            ["late_result", "ok", "-", "block.hold"],
        ]
    );
    assert_eq!(records[0]["call"], records[1]["call"]);
    // Nobody but the observers hears of it.
    assert_eq!(events.try_recv().unwrap().kind(), "call_finished");
    assert!(events.try_recv().is_err());
}

#[tokio::test]
async fn a_question_is_written_before_it_is_asked() {
    /// Looks into the file.
    struct Looking(PathBuf);
    impl Approver for Looking {
        fn ask<'a>(
            &'a self,
            request: &'a ApprovalRequest,
        ) -> BoxFuture<'a, Result<Answer, HookError>> {
            Box::pin(async {
                let last = audit::read(&self.0)?.last().unwrap()?;
                assert_eq!(
                    (&last["kind"], &last["call"]),
                    (&json!("approval_requested"), &json!(request.call))
                );
                Ok(Answer::Approve)
            })
        }
    }
    let folder = Folder::new();
    let audit = Jsonl::open(folder.file()).unwrap();
    let (builder, _) = counters();
    let toolkit = builder.approver(Looking(folder.file())).observer(audit).build().unwrap();
    let cx = CallContext::model().cancellation(CancellationToken::new());
    assert!(toolkit.call(&cx, ToolCall::new("count.delete", GOOD)).await.is_ok());
    let kinds: Vec<_> = folder.records().iter().map(|record| record["kind"].clone()).collect();
    assert_eq!(kinds, ["approval_requested", "approval_decided", "call_finished"]);
}
