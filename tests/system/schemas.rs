//! What a model and a provider are shown of the arguments.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolkit::Catalog;
use toolkit::dialect::LossKind;
use toolkit::prelude::*;

/// Answer that the program is alive.
#[tool(name = "shape.ping")]
pub(crate) async fn ping() -> &'static str {
    "pong"
}

/// Take at most some of what there is.
#[tool(name = "shape.limit")]
pub(crate) fn limit(
    /// How many to take, e.g. `3`.
    limit: Option<u8>,
) -> String {
    format!("{limit:?}")
}

/// How hard to look.
#[derive(Deserialize, JsonSchema, Debug)]
pub(crate) enum Mode {
    /// A quick look.
    Fast,
    /// A thorough one.
    #[serde(rename = "slo")]
    Slow,
}

/// Look in one of two ways.
#[tool(name = "shape.mode")]
pub(crate) fn mode(
    /// How to look.
    mode: Mode,
) -> String {
    format!("{mode:?}")
}

/// A way to wait.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Pause {
    #[serde(default = "ten")]
    seconds: u32,
    /// What to say meanwhile.
    note: Option<String>,
}

fn ten() -> u32 {
    10
}

/// Wait in some way.
#[tool(name = "shape.pause")]
pub(crate) fn pause(
    /// How to wait.
    pause: Pause,
    /// How often, e.g. `2`.
    #[arg(default = 10)]
    times: u32,
) -> String {
    format!("{} {:?} {times}", pause.seconds, pause.note)
}

/// A node of a tree.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Node {
    label: String,
    children: Vec<Node>,
}

impl Node {
    fn count(&self) -> usize {
        1 + self.children.iter().map(Node::count).sum::<usize>()
    }
}

/// Compare two trees by their size.
#[tool(name = "shape.trees")]
pub(crate) fn trees(
    /// The one tree.
    a: Node,
    /// The other tree.
    b: Node,
) -> String {
    format!("{}{} {}{}", a.label, a.count(), b.label, b.count())
}

/// Put labels on something.
#[tool(name = "shape.labels")]
pub(crate) fn labels(
    /// The labels by their names.
    labels: BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    labels
}

/// Give anything back as it came.
#[tool(name = "shape.echo")]
pub(crate) fn echo(
    /// Any value, e.g. `{"a": [1]}`.
    value: Value,
) -> Value {
    value
}

/// Count some numbers upwards.
#[tool(name = "shape.numbers")]
pub(crate) fn numbers() -> Vec<i64> {
    vec![1, 2]
}

/// A point on a map.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Point {
    x: i32,
}

/// Give a point on the map.
#[tool(name = "shape.point")]
pub(crate) fn point() -> Point {
    Point { x: 1 }
}

/// Do nothing with any result.
#[tool(name = "shape.nothing")]
pub(crate) fn nothing() {}

fn ids() -> [toolkit::ToolId; 10] {
    [
        id(ping),
        id(limit),
        id(mode),
        id(pause),
        id(trees),
        id(labels),
        id(echo),
        id(numbers),
        id(point),
        id(nothing),
    ]
}

pub(crate) fn build() -> (Toolkit, Catalog) {
    let toolkit = Toolkit::builder().only(ids()).build().unwrap();
    let catalog = toolkit.catalog(&CallContext::model());
    (toolkit, catalog)
}

fn text(catalog: &Catalog, tool: &str) -> String {
    catalog.find(tool).unwrap().parameters_text().unwrap().to_owned()
}

/// What OpenAI is sent for a tool.
fn sent(catalog: &Catalog, wire: &str) -> Value {
    let offers = catalog.openai_chat().to_value();
    let mut found = offers.as_array().unwrap().iter().filter(|o| o["function"]["name"] == wire);
    found.next().unwrap()["function"].clone()
}

async fn run(toolkit: &Toolkit, tool: &str, arguments: &str) -> (Code, String) {
    let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await;
    (reply.code(), reply.into_text())
}

#[tokio::test]
async fn no_parameters_is_an_empty_closed_object() {
    let (toolkit, catalog) = build();
    assert_eq!(
        text(&catalog, "shape.ping"),
        r#"{"type":"object","properties":{},"additionalProperties":false}"#
    );
    let sent = sent(&catalog, "shape__ping");
    assert_eq!(sent["strict"], true);
    assert_eq!(
        sent["parameters"],
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false})
    );
    for none in ["", " ", "null", "{}", "{ }"] {
        assert_eq!(run(&toolkit, "shape.ping", none).await, (Code::Ok, "pong".to_owned()));
    }
    let (code, text) = run(&toolkit, "shape.ping", r#"{"a": 1}"#).await;
    assert_eq!(code, Code::InvalidArguments);
    assert_eq!(text, "invalid arguments for `shape.ping`:\n- a: unknown argument");
}

#[tokio::test]
async fn an_option_is_optional_by_default_and_nullable_in_strict_mode() {
    let (toolkit, catalog) = build();
    assert_eq!(
        text(&catalog, "shape.limit"),
        r#"{"type":"object","properties":{"limit":{"type":"integer","description":"How many to take, e.g. `3`.","minimum":0,"maximum":255}},"additionalProperties":false}"#
    );
    let sent = sent(&catalog, "shape__limit");
    assert_eq!(sent["strict"], true);
    let limit = &sent["parameters"]["properties"]["limit"];
    assert_eq!(limit["type"], json!(["integer", "null"]));
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(0), &json!(255)));
    assert_eq!(sent["parameters"]["required"], json!(["limit"]));
    for none in ["{}", r#"{"limit": null}"#, ""] {
        assert_eq!(run(&toolkit, "shape.limit", none).await, (Code::Ok, "None".to_owned()));
    }
    assert_eq!(run(&toolkit, "shape.limit", r#"{"limit": 255}"#).await.1, "Some(255)");
    assert_eq!(run(&toolkit, "shape.limit", r#"{"limit": 256}"#).await.0, Code::InvalidArguments);
}

#[tokio::test]
async fn an_enum_is_its_names_and_their_docs_are_told() {
    let (toolkit, catalog) = build();
    assert_eq!(
        text(&catalog, "shape.mode"),
        concat!(
            r#"{"type":"object","properties":{"mode":{"type":"string","#,
            r#""description":"How to look.\n\n- `Fast`: A quick look.\n- `slo`: A thorough one.","#,
            r#""enum":["Fast","slo"]}},"required":["mode"],"additionalProperties":false}"#
        )
    );
    assert_eq!(run(&toolkit, "shape.mode", r#"{"mode": "slo"}"#).await.1, "Slow");
    let (code, text) = run(&toolkit, "shape.mode", r#"{"mode": "Slow"}"#).await;
    assert_eq!(code, Code::InvalidArguments);
    assert_eq!(
        text,
        "invalid arguments for `shape.mode`:\n- mode: expected one of `Fast`, `slo`, got \"Slow\""
    );
}

#[tokio::test]
async fn a_default_is_told_and_taken() {
    let (toolkit, catalog) = build();
    let value = catalog.find("shape.pause").unwrap().parameters().unwrap();
    assert_eq!(value["required"], json!(["pause"]));
    assert_eq!(value["properties"]["times"]["default"], 10);
    let nested = &value["$defs"]["Pause"];
    assert_eq!(nested["properties"]["seconds"]["default"], 10);
    assert_eq!(nested.get("required"), None);
    assert_eq!(run(&toolkit, "shape.pause", r#"{"pause": {}}"#).await.1, "10 None 10");
    let given = r#"{"pause": {"seconds": 1, "note": "x"}, "times": 2}"#;
    assert_eq!(run(&toolkit, "shape.pause", given).await.1, "1 Some(\"x\") 2");
    // Strict mode has no absence, so a null stands for it, at every depth.
    let nulls = r#"{"pause": {"seconds": null, "note": null}, "times": null}"#;
    assert_eq!(run(&toolkit, "shape.pause", nulls).await, (Code::Ok, "10 None 10".to_owned()));
}

/// Every node of a schema.
fn nodes<'v>(value: &'v Value, visit: &mut dyn FnMut(&'v serde_json::Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            visit(members);
            members.values().for_each(|member| nodes(member, visit));
        }
        Value::Array(items) => items.iter().for_each(|item| nodes(item, visit)),
        _ => {}
    }
}

#[tokio::test]
async fn recursion_refers_to_one_definition_at_the_root() {
    let (toolkit, catalog) = build();
    let declared = catalog.find("shape.trees").unwrap().parameters().unwrap().clone();
    let sent = sent(&catalog, "shape__trees");
    assert_eq!(sent["strict"], true);
    for schema in [&declared, &sent["parameters"]] {
        let definitions = schema["$defs"].as_object().unwrap();
        assert_eq!(definitions.keys().collect::<Vec<_>>(), ["Node"]);
        assert!(schema.get("$ref").is_none(), "a root is an object in place");
        let mut references = 0;
        nodes(schema, &mut |members| {
            if let Some(Value::String(to)) = members.get("$ref") {
                references += 1;
                assert!(schema.pointer(to.strip_prefix('#').unwrap()).is_some(), "{to}");
            }
        });
        assert!(references >= 1, "{schema}");
        assert!(schema.to_string().len() < 1_500, "recursion isn't written out");
    }
    let tree = r#"{"label": "r", "children": [{"label": "l", "children": []}]}"#;
    let both = format!(r#"{{"a": {tree}, "b": {{"label": "s", "children": []}}}}"#);
    assert_eq!(run(&toolkit, "shape.trees", &both).await.1, "r2 s1");
    let (code, text) =
        run(&toolkit, "shape.trees", &both.replace(r#""l", "children""#, r#""l", "childern""#))
            .await;
    assert_eq!(code, Code::InvalidArguments);
    assert!(
        text.contains("a.children[0].childern: unknown argument; did you mean `children`?"),
        "{text}"
    );
}

#[test]
fn strict_mode_closes_every_object_and_requires_every_key() {
    let (_, catalog) = build();
    let mut strict = 0;
    for offer in catalog.openai_chat().to_value().as_array().unwrap() {
        let function = &offer["function"];
        if function["strict"] != true {
            continue;
        }
        strict += 1;
        nodes(&function["parameters"], &mut |members| {
            if let Some(Value::Object(properties)) = members.get("properties")
                && members.contains_key("type")
            {
                assert_eq!(members["additionalProperties"], false, "{function}");
                let mut required: Vec<_> = members["required"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(Value::as_str)
                    .collect();
                required.sort_unstable();
                assert_eq!(required, properties.keys().map(String::as_str).collect::<Vec<_>>());
            }
        });
    }
    assert_eq!(strict, 8, "all but the map and the open value");
}

#[tokio::test]
async fn what_strict_mode_cannot_hold_is_never_claimed() {
    let (toolkit, catalog) = build();
    assert_eq!(sent(&catalog, "shape__labels")["strict"], false);
    assert_eq!(sent(&catalog, "shape__echo")["strict"], false);
    let losses: Vec<String> = catalog
        .openai_chat_losses()
        .iter()
        .filter(|loss| loss.kind() == LossKind::NotStrict)
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        losses,
        [
            "shape.echo: value: not strict: any value fits",
            "shape.labels: labels: not strict: a map whose keys are open (`additionalProperties`)",
        ]
    );
    assert_eq!(
        text(&catalog, "shape.echo"),
        r#"{"type":"object","properties":{"value":{"description":"Any value, e.g. `{\"a\": [1]}`."}},"required":["value"],"additionalProperties":false}"#
    );
    // An open value takes what it is given, `null` too, and can't be left out.
    for value in ["null", "\"42\"", "{\"a\":[1]}", "1.5"] {
        let arguments = format!(r#"{{"value": {value}}}"#);
        let (code, text) = run(&toolkit, "shape.echo", &arguments).await;
        assert_eq!((code, text.as_str()), (Code::Ok, value.trim_matches('"')));
    }
    assert_eq!(run(&toolkit, "shape.echo", "{}").await.0, Code::InvalidArguments);
}

#[test]
fn nothing_in_a_schema_is_noise() {
    let (_, catalog) = build();
    let declared = catalog.tools().map(|tool| tool.parameters().unwrap().clone());
    let sent = catalog.openai_chat().to_value();
    let sent = sent.as_array().unwrap().iter().map(|offer| offer["function"]["parameters"].clone());
    for schema in declared.chain(sent) {
        nodes(&schema, &mut |members| {
            for noise in ["$schema", "$id", "title", "definitions", "nullable"] {
                assert!(!members.contains_key(noise), "{noise} in {schema}");
            }
            if let Some(Value::String(format)) = members.get("format") {
                let numeric = format.starts_with(['i', 'u', 'f', 'd']) && format != "uri";
                assert!(!numeric, "{format} in {schema}");
            }
        });
    }
}
