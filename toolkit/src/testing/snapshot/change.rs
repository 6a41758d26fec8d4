//! What a changed contract means for those who call it.

use std::fmt;

use serde_json::{Map, Value};

/// Whether a changed tool still serves whoever called it as it was: prompts, plans, recorded calls,
/// rules and grants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Every call that was right is right, and does no more than it did.
    Compatible,
    /// Some call that was right isn't any more, may do more than it did, or gives something else; each
    /// reason with its place.
    Breaking(Vec<String>),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compatible => f.write_str("compatible"),
            Self::Breaking(reasons) => write!(f, "breaking: {}", reasons.join("; ")),
        }
    }
}

impl Change {
    /// What stands between two texts of one tool.
    pub(super) fn between(was: &str, now: &str) -> Self {
        let Ok(was) = serde_json::from_str::<Value>(was) else {
            return Self::Breaking(vec!["the snapshot is no JSON".to_owned()]);
        };
        // Our own text is JSON.
        let now: Value = serde_json::from_str(now).unwrap_or_default();
        let mut reasons = Vec::new();
        for risk in added(&was["risk"], &now["risk"]) {
            reasons.push(format!("its risk has `{risk}` as well"));
        }
        if was["flag"] != now["flag"] && !now["flag"].is_null() {
            reasons.push(format!("it needs the flag {}", now["flag"]));
        }
        let scoped = !list(&now["scopes"]).is_empty();
        if scoped && list(&was["scopes"]).is_empty() {
            reasons.push("it belongs to scopes".to_owned());
        }
        for scope in added(&now["scopes"], &was["scopes"]).iter().filter(|_| scoped) {
            reasons.push(format!("it has left the scope `{scope}`"));
        }
        for host in added(&now["hosts"], &was["hosts"]) {
            reasons.push(format!("it no longer reaches `{host}`"));
        }
        let arguments = Sides { was: &was["parameters"], now: &now["parameters"], given: true };
        arguments.compare(arguments.was, arguments.now, "", 0, &mut reasons);
        let result = Sides { was: &was["output"], now: &now["output"], given: false };
        match (result.was.is_null(), result.now.is_null()) {
            (false, true) => reasons.push("its result has no schema any more".to_owned()),
            (false, false) => result.compare(result.was, result.now, "", 0, &mut reasons),
            (true, _) => {}
        }
        if reasons.is_empty() { Self::Compatible } else { Self::Breaking(reasons) }
    }
}

/// How deep two schemas are compared: those of recursive types have no end.
const DEPTH: usize = 12;

/// The roots of two schemas.
struct Sides<'a> {
    was: &'a Value,
    now: &'a Value,
    /// Whether a caller gives such values, and doesn't get them: then fewer of them break it, else more.
    given: bool,
}

impl Sides<'_> {
    fn compare(
        &self,
        was: &Value,
        now: &Value,
        path: &str,
        depth: usize,
        reasons: &mut Vec<String>,
    ) {
        let (was, now) = (resolved(self.was, was), resolved(self.now, now));
        if depth > DEPTH || was == now {
            return;
        }
        let place = match (self.given, path.is_empty()) {
            (true, true) => "the arguments".to_owned(),
            (true, false) => format!("`{path}`"),
            (false, true) => "the result".to_owned(),
            (false, false) => format!("`{path}` of the result"),
        };
        let mut say = |what: &str| reasons.push(format!("{place} {what}"));
        // Of what is given, all that was taken must be taken; of what is got, nothing new may come.
        let (wide, tight) = if self.given { (was, now) } else { (now, was) };
        if !types(tight).is_empty()
            && (types(wide).is_empty() || types(wide).iter().any(|of| !takes(tight, of)))
        {
            say("is of another type");
        }
        let options = |of: &Value| -> Option<Vec<Value>> {
            let single = of.get("const").map(|value| vec![value.clone()]);
            of["enum"].as_array().cloned().or(single)
        };
        if let Some(allowed) = options(tight)
            && options(wide).is_none_or(|all| all.iter().any(|value| !allowed.contains(value)))
        {
            say(if self.given { "takes fewer values" } else { "may be another value" });
        }
        for (key, least) in [
            ("minimum", true),
            ("exclusiveMinimum", true),
            ("minLength", true),
            ("minItems", true),
            ("maximum", false),
            ("exclusiveMaximum", false),
            ("maxLength", false),
            ("maxItems", false),
        ] {
            let Some(bound) = tight[key].as_f64() else { continue };
            let outside = |other: f64| if least { other < bound } else { other > bound };
            if wide[key].as_f64().is_none_or(outside) {
                say(if self.given { "has tighter bounds" } else { "has wider bounds" });
                break;
            }
        }
        for key in ["pattern", "format"] {
            if !tight[key].is_null() && tight[key] != wide[key] && types(tight).contains(&"string")
            {
                say(&format!("has another `{key}`"));
            }
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let [before, after] = [was, now].map(|of| list(&of[key]));
            if !before.iter().all(|form| after.contains(form)) && before != after {
                say("has other forms");
            }
        }
        self.members(was, now, path, &place, depth, reasons);
        if was["items"].is_object() && now["items"].is_object() {
            self.compare(&was["items"], &now["items"], &format!("{path}[]"), depth + 1, reasons);
        }
        let rest = "additionalProperties";
        if was[rest].is_object() && now[rest].is_object() {
            self.compare(&was[rest], &now[rest], &format!("{path}.*"), depth + 1, reasons);
        }
    }

    fn members(
        &self,
        was: &Value,
        now: &Value,
        path: &str,
        place: &str,
        depth: usize,
        reasons: &mut Vec<String>,
    ) {
        let none = Map::new();
        let of = |schema: &'_ Value| schema["properties"].as_object().cloned();
        let (before, after) = (of(was).unwrap_or_default(), of(now).unwrap_or(none));
        let needs =
            |schema: &Value, name: &str| list(&schema["required"]).iter().any(|n| n == name);
        for (name, schema) in &after {
            let at = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match before.get(name) {
                Some(earlier) => {
                    if self.given && needs(now, name) && !needs(was, name) {
                        reasons.push(format!("`{at}` is required now"));
                    }
                    if !self.given && needs(was, name) && !needs(now, name) {
                        reasons.push(format!("`{at}` of the result may be absent"));
                    }
                    self.compare(earlier, schema, &at, depth + 1, reasons);
                }
                None if self.given && needs(now, name) => {
                    reasons.push(format!("`{at}` is new and required"));
                }
                None => {}
            }
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            let closed = now["additionalProperties"] == false;
            if closed || !self.given {
                reasons.push(format!("{place} has no `{name}` any more"));
            }
        }
    }
}

/// What a schema refers to.
fn resolved<'s>(root: &'s Value, mut schema: &'s Value) -> &'s Value {
    for _ in 0..DEPTH {
        let target = schema["$ref"].as_str().and_then(|to| root.pointer(to.strip_prefix('#')?));
        match target {
            Some(inner) => schema = inner,
            None => break,
        }
    }
    schema
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(of) => vec![of],
        Value::Array(of) => of.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a schema takes this type: every whole number is a number.
fn takes(schema: &Value, of: &str) -> bool {
    let types = types(schema);
    types.contains(&of) || (of == "integer" && types.contains(&"number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of the second list that the first hasn't.
fn added<'v>(first: &Value, second: &'v Value) -> Vec<&'v str> {
    let new = list(second).iter().filter(|value| !list(first).contains(value));
    new.filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(parameters: &Value, risk: &Value) -> String {
        json!({"name": "a.b", "description": ["x"], "risk": risk, "parameters": parameters})
            .to_string()
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
            (
                json!({"type": ["string", "null"]}),
                json!({"type": "string"}),
                "`p` is of another type",
            ),
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
        let of =
            |output: Value| json!({"risk": [], "parameters": {}, "output": output}).to_string();
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
}
