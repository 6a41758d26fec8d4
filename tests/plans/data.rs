//! Plans that are read from JSON and TOML.

use serde_json::json;
use toolkit::plan::{Plan, Report};
use toolkit::prelude::*;

use crate::desk::desk;

const JSON: &str = r#"{
    "name": "answer",
    "steps": [
        {"id": "who", "tool": "desk.customer", "stop_if": {"empty": "/message"}},
        {"id": "found", "tool": "kb__search", "input": {"query": {"$step": "who", "at": "/message"}, "limit": {"$seed": "/limit"}},
         "stop_if": {"equals": {"value": []}}},
        {"tool": "kb.read", "input": {"article": {"$tool": "kb.search", "at": "/0/id"}}, "stop_if": {"failed": true}}
    ]
}"#;

const TOML: &str = r#"
name = "answer"

[[steps]]
id = "who"
tool = "desk.customer"
stop_if = { empty = "/message" }

[[steps]]
id = "found"
tool = "kb__search"
input = { query = { "$step" = "who", at = "/message" }, limit = { "$seed" = "/limit" } }
stop_if = { equals = { value = [] } }

[[steps]]
tool = "kb.read"
input.article = { "$tool" = "kb.search", at = "/0/id" }
stop_if.failed = true
"#;

#[tokio::test]
async fn both_forms_are_one_plan() {
    let (toolkit, ran) = desk();
    let plans = [Plan::from_json(JSON).unwrap(), Plan::from_toml(TOML).unwrap()];
    let cx = |session: &str| CallContext::human().session(session.to_owned());
    let mut reports: Vec<Report> = Vec::new();
    for plan in &plans {
        let report = plan.run(&toolkit, &cx("Ann"), json!({"limit": 3})).await.unwrap();
        assert!(report.is_ok(), "{report:?}");
        assert_eq!(ran.take(), ["customer", "search refund 3", "read 7"]);
        reports.push(report);
        let report = plan.run(&toolkit, &cx("silent"), json!({"limit": 3})).await.unwrap();
        assert_eq!((report.stopped_at(), ran.take().len()), (Some(0), 1));
    }
    // A report of the one is a report of the other.
    plans[1].resume(&toolkit, &cx("Ann"), json!({"limit": 3}), &reports[0]).await.unwrap();
    assert!(ran.take().is_empty());
}

#[test]
fn what_is_no_plan_is_told_with_its_line() {
    for (text, expected) in [
        ("{", "line 1"),
        (r#"{"name": "a", "steps": [{"tool": "b", "inputs": {}}]}"#, "unknown field `inputs`"),
        (r#"{"name": "a", "steps": [{"id": "b"}]}"#, "missing field `tool`"),
        (
            r#"{"name": "a", "steps": [{"tool": "b", "stop_if": {"empy": ""}}]}"#,
            "unknown variant `empy`",
        ),
        (r#"{"steps": []}"#, "missing field `name`"),
    ] {
        let error = Plan::from_json(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = Plan::from_toml("name = 1").unwrap_err().to_string();
    assert!(error.contains("line 1"), "{error}");
}

/// A step that any mistake may be in, by a number.
fn step(seed: u64) -> serde_json::Value {
    let pick = |of: &[serde_json::Value], by: u64| {
        of[usize::try_from(by % 64).unwrap() % of.len()].clone()
    };
    let places = [
        json!("refund"),
        json!(7),
        json!([]),
        json!({"$step": 0}),
        json!({"$step": 0, "at": "/0/id"}),
        json!({"$step": 1, "at": "/0/title"}),
        json!({"$seed": "/a/0"}),
        json!({"$seed": "/a/1"}),
        json!({"$tool": "kb.search", "at": ""}),
        json!({"$step": "s1", "at": "/~1~0"}),
        json!(null),
        json!({"$literal": 1}),
        json!({"$": 1}),
    ];
    let (tool, keys): (_, &[_]) = match seed % 5 {
        0 => ("kb.search", &["query"]),
        1 => ("kb.read", &["article"]),
        2 => ("kb.filter", &["filters", "note"]),
        3 => ("desk.note", &["text"]),
        _ => ("desk.customer", &[]),
    };
    let mut input = serde_json::Map::new();
    for (at, key) in keys.iter().enumerate() {
        input.insert((*key).to_owned(), pick(&places, seed >> (8 + 8 * at)));
    }
    if seed >> 32 & 7 == 7 {
        input.insert("more".to_owned(), json!(1));
    }
    let beside = seed >> 40 & 7 == 7;
    json!({"tool": tool, "input": input, "beside_last": beside, "id": format!("s{}", seed >> 44 & 7)})
}

#[tokio::test]
async fn any_plan_is_refused_or_runs_and_never_panics() {
    let (toolkit, _) = desk();
    let cx = CallContext::human().session("Ann");
    let (mut refused, mut ran) = (0, 0);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..5_000 {
        let steps: Vec<_> = (0..1 + next() % 2).map(|_| step(next())).collect();
        let plan = Plan::from_json(&json!({"name": "any", "steps": steps}).to_string()).unwrap();
        match plan.run(&toolkit, &cx, json!({"a": [1, "refund"]})).await {
            Err(error) => {
                refused += usize::from(!error.problems().is_empty());
            }
            Ok(report) => {
                ran += 1;
                let text = serde_json::to_string(&report).unwrap();
                assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
                // What the check let through fits, where all of it was known.
                for (step, outcome) in steps.iter().zip(report.steps()) {
                    let known = !step["input"].to_string().contains('$');
                    assert!(!known || outcome.code() != Some(Code::InvalidArguments), "{step}");
                }
            }
        }
    }
    assert!(refused > 1_000 && ran > 1_000, "{refused} {ran}");
}
