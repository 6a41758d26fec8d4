//! Guards, hosts, and the decision that explains a call.

use std::borrow::Cow;

use toolkit::prelude::*;
use toolkit::testing::Recorder;
use toolkit::{BoxFuture, Guard, HookCall, HookError, Ruling, Verdict, guard};

use crate::support::{Finished, GOOD, counters};

/// A guard that never answers.
struct Hanging;

impl Guard for Hanging {
    fn name(&self) -> &str {
        "hanging"
    }
    fn judge<'a>(&'a self, _: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        Box::pin(std::future::pending())
    }
}

/// A guard that panics before it returns a future.
struct Rash;

impl Guard for Rash {
    fn name(&self) -> &str {
        "rash"
    }
    fn judge<'a>(&'a self, _: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        panic!("s3cret in a guard")
    }
}

fn deny(name: &'static str, reason: &'static str) -> impl Guard {
    guard(name, move |_| Ok(Ruling::Deny(Cow::Borrowed(reason))))
}

async fn read_with(builder: toolkit::Builder) -> (toolkit::ToolReply, Toolkit) {
    let toolkit = builder.build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await;
    (reply, toolkit)
}

#[tokio::test]
async fn the_first_registered_of_several_that_refuse_is_quoted() {
    let (builder, probe) = counters();
    let (reply, _) = read_with(
        builder
            .guard(guard("calm", |_| Ok(Ruling::Pass)))
            .guard(deny("one", "first reason"))
            .guard(deny("two", "second reason")),
    )
    .await;
    assert_eq!(reply.code(), Code::Denied);
    assert_eq!(reply.text(), "`count.read` was not run: first reason");
    assert_eq!(probe.entered(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_cannot_decide_denies() {
    for builder in [
        counters().0.guard(Hanging),
        counters().0.guard(Rash),
        counters().0.guard(guard("torn", |_| panic!("s3cret in a guard"))),
        counters().0.guard(guard("broken", |_| Err("s3cret in a guard".into()))),
    ] {
        let finished = Finished::default();
        let (reply, _) = read_with(builder.observer(finished.observer())).await;
        assert_eq!(reply.code(), Code::Denied, "{}", reply.text());
        assert!(!reply.text().contains("s3cret"), "{}", reply.text());
        let decision = &finished.records()[0].decision;
        assert_eq!(decision.verdict(), Verdict::Deny);
    }
}

#[tokio::test]
async fn a_refusal_ends_the_waiting_for_the_others() {
    let (builder, _) = counters();
    let finished = Finished::default();
    let (reply, _) =
        read_with(builder.guard(Hanging).guard(deny("quick", "no")).observer(finished.observer()))
            .await;
    assert_eq!(reply.code(), Code::Denied);
    let records = finished.records();
    let findings = records[0].decision.findings();
    let of = |source: &str| findings.iter().find(|f| f.source == source).unwrap();
    assert_eq!(of("guard hanging").verdict, None);
    assert_eq!(of("guard quick").verdict, Some(Verdict::Deny));
    assert_eq!(of("policy").verdict, Some(Verdict::Allow));
}

#[tokio::test]
async fn a_guard_may_ask_for_a_person() {
    let recorder = Recorder::denying();
    let (builder, probe) = counters();
    let ask = guard("wary", |_| Ok(Ruling::Ask("looks odd".into())));
    let (reply, _) = read_with(builder.guard(ask).approver(recorder.clone())).await;
    assert_eq!(reply.code(), Code::Rejected);
    assert_eq!(probe.entered(), 0);
    assert_eq!(recorder.requests()[0].rule, "guard wary: looks odd");
}

#[tokio::test]
async fn a_guard_cannot_loosen_the_policy() {
    let (builder, probe) = counters();
    let toolkit = builder.guard(guard("lax", |_| Ok(Ruling::Pass))).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.write", GOOD)).await;
    assert_eq!(reply.code(), Code::NoApprover);
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn guards_see_the_arguments_that_run() {
    let (builder, _) = counters();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let kept = seen.clone();
    let watch = guard("watch", move |call: HookCall<'_>| {
        *kept.lock().unwrap() = call.value()?.to_string();
        Ok(Ruling::Pass)
    });
    let toolkit = builder.guard(watch).build().unwrap();
    // One level of double encoding is repaired for a reading tool.
    let call = ToolCall::new("count.read", r#""{\"name\": \"visits\"}""#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert!(reply.is_ok(), "{}", reply.text());
    assert_eq!(*seen.lock().unwrap(), r#"{"name":"visits"}"#);
    assert_eq!(reply.repairs().len(), 1);
}

#[tokio::test]
async fn only_listed_hosts_are_reached() {
    let (builder, probe) = counters();
    let toolkit = builder.hosts("count.fetch", ["example.com", "127.0.0.1:8080"]).build().unwrap();
    let code = async |url: &str| {
        let call = ToolCall::json("count.fetch", &serde_json::json!({"name": url})).unwrap();
        toolkit.call(&CallContext::model(), call).await
    };
    assert!(code("https://example.com/x").await.is_ok());
    assert!(code("http://127.0.0.1:8080/").await.is_ok());
    assert_eq!(probe.entered(), 2);
    for url in ["https://evil.test", "http://127.0.0.1:9", "http://example.com@evil.test", "x"] {
        let reply = code(url).await;
        assert_eq!(reply.code(), Code::Denied, "{url}");
        assert!(reply.text().contains("`name`"), "{}", reply.text());
    }
    assert_eq!(probe.entered(), 2);
}

#[tokio::test]
async fn the_decision_names_every_rule_that_spoke() {
    let (builder, _) = counters();
    let finished = Finished::default();
    let toolkit = builder
        .hosts("count.fetch", ["example.com"])
        .guard(guard("calm", |_| Ok(Ruling::Pass)))
        .observer(finished.observer())
        .build()
        .unwrap();
    let call = ToolCall::new("count.fetch", r#"{"name": "https://example.com/"}"#);
    toolkit.call(&CallContext::model(), call).await;
    let records = finished.records();
    let shown: Vec<(String, Option<Verdict>)> =
        records[0].decision.findings().iter().map(|f| (f.source.to_string(), f.verdict)).collect();
    assert_eq!(
        shown,
        [
            ("policy".to_owned(), Some(Verdict::Record)),
            ("host".to_owned(), Some(Verdict::Allow)),
            ("guard calm".to_owned(), Some(Verdict::Allow)),
        ]
    );
}
