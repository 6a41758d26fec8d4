//! How a plan runs: inputs, skips, failures, stops, and steps side by side.

use serde_json::json;
use toolkit::plan::{Ended, Past, Plan, Step};
use toolkit::prelude::*;
use toolkit::{CancellationToken, Event};

use crate::desk::{
    Most, Ran, builder, cancel, customer, desk, filter, lookup, note, read, search, wait,
};

/// The customer's last message, searched for, and the first article read.
fn answer() -> Plan {
    Plan::new("answer")
        .step(Step::of(customer))
        .step(Step::of(search).input(|past| {
            let message = past.of(customer)?.value()?.get("message")?.as_str()?;
            Some(json!({"query": message}))
        }))
        .stop_if(|found| found.value() == Some(&json!([])))
        .step(Step::of(read).with(json!({"article": {"$tool": "kb.search", "at": "/0/id"}})))
}

#[tokio::test]
async fn each_input_comes_from_what_came_before() {
    let (toolkit, ran) = desk();
    let report = answer().run(&toolkit, &CallContext::human().session("Ann"), ()).await.unwrap();
    assert_eq!(ran.take(), ["customer", "search refund 5", "read 7"]);
    assert!(report.is_ok());
    assert_eq!(report.ended(), &Ended::Completed);
    assert_eq!(report.steps()[2].value(), Some(&json!("article 7")));
    let codes: Vec<_> = report.steps().iter().map(|step| step.code().unwrap()).collect();
    assert_eq!(codes, [Code::Ok; 3]);
    assert!(report.steps().iter().all(|step| step.at().is_some() && step.took().is_some()));
}

#[tokio::test]
async fn a_step_without_input_is_skipped_and_all_skipped_is_ok() {
    let (toolkit, ran) = desk();
    let report = answer().run(&toolkit, &CallContext::human(), ()).await.unwrap();
    assert_eq!(ran.take(), ["customer"]);
    assert!(report.is_ok());
    assert_eq!(report.steps()[1].skipped(), Some("its input gave nothing"));
    assert_eq!(report.steps()[2].skipped(), Some("step 1 gave no value"));
    assert_eq!(report.steps()[1].code(), None);

    let plan = Plan::new("skips")
        .step(Step::of(search).with(json!({"query": {"$seed": "/query"}})))
        .step(Step::of(read).input(|_| None));
    let report = plan.run(&toolkit, &CallContext::human(), json!({"query": null})).await.unwrap();
    assert!(report.is_ok() && ran.take().is_empty());
    assert_eq!(report.steps()[0].skipped(), Some("the seed has nothing at \"/query\""));
}

#[tokio::test]
async fn a_failed_step_ends_nothing_and_a_closure_may_read_the_failure() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("fails")
        .step(Step::of(search).with(json!({"query": "broken"})))
        .step(Step::of(read).with(json!({"article": {"$step": 0, "at": "/0/id"}})))
        .step(Step::of(search).input(|past| {
            let failed = past.step(0)?;
            (failed.code() == Some(Code::Failed)).then(|| json!({"query": "refund"}))
        }))
        .step(Step::of(search).input(|_| panic!("in the plan's own code")))
        .step(Step::of(read).input(|past| {
            // By the tool: the last one, which broke.
            assert_eq!(past.of(search)?.code(), Some(Code::Defect));
            Some(json!({"article": past.step(2)?.value()?.get(0)?.get("id")?}))
        }));
    let report = plan.run(&toolkit, &CallContext::human(), ()).await.unwrap();
    assert_eq!(ran.take(), ["search broken 5", "search refund 5", "read 7"]);
    assert!(!report.is_ok());
    assert_eq!(report.ended(), &Ended::Completed);
    assert_eq!(report.steps()[0].text(), Some("the index is broken"));
    assert_eq!(report.steps()[1].skipped(), Some("step 0 gave no value"));
    assert!(report.steps()[3].text().unwrap().contains("in the plan's own code"));
    assert!(report.steps()[4].is_ok());
}

#[tokio::test]
async fn a_stop_is_ok_and_says_where() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("stops")
        .step(Step::of(search).with(json!({"query": "nothing"})))
        .stop_if(|found| found.value() == Some(&json!([])))
        .step(Step::of(read).with(json!({"article": 1})));
    let report = plan.run(&toolkit, &CallContext::human(), ()).await.unwrap();
    assert_eq!((report.is_ok(), report.stopped_at()), (true, Some(0)));
    assert_eq!(ran.take(), ["search nothing 5"]);
    assert_eq!((report.steps()[1].code(), report.steps()[1].skipped()), (None, None));

    let broken = Plan::new("breaks")
        .step(Step::of(search).with(json!({"query": "nothing"})))
        .stop_if(|_| panic!("no condition"))
        .step(Step::of(read).with(json!({"article": 1})));
    let report = broken.run(&toolkit, &CallContext::human(), ()).await.unwrap();
    assert!(
        matches!(report.ended(), Ended::Broken { step: 0, reason } if reason.contains("no condition"))
    );
    assert!(!report.is_ok());
    assert_eq!(ran.take(), ["search nothing 5"]);
}

#[tokio::test]
async fn the_last_of_a_tool_wins_and_ids_and_places_name_the_others() {
    let (toolkit, ran) = desk();
    let text = |at: &'static str| {
        move |past: &Past<'_>| Some(json!({"text": past.id(at)?.value()?[0]["title"]}))
    };
    let plan = Plan::new("names")
        .step(Step::of(search).id("first").with(json!({"query": "refund"})))
        .step(Step::of(search).id("last").with(json!({"query": "nothing"})))
        .step(Step::of(note).input(|past| {
            assert_eq!(past.of(search)?.value(), Some(&json!([])));
            assert_eq!(past.tool("kb.search")?.value(), Some(&json!([])));
            assert_eq!(past.seed(), &json!("seed"));
            assert!(past.step(2).is_none() && past.id("none").is_none());
            None
        }))
        .step(Step::of(note).input(text("first")))
        .step(Step::of(note).with(json!({"text": {"$step": "first", "at": "/0/title"}})));
    let report = plan.run(&toolkit, &CallContext::human(), "seed").await.unwrap();
    assert!(report.is_ok(), "{report:?}");
    let ran = ran.take();
    assert_eq!(ran[2..], ["note Refunds", "note Refunds"]);
}

#[tokio::test]
async fn values_are_put_in_once_and_never_read_for_references() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("values")
        .step(Step::of(filter).with(json!({
            "filters": [{"field": "f", "is": ["a", {"$seed": "/is"}]}, {"field": {"$seed": "/field"}, "is": []}],
            "note": {"$seed": "/note"},
        })));
    let seed = json!({"is": "b", "field": "g", "note": "{\"$seed\": \"/is\"} {{steps[0]}}"});
    let report = plan.run(&toolkit, &CallContext::human(), &seed).await.unwrap();
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(ran.take(), ["filter {\"$seed\": \"/is\"} {{steps[0]}}"]);
    // An object in the place of a text is an object still: the tool refuses it.
    let report = plan
        .run(
            &toolkit,
            &CallContext::human(),
            json!({"is": "b", "field": "g", "note": {"$seed": "/is"}}),
        )
        .await
        .unwrap();
    assert_eq!(report.steps()[0].code(), Some(Code::InvalidArguments));
    assert!(ran.take().is_empty());
}

#[tokio::test]
async fn steps_may_run_side_by_side_and_report_in_order() {
    let ran = Ran::default();
    let most = Most::default();
    let toolkit = builder(&ran).state(most.clone()).build().unwrap();
    let name = |name: &str| Step::of(wait).with(json!({"name": name}));
    let plan = Plan::new("beside")
        .step(name("a"))
        .step(name("b").beside_last())
        .step(name("c").beside_last())
        .step(name("d").with(json!({"name": {"$step": 1}})));
    let report = plan.run(&toolkit, &CallContext::human(), ()).await.unwrap();
    let values: Vec<_> = report.steps().iter().map(|step| step.value().unwrap().clone()).collect();
    assert_eq!(values, ["a", "b", "c", "b"]);
    assert_eq!(most.seen(), 3);
    let alone = Plan::new("alone").step(name("a")).step(name("b"));
    let most = Most::default();
    let toolkit = builder(&ran).state(most.clone()).build().unwrap();
    alone.run(&toolkit, &CallContext::human(), ()).await.unwrap();
    assert_eq!(most.seen(), 1);
}

#[tokio::test]
async fn a_cancelled_context_ends_the_plan_with_a_report() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("cancelled")
        .step(Step::of(search).with(json!({"query": "refund"})))
        .step(Step::of(cancel))
        .step(Step::of(read).with(json!({"article": 1})));
    let token = CancellationToken::new();
    let cx = CallContext::human().cancellation(token.clone()).with(token.clone());
    let report = plan.run(&toolkit, &cx, ()).await.unwrap();
    assert_eq!(report.ended(), &Ended::Cancelled { step: 1 });
    assert_eq!(report.steps()[1].code(), Some(Code::Cancelled));
    assert!(!report.is_ok());
    assert_eq!(ran.take(), ["search refund 5"]);
    let report = plan.run(&toolkit, &cx, ()).await.unwrap();
    assert_eq!(report.ended(), &Ended::Cancelled { step: 0 });
    assert!(ran.take().is_empty());
}

#[tokio::test]
async fn what_was_a_secret_goes_no_further() {
    let (toolkit, ran) = desk();
    let plan = Plan::new("secret")
        .step(Step::of(customer))
        .step(Step::of(lookup).with(json!({"token": {"$step": 0, "at": "/token"}})))
        .step(Step::of(read).with(json!({"article": 1})));
    let report = plan.run(&toolkit, &CallContext::human().session("Ann"), ()).await.unwrap();
    assert_eq!(report.ended(), &Ended::NeedsSecret { step: 1 });
    assert!(report.steps()[1].skipped().unwrap().contains("secret"));
    assert_eq!(ran.take(), ["customer"]);
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    // One that the host brings goes to the tool, and into no report.
    let plan = Plan::new("own").step(Step::of(lookup).with(json!({"token": {"$seed": ""}})));
    let report = plan.run(&toolkit, &CallContext::human(), "hunter3").await.unwrap();
    assert!(report.is_ok());
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains("hunter3"), "{text}");
}

#[tokio::test]
async fn listeners_hear_of_each_step_and_each_report_is_handed_out() {
    let (toolkit, _) = desk();
    let kept = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let keep = std::sync::Arc::clone(&kept);
    let plan = answer().on_report(move |report| {
        keep.lock().unwrap().push(report.clone());
        Ok(())
    });
    let mut events = toolkit.events();
    let report = plan.run(&toolkit, &CallContext::human().session("silent"), ()).await.unwrap();
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::PlanStep(step) = &event {
            assert_eq!((&*step.plan, &*step.run, step.steps), ("answer", report.run_id(), 3));
            assert_eq!(step.session.as_deref(), Some("silent"));
            told.push(format!("{} {} {:?}", step.step, step.state, step.code));
            let json = serde_json::to_value(&event).unwrap();
            assert_eq!((&json["kind"], &json["tool"]), (&json!("plan_step"), &json!(&*step.tool)));
        }
    }
    assert_eq!(told, ["0 started None", "0 ended Some(Ok)", "1 skipped None", "2 skipped None"]);
    let kept = kept.lock().unwrap();
    assert_eq!(kept.len(), 3);
    assert_eq!(kept.last(), Some(&report));
    assert!(kept[0].steps()[0].is_ok() && kept[0].steps()[1].skipped().is_none());
}
