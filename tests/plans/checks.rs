//! What is told before the first step, all at once.

use serde_json::{Value, json};
use toolkit::plan::{Plan, Step};
use toolkit::prelude::*;

use crate::desk::{customer, desk, filter, note, read, search};

/// Not annotated.
fn no_tool() {}

fn problems(plan: &Plan) -> Vec<String> {
    let (toolkit, ran) = desk();
    let cx = CallContext::human().session("Ann");
    let told = match plan.check(&toolkit, &cx) {
        Ok(()) => Vec::new(),
        Err(error) => error.problems().iter().map(ToString::to_string).collect(),
    };
    assert!(ran.take().is_empty());
    told
}

fn with(input: Value) -> Vec<String> {
    let plan = Plan::new("one").step(Step::of(search).id("found").with(json!({"query": "a"})));
    problems(&plan.step(Step::of(filter).with(input)))
}

#[tokio::test]
async fn everything_is_told_at_once_and_nothing_runs() {
    let plan = Plan::new("wrong")
        .stop_if(|_| true)
        .step(Step::named("kb.serch"))
        .step(Step::of(no_tool))
        .step(Step::of(search).with(json!({"qurey": "a", "limit": "many"})))
        .step(Step::of(read).id("a").with(json!({"article": {"$step": "b"}})))
        .step(Step::of(read).id("a").with(json!({"article": {"$step": 9}})))
        .step(Step::named("mail.draft").with(json!({"text": "a"})));
    let told = problems(&plan);
    assert_eq!(
        told,
        [
            "has a `stop_if` before its first step: put it after the step",
            "step 0 (`kb.serch`): unknown tool; did you mean `kb.search`?",
            "step 1 (`plans::checks::no_tool`): is no tool of this toolkit: annotate it with `#[tool]`, \
             and register or load it",
            "step 2 (`kb.search`), limit: expected integer from 1 to 20, got \"many\"",
            "step 2 (`kb.search`), qurey: unknown argument; did you mean `query`?",
            "step 2 (`kb.search`), query: required, missing",
            "step 3 (`kb.read`), article: refers to step `b`, which isn't there; did you mean `a`?",
            "step 4 (`kb.read`): has the id `a`, as step 3 has: rename one",
            "step 4 (`kb.read`), article: refers to step 9, which isn't there",
            "step 5 (`mail.draft`): may not be called (denied): the policy: send for plan; under a \
             policy with `.drafts()` it leaves a draft",
        ]
    );
    let (toolkit, ran) = desk();
    let error = plan.run(&toolkit, &CallContext::human(), ()).await.unwrap_err();
    assert_eq!(error.problems().len(), told.len());
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(error.to_string().starts_with("the plan `wrong` has 10 problems:\n- "));
    assert!(ran.take().is_empty());
    assert_eq!(problems(&Plan::new("empty")), ["has no step: add one with `.step(…)`"]);
}

#[test]
fn references_lead_to_what_comes_before() {
    let note = |from: Value| Step::of(note).with(json!({"text": from}));
    let plan = |first: Value, second: Value, third: Value| {
        let plan = Plan::new("p").step(note(first).id("a")).step(note(second).id("b"));
        problems(&plan.step(note(third).id("c")))
    };
    let text = || json!("text");
    for (told, expected) in [
        (plan(json!({"$step": 1}), text(), text()), "text: refers to step 1, which comes later"),
        (plan(json!({"$step": "c"}), text(), text()), "text: refers to step 2, which comes later"),
        (plan(text(), json!({"$step": "b"}), text()), "text: refers to its own step"),
        (
            plan(text(), text(), json!({"$step": "d"})),
            "text: refers to step `d`, which isn't there; did you mean `a`?",
        ),
        (
            plan(text(), text(), json!({"$tool": "kb.read"})),
            "text: refers to `kb.read`, which no step before it calls",
        ),
        (
            plan(json!({"$tool": "desk.note"}), text(), text()),
            "text: refers to `desk.note`, which no step before it calls",
        ),
    ] {
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].ends_with(expected), "{told:?}");
    }
    let circle = plan(json!({"$step": "b"}), json!({"$step": "c"}), json!({"$step": "a"}));
    assert_eq!(circle.len(), 3);
    assert!(
        circle[0].ends_with("refers to step 1, which refers to this one: a circle"),
        "{circle:?}"
    );
    let beside = Plan::new("p")
        .step(note(text()))
        .step(note(text()).beside_last())
        .step(note(json!({"$step": 0})).beside_last());
    assert!(problems(&beside)[0].ends_with("refers to step 0, which runs side by side with it"));
}

#[test]
fn types_are_held_where_schemas_tell_them() {
    let found = |at: &str| json!({"$step": "found", "at": at});
    // `desk.note` returns nothing, and a title is a text.
    assert!(with(json!({"filters": [], "note": found("/0/title")})).is_empty());
    for (input, expected) in [
        (
            json!({"filters": [], "note": found("/0/id")}),
            "note: expected string, and step 0 gives integer there",
        ),
        (
            json!({"filters": [], "note": found("")}),
            "note: expected string, and step 0 gives array there",
        ),
        (
            json!({"filters": [{"field": found("/0"), "is": []}], "note": "a"}),
            "filters[0].field: expected string, and step 0 gives object there",
        ),
        (
            json!({"filters": [], "note": found("/0/titel")}),
            "note: refers to \"/0/titel\" of step 0: there is no `titel`; did you mean `title`?",
        ),
        (
            json!({"filters": [{"field": "a", "is": [found("/0/title"), 3]}], "note": "a"}),
            "filters[0].is[1]: expected string, got 3",
        ),
        (
            json!({"filters": [{"feld": found("/0/title"), "is": []}], "note": "a"}),
            "filters[0].feld: unknown argument; did you mean `field`?",
        ),
        (
            json!({"filters": found("/0/title"), "note": "a"}),
            "filters: expected array, and step 0 gives string there",
        ),
        (json!({"filters": [], "note": {"$sted": "a"}}), "makes no reference"),
    ] {
        let told = with(input);
        assert!(told.iter().any(|told| told.contains(expected)), "{told:?}");
    }
    // What isn't given is missed, whatever else comes from elsewhere.
    assert_eq!(
        with(json!({"note": found("/0/title")})),
        ["step 1 (`kb.filter`), filters: required, missing"]
    );
    // All of the arguments, and a value whose schema isn't known.
    assert!(with(json!({"$seed": ""})).is_empty());
    let plan = Plan::new("p")
        .step(Step::of(customer))
        .step(Step::of(note).with(json!({"text": {"$step": 0, "at": "/message"}})));
    assert!(problems(&plan).is_empty(), "{:?}", problems(&plan));
}

#[test]
fn a_plan_has_a_bound() {
    let step = || Step::of(read).with(json!({"article": 1}));
    let plan = |steps| (0..steps).fold(Plan::new("long"), |plan, _| plan.step(step()));
    assert!(problems(&plan(toolkit::plan::MAX_STEPS)).is_empty());
    assert_eq!(problems(&plan(257)), ["has 257 steps, and at most 256 are run"]);
}
