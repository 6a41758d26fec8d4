//! However a schema is made and whatever is sent, a check ends.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::*;

#[test]
fn schemas_have_bounds() {
    let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({ "not": inner }));
    let wide = |n: usize| {
        let properties: serde_json::Map<_, _> =
            (0..n).map(|i| (i.to_string(), json!({}))).collect();
        json!({ "properties": properties })
    };
    given(&wide(9_000));
    assert!(refused(&wide(11_000)).contains("more than 20000 values"));
    assert!(refused(&nested(70)).contains("more than 64 levels"));
    assert!(refused(&nested(40)).contains("too many schemas look at one value"));
    assert!(refused(&json!({ "description": "x".repeat(2 << 20) })).contains("bytes of text"));
    let huge = refused(&json!({ "properties": { "a": { "pattern": "((a{100}){100}){100}" } } }));
    assert!(huge.contains("`#/properties/a/pattern`"), "{huge}");
}

/// Definitions of which each asks the next one twice.
fn doubling(levels: usize, ask: impl Fn(Value) -> Value) -> Value {
    let mut defs = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(format!("d{level}"), ask(next));
    }
    defs.insert(format!("d{levels}"), json!({ "type": "string" }));
    json!({ "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": defs })
}

#[test]
fn definitions_that_double_take_no_time() {
    let started = Instant::now();
    given(&doubling(60, |next| json!({ "properties": { "a": next, "b": next } })));
    let told = refused(&doubling(60, |next| json!({ "allOf": [next, next] })));
    assert!(told.contains("too many schemas look at one value together"), "{told}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_schema_that_asks_itself_is_refused() {
    for circle in [
        json!({ "$ref": "#/$defs/a" }),
        json!({ "if": { "$ref": "#/$defs/a" } }),
        json!({ "allOf": [{ "dependentSchemas": { "q": { "$ref": "#/$defs/a" } } }] }),
        json!({ "not": { "$ref": "#/$defs/a" } }),
    ] {
        let schema =
            json!({ "properties": { "x": { "$ref": "#/$defs/a" } }, "$defs": { "a": circle } });
        assert!(refused(&schema).contains("refers to itself in place"), "{schema}");
    }
}

/// Alternatives of which each may hold the same alternatives, or what is left over by others: a check
/// that tries all would take twice as long for each level.
#[test]
fn arguments_that_nest_alternatives_take_no_time() {
    let next = json!({ "$ref": "#/$defs/t" });
    let kinds = json!({ "anyOf": [
        { "properties": { "a": next, "n": { "multipleOf": 2 } }, "required": ["q"] },
        { "properties": { "a": next }, "required": ["r"] },
        { "type": "integer" },
    ] });
    let left_over = json!({
        "allOf": [{ "properties": { "a": next } }],
        "unevaluatedProperties": false,
        "multipleOf": 2,
    });
    for held in [kinds, left_over] {
        let contract = given(&json!({
            "properties": { "x": { "$ref": "#/$defs/t" } }, "$defs": { "t": held },
        }));
        let started = Instant::now();
        for levels in [1, 10, 30, 60] {
            told(
                &contract,
                &format!("{{\"x\":{}2{}}}", "{\"a\":".repeat(levels), "}".repeat(levels)),
            );
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}

#[test]
fn too_intricate_is_said_so() {
    let next = json!({ "$ref": "#/$defs/t" });
    let both = json!({ "allOf": [{ "properties": { "a": next } }, { "properties": { "a": next } }],
        "multipleOf": 2 });
    let contract = given(&json!({ "properties": { "x": next }, "$defs": { "t": both } }));
    let text = |levels| format!("{{\"x\":{}2{}}}", "{\"a\":".repeat(levels), "}".repeat(levels));
    assert_eq!(told(&contract, &text(3)), text(3));
    assert_eq!(told(&contract, &text(50)), "too intricate to be checked; nest it less");
}

/// Each of them takes a name of its own, and all come to the same.
#[test]
fn many_that_are_called_alike_take_no_time() {
    let mut properties = serde_json::Map::new();
    for at in 0..2_400 {
        properties.insert(format!("a{at}"), json!({ "items": {} }));
        properties.insert(format!("b{at}"), json!({ "$ref": format!("#/properties/a{at}/items") }));
    }
    let started = Instant::now();
    given(&json!({ "properties": properties }));
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

#[test]
fn many_patterns_take_no_more_than_a_few() {
    let all = |pattern: &str| {
        let properties =
            (0..2_500).map(|at| (format!("a{at}"), json!({ "pattern": format!("{pattern}{at}") })));
        json!({ "properties": properties.collect::<serde_json::Map<_, _>>() })
    };
    let started = Instant::now();
    given(&all("^[a-z]{1,8}-"));
    let told = refused(&all("(a{100}){50}"));
    assert!(told.contains("`#/properties/a0/pattern`: the pattern can't be held: "), "{told}");
    assert!(told.contains("more than 26 KiB, which is the limit for each of so many"), "{told}");
    assert_eq!(told.matches("can't be held").count(), 20, "{told}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// A text is the model's, whatever reads its format.
#[test]
fn a_text_that_is_held_to_a_format_takes_no_time() {
    const FORMATS: [&str; 8] =
        ["date-time", "duration", "email", "hostname", "ipv6", "regex", "uri", "uri-template"];
    let run = || {
        let started = Instant::now();
        for format in FORMATS {
            let contract =
                given(&json!({ "properties": { "x": { "type": "string", "format": format } } }));
            for piece in ["(", "[", "a.", "a*", "1Y", ":", "%41", "{+a}", "x@", "(?i:"] {
                let text = json!({ "x": piece.repeat(300_000 / piece.len()) }).to_string();
                let _ = contract.read_given(&text);
            }
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

/// On the stack of a thread of tokio's.
#[test]
fn the_stack_holds() {
    let mut defs = serde_json::Map::new();
    for level in 0..15 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(format!("d{level}"), json!({ "allOf": [next] }));
    }
    defs.insert(
        "d15".into(),
        json!({ "properties": { "a": { "$ref": "#/$defs/d0" }, "m": { "multipleOf": 2 } } }),
    );
    let contract =
        given(&json!({ "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": defs }));
    let run = move || {
        for levels in [5, 10, 20, 60] {
            for end in ["{\"m\":2}", "{\"m\":3}"] {
                let (open, close) = ("{\"a\":".repeat(levels), "}".repeat(levels));
                told(&contract, &format!("{{\"x\":{open}{end}{close}}}"));
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn long_arguments_are_checked() {
    let item = json!({ "anyOf": [{ "type": "integer", "multipleOf": 1 }, { "type": "string" }] });
    let contract = given(&json!({
        "properties": { "x": { "type": "array", "items": item, "uniqueItems": true } },
    }));
    let mut text = String::from("{\"x\":[0");
    for n in 1..30_000 {
        let _ = write!(text, ",{n}");
    }
    let twice = format!("{text},7]}}");
    text.push_str("]}");
    assert!(contract.read_given(&text).is_some());
    assert!(told(&contract, &twice).starts_with("x: expected array without repetition, got [0,1"));
}
