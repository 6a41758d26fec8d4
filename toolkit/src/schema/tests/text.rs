//! The schema as the model sees it.

use std::collections::BTreeMap;

use super::*;

#[test]
fn no_parameters() {
    assert_eq!(
        contract(&[]).text(),
        r#"{"type":"object","properties":{},"additionalProperties":false}"#
    );
}

#[test]
fn plain_parameters_in_declared_order() {
    const P0: Param<String> = with_length(param("query", "Keywords."), Some(1), Some(200));
    const P1: Param<u8> = with_range(
        with_default(param("limit", "How many."), || 5),
        &Range(Some(1), Some(20), true),
    );
    const P2: Param<Option<u8>> = with_example(param("after", "From here."), || Some(3));
    const P3: Param<Vec<f64>> = param("at", "Where.");
    const P4: Param<u64> = with_range(param("big", "Big."), &Range(None, Some(10), false));
    assert_eq!(
        contract(&[&P0, &P1, &P2, &P3, &P4]).text(),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""query":{"type":"string","description":"Keywords.","minLength":1,"maxLength":200},"#,
            r#""limit":{"type":"integer","description":"How many.","minimum":1,"maximum":20,"default":5},"#,
            r#""after":{"type":"integer","description":"From here.","minimum":0,"maximum":255,"examples":[3]},"#,
            r#""at":{"type":"array","description":"Where.","items":{"type":"number"}},"#,
            r#""big":{"type":"integer","description":"Big.","minimum":0,"maximum":9}"#,
            r#"},"required":["query","at","big"],"additionalProperties":false}"#
        )
    );
}

#[test]
fn nested_types_are_defined_once_and_closed() {
    const P0: Param<Option<Vec<Filter>>> = param("filters", "All must hold.");
    const P1: Param<Op> = param("op", "Which one.");
    const P2: Param<Filter> = param("main", "The main one.");
    assert_eq!(
        contract(&[&P0, &P1, &P2]).text(),
        concat!(
            r##"{"type":"object","properties":{"##,
            r##""filters":{"type":"array","description":"All must hold.","items":{"$ref":"#/$defs/Filter"}},"##,
            r##""op":{"type":"string","description":"Which one.\n\n- `eq`: Equal.\n- `gt`: Greater.","enum":["contains","eq","gt"]},"##,
            r##""main":{"$ref":"#/$defs/Filter","description":"The main one."}"##,
            r##"},"required":["op","main"],"additionalProperties":false,"$defs":{"Filter":{"type":"object","properties":{"##,
            r##""field":{"type":"string","description":"Which field."},"##,
            r##""op":{"type":"string","description":"- `eq`: Equal.\n- `gt`: Greater.","enum":["contains","eq","gt"]},"##,
            r##""value":{"type":"string"},"##,
            r##""negate":{"type":"boolean","default":false},"note":{"type":"string"}},"##,
            r##""required":["field","op","value"],"additionalProperties":false}}}"##
        )
    );
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Node {
    label: String,
    children: Vec<Node>,
    parent: Option<Box<Node>>,
}

#[test]
fn recursion_stays_below_the_root() {
    const P0: Param<Node> = param("a", "First.");
    const P1: Param<Node> = param("b", "Second.");
    let contract = contract(&[&P0, &P1]);
    let value = contract.value();
    assert_eq!(value["$defs"].as_object().unwrap().len(), 1);
    assert_eq!(value["properties"]["a"]["$ref"], "#/$defs/Node");
    assert_eq!(value["$defs"]["Node"]["properties"]["children"]["items"]["$ref"], "#/$defs/Node");
    assert_eq!(value["$defs"]["Node"]["properties"]["parent"]["$ref"], "#/$defs/Node");
    let whole = Contract::of_type::<Node>().unwrap();
    assert_eq!(whole.value()["type"], "object");
    assert_eq!(whole.value()["properties"]["children"]["items"]["$ref"], "#/$defs/Node");
    assert_eq!(whole.value()["$defs"]["Node"]["type"], "object");
}

mod other {
    use super::*;
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    pub(super) struct Node {
        weight: u32,
    }
}

#[test]
fn types_of_one_name_are_kept_apart() {
    const P0: Param<Node> = param("a", "First.");
    const P1: Param<other::Node> = param("b", "Second.");
    let contract = contract(&[&P0, &P1]);
    let value = contract.value();
    assert_eq!(value["properties"]["b"]["$ref"], "#/$defs/Node2");
    assert!(value["$defs"]["Node2"]["properties"]["weight"].is_object());
    every_reference_resolves(value);
}

fn every_reference_resolves(root: &Value) {
    fn walk(root: &Value, value: &Value) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(to)) = members.get("$ref") {
                    assert!(root.pointer(to.strip_prefix('#').unwrap()).is_some(), "{to}");
                }
                members.values().for_each(|value| walk(root, value));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(root, value)),
            _ => {}
        }
    }
    walk(root, root);
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[allow(dead_code)]
struct TicketId(u64);

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Nulls {
    #[serde(default)]
    a: Option<u8>,
    #[serde(default = "five")]
    b: Option<u8>,
    c: Option<TicketId>,
    d: Vec<Option<u8>>,
    #[serde(default = "ten")]
    n: u32,
}
fn five() -> Option<u8> {
    Some(5)
}
fn ten() -> u32 {
    10
}

#[test]
fn null_stays_only_where_it_says_more_than_absence() {
    const P0: Param<Nulls> = param("o", "Nulls.");
    const P1: Param<Option<u8>> = with_default(param("d", "With a default."), || Some(5));
    const P2: Param<Option<TicketId>> = param("t", "Of a ticket.");
    let contract = contract(&[&P0, &P1, &P2]);
    let value = contract.value();
    let nested = &value["$defs"]["Nulls"];
    assert_eq!(nested["properties"]["a"]["type"], "integer");
    assert_eq!(nested["properties"]["a"].get("default"), None);
    assert_eq!(nested["properties"]["b"]["type"], serde_json::json!(["integer", "null"]));
    assert_eq!(nested["properties"]["b"]["default"], 5);
    assert_eq!(nested["properties"]["c"], serde_json::json!({"type": "integer", "minimum": 0}));
    assert_eq!(nested["properties"]["d"]["items"]["type"], serde_json::json!(["integer", "null"]));
    assert_eq!(nested["properties"]["n"]["default"], 10);
    assert_eq!(nested["required"], serde_json::json!(["d"]));
    assert_eq!(value["properties"]["d"]["type"], serde_json::json!(["integer", "null"]));
    assert_eq!(
        value["properties"]["t"],
        serde_json::json!({"type": "integer", "minimum": 0, "description": "Of a ticket."})
    );
}

#[test]
fn maps_stay_open_and_values_too() {
    const P0: Param<BTreeMap<String, u8>> = param("labels", "By name.");
    const P1: Param<Value> = param("any", "Anything.");
    const P2: Param<serde_json::Map<String, Value>> = param("free", "Any object.");
    let contract = contract(&[&P0, &P1, &P2]);
    assert_eq!(
        contract.text(),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""labels":{"type":"object","description":"By name.","additionalProperties":{"type":"integer","minimum":0,"maximum":255}},"#,
            r#""any":{"description":"Anything."},"#,
            r#""free":{"type":"object","description":"Any object.","additionalProperties":true}"#,
            r#"},"required":["labels","any","free"],"additionalProperties":false}"#
        )
    );
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Flat {
    own: u8,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)]
enum Shape {
    Round { radius: u8 },
    Square { side: u8 },
    Named(TicketName),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct TicketName {
    name: String,
}

#[test]
fn joined_objects_stay_open_in_the_text() {
    const P0: Param<Flat> = param("flat", "Flattened.");
    const P1: Param<Shape> = param("shape", "Tagged.");
    const P2: Param<TicketName> = param("name", "Alone.");
    let contract = contract(&[&P0, &P1, &P2]);
    let value = contract.value();
    every_reference_resolves(value);
    let defs = &value["$defs"];
    assert_eq!(defs["Flat"].get("additionalProperties"), None);
    assert_eq!(defs["Shape"]["oneOf"][0]["additionalProperties"], false);
    assert_eq!(defs["Shape"]["oneOf"][2].get("additionalProperties"), None);
    assert_eq!(defs["TicketName"].get("additionalProperties"), None);
}

#[test]
fn a_secrets_default_and_example_are_not_shown() {
    const P0: Param<String> = with_secret(with_example(
        with_default(param("pin", "A pin."), || "s3cret".to_owned()),
        || "s3cret2".to_owned(),
    ));
    assert_eq!(
        contract(&[&P0]).text(),
        r#"{"type":"object","properties":{"pin":{"type":"string","description":"A pin."}},"additionalProperties":false}"#
    );
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "a/b~c %é\"d")]
#[allow(dead_code)]
struct Strange {
    #[serde(rename = "x\\y\"z\n")]
    x: u8,
}

#[test]
fn strange_names_are_written_and_read_right() {
    const P0: Param<Strange> = param("strange", "Strange.");
    let contract = contract(&[&P0]);
    let definition = &contract.value()["$defs"]["a/b~c %é\"d"];
    assert!(definition["properties"]["x\\y\"z\n"].is_object());
    assert_eq!(
        contract.value()["properties"]["strange"]["$ref"],
        "#/$defs/a~1b~0c%20%25%C3%A9%22d"
    );
    assert_eq!(
        told(&[&P0], r#"{"strange":{"x\\y\"z\n":1.0}}"#, false),
        r#"{"strange":{"x\\y\"z\n":1}}"#
    );
    assert_eq!(
        told(&[&P0], r#"{"strange":{"xyz":1}}"#, false),
        "strange.xyz: unknown argument\nstrange[\"x\\\\y\\\"z\\n\"]: required, missing"
    );
}

#[test]
fn what_cannot_be_held_to_is_an_error() {
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Odd {
        #[schemars(extend("if" = {"type": "string"}, "multipleOf" = 5, "x-note" = 1))]
        a: u8,
    }
    const P0: Param<Odd> = param("odd", "Odd.");
    let error = Contract::of_parameters(&[&P0], |_| None).err().unwrap().to_string();
    assert!(
        error.contains("`if`") && error.contains("`multipleOf`") && error.contains("Odd"),
        "{error}"
    );
    const P1: Param<String> = with_pattern(param("p", "Pattern."), "(");
    let error = Contract::of_parameters(&[&P1], |_| None).err().unwrap().to_string();
    assert!(error.starts_with("parameter `p`: pattern `(`"), "{error}");
    assert!(check_pattern("^a+$").is_ok() && check_pattern("(?=a)").is_err());
    const P2: Param<u8> = with_range(
        with_default(param("limit", "How many."), || 50),
        &Range(Some(1), Some(20), true),
    );
    assert_eq!(
        Contract::of_parameters(&[&P2], |_| None).err().unwrap().to_string(),
        "parameter `limit`: its default 50 doesn't fit it: expected integer from 1 to 20"
    );
}

#[test]
fn a_type_as_the_whole_must_be_a_plain_object() {
    assert!(Contract::of_type::<Shape>().is_err());
    assert!(Contract::of_type::<Flat>().is_err());
    assert!(Contract::of_type::<u8>().is_err());
    assert!(Contract::of_type::<Value>().is_err());
    assert!(Contract::of_type::<Vec<u8>>().is_err());
    assert_eq!(
        Contract::of_type::<TicketName>().unwrap().text(),
        r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}"#
    );
    assert_eq!(Contract::of_type::<()>().unwrap().text(), contract(&[]).text());
    assert!(Contract::of_type::<BTreeMap<String, u8>>().is_ok());

    #[derive(Deserialize, JsonSchema)]
    struct Braces {}
    #[derive(Deserialize, JsonSchema)]
    struct Unit;
    assert_eq!(Contract::of_type::<Braces>().unwrap().text(), contract(&[]).text());
    assert_eq!(Contract::of_type::<Unit>().unwrap().text(), contract(&[]).text());
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Circle(Box<Circle>);
    assert!(Contract::of_type::<Circle>().is_err());
}

#[test]
fn the_output_has_its_own_definitions() {
    let contract =
        Contract::of_parameters(&[], |g| Some(g.subschema_for::<Vec<Filter>>())).unwrap();
    let output = contract.output().unwrap();
    assert_eq!(output["items"]["$ref"], "#/$defs/Filter");
    every_reference_resolves(output);
    assert_eq!(super::contract(&[]).output(), None);

    let whole = Contract::of_parameters(&[], |g| Some(g.subschema_for::<Node>())).unwrap();
    let output = whole.output().unwrap();
    assert_eq!((output.get("$ref"), &output["type"]), (None, &Value::from("object")));
    every_reference_resolves(output);
    let nothing = Contract::of_parameters(&[], |g| Some(g.subschema_for::<()>())).unwrap();
    assert_eq!(nothing.output(), None);
}
