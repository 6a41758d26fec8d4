//! Going on from a report.

use serde_json::{Value, json};
use toolkit::plan::{Ended, Plan, Report, Step};
use toolkit::prelude::*;
use toolkit::{CancellationToken, Executed};

use crate::desk::{Ran, builder, cancel, desk, note, read, search};

/// As it lay in a file.
fn kept(report: &Report) -> Report {
    serde_json::from_str(&serde_json::to_string(report).unwrap()).unwrap()
}

#[tokio::test]
async fn a_stopped_plan_goes_on_behind_its_stop() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("stops")
        .step(Step::of(search).with(json!({"query": "refund"})))
        .stop_if(|_| true)
        .step(Step::of(read).with(json!({"article": {"$step": 0, "at": "/0/id"}})));
    let cx = CallContext::human();
    let report = plan.run(&toolkit, &cx, ()).await.unwrap();
    assert_eq!((report.stopped_at(), ran.take().len()), (Some(0), 1));
    let went_on = plan.resume(&toolkit, &cx, (), &kept(&report)).await.unwrap();
    assert_eq!(ran.take(), ["read 7"]);
    assert_eq!(went_on.ended(), &Ended::Completed);
    assert_eq!(went_on.run_id(), report.run_id());
    assert_eq!(went_on.steps()[0], report.steps()[0]);
    // What is done is done.
    let again = plan.resume(&toolkit, &cx, (), &kept(&went_on)).await.unwrap();
    assert!(ran.take().is_empty());
    assert_eq!(again, went_on);
}

#[tokio::test]
async fn what_had_an_effect_is_never_repeated() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("fails")
        .step(Step::of(note).with(json!({"text": "fail"})))
        .step(Step::of(search).with(json!({"query": "broken"})))
        .step(Step::of(read).input(|past| Some(json!({"article": past.seed()}))));
    let cx = CallContext::human();
    let report = plan.run(&toolkit, &cx, "no number").await.unwrap();
    assert_eq!(ran.take(), ["note fail", "search broken 5"]);
    assert_eq!(report.steps()[2].executed(), Some(Executed::No));
    // The note may have been written in part; the search only reads; the third was refused.
    let report = plan.resume(&toolkit, &cx, 3, &kept(&report)).await.unwrap();
    assert_eq!(ran.take(), ["search broken 5", "read 3"]);
    assert_eq!(report.steps()[0].code(), Some(Code::Failed));
}

#[tokio::test]
async fn a_cancelled_plan_goes_on_at_its_step() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("cancelled")
        .step(Step::of(search).with(json!({"query": "refund"})))
        .step(Step::of(cancel))
        .step(Step::of(read).with(json!({"article": 1})));
    let token = CancellationToken::new();
    let cx = CallContext::human().cancellation(token.clone()).with(token);
    let report = plan.run(&toolkit, &cx, ()).await.unwrap();
    assert_eq!(report.ended(), &Ended::Cancelled { step: 1 });
    ran.take();
    let again = CancellationToken::new();
    let cx = CallContext::human().cancellation(again.clone()).with(again);
    let report = plan.resume(&toolkit, &cx, (), &kept(&report)).await.unwrap();
    assert_eq!(report.ended(), &Ended::Cancelled { step: 1 });
    assert!(ran.take().is_empty());
}

#[tokio::test]
async fn a_report_of_another_plan_is_refused() {
    let (toolkit, ran) = desk();
    let plan = |article: u32| Plan::new("p").step(Step::of(read).with(json!({"article": article})));
    let cx = CallContext::human();
    let report = plan(1).run(&toolkit, &cx, ()).await.unwrap();
    ran.take();
    let other = Plan::new("q").step(Step::of(read).with(json!({"article": 1})));
    let longer = plan(1).step(Step::of(read).with(json!({"article": 1})));
    for plan in [plan(2), other, longer] {
        let error = plan.resume(&toolkit, &cx, (), &report).await.unwrap_err();
        assert!(error.to_string().contains("run the plan anew"), "{error}");
    }
    assert!(plan(1).resume(&toolkit, &cx, (), &report).await.is_ok());
    assert!(ran.take().is_empty());
}

#[tokio::test]
async fn a_forged_report_opens_no_gate() {
    let ran = Ran::default();
    let toolkit = builder(&ran)
        .policy(Policy::default().set(Origin::Plan, Risk::Write, Verdict::Ask))
        .build()
        .unwrap();
    let plan = Plan::new("p")
        .step(Step::of(search).with(json!({"query": "refund"})))
        .step(Step::of(note).with(json!({"text": {"$step": 0, "at": "/0/title"}})));
    let cx = CallContext::human();
    let report = plan.run(&toolkit, &cx, ()).await.unwrap();
    assert_eq!(report.steps()[1].code(), Some(Code::NoApprover));
    ran.take();
    let mut forged = serde_json::to_value(&report).unwrap();
    forged["steps"][0]["state"]["ran"]["value"] = json!([{"title": {"$literal": "forged"}}]);
    let forged: Report = serde_json::from_value(forged).unwrap();
    let report = plan.resume(&toolkit, &cx, (), &forged).await.unwrap();
    assert_eq!(report.steps()[1].code(), Some(Code::InvalidArguments));
    assert!(ran.take().is_empty());
    // Nor does a word that no report has.
    for (at, word) in [("code", "fine"), ("executed", "perhaps")] {
        let mut forged = serde_json::to_value(&report).unwrap();
        forged["steps"][0]["state"]["ran"][at] = json!(word);
        let forged: Report = serde_json::from_value(forged).unwrap();
        assert!(plan.resume(&toolkit, &cx, (), &forged).await.is_err());
    }
    assert!(serde_json::from_value::<Report>(json!({"plan": "p"})).is_err());
    let mut more = serde_json::to_value(&report).unwrap();
    more["more"] = Value::Null;
    assert!(serde_json::from_value::<Report>(more).is_err());
    assert!(ran.take().is_empty());
}
