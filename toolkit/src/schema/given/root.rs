//! The root of a schema of arguments: an object, and one whose names are known.

use serde_json::{Map, Value};

use super::names::Names;
use super::place::{self, shown};

/// Keywords by which a schema says which names an object has.
const SPEAKING: [&str; 11] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "dependentSchemas",
    "if",
    "not",
    "oneOf",
    "patternProperties",
    "properties",
    "unevaluatedProperties",
];

/// The schema as one of arguments.
///
/// # Errors
/// The root isn't an object, or a name is required that no call can give.
pub(super) fn of_arguments(doc: Value) -> Result<Value, Vec<String>> {
    let mut doc = in_place(doc);
    let Some(root) = doc.as_object_mut() else {
        return Err(vec!["at `#`: the schema of arguments must say `\"type\": \"object\"`".into()]);
    };
    let is_object = match root.get("type") {
        None => true,
        Some(Value::Array(words)) => words.iter().any(|word| word == "object"),
        Some(word) => word == "object",
    };
    if !is_object {
        return Err(vec![
            "at `#/type`: arguments are an object; put the value into a property of one".into(),
        ]);
    }
    // Nothing else comes.
    root.insert("type".into(), "object".into());
    // Without names of its own it is a map, if it speaks of names or of their number.
    let least = root.get("minProperties").and_then(Value::as_u64);
    let is_map = root.contains_key("propertyNames") || least.is_some_and(|least| least > 0);
    if is_map && !SPEAKING.iter().any(|keyword| root.contains_key(*keyword)) {
        root.insert("additionalProperties".into(), true.into());
    }
    root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    keep_reached(&mut doc);
    let faults = required(&doc);
    if faults.is_empty() { Ok(doc) } else { Err(faults) }
}

/// The schema with its root in place, where that is nothing but a reference.
fn in_place(mut doc: Value) -> Value {
    const SAID: [&str; 6] = ["$defs", "$ref", "default", "description", "examples", "title"];
    // As often as there are definitions: one that is nothing but itself refers in a circle.
    let most = doc.get("$defs").and_then(Value::as_object).map_or(0, Map::len);
    for _ in 0..most {
        let Some(root) = doc.as_object() else { break };
        let lone = root.keys().all(|key| SAID.contains(&key.as_str()));
        let Some(Value::Object(target)) = place::target(&doc, root).filter(|_| lone) else { break };
        let mut placed = target.clone();
        placed.extend(root.get_key_value("$defs").map(|(key, defs)| (key.clone(), defs.clone())));
        doc = Value::Object(placed);
    }
    doc
}

/// Leaves out definitions that nothing refers to any more.
fn keep_reached(doc: &mut Value) {
    let Some(Value::Object(mut defs)) = doc.as_object_mut().and_then(|root| root.remove("$defs"))
    else {
        return;
    };
    let mut reached = Map::new();
    let mut due = place::references(doc);
    while let Some(name) = due.pop() {
        if let Some(schema) = defs.remove(&name) {
            due.extend(place::references(&schema));
            reached.insert(name, schema);
        }
    }
    if let Some(root) = doc.as_object_mut()
        && !reached.is_empty()
    {
        root.insert("$defs".into(), Value::Object(reached));
    }
}

/// Names that are required and can't be given.
fn required(doc: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    place::each(doc, "", &mut |at, schema| {
        let wanted = schema.get("required").and_then(Value::as_array);
        let wanted: Vec<_> = wanted.into_iter().flatten().filter_map(Value::as_str).collect();
        if wanted.is_empty() || (!at.is_empty() && !schema.contains_key("properties")) {
            return;
        }
        // What stands around it, as far as it looks at the same value.
        let mut names = Names::default();
        let mut around = at;
        names.gather(doc, schema);
        while let Some(outer) = outside(around) {
            around = outer;
            if let Some(Value::Object(outer)) = doc.pointer(outer) {
                names.gather(doc, outer);
            }
        }
        // A definition may be asked beside others.
        let beside = around.starts_with("/$defs/") && around.matches('/').count() == 2;
        for name in wanted {
            if !names.open && !beside && !names.has(name) {
                let near = crate::text::nearest(name, names.named());
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                let at = shown(&format!("{at}/required"));
                faults.push(format!(
                    "at `{at}`: `{name}` is required, and `properties` doesn't have it{near}",
                ));
            }
        }
    });
    faults
}

/// The schema around this one that looks at the same value.
fn outside(at: &str) -> Option<&str> {
    let (outer, last) = at.rsplit_once('/')?;
    if matches!(last, "if" | "then" | "else" | "not") {
        return Some(outer);
    }
    let (outer, keyword) = outer.rsplit_once('/')?;
    matches!(keyword, "allOf" | "anyOf" | "oneOf" | "dependentSchemas").then_some(outer)
}
