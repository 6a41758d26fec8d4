//! Arbitrary small schemas and arbitrary arguments, with the crate `jsonschema` over the schema as it
//! came for a judge.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::*;
use crate::problem::{MAX_TEXT, invalid_text};
use crate::schema::{Reach, Stride};

const NAMES: [&str; 4] = ["a", "b", "c/d", "ünï"];

fn name() -> impl Strategy<Value = &'static str> {
    select(&NAMES[..])
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3..12_i64).prop_map(Value::from),
        select(vec![json!(0.5), json!(2.0), json!(1e30), json!(u64::MAX)]),
        "[ab\"é]{0,3}".prop_map(Value::from),
        select(vec![json!("2026-03-02"), json!("192.0.2.1"), json!("(")]),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((name(), inner), 0..3).prop_map(object),
        ]
    })
}

fn object<K: Into<String>>(members: Vec<(K, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn arguments() -> impl Strategy<Value = Value> {
    vec((name(), value()), 0..4).prop_map(object)
}

/// One keyword and its value.
fn keyword(
    inner: impl Strategy<Value = Value> + Clone + 'static,
) -> BoxedStrategy<(&'static str, Value)> {
    let many = vec(inner.clone(), 1..3).prop_map(Value::from);
    let named = vec((name(), inner.clone()), 0..3).prop_map(object);
    let names = subsequence(NAMES.to_vec(), 0..3).prop_map(|names| json!(names));
    let count = (0..3_u8).prop_map(Value::from);
    let number = select(vec![json!(0), json!(2), json!(2.5), json!(-1), json!(5.0)]);
    prop_oneof![
        (select(&["string", "number", "integer", "boolean", "array", "object", "null"][..]))
            .prop_map(|word| ("type", json!(word))),
        Just(("type", json!(["object", "null", "integer"]))),
        value().prop_map(|value| ("const", value)),
        vec(value(), 1..3).prop_map(|values| ("enum", values.into())),
        (select(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"][..]), number),
        (select(&["multipleOf"][..]), select(vec![json!(2), json!(0.5)])),
        (
            select(
                &[
                    "minLength",
                    "maxLength",
                    "minItems",
                    "maxItems",
                    "minProperties",
                    "maxProperties",
                    "minContains",
                ][..]
            ),
            count
        ),
        Just(("uniqueItems", json!(true))),
        select(&["^a", "b$", "[^a]", r"\d|ü", r"\p{L}"][..]).prop_map(|p| ("pattern", json!(p))),
        select(&["date", "ipv4", "regex", "none"][..]).prop_map(|name| ("format", json!(name))),
        (select(&["properties", "properties", "dependentSchemas"][..]), named),
        vec((select(&["^a", "ü", r"\p{L}"][..]), inner.clone()), 1..2)
            .prop_map(|by| ("patternProperties", object(by))),
        names.clone().prop_map(|names| ("required", names)),
        names.prop_map(|names| ("dependentRequired", json!({ "a": names }))),
        (select(&["allOf", "anyOf", "oneOf", "prefixItems"][..]), many),
        (
            select(
                &[
                    "not",
                    "items",
                    "contains",
                    "if",
                    "then",
                    "else",
                    "propertyNames",
                    "unevaluatedProperties",
                    "unevaluatedItems",
                ][..]
            ),
            inner
        ),
        select(vec!["#/$defs/x", "#/$defs/x", "#/$defs/y", "#"]).prop_map(|to| ("$ref", json!(to))),
    ]
    .boxed()
}

fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        4 => Just(json!({})),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({ "$ref": "#/$defs/x" })),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        // Open or closed as it says, so that what is added to a schema changes nothing.
        (vec(keyword(inner), 0..4), any::<bool>()).prop_map(|(members, open)| {
            let mut schema = object(members);
            schema["additionalProperties"] = open.into();
            schema
        })
    })
    .boxed()
}

/// The schema of an object, with definitions that may refer to each other.
fn root() -> impl Strategy<Value = Value> {
    (schema(), schema(), schema()).prop_map(|(root, x, y)| {
        let mut root = if root.is_object() { root } else { json!({}) };
        root["additionalProperties"] =
            root.get("additionalProperties").cloned().unwrap_or(json!(true));
        root["type"] = json!("object");
        root["$defs"] = json!({ "x": x, "y": y });
        root
    })
}

fn judge(schema: &Value) -> Option<jsonschema::Validator> {
    let options = jsonschema::options().should_validate_formats(true);
    options.with_draft(jsonschema::Draft::Draft202012).build(schema).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_the_schema_refuses_never_reaches_a_body(schema in root(), args in vec(arguments(), 6)) {
        let Ok(contract) = Contract::of_given(&schema) else { return Ok(()) };
        let judge = judge(&schema).expect("a schema that is taken is one");
        for args in args {
            let text = args.to_string();
            let read = contract.read_given(&text);
            if let Some(read) = &read {
                prop_assert_eq!(read, &args);
                prop_assert!(judge.is_valid(&args), "let through: {} by {}", text, schema);
            }
            match settle(&contract, &[], &text, false) {
                Ok(settled) => {
                    let read = contract.read_given(&settled.text);
                    prop_assert!(read.is_some_and(|read| judge.is_valid(&read)), "{} {}", text, schema);
                }
                Err(Rejection::Invalid(problems)) => {
                    prop_assert!(read.is_none(), "{} is read", text);
                    prop_assert!(!problems.is_empty());
                    prop_assert!(invalid_text("t", &problems).len() <= MAX_TEXT);
                    // What fits is taken, as far as `null` doesn't stand for nothing.
                    prop_assert!(!judge.is_valid(&args), "refused: {} by {}: {:?}", text, schema, problems);
                }
                Err(other) => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn arbitrary_json_is_a_schema_or_is_not(schema in value(), text in "\\PC{0,20}") {
        if let Ok(contract) = Contract::of_given(&schema) {
            let _ = contract.read_given(&text);
            let _ = settle(&contract, &[], &text, true);
        }
    }

    /// Who writes a rule may ask for whatever a call may hold.
    #[test]
    fn what_fits_is_what_may_stand_there(schema in root(), args in vec(arguments(), 6)) {
        let Ok(contract) = Contract::of_given(&schema) else { return Ok(()) };
        for args in args {
            let Some(Value::Object(members)) = contract.read_given(&args.to_string()) else { continue };
            for (key, value) in &members {
                let reach = contract.reach(&[Stride::Key(key.as_str().into())]);
                prop_assert!(reach.is_ok(), "{} in {} of {}", key, args, schema);
                let Ok(reach) = reach else { continue };
                prop_assert!(may_stand(&reach, value), "{} of {} in {}", value, args, schema);
            }
        }
    }
}

fn may_stand(reach: &Reach<'_>, value: &Value) -> bool {
    let kind = match value {
        Value::String(_) => reach.has_strings(),
        Value::Number(_) => reach.has_numbers(),
        Value::Array(_) => reach.has_arrays(),
        _ => true,
    };
    let elements = value.as_array().filter(|list| !list.is_empty());
    kind && reach.has_value(&value.to_string())
        && elements.is_none_or(|list| list.iter().all(|one| may_stand(&reach.elements(), one)))
}
