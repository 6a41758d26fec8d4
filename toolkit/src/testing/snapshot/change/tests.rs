//! What breaks a caller, and what doesn't.

use serde_json::json;

use super::*;

fn file(parameters: &Value, risk: &Value) -> String {
    json!({"name": "a.b", "description": ["x"], "risk": risk, "parameters": parameters}).to_string()
}

fn object(properties: &Value, required: &Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required,
           "additionalProperties": false})
}

fn change(was: &Value, now: &Value) -> String {
    let read = json!(["read"]);
    let one = |schema: &Value| file(&object(&json!({"p": schema}), &json!([])), &read);
    Change::between(&one(was), &one(now)).to_string()
}

#[test]
fn what_takes_less_breaks() {
    for (was, now, reason) in [
        (json!({"type": "number"}), json!({"type": "integer"}), "`p` is of another type"),
        (json!({"type": ["string", "null"]}), json!({"type": "string"}), "`p` is of another type"),
        (json!({}), json!({"type": "string"}), "`p` is of another type"),
        (json!({"enum": ["a", "b"]}), json!({"enum": ["a"]}), "`p` takes fewer values"),
        (
            json!({"type": "string"}),
            json!({"type": "string", "enum": ["a"]}),
            "`p` takes fewer values",
        ),
        (json!({"maximum": 9}), json!({"maximum": 8}), "`p` has tighter bounds"),
        (json!({}), json!({"minLength": 1}), "`p` has tighter bounds"),
        (
            json!({"type": "string"}),
            json!({"type": "string", "pattern": "a"}),
            "`p` has another `pattern`",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "integer"}}),
            "`p[]` is of another type",
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string"}]}),
            "`p` has other forms",
        ),
    ] {
        assert_eq!(change(&was, &now), format!("breaking: {reason}"), "{was} {now}");
    }
}

#[test]
fn what_takes_more_or_says_it_better_does_not() {
    for (was, now) in [
        (json!({"type": "integer"}), json!({"type": "number"})),
        (json!({"type": "string"}), json!({"type": ["string", "null"]})),
        (json!({"type": "string"}), json!({})),
        (json!({"enum": ["a"]}), json!({"enum": ["b", "a"]})),
        (json!({"maximum": 8}), json!({"maximum": 9})),
        (json!({"maxItems": 8}), json!({})),
        (json!({"description": "a"}), json!({"description": "b", "examples": [1]})),
    ] {
        assert_eq!(change(&was, &now), "compatible", "{was} {now}");
    }
}

#[test]
fn members_come_and_go() {
    let read = json!(["read"]);
    let p = json!({"type": "string"});
    let one = file(&object(&json!({"p": p}), &json!(["p"])), &read);
    let two = file(&object(&json!({"p": p, "q": p}), &json!(["p"])), &read);
    let both = file(&object(&json!({"p": p, "q": p}), &json!(["p", "q"])), &read);
    let between = |was: &str, now: &str| Change::between(was, now).to_string();
    assert_eq!(between(&one, &two), "compatible");
    assert_eq!(between(&one, &both), "breaking: `q` is new and required");
    assert_eq!(between(&two, &both), "breaking: `q` is required now");
    assert_eq!(between(&both, &two), "compatible");
    assert_eq!(between(&two, &one), "breaking: the arguments has no `q` any more");
    let nested = |inner: &Value| file(&object(&json!({"o": inner}), &json!([])), &read);
    let inner = |required: Value| object(&json!({"p": p}), &required);
    let reasons = between(&nested(&inner(json!([]))), &nested(&inner(json!(["p"]))));
    assert_eq!(reasons, "breaking: `o.p` is required now");
    let referring = |of: &Value| {
        let mut schema = object(&json!({"p": {"$ref": "#/$defs/P"}}), &json!([]));
        schema["$defs"] = json!({"P": of});
        file(&schema, &read)
    };
    let reasons = between(&referring(&p), &referring(&json!({"type": "integer"})));
    assert_eq!(reasons, "breaking: `p` is of another type");
}

#[test]
fn more_risk_breaks_and_less_does_not() {
    let schema = object(&json!({}), &json!([]));
    let of = |risk: Value| file(&schema, &risk);
    let change = Change::between(&of(json!(["read"])), &of(json!(["write"]))).to_string();
    assert_eq!(change, "breaking: its risk has `write` as well");
    let both = of(json!(["network", "write"]));
    assert_eq!(Change::between(&both, &of(json!(["write"]))), Change::Compatible);
    let change = Change::between("no JSON", &both).to_string();
    assert_eq!(change, "breaking: the snapshot is no JSON");
}

#[test]
fn of_a_result_more_breaks() {
    let of = |output: Value| json!({"risk": [], "parameters": {}, "output": output}).to_string();
    let string = json!({"type": "string"});
    let object = |properties: Value, required: Value| {
        of(json!({"type": "object", "properties": properties, "required": required}))
    };
    let between = |was: &str, now: &str| Change::between(was, now).to_string();
    let one = object(json!({"p": string}), json!(["p"]));
    let two = object(json!({"p": string, "q": string}), json!(["p", "q"]));
    assert_eq!(between(&one, &two), "compatible");
    assert_eq!(between(&two, &one), "breaking: the result has no `q` any more");
    let maybe = object(json!({"p": string}), json!([]));
    assert_eq!(between(&one, &maybe), "breaking: `p` of the result may be absent");
    assert_eq!(
        between(&of(string.clone()), &of(json!({"type": ["string", "null"]}))),
        "breaking: the result is of another type"
    );
    assert_eq!(
        between(&of(json!({"type": ["string", "null"]})), &of(string.clone())),
        "compatible"
    );
    let none = json!({"risk": [], "parameters": {}}).to_string();
    assert_eq!(between(&of(string), &none), "breaking: its result has no schema any more");
}

/// A change of what is referred to, from a text that is the same on both sides.
#[test]
fn what_is_referred_to_is_looked_at_wherever_it_is() {
    let read = json!(["read"]);
    let q = json!({"$ref": "#/$defs/Q"});
    for holding in [
        q.clone(),
        json!({"type": "array", "items": q}),
        json!({"anyOf": [q, {"type": "null"}]}),
        json!({"type": "object", "properties": {"q": q}}),
        json!({"type": "object", "additionalProperties": q}),
        json!({"allOf": [{"type": "object", "properties": {"q": q}}]}),
        json!({"type": "array", "prefixItems": [q]}),
        json!({"not": q}),
    ] {
        let with = |of: Value| {
            let mut schema = object(&json!({"p": holding}), &json!([]));
            schema["$defs"] = json!({"Q": of});
            file(&schema, &read)
        };
        let was = with(json!({"type": "string", "maxLength": 9, "description": "a"}));
        let now = with(json!({"type": "string", "maxLength": 8}));
        let told = Change::between(&was, &now).to_string();
        assert!(told.starts_with("breaking: "), "{holding}");
        let same = with(json!({"maxLength": 9, "type": "string"}));
        assert_eq!(Change::between(&was, &same), Change::Compatible, "{holding}");
    }
}

#[test]
fn whatever_asks_more_breaks() {
    let open = json!({"type": "object", "properties": {"a": {}}});
    let with = |key: &str, value: Value| {
        let mut more = open.clone();
        more[key] = value;
        more
    };
    for (was, now, reason) in [
        (json!({}), json!({"anyOf": [{"type": "string"}]}), "has other forms"),
        (
            json!({"type": "array"}),
            json!({"type": "array", "items": {"type": "null"}}),
            "[]` is of another type",
        ),
        (json!({"type": "array"}), json!({"type": "array", "uniqueItems": true}), "`uniqueItems`"),
        (json!({"type": "array"}), json!({"type": "array", "contains": {}}), "`contains`"),
        (
            json!({"type": "array"}),
            json!({"type": "array", "prefixItems": [{"type": "null"}]}),
            "[0]` is of another type",
        ),
        (json!({"type": "number"}), json!({"type": "number", "multipleOf": 2}), "`multipleOf`"),
        (json!({}), json!({"not": {"type": "string"}}), "`not`"),
        (json!({}), json!({"allOf": [{"maximum": 5}]}), "has other forms"),
        (open.clone(), with("additionalProperties", false.into()), "takes no other names any more"),
        (
            open.clone(),
            with("additionalProperties", json!({"type": "null"})),
            ".*` is of another type",
        ),
        (open.clone(), with("propertyNames", json!({"maxLength": 3})), "`propertyNames`"),
        (open.clone(), with("patternProperties", json!({"^x": false})), "`patternProperties`"),
        (open.clone(), with("dependentRequired", json!({"a": ["b"]})), "`dependentRequired`"),
        (open.clone(), with("if", json!({"required": ["a"]})), "`if`"),
        (open.clone(), with("minProperties", 1.into()), "has tighter bounds"),
        (open.clone(), with("unevaluatedProperties", false.into()), "`unevaluatedProperties`"),
        (
            json!({"maximum": 9_007_199_254_740_993_u64}),
            json!({"maximum": 9_007_199_254_740_992_u64}),
            "has tighter bounds",
        ),
        (
            json!({"type": "integer", "default": 5}),
            json!({"type": "integer", "default": 50}),
            "has another default",
        ),
        (
            json!({"oneOf": [{"const": "a"}, {"const": "b"}]}),
            json!({"oneOf": [{"const": "a"}]}),
            "has other forms",
        ),
    ] {
        let told = change(&was, &now);
        assert!(told.starts_with("breaking: `p") && told.contains(reason), "{was} {now}: {told}");
    }
}

#[test]
fn what_is_said_in_another_way_does_not() {
    let form = |text: &str, more: Value| {
        let mut form =
            json!({"type": "object", "properties": {"k": {"const": "a", "description": text}}});
        form["properties"]["more"] = more;
        json!({"description": text, "oneOf": [form, {"type": "null"}]})
    };
    for (was, now) in [
        (form("a", json!({"maxLength": 3})), form("b", json!({"maxLength": 4}))),
        (
            json!({"oneOf": [{"const": "a", "description": "A"}]}),
            json!({"oneOf": [{"const": "b"}, {"const": "a", "description": "Aa"}]}),
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"type": ["null", "string"]}),
        ),
        (json!({"type": "string"}), json!({"anyOf": [{"type": "string"}, {"type": "null"}]})),
        (json!({"type": "array", "items": {"type": "string"}}), json!({"type": "array"})),
        (json!({"multipleOf": 2, "not": {"const": 4}}), json!({})),
        (json!({"allOf": [{"maximum": 5}]}), json!({})),
        (json!({"type": "integer"}), json!({"type": "integer", "default": 5})),
        (json!({"const": "a"}), json!({"enum": ["a", "b"]})),
    ] {
        assert_eq!(change(&was, &now), "compatible", "{was} {now}");
    }
}

#[test]
fn of_a_result_more_forms_break_too() {
    let of = |output: Value| json!({"risk": [], "parameters": {}, "output": output}).to_string();
    let between = |was: Value, now: Value| Change::between(&of(was), &of(now)).to_string();
    let one = json!({"anyOf": [{"type": "string"}]});
    let two = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(between(one.clone(), two.clone()), "breaking: the result has other forms");
    assert_eq!(between(two, one), "compatible");
    let options = |values: Value| json!({"type": "string", "enum": values});
    let (one, two) = (options(json!(["a"])), options(json!(["a", "b"])));
    assert_eq!(between(one.clone(), two.clone()), "breaking: the result may be another value");
    assert_eq!(between(two, one), "compatible");
    let list = |most: u8| json!({"type": "array", "items": {"type": "integer", "maximum": most}});
    assert_eq!(between(list(5), list(6)), "breaking: `[]` of the result has wider bounds");
    assert_eq!(between(list(6), list(5)), "compatible");
    let text = |more: Value| json!({"type": "string", "description": more, "default": more});
    assert_eq!(between(text("a".into()), text("b".into())), "compatible");
}

#[test]
fn types_that_refer_to_themselves_take_no_time() {
    let tree = |text: &str, holding: Value| {
        let names = ('a'..='l').map(|name| (name.to_string(), json!({"$ref": "#/$defs/T"})));
        let tree = object(&Value::Object(names.collect()), &json!([]));
        let mut schema = object(&json!({"p": holding}), &json!([]));
        schema["$defs"] = json!({"T": tree, "U": {"description": text}});
        file(&schema, &json!(["read"]))
    };
    for holding in [json!({"$ref": "#/$defs/T"}), json!({"not": {"$ref": "#/$defs/T"}})] {
        let (was, now) = (tree("a", holding.clone()), tree("b", holding));
        assert_eq!(Change::between(&was, &now), Change::Compatible);
    }
    let mut deep = json!({"type": "string"});
    for _ in 0..40 {
        deep = json!({"anyOf": [deep, deep]});
        if deep.to_string().len() > 20_000 {
            break;
        }
    }
    let told = change(&deep, &json!({"anyOf": [{"type": "integer"}, {"type": "integer"}]}));
    assert!(told.starts_with("breaking"), "{told}");
}
