//! Recorded facts about names, limits and shapes on the wire.

use serde_json::{Value, json};

use super::super::{catalog, history};
use super::{read, response};
use crate::name;

fn vectors(kind: &str) -> Vec<Value> {
    let data = include_str!("../../../../tests/data/openai_vectors.json");
    let data: Value = serde_json::from_str(data).unwrap();
    let all = data["vectors"].as_array().unwrap();
    let found: Vec<Value> = all.iter().filter(|one| one["kind"] == kind).cloned().collect();
    assert!(!found.is_empty(), "no vector of kind {kind}");
    found
}

#[test]
fn names() {
    for vector in vectors("tool_name") {
        let (id, given) = (&vector["id"], vector["given"].as_str().unwrap());
        let rule = regex::Regex::new(vector["expected"]["regex"].as_str().unwrap()).unwrap();
        let accepted = vector["expected"]["verdict"] == "accept";
        assert_eq!(rule.is_match(given), accepted, "{id}");
        // What a model made up goes back as it is only where the API takes it.
        assert_eq!(history::name(given) == given, accepted, "{id}");
        assert!(rule.is_match(&history::name(given)), "{id}");
        // What we allow as a name is taken in its wire form.
        if name::check(given).is_ok() {
            assert!(rule.is_match(&name::wire_name(given)), "{id}");
        }
    }
}

#[test]
fn limits() {
    for vector in vectors("limit") {
        match vector["id"].as_str().unwrap().strip_prefix("limit.openai_chat.") {
            Some("tools_129") => assert_eq!(catalog::MAX_TOOLS, 128),
            Some("description_1025") => assert_eq!(catalog::MAX_DESCRIPTION, 1_024),
            Some(other) => panic!("{other}"),
            None => {} // of schemas
        }
    }
}

#[test]
fn shapes() {
    for vector in vectors("wire") {
        let given = &vector["given"];
        match vector["expected"]["shape"].as_str().unwrap() {
            "tool_call" => {
                let (calls, shown) = read(&response(given.clone(), json!("tool_calls")));
                assert_eq!(calls[0].arguments(), "{\"city\":\"Oslo\",\"days\":2}");
                assert_eq!(shown, *given, "the message goes back as it came");
            }
            "tool_list" => {
                let tool = &given["tools"][0];
                let offer = catalog::offer_of(
                    tool["function"]["name"].as_str().unwrap(),
                    tool["function"]["description"].as_str().unwrap(),
                    &json!({"type": "object", "required": ["city"], "properties": {
                        "city": {"type": "string", "description": "City name"},
                        "days": {"type": "integer", "minimum": 1}}}),
                );
                assert_eq!(offer, *tool);
            }
            "tool_choice_allowed" | "tool_choice_function" => {} // the host's to send
            other => panic!("{other}"),
        }
    }
}
