//! Every recorded fact about schemas, and every shape that schemars writes.

use serde_json::{Value, json};

use super::{lower, oracle, sent, strict};

fn data() -> Value {
    serde_json::from_str(include_str!("../../../../tests/data/openai_vectors.json")).unwrap()
}

fn vectors(kind: &str) -> Vec<Value> {
    let data = data();
    let all = data["vectors"].as_array().unwrap();
    let found: Vec<Value> = all.iter().filter(|one| one["kind"] == kind).cloned().collect();
    assert!(!found.is_empty(), "no vector of kind {kind}");
    found
}

/// A schema without what lowering may change freely: names, remarks, the order of `required`,
/// numeric formats and defaults, and definitions that nothing refers to.
fn bare(schema: &Value) -> Value {
    let text = schema.to_string();
    fn strip(value: &Value, text: &str) -> Value {
        match value {
            Value::Object(map) => map
                .iter()
                .filter(|(key, value)| match key.as_str() {
                    "title" | "description" | "default" => value.is_object(),
                    "format" => {
                        !["int32", "uint32", "uint64", "double"].iter().any(|f| *value == f)
                    }
                    _ => true,
                })
                .filter_map(|(key, value)| match (key.as_str(), value) {
                    ("required", Value::Array(names)) => {
                        let mut names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                        names.sort_unstable();
                        Some((key.clone(), json!(names)))
                    }
                    ("$defs", Value::Object(all)) => {
                        let used = all
                            .iter()
                            .filter(|(name, _)| text.contains(&format!("\"#/$defs/{name}\"")))
                            .map(|(name, one)| (name.clone(), strip(one, text)))
                            .collect::<serde_json::Map<_, _>>();
                        (!used.is_empty()).then(|| (key.clone(), Value::Object(used)))
                    }
                    _ => Some((key.clone(), strip(value, text))),
                })
                .collect(),
            Value::Array(items) => items.iter().map(|item| strip(item, text)).collect(),
            scalar => scalar.clone(),
        }
    }
    strip(schema, &text)
}

#[test]
fn verdicts_of_the_api() {
    for vector in vectors("schema_verdict") {
        let (id, given) = (&vector["id"], &vector["given"]);
        let verdict = oracle::strict(given);
        if vector["expected"]["verdict"] == "accept" {
            assert_eq!(verdict, Ok(()), "{id}");
            assert_eq!(bare(&strict(given)), bare(given), "{id}");
            continue;
        }
        assert!(verdict.is_err(), "{id}: the oracle accepts it");
        match vector["expected"].get("fix") {
            Some(fix) => assert_eq!(bare(&strict(given)), bare(fix), "{id}"),
            None => assert!(!lower(given).strict, "{id}"),
        }
    }
}

/// Where our result differs from that of an SDK's helper, with the reason.
fn better_than_the_sdk(id: &str) -> Option<Value> {
    let enum_or_null = json!({"anyOf": [
        {"type": "string", "enum": ["Red", "Green", "blue-ish"]}, {"type": "null"}]});
    let object = |properties: Value| {
        let keys: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
        json!({"type": "object", "properties": properties, "required": keys, "additionalProperties": false})
    };
    Some(match id {
        // A value that may be left out must stay so: the helper makes the model invent one.
        "sdk.openai_py.DefaultEnum" => object(json!({"e": enum_or_null})),
        "sdk.openai_py.DefaultU32" => {
            object(json!({"a": {"type": ["integer", "null"], "minimum": 0}}))
        }
        "sdk.openai_py.x_optional_plain" => {
            object(json!({"a": {"type": "string"}, "b": {"type": ["string", "null"]}}))
        }
        // The helper overlooks an object whose type is a list, and leaves it open.
        "sdk.openai_py.OptInline" => {
            let mut inner = object(json!({"z": {"type": "integer"}}));
            inner["type"] = json!(["object", "null"]);
            object(json!({"o": inner}))
        }
        _ => return None,
    })
}

/// Schemas that an SDK's helper refuses and that have a true strict form all the same.
const LOWERED_WHERE_THE_SDK_REFUSES: [&str; 8] = [
    "Arr0",
    "HasExternal",
    "HasUnitEnumDoc",
    "NonZero",
    "Set",
    "Tuple",
    "x_nested_oneof",
    "x_optional_plain",
];

#[test]
fn helpers_of_the_sdks() {
    for vector in vectors("schema_transform") {
        let (id, given) = (vector["id"].as_str().unwrap(), &vector["given"]);
        let theirs = &vector["expected"]["transformed"];
        let short = id.rsplit('.').next().unwrap();
        match (vector["use"].as_str().unwrap(), vector["expected"]["verdict"].as_str().unwrap()) {
            ("reference", "transform") => {
                let expected = better_than_the_sdk(id).unwrap_or_else(|| theirs.clone());
                assert_eq!(bare(&strict(given)), bare(&expected), "{id}");
            }
            ("reference", "reject") => {
                let ours = lower(given).strict;
                assert_eq!(ours, LOWERED_WHERE_THE_SDK_REFUSES.contains(&short), "{id}");
            }
            ("hazard", "transform") => {
                // What the helper makes is refused by the API; `lower` checks that ours isn't.
                assert!(oracle::strict(theirs).is_err(), "{id}");
                assert_ne!(sent(&lower(given)), *theirs, "{id}");
            }
            other => panic!("{id}: {other:?}"),
        }
    }
}

/// Which of schemars' shapes can't be strict, with the loss that says so.
const NOT_STRICT: [(&str, &str); 13] = [
    ("AnyValue", "v: not strict: any value fits"),
    ("FlatEnum", "not strict: `oneOf` at the root"),
    ("FlatMap", "not strict: a map whose keys are open (`additionalProperties`)"),
    ("JsonMap", "m: not strict: a map whose keys are open (`additionalProperties`)"),
    ("MapAny", "m: not strict: a map whose keys are open (`additionalProperties`)"),
    ("MapI32", "m: not strict: a map whose keys are open (`additionalProperties`)"),
    ("MapKeyU32", "m: not strict: a map whose keys follow a pattern (`patternProperties`)"),
    ("OptAny", "v: not strict: any value fits"),
    ("RootInternal", "not strict: `oneOf` at the root"),
    ("RootString", "not strict: the root is no object"),
    ("RootUnit", "not strict: the root is no object"),
    ("RootVec", "not strict: the root is no object"),
    ("VecAny", "v[]: not strict: any value fits"),
];

#[test]
fn shapes_of_schemars() {
    let data = data();
    let shapes = data["schemars"].as_array().unwrap();
    assert!(shapes.len() > 60);
    for shape in shapes {
        let id = shape["id"].as_str().unwrap().trim_start_matches("schemars.");
        let lowered = lower(&shape["emits"]);
        match NOT_STRICT.iter().find(|(name, _)| *name == id) {
            Some((_, reason)) => {
                let losses: Vec<String> = lowered.losses.iter().map(ToString::to_string).collect();
                assert_eq!(losses, [*reason], "{id}");
            }
            None => assert!(lowered.strict, "{id}: {:?}", lowered.losses),
        }
    }
}

#[test]
fn limits_of_strict_mode() {
    for vector in vectors("limit") {
        let id = vector["id"].as_str().unwrap();
        let Some(what) = id.strip_prefix("limit.openai_strict.") else {
            continue; // limits of a catalog, not of a schema
        };
        let (over, within) = match what {
            "enum_1001" => (enums(1001), enums(1000)),
            "nesting_11" => (nested(11), nested(10)),
            "properties_5001" => (wide(5001), wide(5000)),
            "string_budget" => (named(120_001), named(120_000)),
            other => panic!("{other}"),
        };
        assert!(!lower(&over).strict, "{id}");
        assert!(lower(&within).strict, "{id}: {:?}", lower(&within).losses);
    }
    let long = |chars: usize| {
        let mut values: Vec<String> = (0..250).map(|n| format!("{n:03}")).collect();
        values.push("x".repeat(chars - 750));
        json!({"type": "object", "properties": {"e": {"type": "string", "enum": values}}, "required": ["e"]})
    };
    assert!(lower(&long(15_000)).strict);
    assert!(!lower(&long(15_001)).strict);
}

fn enums(count: usize) -> Value {
    let group = |from: usize, to: usize| {
        let values: Vec<String> = (from..to).map(|n| format!("v{n}")).collect();
        json!({"type": "string", "enum": values})
    };
    let groups: serde_json::Map<String, Value> = (0..count.div_ceil(200))
        .map(|n| (format!("e{n}"), group(n * 200, count.min(n * 200 + 200))))
        .collect();
    let required: Vec<&String> = groups.keys().collect();
    json!({"type": "object", "properties": groups, "required": required})
}

fn nested(levels: usize) -> Value {
    let mut schema =
        json!({"type": "object", "properties": {"leaf": {"type": "string"}}, "required": ["leaf"]});
    for _ in 1..levels {
        schema = json!({"type": "object", "properties": {"next": schema}, "required": ["next"]});
    }
    schema
}

fn wide(properties: usize) -> Value {
    let all: serde_json::Map<String, Value> =
        (0..properties).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    let required: Vec<&String> = all.keys().collect();
    json!({"type": "object", "properties": all, "required": required})
}

fn named(chars: usize) -> Value {
    let names = [chars / 2, chars - chars / 2].map(|len| "n".repeat(len));
    let names = [names[0].clone(), format!("m{}", &names[1][1..])];
    let all: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": all, "required": names})
}
