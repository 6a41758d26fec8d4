//! Whatever the schema: nothing panics, no claim is false, and the bytes are the same each time.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{lower, sent};

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3i64..3).prop_map(Value::from),
        Just(json!(1.5)),
        "[ab]{0,2}".prop_map(Value::from),
    ]
}

fn kind() -> impl Strategy<Value = Value> {
    let one = prop::sample::select(vec![
        "object", "array", "string", "integer", "number", "boolean", "null", "odd",
    ]);
    prop_oneof![
        8 => one.clone().prop_map(Value::from),
        2 => prop::collection::vec(one, 0..3).prop_map(Value::from),
    ]
}

/// Keywords whose values hold no schema, some of them of the wrong shape.
fn plain() -> impl Strategy<Value = (String, Value)> {
    let named = |key: &'static str, value: BoxedStrategy<Value>| {
        value.prop_map(move |value| (key.to_owned(), value)).boxed()
    };
    let count = || (0u64..4).prop_map(Value::from).boxed();
    prop_oneof![
        8 => named("type", kind().boxed()),
        1 => named("description", Just(json!("What it is.")).boxed()),
        1 => named("title", Just(json!("T")).boxed()),
        1 => named("default", scalar().boxed()),
        1 => named("const", scalar().boxed()),
        1 => named("enum", prop::collection::vec(scalar(), 0..3).prop_map(Value::from).boxed()),
        1 => named("minLength", count()),
        1 => named("maxItems", count()),
        1 => named("minimum", scalar().boxed()),
        1 => named("uniqueItems", any::<bool>().prop_map(Value::from).boxed()),
        1 => named("pattern", prop::sample::select(vec!["^a$", "(?=a)", "(?i)a", "\\"]).prop_map(Value::from).boxed()),
        1 => named("format", prop::sample::select(vec!["uuid", "uri", "int32"]).prop_map(Value::from).boxed()),
        1 => named("$ref", prop::sample::select(vec!["#", "#/$defs/A", "#/$defs/B", "#/$defs/Z", "x"]).prop_map(Value::from).boxed()),
        1 => named("required", prop::collection::vec("[abc]", 0..3).prop_map(Value::from).boxed()),
        1 => named("x-note", scalar().boxed()),
        1 => named("odd", scalar().boxed()),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let map = |members: Vec<(String, Value)>| Value::Object(Map::from_iter(members));
    let leaf = prop_oneof![
        9 => prop::collection::vec(plain(), 0..4).prop_map(map),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from);
        let members = prop::collection::vec(("[abc]", inner.clone()), 0..4).prop_map(map);
        let holding = prop_oneof![
            4 => (Just("properties"), members.clone().boxed()),
            1 => (Just("patternProperties"), members.boxed()),
            2 => (Just("items"), inner.clone().boxed()),
            1 => (Just("additionalProperties"), inner.clone().boxed()),
            1 => (Just("not"), inner.boxed()),
            2 => (prop::sample::select(vec!["anyOf", "oneOf", "allOf", "prefixItems"]), list.boxed()),
        ]
        .prop_map(|(key, value)| (key.to_owned(), value));
        (prop::collection::vec(plain(), 0..4), prop::collection::vec(holding, 1..3))
            .prop_map(move |(plain, holding)| map(plain.into_iter().chain(holding).collect()))
    })
}

fn tool() -> impl Strategy<Value = Value> {
    let parameters = prop::collection::vec(("[abc]", schema()), 0..4);
    let definitions = prop::collection::vec(("[AB]", schema()), 0..3);
    (parameters, definitions, prop::option::of(schema())).prop_map(
        |(parameters, definitions, odd)| {
            let mut root = json!({"type": "object", "additionalProperties": false,
            "properties": Map::from_iter(parameters), "required": ["a"]});
            // Now and then a root that no tool of ours has.
            if let Some(Value::Object(odd)) = odd {
                root.as_object_mut().unwrap().extend(odd);
            }
            root["$defs"] = Value::Object(Map::from_iter(definitions));
            root
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// `lower` of the tests holds each result to the oracle.
    #[test]
    fn every_schema_has_a_true_form(schema in tool()) {
        let first = lower(&schema);
        let second = lower(&schema);
        prop_assert_eq!(first.strict, second.strict);
        prop_assert_eq!(
            serde_json::to_string(&first.parameters).unwrap(),
            serde_json::to_string(&second.parameters).unwrap()
        );
    }

    /// What is strict already stays so.
    #[test]
    fn a_strict_form_is_strict_again(schema in tool()) {
        let first = lower(&schema);
        if first.strict {
            let again = lower(&sent(&first));
            prop_assert!(again.strict, "{:?}", again.losses);
        }
    }
}
