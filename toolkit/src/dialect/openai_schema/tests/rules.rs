//! Rules of the lowering that no recorded fact covers.

use serde_json::{Value, json};

use super::{lower, reasons, sent, strict};

fn tool(parameter: Value) -> Value {
    json!({"type": "object", "properties": {"p": parameter}, "required": ["p"], "additionalProperties": false})
}

fn parameter(schema: Value) -> Value {
    strict(&tool(schema))["properties"]["p"].clone()
}

fn text(lowered: &super::Lowered) -> String {
    serde_json::to_string(&lowered.parameters).unwrap()
}

#[test]
fn a_tool_without_parameters_is_an_empty_closed_object() {
    let lowered =
        lower(&json!({"type": "object", "properties": {}, "additionalProperties": false}));
    assert!(lowered.strict);
    assert_eq!(
        text(&lowered),
        r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
    );
}

#[test]
fn order_is_that_of_declaration_at_the_root_and_doesnt_hang_on_features_below() {
    let inner = json!({"type": "object", "required": ["z", "kind", "m"], "properties": {
        "opt_b": {"type": "string"}, "m": {"type": "string"}, "kind": {"type": "string", "const": "k"},
        "opt_a": {"type": "string"}, "z": {"type": "string"}}});
    let root = json!({"type": "object", "required": ["b"], "additionalProperties": false,
        "properties": {"a": inner, "c": {"type": "null"}, "b": {"type": "boolean"}}});
    let lowered = super::in_order(&root, &["c", "b", "a"]);
    assert_eq!(
        text(&lowered),
        r#"{"type":"object","properties":{"c":{"type":"null"},"b":{"type":"boolean"},"a":{"type":["object","null"],"properties":{"kind":{"type":"string","const":"k"},"z":{"type":"string"},"m":{"type":"string"},"opt_a":{"type":["string","null"]},"opt_b":{"type":["string","null"]}},"required":["kind","z","m","opt_a","opt_b"],"additionalProperties":false}},"required":["c","b","a"],"additionalProperties":false}"#
    );
}

#[test]
fn what_strict_mode_cant_say_goes_into_the_description() {
    let lowered = lower(&json!({"type": "object", "required": ["query"], "properties": {
        "query": {"type": "string", "description": "Keywords.", "minLength": 3, "maxLength": 20,
            "examples": ["refund invoice"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
        "link": {"type": "string", "format": "uri", "description": "Where."},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}}));
    let properties = &sent(&lowered)["properties"];
    assert_eq!(
        properties["query"]["description"],
        "Keywords. (e.g. \"refund invoice\"; 3 to 20 characters)"
    );
    assert_eq!(
        properties["limit"],
        json!({"type": ["integer", "null"], "minimum": 1, "maximum": 20, "description": "default 5"})
    );
    assert_eq!(properties["link"]["description"], "Where. (format: uri)");
    assert_eq!(properties["tags"]["description"], "no item twice");
    let losses: Vec<String> = lowered.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "query: only described: `minLength`/`maxLength`",
            "link: only described: the format `uri`",
            "tags: only described: `uniqueItems`",
        ]
    );
}

#[test]
fn an_optional_enum_may_be_null() {
    let lowered = strict(&json!({"type": "object", "properties": {
        "unit": {"type": "string", "enum": ["c", "f"], "description": "Scale."}}}));
    assert_eq!(
        lowered["properties"]["unit"],
        json!({"description": "Scale.",
            "anyOf": [{"type": "string", "enum": ["c", "f"]}, {"type": "null"}]})
    );
}

#[test]
fn described_variants_become_one_enum() {
    let colour = json!({"description": "Colour.", "oneOf": [
        {"type": "string", "enum": ["Blue"]},
        {"type": "string", "const": "Red", "description": "Stop."}]});
    let expected = json!({"type": "string", "enum": ["Blue", "Red"], "description": "Colour.\n\n- `Red`: Stop."});
    assert_eq!(parameter(colour.clone()), expected);
    let open =
        json!({"type": "object", "properties": {"c": colour, "any": true}, "required": ["c"]});
    assert_eq!(
        sent(&lower(&open))["properties"]["c"],
        expected,
        "the same where the tool isn't strict"
    );
}

#[test]
fn one_of_needs_branches_that_exclude_each_other() {
    let tagged = |tag: &str, key: &str| {
        json!({"type": "object", "required": ["type", key],
            "properties": {key: {"type": "string"}, "type": {"type": "string", "const": tag}}})
    };
    assert!(lower(&tool(json!({"oneOf": [tagged("a", "x"), tagged("b", "x")]}))).strict);
    assert!(lower(&tool(json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}))).strict);
    assert!(!lower(&tool(json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}))).strict);
    let untagged = |keys: Value| {
        let properties: serde_json::Map<String, Value> = keys
            .as_array()
            .unwrap()
            .iter()
            .map(|key| (key.as_str().unwrap().to_owned(), json!({"type": "string"})))
            .collect();
        json!({"type": "object", "properties": properties, "required": keys})
    };
    assert!(
        lower(&tool(json!({"oneOf": [untagged(json!(["a"])), untagged(json!(["b"]))]}))).strict
    );
    assert_eq!(
        reasons(&tool(json!({"oneOf": [untagged(json!(["a"])), untagged(json!(["a", "b"]))]}))),
        ["p: not strict: branches of `oneOf` that overlap"]
    );
    assert_eq!(
        reasons(&tool(json!({"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b"]}]}))),
        ["p: not strict: branches of `oneOf` that overlap"]
    );
    assert_eq!(
        reasons(&tool(json!({"allOf": [{"const": "c"}, {"enum": ["a", "b"]}]}))),
        ["p: not strict: no value fits"]
    );
    assert!(
        !lower(&tool(json!({"oneOf": [{"type": "string"}], "anyOf": [{"type": "string"}]}))).strict
    );
}

#[test]
fn branches_of_a_union_begin_apart() {
    let object = |keys: &[&str]| {
        let properties: serde_json::Map<String, Value> =
            keys.iter().map(|key| ((*key).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties, "required": keys})
    };
    let lowered =
        lower(&tool(json!({"anyOf": [object(&["from", "to"]), object(&["from", "name"])]})));
    assert!(lowered.strict);
    assert!(
        text(&lowered).contains(r#""properties":{"to":{"type":"string"},"from""#),
        "{}",
        text(&lowered)
    );
    assert!(text(&lowered).contains(r#""required":["to","from"]"#));
    assert_eq!(
        reasons(&tool(json!({"anyOf": [object(&["from"]), {"$ref": "#/$defs/A"}],
            "$comment": ""}))),
        ["p: not strict: the reference `#/$defs/A` isn't local"]
    );
    let mut shared = tool(json!({"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}));
    shared["$defs"] = json!({"A": object(&["from"]), "B": object(&["from", "to"])});
    assert_eq!(
        reasons(&shared),
        ["p: not strict: branches of a union all begin with the key `from`"]
    );
}

#[test]
fn keywords_beside_a_union_go_into_its_branches() {
    let lowered = parameter(json!({"type": "object", "required": ["q"],
        "properties": {"q": {"type": "string"}},
        "oneOf": [
            {"type": "object", "properties": {"t": {"const": "ping"}}, "required": ["t"]},
            {"type": "object", "properties": {"t": {"const": "move"}, "to": {"type": "string"}},
                "required": ["t", "to"]}]}));
    let branch = |tag: &str, more: &[&str]| {
        let mut properties =
            json!({"t": {"type": "string", "const": tag}, "q": {"type": "string"}});
        for key in more {
            properties[key] = json!({"type": "string"});
        }
        let required: Vec<&str> = ["t", "q"].iter().chain(more).copied().collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    assert_eq!(lowered, json!({"anyOf": [branch("ping", &[]), branch("move", &["to"])]}));
}

#[test]
fn recursion_stays_a_reference() {
    let mut schema = tool(json!({"$ref": "#/$defs/Node", "description": "The tree."}));
    schema["$defs"] = json!({"Node": {"type": "object", "required": ["left"], "properties": {
        "left": {"$ref": "#/$defs/Node", "description": "Left of it."},
        "right": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}}});
    let lowered = lower(&schema);
    assert!(lowered.strict);
    let sent = sent(&lowered);
    assert_eq!(sent["properties"]["p"]["description"], "The tree.");
    assert_eq!(sent["properties"]["p"]["properties"]["left"], json!({"$ref": "#/$defs/Node"}));
    assert_eq!(sent["$defs"]["Node"]["additionalProperties"], false);
}

#[test]
fn definitions_that_multiply_end() {
    let mut schema = tool(json!({"$ref": "#/$defs/D0", "description": "d"}));
    let mut definitions = serde_json::Map::new();
    for n in 0..40 {
        let next = json!({"$ref": format!("#/$defs/D{}", n + 1), "description": "d"});
        definitions.insert(
            format!("D{n}"),
            json!({"type": "object", "required": ["a", "b"], "properties": {"a": next, "b": next}}),
        );
    }
    definitions.insert("D40".to_owned(), json!({"type": "string"}));
    schema["$defs"] = Value::Object(definitions);
    assert!(reasons(&schema).iter().any(|reason| reason.contains("nodes")));
    let mut deep = json!({"type": "string"});
    for _ in 0..100 {
        deep = json!({"type": "array", "items": deep});
    }
    assert_eq!(reasons(&tool(deep)), ["not strict: 101 levels of nesting, over 10"]);
}

#[test]
fn every_reason_is_given_at_its_place() {
    let schema = json!({"type": "object", "required": [], "properties": {
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "filters": {"type": "array", "items": {"type": "object", "required": ["op"], "properties": {
            "op": {"type": "string", "pattern": "^(?=a)"}, "value": true}}},
        "keyed": {"type": "object", "propertyNames": {"pattern": "^a"}},
        "list": {"type": "array"}}});
    assert_eq!(
        reasons(&schema),
        [
            "filters[].op: not strict: the pattern `^(?=a)` looks around or back",
            "filters[].value: not strict: any value fits",
            "keyed: not strict: `propertyNames`",
            "labels: not strict: a map whose keys are open (`additionalProperties`)",
            "list[]: not strict: any value fits",
        ]
    );
}

#[test]
fn without_strict_mode_the_schema_stays_as_declared() {
    let schema = json!({"type": "object", "required": ["n"], "additionalProperties": false, "properties": {
        "n": {"type": "integer", "minimum": 1, "default": 3, "description": "How many."},
        "s": {"type": "string", "minLength": 1, "format": "uri"},
        "labels": {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}}});
    let lowered = lower(&schema);
    assert!(!lowered.strict);
    assert_eq!(sent(&lowered), schema);
}

#[test]
fn without_strict_mode_what_the_api_always_refuses_is_rewritten() {
    let schema = json!({"type": "object", "properties": {
        "open": {}, "any": true, "never": false,
        "shape": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        "both": {"oneOf": [{"type": "string"}], "anyOf": [{"type": "string"}]},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}],
            "minItems": 2, "maxItems": 2},
        "head": {"type": "array", "prefixItems": [{"type": "string"}]},
        "list": {"type": "array"},
        "map": {"type": "object", "additionalProperties": true}},
        "required": ["open", "stray"]});
    let sent = sent(&lower(&schema));
    assert_eq!(
        sent["properties"],
        json!({
        "open": {}, "any": {}, "never": {"not": {}},
        "shape": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "both": {"anyOf": [{"type": "string"}], "allOf": [{"anyOf": [{"type": "string"}]}]},
        "pair": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "minItems": 2, "maxItems": 2, "description": "in this order: string, integer"},
        "head": {"type": "array", "items": {}, "description": "in this order: string"},
        "list": {"type": "array", "items": {}},
        "map": {"type": "object", "properties": {}, "additionalProperties": true}})
    );
    assert_eq!(sent["required"], json!(["open"]));
}

#[test]
fn a_composed_root_is_widened_to_one_object() {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"],
        "oneOf": [
            {"type": "object", "properties": {"type": {"const": "ping"}}, "required": ["type"]},
            {"$ref": "#/$defs/Move"}],
        "$defs": {"Move": {"type": "object", "required": ["type", "to"],
            "properties": {"type": {"const": "move"}, "to": {"type": "string"}}}}});
    let sent = sent(&lower(&schema));
    assert_eq!(
        sent["properties"],
        json!({"q": {"type": "string"}, "to": {"type": "string"},
        "type": {"anyOf": [{"const": "ping"}, {"const": "move"}]}})
    );
    assert_eq!(sent["required"], json!(["q", "type"]));
}

#[test]
fn a_union_of_overlapping_strings_and_null_keeps_null_once() {
    let lowered = strict(&json!({"type": "object", "properties": {
        "e": {"anyOf": [{"$ref": "#/$defs/E"}, {"type": "null"}]},
        "f": {"$ref": "#/$defs/E", "default": "A"}},
        "$defs": {"E": {"type": "string", "enum": ["A", "B"]}}}));
    assert_eq!(
        lowered["properties"]["e"],
        json!({"anyOf": [{"$ref": "#/$defs/E"}, {"type": "null"}]})
    );
    assert_eq!(
        lowered["properties"]["f"],
        json!({"description": "default \"A\"",
        "anyOf": [{"type": "string", "enum": ["A", "B"]}, {"type": "null"}]})
    );
}
