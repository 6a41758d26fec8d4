//! One event a call, awaited observers, a broadcast, and spans with the names of the GenAI
//! conventions.

use std::sync::{Arc, Mutex};

use toolkit::prelude::*;
use toolkit::{BoxFuture, Event, Executed, HookError, Observer};

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
