//! What an event says of a call, and its JSON: every verdict, and as much as the level's detail asks
//! for.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolkit::approval::Answer;
use toolkit::prelude::*;
use toolkit::testing::Recorder;
use toolkit::{Detail, Event, Finding, Verdict, guard};

use crate::support::{Finished, GOOD, counters, within_marks};

/// Send what is stored to another host and delete it here.
#[tool(
    name = "record.move",
    risk = ["network", "destructive"],
    flag = "moving",
    scopes = ["desk", "mail"],
    hosts = ["example.com"]
)]
fn relocate(
    /// What to move, e.g. `7`.
    number: i64,
) -> Result<String, ToolError> {
    if number < 0 { Err(ToolError::expected("there is no such thing")) } else { Ok("gone".into()) }
}

/// `source: verdict (reason)` of each finding.
fn lines(findings: &[Finding]) -> Vec<String> {
    let verdict = |finding: &Finding| finding.verdict.map_or("-", Verdict::as_str);
    findings.iter().map(|f| format!("{}: {} ({})", f.source, verdict(f), f.reason)).collect()
}

#[tokio::test]
async fn a_decision_on_an_invisible_tool_lists_every_verdict() {
    let finished = Finished::default();
    let toolkit = Toolkit::builder()
        .only([id(relocate)])
        .guard(guard("first", |_| panic!("asked all the same")))
        .guard(guard("second", |_| panic!("asked all the same")))
        .observer(finished.observer())
        .build()
        .unwrap();
    let model = || CallContext::model().ceiling(Risk::Write);
    let guards = ["guard first: - (not asked)", "guard second: - (not asked)"];
    let policy = ["policy: record (network for model)", "policy: ask (destructive for model)"];
    let flag = "flag: hide (its feature flag `moving` is off)";
    let ceiling = "ceiling: hide (its risk network + destructive is above the ceiling write)";
    let scope = "scope: hide (it belongs to `desk` and `mail`, not to `chat`)";
    for (cx, against) in [
        (model().scope("chat"), vec![flag, scope, ceiling]),
        (model().scope("desk"), vec![flag, ceiling]),
        (model().scope("chat").flag("moving"), vec![scope, ceiling]),
        (model().scope("mail").flag("moving"), vec![ceiling]),
    ] {
        let reply = toolkit.call(&cx, ToolCall::new("record__move", r#"{"number": 7}"#)).await;
        assert_eq!(reply.code(), Code::UnknownTool);
        let record = finished.records().pop().unwrap();
        assert_eq!(lines(record.decision.findings()), [&against[..], &policy, &guards].concat());
        assert!(against[0].contains(record.cause.as_deref().unwrap()));
        // The operator hears which tool it was, though the model mustn't.
        assert_eq!(&*record.tool, "record.move");
        assert_eq!(record.risk.unwrap().to_string(), "network + destructive");
    }
    assert_eq!(finished.records().len(), 4);
}

#[tokio::test]
async fn a_decision_of_the_policy_lists_each_level_once() {
    let (builder, _) = counters();
    let finished = Finished::default();
    let toolkit = builder
        .policy(Policy::default().set(Origin::Model, Risk::Network, Verdict::Deny))
        .observer(finished.observer())
        .build()
        .unwrap();
    let arguments = r#"{"name": "https://example.com/"}"#;
    for cx in [CallContext::model(), CallContext::human()] {
        toolkit.call(&cx, ToolCall::new("count.fetch", arguments)).await;
    }
    let records = finished.records();
    let host = "host: deny (no host is listed for it)";
    assert_eq!(lines(records[0].decision.findings()), ["policy: deny (network for model)", host]);
    assert_eq!(lines(records[1].decision.findings()), [host, "policy: record (network for human)"]);
    assert_eq!(records.iter().map(|r| r.code).collect::<Vec<_>>(), [Code::Denied; 2]);
}

#[tokio::test]
async fn the_detail_of_the_level_says_how_much_is_told() {
    let cx = CallContext::human().flag("moving").scope("desk");
    for (detail, arguments, result) in [
        (Detail::Digest, false, false),
        (Detail::Arguments, true, false),
        (Detail::Results, true, true),
    ] {
        let finished = Finished::default();
        let policy = Policy::default().detail(Origin::Human, Risk::Network, Detail::Digest).detail(
            Origin::Human,
            Risk::Destructive,
            detail,
        );
        let toolkit = Toolkit::builder()
            .only([id(relocate)])
            .policy(policy)
            .approver(Recorder::approving())
            .observer(finished.observer())
            .build()
            .unwrap();
        for (number, text) in [(7, "gone"), (-1, "there is no such thing")] {
            let call = ToolCall::json("record.move", &json!({"number": number})).unwrap();
            let reply = toolkit.call(&cx, call).await;
            assert_eq!(within_marks(reply.text()), text);
            let record = finished.records().pop().unwrap();
            let shown = json!({"number": number}).to_string();
            assert_eq!(record.arguments.as_deref(), arguments.then_some(&*shown));
            assert_eq!(record.result.as_deref(), result.then_some(reply.text()));
            assert!(record.digest.is_some());
        }
    }
}

/// Every event as its JSON, with what differs from run to run taken out.
async fn told(
    builder: toolkit::Builder,
    cx: &CallContext,
    calls: &[(&'static str, &'static str)],
) -> Vec<Value> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let toolkit = builder
        .observer(move |event: &Event| {
            let value: Value = serde_json::to_value(event).unwrap();
            assert_eq!(value["kind"], event.kind());
            kept.lock().unwrap().push(serde_json::to_string(event).unwrap());
        })
        .build()
        .unwrap();
    for (name, arguments) in calls {
        toolkit.call(cx, ToolCall::new(*name, *arguments).id("call_1")).await;
    }
    let seen = seen.lock().unwrap();
    let ids: Vec<String> = seen
        .iter()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            value["call"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(ids.iter().all(|id| !id.is_empty()));
    seen.iter()
        .map(|line| {
            assert!(!line.contains('\n'));
            let mut value: Value = serde_json::from_str(line).unwrap();
            let call = value["call"].take();
            if value["kind"] == "call_finished" {
                let at = value["at"].take();
                assert!(at.as_str().unwrap().ends_with('Z'), "{at}");
                assert!(value["took_us"].take().is_u64() && value["waited_us"].take().is_u64());
            }
            for digest in ["/digest", "/approval/digest", "/edited"] {
                if let Some(Value::String(digest)) = value.pointer_mut(digest).map(Value::take) {
                    assert_eq!(digest.len(), 64);
                }
            }
            assert!(call.is_string());
            value
        })
        .collect()
}

#[tokio::test]
async fn an_event_is_one_object_of_json() {
    let (builder, _) = counters();
    let cx = CallContext::model().session("s").principal("ada");
    let calls = [("count.delete", GOOD), ("nobody", "{")];
    let edit = Answer::edit(&json!({"name": "other"})).unwrap();
    let builder = builder.approver(Recorder::new([edit]).person("grace"));
    let told = told(builder, &cx, &calls).await;
    let asked = json!({
        "kind": "approval_requested", "call": null, "tool": "count.delete", "digest": null,
        "rule": "policy: destructive for model", "answer": null, "by": null, "edited": null,
        "grant": null,
    });
    let mut decided = asked.clone();
    decided["kind"] = "approval_decided".into();
    decided["answer"] = "edited".into();
    decided["by"] = "grace".into();
    let finding = json!({"verdict": "ask", "source": "policy", "reason": "destructive for model"});
    let deleted = json!({
        "kind": "call_finished", "at": null, "call": null, "provider_id": "call_1", "index": 0,
        "tool": "count.delete", "risk": ["destructive"], "origin": "model", "principal": "ada",
        "session": "s", "code": "ok", "executed": "yes", "replay": false,
        "decision": {"verdict": "ask", "findings": [finding]},
        "digest": null, "arguments": {"name": "other"}, "result": null, "draft": null,
        "repairs": [],
        "approval": {"answer": "edited", "by": "grace", "digest": null, "grant": null},
        "cause": null, "reference": null, "waited_us": null, "took_us": null,
    });
    let unknown = json!({
        "kind": "call_finished", "at": null, "call": null, "provider_id": "call_1", "index": 0,
        "tool": "nobody", "risk": null, "origin": "model", "principal": "ada", "session": "s",
        "code": "unknown_tool", "executed": "no", "replay": false, "decision": null,
        "digest": null, "arguments": null, "result": null, "draft": null,
        "repairs": [], "approval": null, "cause": null,
        "reference": null, "waited_us": null, "took_us": null,
    });
    assert_eq!(told, [asked, decided, deleted, unknown]);
}

#[tokio::test]
async fn a_repair_and_its_arguments_are_told() {
    let policy = Policy::default().detail(Origin::Human, Risk::Destructive, Detail::Results);
    let builder = Toolkit::builder()
        .only([id(relocate)])
        .policy(policy)
        .repair_all()
        .approver(Recorder::approving());
    let cx = CallContext::human().flag("moving").scope("mail");
    let told = told(builder, &cx, &[("record.move", r#"{"number": "7"}"#)]).await;
    let call = told.last().unwrap();
    assert_eq!(call["repairs"], json!([{"path": "number", "from": "\"7\"", "to": "7"}]));
    let result = call["result"].as_str().unwrap();
    assert_eq!((&call["arguments"], within_marks(result)), (&json!({"number": 7}), "gone"));
}
