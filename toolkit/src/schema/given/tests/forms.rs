//! The one form that schemas are put into, and what can't be.

use super::*;

fn text(schema: &Value) -> String {
    given(schema).text().to_owned()
}

#[test]
fn every_draft_comes_out_as_the_last() {
    let last = r##"{"type":"object","properties":{"pair":{"type":"array","prefixItems":[{"type":"string"}],"items":{"$ref":"#/$defs/n"}}},"additionalProperties":false,"$defs":{"n":{"type":"object","properties":{"v":{"type":"number","exclusiveMinimum":0}},"additionalProperties":false}}}"##;
    let n = json!({ "properties": { "v": { "type": "number", "minimum": 0, "exclusiveMinimum": true } }, "type": "object" });
    for (draft, keyword, reference) in [
        (Some("http://json-schema.org/draft-04/schema#"), "definitions", "#/definitions/n"),
        (Some("http://json-schema.org/draft-07/schema#"), "definitions", "#/definitions/n"),
        (Some("https://json-schema.org/draft/2020-12/schema"), "$defs", "#/$defs/n"),
        (None, "definitions", "#/definitions/n"),
        (None, "components", "#/components/n"),
    ] {
        let mut schema = json!({
            "title": "Arguments",
            "properties": { "pair": {
                "type": "array",
                "items": [{ "type": "string" }],
                "additionalItems": { "$ref": reference },
            } },
            (keyword): { "n": n, "unused": {} },
        });
        if let Some(draft) = draft {
            schema["$schema"] = draft.into();
        }
        assert_eq!(text(&schema), last, "{schema}");
    }
}

#[test]
fn the_root_is_an_object_that_is_closed() {
    let empty = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    for schema in [json!({}), json!({ "type": "object" }), json!({ "type": ["null", "object"] })] {
        assert_eq!(text(&schema), empty, "{schema}");
    }
    for open in [
        json!({ "additionalProperties": true }),
        json!({ "additionalProperties": { "type": "integer" } }),
        json!({ "patternProperties": { "^n": {} } }),
        json!({ "propertyNames": { "maxLength": 2 } }),
        json!({ "minProperties": 1 }),
        json!({ "unevaluatedProperties": true }),
        json!({ "allOf": [{ "properties": { "n": {} } }] }),
        json!({ "if": true, "then": { "properties": { "n": {} } } }),
    ] {
        assert_eq!(told(&given(&open), r#"{"n":1}"#), r#"{"n":1}"#, "{open}");
    }
    for closed in [
        json!({ "patternProperties": { "^n": {} } }),
        json!({ "allOf": [{ "properties": { "n": {} } }] }),
        json!({ "if": true, "then": { "properties": { "n": {} } } }),
        json!({ "properties": { "n": {} } }),
        json!({ "unevaluatedProperties": false }),
    ] {
        assert!(told(&given(&closed), r#"{"x":1}"#).starts_with("x: unknown"), "{closed}");
    }
    for bad in [json!(true), json!([]), json!({ "type": "string" }), json!({ "type": ["array"] })] {
        assert!(refused(&bad).starts_with("at `#"), "{bad}");
    }
}

#[test]
fn a_root_that_refers_stands_in_place() {
    let schema = json!({
        "$ref": "#/definitions/Args",
        "definitions": {
            "Args": { "type": "object", "properties": { "a": { "$ref": "#/definitions/Args" } } },
        },
    });
    let contract = given(&schema);
    assert_eq!(told(&contract, r#"{"a":{"a":{}}}"#), r#"{"a":{"a":{}}}"#);
    assert_eq!(told(&contract, r#"{"a":{"b":1}}"#), "a.b: unknown argument; did you mean `a`?");
}

#[test]
fn references_stay_within() {
    let with = |reference: &str| {
        json!({
            "$id": "https://example.com/a",
            "properties": {
                "x": { "$ref": reference },
                "y": { "$anchor": "why", "type": "integer" },
            },
            "$defs": { "a b/c": { "type": "integer" }, "y": { "type": "string" } },
        })
    };
    for inside in ["#/properties/y", "#why", "#/$defs/a%20b~1c", "https://example.com/a#why"] {
        let contract = given(&with(inside));
        assert_eq!(told(&contract, r#"{"x":"n"}"#), "x: expected integer, got \"n\"", "{inside}");
        assert_eq!(told(&contract, r#"{"x":5}"#), r#"{"x":5}"#, "{inside}");
    }
    assert_eq!(
        told(&given(&with("#")), r#"{"x":{"x":{"y":"n"}}}"#),
        "x.x.y: expected integer, got \"n\""
    );
    for outside in [
        "http://127.0.0.1:1/s.json",
        "https://json-schema.org/draft/2020-12/schema",
        "file:///etc/passwd",
        "s.json",
        "/s.json",
        "other#/$defs/y",
        "https://example.com/ab",
    ] {
        let told = refused(&with(outside));
        assert!(
            told.contains("`#/properties/x/$ref`") && told.contains("nothing is fetched"),
            "{told}"
        );
    }
    assert_eq!(
        refused(&with("#/$defs/yy")),
        "at `#/properties/x/$ref`: the reference `#/$defs/yy` leads nowhere; did you mean `y`?"
    );
    let own =
        json!({ "properties": { "x": { "$id": "b", "$ref": "#/$defs/y" } }, "$defs": { "y": {} } });
    assert!(refused(&own).contains("leave out the `$id`"));
    let recursive = json!({ "properties": { "x": { "$dynamicRef": "#t" } } });
    assert!(refused(&recursive).contains("`$dynamicRef` isn't held"));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (schema, words) in [
        (
            json!({ "$schema": "https://example.com/mine" }),
            "at `#/$schema`: the draft \"https://example.com/mine\" isn't known",
        ),
        (
            json!({ "properties": { "a": { "type": "float" } } }),
            "at `#/properties/a/type`: there is no type `float`; did you mean `number`?",
        ),
        (
            json!({ "properties": { "a": { "minimum": "1" } } }),
            "at `#/properties/a/minimum`: \"1\" is not of type \"number\"",
        ),
        (
            json!({ "properties": { "a": { "pattern": "(?=a)" } } }),
            "at `#/properties/a/pattern`: the pattern can't be held",
        ),
        (
            json!({ "properties": { "query": {} }, "required": ["qurey"] }),
            "at `#/required`: `qurey` is required, and `properties` doesn't have it; did you mean `query`?",
        ),
        (
            json!({ "properties": { "a": { "properties": { "b": {} }, "required": ["c"] } } }),
            "at `#/properties/a/required`: `c` is required",
        ),
        (json!({ "required": ["a"] }), "at `#/required`: `a` is required"),
    ] {
        let told = refused(&schema);
        assert!(told.starts_with(words), "{told}");
    }
    for fine in [
        json!({ "properties": { "a": {} }, "anyOf": [{ "required": ["a"] }] }),
        json!({ "allOf": [{ "properties": { "a": {} } }], "required": ["a"] }),
        json!({ "additionalProperties": true, "required": ["a"] }),
        json!({ "properties": { "a": { "type": "object", "required": ["free"] } } }),
    ] {
        given(&fine);
    }
}

/// A name that is one of a keyword's, and values that look like schemas, are left as they are.
#[test]
fn names_and_values_are_no_keywords() {
    let schema = json!({
        "properties": {
            "$ref": { "type": "string" },
            "title": { "const": { "$ref": "http://x", "title": "t" } },
            "items": { "default": { "$id": "x" }, "examples": [{ "definitions": 1 }] },
        },
        "required": ["title"],
    });
    let contract = given(&schema);
    let args = r#"{"$ref":"a","title":{"$ref":"http://x","title":"t"}}"#;
    assert_eq!(told(&contract, args), args);
    assert!(contract.text().contains(r#""default":{"$id":"x"}"#), "{}", contract.text());
}

/// As the older drafts name what is referred to, wherever it stands.
#[test]
fn names_of_schemas_are_found_within_definitions() {
    for (draft, key, name) in [
        (Some("http://json-schema.org/draft-04/schema#"), "id", "#n"),
        (Some("http://json-schema.org/draft-07/schema#"), "$id", "#n"),
        (None, "$anchor", "n"),
    ] {
        let mut schema = json!({
            "properties": { "x": { "$ref": "#n" } },
            "definitions": { "N": { (key): name, "type": "integer" } },
        });
        if let Some(draft) = draft {
            schema["$schema"] = draft.into();
        }
        assert_eq!(told(&given(&schema), r#"{"x":"a"}"#), "x: expected integer, got \"a\"");
    }
}

/// What stands in another document means that document's places.
#[test]
fn a_document_within_is_not_mixed_up_with_the_whole() {
    let with = |reference: &str| {
        json!({
            "properties": { "x": { "$ref": reference } },
            "$defs": {
                "e": { "$id": "https://example.com/e", "$defs": {
                    "y": { "type": "integer", "$anchor": "why" },
                    "z": { "$ref": "#/$defs/y" },
                    "w": { "type": "boolean" },
                } },
                "f": { "$anchor": "why", "type": "string" },
                "y": { "type": "string" },
            },
        })
    };
    assert_eq!(told(&given(&with("#why")), r#"{"x":1}"#), "x: expected string, got 1");
    assert_eq!(
        told(&given(&with("#/$defs/e/$defs/w")), r#"{"x":1}"#),
        "x: expected boolean, got 1"
    );
    let told = refused(&with("#/$defs/e/$defs/z"));
    assert!(told.contains("leads into a schema with an `$id` of its own"), "{told}");
    assert!(told.ends_with("leave out the `$id`"), "{told}");
    let within =
        json!({ "properties": { "x": { "$id": "b", "$anchor": "q" }, "y": { "$ref": "#q" } } });
    assert!(refused(&within).contains("`#q` leads nowhere"));
    let old = json!({ "properties": { "x": { "id": "b", "items": { "$ref": "#" } } } });
    assert!(refused(&old).ends_with("leave out the `id`"));
}

#[test]
fn a_count_may_have_a_fraction_of_nothing() {
    let schema = json!({ "properties": {
        "x": { "type": "array", "minItems": 2.0, "maxItems": 1e300 },
        "y": { "type": "string", "maxLength": 1.0 },
    } });
    assert_eq!(
        told(&given(&schema), r#"{"x":[1],"y":"ab"}"#),
        format!(
            "x: expected array of 2 to {} items, got [1]\n\
             y: expected string of at most 1 character, got \"ab\"",
            u64::MAX
        )
    );
    for bad in [json!(-1), json!(1.5), json!("1")] {
        let schema = json!({ "properties": { "x": { "minItems": bad } } });
        assert!(refused(&schema).starts_with("at `#/properties/x/minItems`: "), "{schema}");
    }
    let none = json!({ "properties": { "x": { "enum": [] } } });
    assert_eq!(refused(&none), "at `#/properties/x/enum`: it is empty, so that nothing fits");
}

/// What is told is what is held, whichever stands first.
#[test]
fn a_constant_beside_an_enum_is_one_of_both() {
    let schema = json!({ "properties": { "x": { "const": "a", "enum": ["b", "a"] } } });
    let contract = given(&schema);
    assert_eq!(told(&contract, r#"{"x":"b"}"#), "x: expected `a`, got \"b\"");
    assert!(contract.text().contains(r#""x":{"const":"a"}"#), "{}", contract.text());
    let neither = json!({ "properties": { "x": { "const": "a", "enum": ["b"] } } });
    assert_eq!(told(&given(&neither), r#"{"x":"b"}"#), "x: expected nothing here, got \"b\"");
    assert_eq!(told(&given(&neither), "{}"), "{}");
    // A name of two alternatives fits neither.
    let names = json!([{ "enum": ["a", "b"] }, { "enum": ["b", "c"] }]);
    let one = given(&json!({ "properties": { "x": { "oneOf": names } } }));
    assert_eq!(told(&one, r#"{"x":"b"}"#), "x: expected one of `a`, `c`, got \"b\"");
    let any = given(&json!({ "properties": { "x": { "anyOf": names } } }));
    assert!(any.text().contains(r#""enum":["a","b","c"]"#), "{}", any.text());
    let nothing = json!({ "const": 1, "enum": [{}] });
    assert_eq!(refused(&nothing), "at `#`: there are no arguments that fit");
}
