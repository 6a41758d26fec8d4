//! Every step passes the gates, with origin plan.

use serde_json::json;
use toolkit::plan::{Ended, Plan, Step};
use toolkit::policy::deny;
use toolkit::prelude::*;
use toolkit::testing::Recorder;

use crate::desk::{Ran, builder, desk, draft, erase, note, read};

fn letter() -> Plan {
    Plan::new("letter")
        .step(Step::of(draft).with(json!({"text": "Dear Ann"})))
        .step(Step::of(note).with(json!({"text": "written"})))
}

#[tokio::test]
async fn a_step_that_sends_fails_the_check_unless_it_may_draft() {
    let (toolkit, ran) = desk();
    let cx = CallContext::human();
    let error = letter().run(&toolkit, &cx, ()).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("step 0 (`mail.draft`): may not be called (denied)"), "{text}");
    assert!(text.contains("`.drafts()`"), "{text}");
    assert!(ran.take().is_empty());

    let toolkit = builder(&ran).policy(Policy::default().drafts()).build().unwrap();
    let report = letter().run(&toolkit, &cx, ()).await.unwrap();
    let Ended::NeedsConfirmation { step: 0, draft } = report.ended() else { panic!("{report:?}") };
    assert!(report.is_ok());
    assert_eq!(report.steps()[0].draft_id(), Some(&**draft));
    assert!(ran.take().is_empty());
    // A person confirms, once; the plan goes on where it ended, and drafts nothing again.
    let confirmed = toolkit.confirm(&cx, draft).await;
    assert_eq!((confirmed.code(), ran.take()), (Code::Ok, vec!["deliver".to_owned()]));
    let report = letter().resume(&toolkit, &cx, (), &report).await.unwrap();
    assert_eq!(report.ended(), &Ended::Completed);
    assert_eq!(ran.take(), ["note written"]);
}

#[tokio::test]
async fn the_policy_for_plans_holds_whoever_starts_one() {
    let ran = Ran::default();
    let policy = Policy::default().set(Origin::Plan, Risk::Write, Verdict::Deny);
    let toolkit = builder(&ran).policy(policy).build().unwrap();
    let plan = Plan::new("note").step(Step::of(note).with(json!({"text": "a"})));
    for cx in [CallContext::human(), CallContext::plan(), CallContext::model()] {
        assert!(plan.check(&toolkit, &cx).is_err());
        assert!(plan.run(&toolkit, &cx, ()).await.is_err());
    }
    assert!(plan.run(&toolkit, &CallContext::human().ceiling(Risk::Read), ()).await.is_err());
    assert!(ran.take().is_empty());
}

/// What a tool that runs a plan borrows.
struct Inner(Toolkit);

/// Run a plan that writes.
#[tool(name = "plans.start")]
async fn start(#[state] toolkit: &Inner, #[context] cx: &CallContext) -> String {
    let plan = Plan::new("note").step(Step::of(note).with(json!({"text": "a"})));
    match plan.run(&toolkit.0, cx, ()).await {
        Ok(report) => report.steps()[0].code().unwrap().to_string(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_plan_is_no_way_round_the_policy_of_the_model_that_starts_it() {
    let ran = Ran::default();
    let inner = builder(&ran).build().unwrap();
    let toolkit = Toolkit::builder().only([id(start)]).state(Inner(inner)).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("plans.start", "")).await;
    assert_eq!(reply.text(), "no_approver");
    assert!(ran.take().is_empty());
    let reply = toolkit.call(&CallContext::human(), ToolCall::new("plans.start", "")).await;
    assert_eq!(reply.text(), "ok");
    assert_eq!(ran.take(), ["note a"]);
}

#[tokio::test]
async fn what_is_asked_is_asked_in_every_run() {
    let ran = Ran::default();
    let approver = Recorder::approving();
    let toolkit = builder(&ran).approver(approver.clone()).build().unwrap();
    let plan = Plan::new("erase").step(Step::of(erase));
    let cx = CallContext::human();
    let first = plan.run(&toolkit, &cx, ()).await.unwrap();
    assert!(first.is_ok());
    assert_eq!(approver.requests().len(), 1);
    // The same report again repeats nothing, and asks nobody.
    let again = plan.resume(&toolkit, &cx, (), &first).await.unwrap();
    assert!(again.is_ok());
    assert_eq!((approver.requests().len(), ran.take().len()), (1, 1));
    plan.run(&toolkit, &cx, ()).await.unwrap();
    assert_eq!((approver.requests().len(), ran.take().len()), (2, 1));
}

#[tokio::test]
async fn rules_judge_the_arguments_that_a_step_is_called_with() {
    let ran = Ran::default();
    let rule = deny("kb.read").when("article", toolkit::policy::equals(8)).origin(Origin::Plan);
    let toolkit = builder(&ran).policy(Policy::default().rule(rule)).build().unwrap();
    let plan = Plan::new("read").step(Step::of(read).with(json!({"article": {"$seed": ""}})));
    let cx = CallContext::human().turn(3);
    let report = plan.run(&toolkit, &cx, 8).await.unwrap();
    assert_eq!(report.steps()[0].code(), Some(Code::Denied));
    assert!(!report.is_ok() && ran.take().is_empty());
    // In a turn that the host numbers, one call after another is a call of its own.
    for _ in 0..2 {
        assert!(plan.run(&toolkit, &cx, 7).await.unwrap().is_ok());
    }
    assert_eq!(ran.take(), ["read 7", "read 7"]);
}
