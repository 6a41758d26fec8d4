//! What a model reads.

use super::*;

#[test]
fn everything_at_once_and_in_the_same_words() {
    let contract = given(&json!({
        "type": "object",
        "properties": {
            "query": { "type": "string" },
            "limit": { "type": "integer", "minimum": 1, "maximum": 20 },
            "filters": { "type": "array", "items": {
                "type": "object",
                "properties": { "op": { "enum": ["eq", "gt"] } },
                "required": ["op"],
            } },
        },
        "required": ["query"],
    }));
    assert_eq!(
        told(
            &contract,
            r#"{"limit":"many","qurey":"x","filters":[{"op":"eq"},{"op":"lt"},{"opp":1}]}"#
        ),
        "limit: expected integer from 1 to 20, got \"many\"\n\
         filters[1].op: expected one of `eq`, `gt`, got \"lt\"\n\
         filters[2].opp: unknown argument; did you mean `op`?\n\
         filters[2].op: required, missing\n\
         qurey: unknown argument; did you mean `query`?\n\
         query: required, missing"
    );
    assert_eq!(told(&contract, r#"{"limit":"5","query":"x"}"#), r#"{"limit":5,"query":"x"}"#);
    assert_eq!(told(&contract, r#"{"limit":5.0,"query":"x"}"#), r#"{"limit":5,"query":"x"}"#);
    assert_eq!(told(&contract, r#"{"query":"x","limit":null}"#), r#"{"query":"x"}"#);
    assert_eq!(
        told(&contract, r#"{"query":"a","query":"b"}"#),
        "at byte 13: `query` is given twice; keep one"
    );
}

/// What our own checker doesn't know.
#[test]
fn what_only_the_crate_knows() {
    for (schema, args, words) in [
        (json!({ "multipleOf": 5 }), "7", "x: expected number that is a multiple of 5, got 7"),
        (
            json!({ "type": "array", "contains": { "const": "a" } }),
            "[\"b\"]",
            "x: expected array that contains `a`, got [\"b\"]",
        ),
        (
            json!({ "contains": { "type": "integer" }, "minContains": 2 }),
            "[1]",
            "x: expected array that contains integer at least 2 times, got [1]",
        ),
        (
            json!({ "type": "object", "propertyNames": { "maxLength": 2 } }),
            "{\"long\":1}",
            "x: expected keys that are string of at most 2 characters, got \"long\"",
        ),
        (
            json!({ "type": "object", "dependentRequired": { "a": ["b"] } }),
            "{\"a\":1}",
            "x.b: required, missing",
        ),
        (
            json!({ "if": { "type": "string" }, "then": { "maxLength": 1 }, "else": { "type": "integer" } }),
            "true",
            "x: expected integer, got true",
        ),
        (
            json!({ "type": "array", "prefixItems": [{}], "unevaluatedItems": false }),
            "[1,2]",
            "x: expected array without further items, got [1,2]",
        ),
        (json!({ "not": { "multipleOf": 2 } }), "4", "x: expected a value of another kind, got 4"),
        (
            json!({ "oneOf": [{ "multipleOf": 2 }, { "multipleOf": 3 }] }),
            "6",
            "x: expected a value that fits one alternative only, got 6",
        ),
        (
            json!({ "anyOf": [{ "type": "string", "pattern": r"^\p{Lu}$" }, { "type": "integer", "multipleOf": 2 }] }),
            "3",
            "x: expected integer that is a multiple of 2, got 3",
        ),
    ] {
        let contract = given(&json!({ "properties": { "x": schema } }));
        assert_eq!(told(&contract, &format!("{{\"x\":{args}}}")), words, "{schema}");
    }
}

/// A format is asked of texts alone, and one that isn't known of nothing.
#[test]
fn a_format_is_held() {
    let with = |schema: Value| given(&json!({ "properties": { "x": schema } }));
    for (format, right, wrong) in [
        ("date", "2026-03-02", "2026-02-30"),
        ("date-time", "2026-03-02T09:30:00+01:00", "2026-03-02 09:30"),
        ("email", "ada@example.com", "ada"),
        ("ipv4", "192.0.2.1", "192.0.2.256"),
        ("uri", "https://example.com/a", "example.com/a"),
        ("uuid", "67e55044-10b1-426f-9247-bb680e5fe0c8", "67e55044"),
    ] {
        for schema in [json!({ "type": "string", "format": format }), json!({ "format": format })] {
            let contract = with(schema);
            let like = super::super::formats::example(format).unwrap();
            assert_eq!(
                told(&contract, &json!({ "x": wrong }).to_string()),
                format!("x: expected string ({format}), e.g. `{like}`, got \"{wrong}\""),
            );
            for right in [right, like] {
                let args = json!({ "x": right }).to_string();
                assert_eq!(told(&contract, &args), args);
            }
        }
        assert_eq!(told(&with(json!({ "format": format })), r#"{"x":5}"#), r#"{"x":5}"#);
        // What mustn't have it may be another, and is shown as it stands.
        let not = with(json!({ "type": "string", "not": { "format": format } }));
        let args = json!({ "x": wrong }).to_string();
        assert_eq!(told(&not, &args), args);
        assert!(told(&not, &json!({ "x": right }).to_string()).starts_with("x: expected string"));
        assert!(not.text().contains(r#""not":{"format""#), "{}", not.text());
        let one =
            json!({ "oneOf": [{ "type": "string" }, { "type": "string", "format": format }] });
        assert_eq!(told(&with(one), &args), args);
    }
    assert_eq!(told(&with(json!({ "format": "isbn" })), r#"{"x":"a"}"#), r#"{"x":"a"}"#);
}

#[test]
fn what_is_asked_of_a_value_of_any_type_is_said() {
    for (keyword, value, args, words) in [
        ("maximum", json!(5), "7", "number of at most 5"),
        ("minItems", json!(2), "[]", "array of at least 2 items"),
        ("uniqueItems", json!(true), "[1,1]", "array without repetition"),
        ("minLength", json!(2), "\"a\"", "string of at least 2 characters"),
        ("minProperties", json!(1), "{}", "object of at least 1 member"),
        ("maxProperties", json!(0), "{\"a\":1}", "object of at most 0 members"),
    ] {
        let contract = given(&json!({ "properties": { "x": { (keyword): value } } }));
        let told = told(&contract, &format!("{{\"x\":{args}}}"));
        assert_eq!(told, format!("x: expected {words}, got {args}"));
    }
    let contract =
        given(&json!({ "properties": { "x": { "type": "object", "minProperties": 2 } } }));
    assert_eq!(told(&contract, r#"{"x":{}}"#), "x: expected object of at least 2 members, got {}");
}

#[test]
fn one_of_several_that_is_required_is_said() {
    let contract = given(&json!({
        "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
        "anyOf": [{ "required": ["a"] }, { "required": ["b"] }],
    }));
    assert_eq!(told(&contract, "{}"), "expected object with `a` or object with `b`, got {}");
    assert_eq!(told(&contract, r#"{"a":"x","c":1}"#), "c: unknown argument; did you mean `b`?");
    assert_eq!(told(&contract, r#"{"a":"x","b":"y"}"#), r#"{"a":"x","b":"y"}"#);
}

/// As a provider's strict mode has a model say it.
#[test]
fn null_for_what_takes_none_is_left_out() {
    let contract = given(&json!({ "properties": {
        "w": { "enum": ["a", "b"] },
        "x": { "oneOf": [{ "enum": ["a"] }, { "type": "object" }] },
        "y": { "not": { "type": "null" } },
        "z": { "enum": ["a", null] },
        "in": { "type": "object", "properties": { "w": { "const": 1 } } },
    } }));
    assert_eq!(
        told(&contract, r#"{"in":{"w":null},"w":null,"x":null,"y":null,"z":null}"#),
        r#"{"in":{},"z":null}"#
    );
}

#[test]
fn a_number_is_kept_or_refused() {
    let contract = given(&json!({ "properties": { "n": { "type": "number" }, "v": {} } }));
    assert_eq!(
        told(&contract, r#"{"v":{"a":[1e400, 3.14159265358979323846]}}"#),
        "v.a[0]: expected number that 64 bits keep as it is written, got 1e400\n\
         v.a[1]: expected number that 64 bits keep as it is written, got 3.14159265358979323846"
    );
    assert_eq!(told(&contract, r#"{"n":18446744073709551615}"#), r#"{"n":18446744073709551615}"#);
    assert!(told(&contract, r#"{"n":18446744073709551616}"#).starts_with("n: expected number"));
    assert_eq!(told(&contract, r#"{"n":2.0}"#), r#"{"n":2.0}"#);
}

#[test]
fn a_secret_is_not_echoed() {
    let contract = given(&json!({
        "properties": {
            "key": { "properties": { "token": { "type": "string", "multipleOf": 2 } }, "default": "hush" },
            "n": { "multipleOf": 2 },
        },
        "anyOf": [{ "properties": { "key": { "required": ["token"], "multipleOf": 3 } } }],
    }))
    .withholding(&["key"]);
    for args in [
        r#"{"key":{"token":12345678}}"#,
        r#"{"key":{"12345678":1}}"#,
        r#"{"key":12345679}"#,
        r#"{"key":{"token":12345678e999}}"#,
    ] {
        let told = told(&contract, args);
        assert!(told.starts_with("key") && !told.contains("12345"), "{args}: {told}");
    }
    assert!(!contract.text().contains("hush"), "{}", contract.text());
}

/// What stands for a secret is one, wherever it says so.
#[test]
fn a_secret_is_not_told_at_any_depth() {
    let hush = json!({ "type": "string", "default": "hush", "examples": ["hush-2"] });
    let odd = json!({ "multipleOf": 2 });
    for (key, more) in [
        (json!({ "type": "object", "properties": { "v": hush } }), json!({})),
        (json!({ "type": "array", "items": hush }), json!({})),
        (json!({ "anyOf": [hush, { "type": "integer" }] }), json!({})),
        (json!({ "$ref": "#/$defs/t" }), json!({})),
        (json!({}), json!({ "allOf": [{ "properties": { "key": hush } }] })),
    ] {
        for n in [json!({ "type": "integer" }), odd.clone()] {
            let mut schema = json!({
                "properties": { "key": key, "n": n, "told": { "type": "string", "default": "loud" } },
                "$defs": { "t": { "type": "object", "properties": { "v": { "$ref": "#/$defs/u" } } },
                    "u": { "type": "object", "properties": { "w": hush } } },
            });
            schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let open = given(&schema);
            assert!(open.text().contains("hush"), "{}", open.text());
            let contract = open.withholding(&["key"]);
            assert!(!contract.text().contains("hush"), "{}", contract.text());
            assert!(contract.text().contains("loud"), "{}", contract.text());
        }
    }
}
