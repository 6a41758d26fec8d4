//! Going on from a report.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::Poll;

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

/// Wait for ever after a note was written.
#[tool(name = "slow.note", risk = "write")]
async fn slow_note(
    /// Text of the note, e.g. `called back`.
    text: String,
    #[state] ran: &Ran,
) {
    ran.note(format!("slow note {text}"));
    std::future::pending::<()>().await;
}

/// The same, where a second time does no harm.
#[tool(name = "slow.mark", risk = "write", idempotent)]
async fn slow_mark(
    /// What to mark, e.g. `7`.
    text: String,
    #[state] ran: &Ran,
) {
    ran.note(format!("slow mark {text}"));
    std::future::pending::<()>().await;
}

/// The process dies while a step writes: nobody knows how far it came, so it doesn't run again.
#[tokio::test]
async fn a_step_whose_end_nobody_saw_is_not_repeated() {
    let ran = Ran::default();
    let builder = Toolkit::builder().only([id(search), id(slow_note), id(slow_mark), id(read)]);
    let toolkit = builder.state(ran.clone()).build().unwrap();
    let cx = CallContext::human();
    let plan = |second: Step| {
        Plan::new("dies")
            .step(Step::of(search).with(json!({"query": "refund"})))
            .step(second.with(json!({"text": "a"})))
            .step(Step::of(read).with(json!({"article": 1})))
    };
    for (second, again) in [(Step::of(slow_note), false), (Step::of(slow_mark), true)] {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&kept);
        let plan = plan(second).on_report(move |report| {
            keep.lock().unwrap().push(serde_json::to_string(report)?);
            Ok(())
        });
        {
            let mut run = std::pin::pin!(plan.run(&toolkit, &cx, ()));
            let polled = std::future::poll_fn(|cx| {
                let _ = run.as_mut().poll(cx);
                if ran.len() == 2 { Poll::Ready(()) } else { Poll::Pending }
            });
            polled.await;
        }
        assert_eq!(ran.take().len(), 2);
        let last: Report = serde_json::from_str(kept.lock().unwrap().last().unwrap()).unwrap();
        assert!(last.steps()[0].is_ok());
        assert_eq!(last.steps()[1].is_begun(), !again);
        let text = serde_json::to_value(&last).unwrap();
        assert_eq!(text["steps"][1]["state"], json!(if again { "not_reached" } else { "begun" }));

        let token = CancellationToken::new();
        let cx = CallContext::human().cancellation(token.clone());
        let resumed = async { plan.resume(&toolkit, &cx, (), &last).await.unwrap() };
        let stop = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            token.cancel();
        };
        let (report, ()) = tokio::join!(resumed, stop);
        if again {
            assert_eq!(ran.take(), ["slow mark a"]);
            assert_eq!(report.ended(), &Ended::Cancelled { step: 1 });
            continue;
        }
        assert_eq!(ran.take(), ["read 1"]);
        assert_eq!(report.ended(), &Ended::Completed);
        assert_eq!(report.steps()[1].executed(), Some(Executed::Unknown));
        assert_eq!(report.steps()[1].code(), None);
        assert!(!report.is_ok(), "nobody knows whether all is well");
    }
}

/// What can't be recorded isn't run.
#[tokio::test]
async fn a_step_with_an_effect_waits_for_its_report_to_be_kept() {
    let (toolkit, ran) = desk();
    let cx = CallContext::human();
    let plan = || {
        Plan::new("full disk")
            .step(Step::of(search).with(json!({"query": "refund"})))
            .step(Step::of(note).with(json!({"text": "a"})))
    };
    let full = plan().on_report(|_| Err("the disk is full".into()));
    let report = full.run(&toolkit, &cx, ()).await.unwrap();
    assert_eq!(ran.take(), ["search refund 5"]);
    let Ended::Broken { step: 1, reason } = report.ended() else { panic!("{report:?}") };
    assert_eq!(reason, "its report couldn't be kept, so it wasn't run: the disk is full");
    assert!(!report.is_ok() && !report.steps()[1].is_begun());
    let gone = plan().on_report(|_| panic!("gone"));
    let report = gone.resume(&toolkit, &cx, (), &kept(&report)).await.unwrap();
    let Ended::Broken { step: 1, reason } = report.ended() else { panic!("{report:?}") };
    assert!(reason.contains("gone"), "{reason}");
    assert!(ran.take().is_empty());
    let report = plan().resume(&toolkit, &cx, (), &kept(&report)).await.unwrap();
    assert_eq!((report.is_ok(), ran.take()), (true, vec!["note a".to_owned()]));
}
