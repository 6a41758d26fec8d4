//! What was judged, asked about and written down is what runs: one text, one digest.

use std::sync::{Arc, Mutex};

use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::{Probe, Recorder};
use toolkit::{Event, Executed, Ruling, guard};

use crate::support::Finished;

/// Do as it is told.
#[tool(name = "bound.act", risk = "write")]
async fn act(
    /// What to do, e.g. `nothing`.
    what: String,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    what
}

/// Delete what is named, for good.
#[tool(name = "bound.erase", risk = "destructive")]
async fn erase(
    /// What to delete, e.g. `all`.
    what: String,
    #[state] probe: &Probe,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    Err(ToolError::expected(format!("{what} can't be deleted")))
}

const ACT: &str = r#"{"what": "x"}"#;

#[tokio::test]
async fn what_was_asked_is_what_ran_and_what_was_written_down() {
    let (probe, store, finished) = (Probe::new(), Memory::default(), Finished::default());
    let recorder = Recorder::approving();
    let judged = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&judged);
    let toolkit = Toolkit::builder()
        .only([id(act), id(erase)])
        .state(probe.clone())
        .store(store.clone())
        .approver(recorder.clone())
        .guard(guard("watch", move |call: toolkit::HookCall<'_>| {
            kept.lock().unwrap().push(call.arguments().to_owned());
            Ok(Ruling::Pass)
        }))
        .observer(finished.observer())
        .repair_all()
        .build()
        .unwrap();
    // Said twice over: what is asked about is what it was read as.
    let call = ToolCall::new("bound.act", r#""{\"what\": \"\\u0078\"}""#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!((reply.code(), reply.text(), reply.repairs().len()), (Code::Ok, "x", 1));
    assert_eq!(judged.lock().unwrap().len(), 1, "a guard is asked once, before the person");
    let (request, record) = (&recorder.requests()[0], &finished.records()[0]);
    let stored = store.records().remove(0).intent;
    assert_eq!(request.arguments, r#"{"what":"x"}"#);
    assert_eq!(request.repairs, record.repairs);
    assert_eq!(record.arguments.as_deref(), Some(&*request.arguments));
    assert_eq!(stored.arguments.as_deref(), Some(&*request.arguments));
    assert_eq!(record.digest.as_deref(), Some(&*request.digest));
    assert_eq!(stored.digest, request.digest);
    assert_eq!((&*record.call, &stored.call), (&*request.call, &request.call));

    // An approved body that fails has failed: nothing stays open, and nothing runs again.
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("bound.erase", ACT)).await;
    assert_eq!(reply.code(), Code::Failed);
    let ended = store.records().last().unwrap().ended.unwrap();
    assert_eq!((ended.code, ended.executed), (Code::Failed, Executed::Yes));
    assert_eq!(probe.entered(), 2);
}

/// Take values that are easily taken for one another.
#[tool(name = "bound.values", risk = "destructive")]
fn values(
    /// Any value, e.g. `1`.
    value: serde_json::Value,
    /// Why, in a few words.
    #[arg(default)]
    reason: String,
) -> String {
    format!("{value} {reason}")
}

#[tokio::test]
async fn a_digest_tells_values_apart_and_not_their_spelling() {
    let recorder = Recorder::denying();
    let builder = Toolkit::builder().only([id(values)]).approver(recorder.clone());
    let toolkit = builder.build().unwrap();
    let digest = async |arguments: &str| {
        let call = ToolCall::new("bound.values", arguments.to_owned());
        let reply = toolkit.call(&CallContext::model(), call).await;
        assert_eq!(reply.code(), Code::Rejected, "{arguments}: {}", reply.text());
        recorder.requests().last().unwrap().digest.clone()
    };
    for same in [
        [r#"{"value": 1, "reason": "r"}"#, r#" {"reason":"r" , "value":1} "#],
        [r#"{"value": 1}"#, r#"{"value": 1.0}"#],
        [r#"{"value": 100}"#, r#"{"value": 1e2}"#],
        [r#"{"value": "A\/"}"#, r#"{"v\u0061lue": "\u0041/"}"#],
        [r#"{"value": {"a": 1, "b": 2}}"#, r#"{"value": {"b": 2, "a": 1}}"#],
    ] {
        assert_eq!(digest(same[0]).await, digest(same[1]).await, "{same:?}");
    }
    let mut all = Vec::new();
    for value in [
        "1",
        "true",
        "\"1\"",
        "\"true\"",
        "[1]",
        "{\"1\": 1}",
        "1.5",
        "0",
        "false",
        "null",
        "\"\"",
        "[]",
        "{}",
        "[1, 2]",
        "[2, 1]",
        "10000000000000000000001",
        "10000000000000000000002",
    ] {
        all.push(digest(&format!(r#"{{"value": {value}}}"#)).await);
    }
    // Every field counts, one that only explains too.
    all.push(digest(r#"{"value": 1, "reason": "a"}"#).await);
    all.push(digest(r#"{"value": 1, "reason": "b"}"#).await);
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[tokio::test]
async fn a_question_is_shown_whole_however_long_it_is() {
    let recorder = Recorder::denying();
    let builder = Toolkit::builder().only([id(values)]).approver(recorder.clone());
    let toolkit = builder.build().unwrap();
    let long = format!("{}THE END", "word ".repeat(20_000));
    let call =
        ToolCall::json("bound.values", &serde_json::json!({"value": 1, "reason": long})).unwrap();
    toolkit.call(&CallContext::model(), call).await;
    let shown = recorder.requests()[0].rendering();
    assert!(shown.contains(&long));
}

#[tokio::test]
async fn events_of_calls_and_questions_name_one_call() {
    let probe = Probe::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let toolkit = Toolkit::builder()
        .only([id(erase)])
        .state(probe)
        .approver(Recorder::approving())
        .observer(move |event: &Event| {
            let (call, digest) = match event {
                Event::ApprovalRequested(record) | Event::ApprovalDecided(record) => {
                    (record.call.clone(), Some(record.digest.clone()))
                }
                Event::CallFinished(record) => (record.call.clone(), record.digest.clone()),
                _ => return,
            };
            kept.lock().unwrap().push((event.kind(), call, digest));
        })
        .build()
        .unwrap();
    toolkit.call(&CallContext::model(), ToolCall::new("bound.erase", ACT)).await;
    let seen = seen.lock().unwrap();
    let kinds: Vec<_> = seen.iter().map(|(kind, _, _)| *kind).collect();
    assert_eq!(kinds, ["approval_requested", "approval_decided", "call_finished"]);
    assert!(seen.windows(2).all(|pair| pair[0].1 == pair[1].1 && pair[0].2 == pair[1].2));
}
