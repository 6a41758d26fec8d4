//! The catalog as it is sent to a server: order, strictness, and what is lost on the way.

use serde_json::{Value, json};
use toolkit::dialect::LossKind;
use toolkit::testing::Probe;
use toolkit::{Risk, ToolError, Toolkit, TypedTool};

use crate::tools::{model, toolkit};

fn tools() -> Vec<Value> {
    let catalog = toolkit(&Probe::new()).catalog(&model());
    serde_json::from_str(catalog.openai_chat().as_str()).unwrap()
}

fn function(wire_name: &str) -> Value {
    let all = tools();
    let found = all.iter().find(|one| one["function"]["name"] == wire_name);
    found.unwrap()["function"].clone()
}

#[test]
fn every_tool_is_offered_under_its_wire_name_in_order() {
    let names: Vec<String> = tools()
        .iter()
        .map(|one| {
            assert_eq!(one["type"], "function");
            assert_eq!(one.as_object().unwrap().len(), 2);
            one["function"]["name"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        names,
        [
            "clock__now",
            "kb__search",
            "odd__panic",
            "odd__sleep",
            "ticket__delete",
            "ticket__label",
            "ticket__plan",
        ]
    );
    for name in names {
        assert!(name.len() <= 64);
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{name}");
    }
}

#[test]
fn a_tool_without_parameters() {
    assert_eq!(
        function("clock__now"),
        json!({"name": "clock__now", "description": "Tell the time of the server's clock.", "strict": true,
            "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}})
    );
}

#[test]
fn the_text_keeps_the_order_of_declaration() {
    let catalog = toolkit(&Probe::new()).catalog(&model());
    let text = catalog.openai_chat();
    let text = text.as_str();
    assert!(text.contains(r#""required":["query","limit","filters"]"#), "{text}");
    assert!(text.contains(r#""required":["title","first"]"#), "{text}");
    assert!(text.contains(r#""properties":{"query":{"type":"string","description":"Keywords, e.g. `refund invoice`."},"limit":"#), "{text}");
    let shared = catalog.openai_chat();
    assert!(std::ptr::eq(text, shared.as_str()), "made once");
    let again = toolkit(&Probe::new()).catalog(&model());
    assert_eq!(text, again.openai_chat().as_str());
}

#[test]
fn nested_optional_and_tagged_arguments_are_strict() {
    let search = function("kb__search");
    assert_eq!(search["strict"], true);
    let properties = &search["parameters"]["properties"];
    assert_eq!(
        properties["limit"],
        json!({"type": ["integer", "null"], "minimum": 1, "maximum": 20,
            "description": "How many articles to return at most. (default 5)"})
    );
    assert_eq!(properties["filters"]["type"], json!(["array", "null"]));
    assert_eq!(properties["filters"]["items"], json!({"$ref": "#/$defs/Filter"}));
    let filter = &search["parameters"]["$defs"]["Filter"];
    assert_eq!(filter["required"], json!(["field", "op", "exact"]));
    assert_eq!(filter["properties"]["exact"]["type"], json!(["boolean", "null"]));
    assert_eq!(
        filter["properties"]["field"],
        json!({"type": "string", "enum": ["title", "author"],
            "description": "The field that is compared.\n\n- `author`: Who wrote it."})
    );
    let op = &search["parameters"]["$defs"]["Op"];
    assert_eq!(op["anyOf"][0]["properties"]["kind"], json!({"type": "string", "const": "is"}));
    assert_eq!(op["anyOf"][1]["required"], json!(["kind", "from", "to"]));
    assert_eq!(op["anyOf"][1]["additionalProperties"], false);
}

#[test]
fn recursion_is_strict_and_a_map_is_not() {
    let plan = function("ticket__plan");
    assert_eq!(plan["strict"], true);
    assert_eq!(
        plan["parameters"]["$defs"]["Step"]["properties"]["steps"]["items"],
        json!({"$ref": "#/$defs/Step"})
    );
    assert_eq!(
        plan["parameters"]["properties"]["title"],
        json!({"type": "string", "description": "Name of the checklist. (1 to 40 characters)"})
    );
    let label = function("ticket__label");
    assert_eq!(label["strict"], false);
    assert_eq!(
        label["parameters"]["properties"]["labels"]["additionalProperties"],
        json!({"type": "string"})
    );
}

#[test]
fn losses_are_reported() {
    let losses = toolkit(&Probe::new()).catalog(&model()).openai_chat_losses();
    let texts: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "ticket.label: labels: not strict: a map whose keys are open (`additionalProperties`)",
            "ticket.plan: title: only described: `minLength`/`maxLength`",
        ]
    );
    assert_eq!(losses[0].kind(), LossKind::NotStrict);
    assert_eq!(losses[0].tool(), Some("ticket.label"));
    assert_eq!(losses[0].path(), "labels");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn closure(name: String, description: String) -> TypedTool {
    TypedTool::new(name, description, Risk::Read, |_: Nothing, _| async {
        Ok::<_, ToolError>("ok".to_owned())
    })
}

#[test]
fn limits_of_the_api_are_reported_and_nothing_is_cut() {
    let mut builder = Toolkit::builder().only([]);
    for n in 0..129 {
        let description = "x".repeat(if n == 7 { 1025 } else { 1024 });
        builder = builder.tool(closure(format!("many.t{n}"), description));
    }
    let catalog = builder.build().unwrap().catalog(&model());
    let sent: Vec<Value> = serde_json::from_str(catalog.openai_chat().as_str()).unwrap();
    assert_eq!(sent.len(), 129);
    assert!(sent.iter().any(|one| one["function"]["description"].as_str().unwrap().len() == 1025));
    let texts: Vec<String> = catalog.openai_chat_losses().iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "over a limit: 129 tools, at most 128",
            "many.t7: over a limit: a description of 1025 characters, at most 1024",
        ]
    );
}

#[test]
fn an_empty_catalog_is_an_empty_list() {
    let toolkit = Toolkit::builder().only([]).allow_empty().build().unwrap();
    assert_eq!(toolkit.catalog(&model()).openai_chat().as_str(), "[]");
}
