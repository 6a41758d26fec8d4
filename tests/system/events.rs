//! One event a call, awaited observers, a broadcast, and spans with the names of the GenAI
//! conventions.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolkit::prelude::*;
use toolkit::{BoxFuture, Event, Executed, Guard, HookCall, HookError, Observer, Ruling};

use crate::support::{Finished, GOOD, counters};

#[tokio::test]
async fn each_call_ends_in_exactly_one_event() {
    let (builder, _) = counters();
    let finished = Finished::default();
    let toolkit = builder.policy(Policy::trusting()).observer(finished.observer()).build().unwrap();
    let cx = CallContext::model().session("s").principal("ada");
    let calls = [
        ("count.read", GOOD, Code::Ok, true),
        ("count.write", GOOD, Code::Ok, true),
        ("count.raed", GOOD, Code::UnknownTool, false),
        ("count.flagged", GOOD, Code::UnknownTool, false),
        ("count.read", "{", Code::MalformedArguments, false),
        ("count.read", "{}", Code::InvalidArguments, false),
        ("count.delete", GOOD, Code::NoApprover, true),
    ];
    for (tool, arguments, _, _) in calls {
        toolkit.call(&cx, ToolCall::new(tool, arguments).id("same")).await;
    }
    let records = finished.records();
    assert_eq!(records.len(), calls.len());
    for (record, (tool, _, code, digest)) in records.iter().zip(calls) {
        assert_eq!((&*record.tool, record.code), (tool, code));
        assert_eq!(record.digest.is_some(), digest, "{tool} {code}");
        assert_eq!(record.provider_id.as_deref(), Some("same"));
        assert_eq!(
            (record.session.as_deref(), record.principal.as_deref()),
            (Some("s"), Some("ada"))
        );
        assert_eq!(record.executed == Executed::Yes, code == Code::Ok);
    }
    let mut ids: Vec<_> = records.iter().map(|record| Arc::clone(&record.call)).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), calls.len(), "our own ids differ though the provider's repeat");
    // A read's event carries a digest, a write's the arguments.
    assert_eq!(records[0].arguments, None);
    assert_eq!(records[1].arguments.as_deref(), Some(r#"{"name":"visits"}"#));
    // The operator sees why a hidden tool was refused.
    assert_eq!(records[3].cause.as_deref(), Some("its feature flag `counters` is off"));
}

#[tokio::test]
async fn a_counted_turn_gives_the_same_ids_again() {
    let ids = async || {
        let (builder, _) = counters();
        let finished = Finished::default();
        let toolkit = builder.observer(finished.observer()).build().unwrap();
        let cx = CallContext::model().session("s").turn(4);
        let call = || ToolCall::new("count.read", GOOD).id("c");
        toolkit.turn(&cx, [call(), call()]).await;
        finished.records().iter().map(|record| record.call.to_string()).collect::<Vec<_>>()
    };
    let (first, second) = (ids().await, ids().await);
    assert_eq!(first, second);
    assert_ne!(first[0], first[1], "the place in the turn counts");
}

/// An observer at fault.
enum Bad {
    Panics,
    PanicsLate,
    Fails,
    Hangs,
}

impl Observer for Bad {
    fn observe<'a>(&'a self, _: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        match self {
            Self::Panics => panic!("an observer at once"),
            Self::PanicsLate => Box::pin(async { panic!("an observer later") }),
            Self::Fails => Box::pin(async { Err("full disk".into()) }),
            Self::Hangs => Box::pin(std::future::pending()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_observer_at_fault_changes_nothing() {
    let (builder, _) = counters();
    let finished = Finished::default();
    let toolkit = builder
        .observer(Bad::Panics)
        .observer(Bad::PanicsLate)
        .observer(Bad::Fails)
        .observer(Bad::Hangs)
        .observer(finished.observer())
        .build()
        .unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await;
    assert!(reply.is_ok());
    assert_eq!(finished.records().len(), 1);
}

#[tokio::test]
async fn the_broadcast_tells_what_it_dropped() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    let mut events = toolkit.events();
    for _ in 0..1_030 {
        toolkit.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await;
    }
    assert!(matches!(
        events.try_recv(),
        Err(tokio::sync::broadcast::error::TryRecvError::Lagged(6))
    ));
    assert!(matches!(events.try_recv(), Ok(Event::CallFinished(_))));
}

#[tokio::test]
async fn a_question_and_its_answer_are_events() {
    let (builder, _) = counters();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let toolkit = builder
        .approver(toolkit::testing::Recorder::denying())
        .observer(move |event: &Event| {
            let word = match event {
                Event::ApprovalRequested(record) => format!("asked {}", record.rule),
                Event::ApprovalDecided(record) => {
                    record.answer.clone().unwrap_or_default().into_owned()
                }
                Event::CallFinished(record) => record.code.to_string(),
                _ => String::new(),
            };
            kept.lock().unwrap().push(word);
        })
        .build()
        .unwrap();
    toolkit.call(&CallContext::model(), ToolCall::new("count.delete", GOOD)).await;
    assert_eq!(
        *seen.lock().unwrap(),
        ["asked policy: destructive for model", "rejected", "rejected"]
    );
}

/// Keeps how it heard of what.
#[derive(Clone, Default)]
struct Ear {
    heard: Arc<Mutex<Vec<String>>>,
    slow: bool,
}

impl Ear {
    fn keep(&self, how: &str, event: &Event) {
        let what = match event {
            Event::CallFinished(record) => format!("{} {:?}", record.code, record.executed),
            other => other.kind().to_owned(),
        };
        self.heard.lock().unwrap().push(format!("{how} {what}"));
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }
}

impl Observer for Ear {
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        self.keep("awaited", event);
        Box::pin(async {
            if self.slow {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            Ok(())
        })
    }

    fn observe_now(&self, event: &Event) {
        self.keep("at once", event);
    }
}

/// Hang until nobody waits any more.
#[tool(name = "ear.hang", concurrency = 1)]
async fn hang() {
    std::future::pending::<()>().await;
}

/// Panics while it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped")
    }
}

/// Hangs, panics while its future is dropped, and panics over what can't wait.
struct Loud;

impl Observer for Loud {
    fn observe<'a>(&'a self, _: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        let held = Bomb;
        Box::pin(async move {
            let _held = held;
            std::future::pending().await
        })
    }

    fn observe_now(&self, _: &Event) {
        panic!("at once")
    }
}

#[tokio::test(start_paused = true)]
async fn each_observer_hears_once_of_a_call_that_nobody_waits_for() {
    let (first, slow, last) =
        (Ear::default(), Ear { slow: true, ..Ear::default() }, Ear::default());
    let (builder, probe) = counters();
    let toolkit = builder
        .only([id(hang)])
        .approver(toolkit::testing::Recorder::approving())
        .observer(first.clone())
        .observer(slow.clone())
        .observer(last.clone())
        .build()
        .unwrap();
    let cx = CallContext::model();
    let dropped = async |tool: &'static str, after: u64| {
        let call = toolkit.call(&cx, ToolCall::new(tool, GOOD));
        assert!(tokio::time::timeout(Duration::from_millis(after), call).await.is_err());
        (first.heard(), slow.heard(), last.heard())
    };
    let told = |how: [&str; 3]| {
        let heard = how.map(|how| how.split(", ").map(str::to_owned).collect::<Vec<_>>());
        <(Vec<_>, Vec<_>, Vec<_>)>::from(heard)
    };

    // In the telling itself: whoever was asked was asked, the others hear at once.
    let ok = "ok Yes";
    let awaited = format!("awaited {ok}");
    assert_eq!(
        dropped("count.read", 500).await,
        told([&awaited, &awaited, &format!("at once {ok}")])
    );
    assert_eq!(
        dropped("count.write", 500).await,
        told([
            "awaited approval_requested, at once approval_decided, at once cancelled_before_start No",
            "awaited approval_requested, at once approval_decided, at once cancelled_before_start No",
            "at once approval_requested, at once approval_decided, at once cancelled_before_start No",
        ])
    );
    // In the body, and before it.
    let first_in = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.call(&CallContext::model(), ToolCall::new("ear.hang", "")).await }
    });
    tokio::task::yield_now().await;
    let call = toolkit.call(&cx, ToolCall::new("ear.hang", ""));
    assert!(tokio::time::timeout(Duration::from_millis(10), call).await.is_err());
    let before = "at once cancelled_before_start No";
    assert_eq!((first.heard(), slow.heard(), last.heard()), told([before; 3]));
    first_in.abort();
    assert!(first_in.await.unwrap_err().is_cancelled());
    let within = "at once cancelled Yes";
    assert_eq!((first.heard(), slow.heard(), last.heard()), told([within; 3]));
    // A future that was never polled is no call.
    drop(toolkit.call(&cx, ToolCall::new("count.read", GOOD)));
    assert_eq!(first.heard(), Vec::<String>::new());
    assert_eq!(probe.entered(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_observer_that_panics_over_a_dropped_call_unwinds_nothing() {
    let (builder, _) = counters();
    let ear = Ear::default();
    let toolkit = builder
        .only([id(hang)])
        .observer(Loud)
        .observer(Loud)
        .observer(ear.clone())
        .build()
        .unwrap();
    let cx = CallContext::model();
    for (tool, end) in [("count.read", "at once ok Yes"), ("ear.hang", "at once cancelled Yes")] {
        let arguments = if tool == "ear.hang" { "" } else { GOOD };
        let call = toolkit.call(&cx, ToolCall::new(tool, arguments));
        assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
        assert_eq!(ear.heard(), [end]);
    }
}

/// A guard that hangs, and panics while its future is dropped.
struct Stuck;

impl Guard for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    fn judge<'a>(&'a self, _: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        let held = Bomb;
        Box::pin(async move {
            let _held = held;
            std::future::pending().await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_panics_over_a_dropped_call_unwinds_nothing() {
    let ear = Ear::default();
    let (builder, probe) = counters();
    let toolkit = builder.guard(Stuck).guard(Stuck).observer(ear.clone()).build().unwrap();
    let cx = CallContext::model();
    let call = toolkit.call(&cx, ToolCall::new("count.read", GOOD));
    assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
    assert_eq!(ear.heard(), ["at once cancelled_before_start No"]);
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn observers_hear_what_comes_and_goes() {
    let ear = Ear::default();
    let toolkit = Toolkit::builder().allow_empty().only([]).observer(ear.clone()).build().unwrap();
    let registered = toolkit.register(hang).unwrap();
    drop(registered);
    assert_eq!(ear.heard(), ["at once registered", "at once unregistered"]);
}

#[test]
fn without_a_runtime_observers_hear_at_once_and_miss_nothing() {
    let (builder, _) = counters();
    let finished = Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let cx = CallContext::human();
    let mut call = std::pin::pin!(toolkit.call(&cx, ToolCall::new("count.read", GOOD)));
    let polled = call.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    let std::task::Poll::Ready(reply) = polled else { panic!("it waits for nobody") };
    assert_eq!(reply.code(), Code::Ok);
    let codes: Vec<_> = finished.records().iter().map(|record| record.code).collect();
    assert_eq!(codes, [Code::Ok]);
}
