//! What comes back: the value whole, the text within its budget.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolkit::prelude::*;

/// A point on a map.
#[derive(Serialize, JsonSchema)]
struct Point {
    x: i32,
    note: String,
}

/// Give many points on the map.
#[tool(name = "result.points")]
fn points(
    /// How many, e.g. `3`.
    many: i32,
) -> Vec<Point> {
    (0..many).map(|x| Point { x, note: format!("a→😀 \"é\u{301}\", [{x}]") }).collect()
}

/// Give one point on the map.
#[tool(name = "result.point")]
fn point() -> Point {
    Point { x: 1, note: "y".repeat(5_000) }
}

/// Give a long text of awkward letters.
#[tool(name = "result.text")]
fn text() -> String {
    "a→😀é\u{301}".repeat(1_000)
}

/// Do nothing with any result.
#[tool(name = "result.nothing")]
fn nothing() {}

fn build(budget: usize) -> Toolkit {
    let ids = [id(points), id(point), id(text), id(nothing)];
    Toolkit::builder().only(ids).output_budget(budget).build().unwrap()
}

async fn run(toolkit: &Toolkit, tool: &str, arguments: &str) -> toolkit::ToolReply {
    let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await;
    assert_eq!(reply.code(), Code::Ok);
    reply
}

#[test]
fn a_result_has_the_schema_of_its_type_and_nothing_has_none() {
    let toolkit = build(20_000);
    let catalog = toolkit.catalog(&CallContext::model());
    let output = |tool: &str| catalog.find(tool).unwrap().output().cloned();
    assert_eq!(output("result.nothing"), None);
    assert_eq!(
        output("result.point").unwrap(),
        json!({"type": "object", "description": "A point on a map.", "required": ["x", "note"],
            "properties": {"x": {"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX},
                "note": {"type": "string"}}})
    );
    assert_eq!(output("result.points").unwrap()["items"]["$ref"], "#/$defs/Point");
    assert_eq!(output("result.text").unwrap(), json!({"type": "string"}));
}

#[tokio::test]
async fn a_long_list_loses_whole_elements_and_its_value_nothing() {
    for budget in [200, 201, 333, 1_000, 1_999] {
        let toolkit = build(budget);
        let reply = run(&toolkit, "result.points", r#"{"many": 500}"#).await;
        assert!(reply.text().chars().count() <= budget, "{budget}");
        let shown: Vec<Value> = serde_json::from_str(reply.text()).unwrap();
        let kept: Vec<_> = shown.iter().filter_map(|one| one["x"].as_i64()).collect();
        let notices: Vec<_> = shown.iter().filter_map(Value::as_str).collect();
        let [notice] = notices[..] else { panic!("{notices:?}") };
        let left_out = 500 - kept.len();
        assert!(notice.contains(&format!("{left_out} of 500 elements left out")), "{notice}");
        assert_eq!(kept[0], 0);
        let value = reply.value().unwrap();
        assert_eq!(value.as_array().unwrap().len(), 500);
        assert_eq!(value[499]["x"], 499);
        assert_eq!(
            serde_json::from_str::<Value>(reply.output().unwrap().text().unwrap()).unwrap(),
            value
        );
    }
}

#[tokio::test]
async fn a_long_text_keeps_its_ends_and_says_what_is_gone() {
    let whole = "a→😀é\u{301}".repeat(1_000);
    let total = whole.chars().count();
    for budget in 200..260 {
        let toolkit = build(budget);
        let reply = run(&toolkit, "result.text", "").await;
        let shown = reply.text();
        assert!(shown.chars().count() <= budget);
        let (head, rest) = shown.split_once("\n[… ").unwrap();
        let (notice, tail) = rest.split_once(" …]\n").unwrap();
        assert!(!tail.is_empty() && whole.starts_with(head) && whole.ends_with(tail));
        let gone = total - head.chars().count() - tail.chars().count();
        assert!(notice.starts_with(&format!("{gone} of {total} characters left out")), "{notice}");
        assert_eq!(reply.value(), Some(json!(whole)));
    }
    // What fits is left alone, to the letter.
    let toolkit = build(total);
    assert_eq!(run(&toolkit, "result.text", "").await.text(), whole);
}

#[tokio::test]
async fn an_object_that_is_cut_is_no_json_and_does_not_look_like_it() {
    let toolkit = build(1_000);
    let reply = run(&toolkit, "result.point", "").await;
    assert!(reply.text().chars().count() <= 1_000);
    assert!(serde_json::from_str::<Value>(reply.text()).is_err());
    assert!(reply.text().contains("characters left out"), "{}", reply.text());
    assert_eq!(reply.value().unwrap()["note"].as_str().unwrap().len(), 5_000);
}

#[tokio::test]
async fn nothing_is_done_and_a_list_of_nothing_is_a_list() {
    let toolkit = build(20_000);
    let reply = run(&toolkit, "result.nothing", "").await;
    assert_eq!((reply.text(), reply.value()), ("done", Some(Value::Null)));
    let reply = run(&toolkit, "result.points", r#"{"many": 0}"#).await;
    assert_eq!((reply.text(), reply.value()), ("[]", Some(json!([]))));
}
