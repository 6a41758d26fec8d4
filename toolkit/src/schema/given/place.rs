//! Places in a schema: JSON pointers, and where schemas stand within schemas.

use serde_json::{Map, Value};

use super::super::parse;

/// Keywords whose value is a schema.
pub(super) const ONE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas. `items` was one once.
pub(super) const LIST: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Keywords whose value is an object of schemas. `definitions` is what `$defs` was called.
pub(super) const BY_NAME: [&str; 5] =
    ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Keywords under which schemas look at the same value as the schema that they stand in.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "dependentSchemas", "else", "if", "oneOf", "then"];

/// More faults than anybody reads aren't told.
pub(super) const MAX_FAULTS: usize = 20;

/// Whether a value is a schema.
pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// The schemas directly in a keyword's value, each with the pointer from the schema that has the keyword.
pub(super) fn below<'v>(keyword: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    let key = escaped(keyword);
    match value {
        Value::Object(by_name) if BY_NAME.contains(&keyword) => by_name
            .iter()
            .filter(|(_, value)| is_schema(value))
            .map(|(name, value)| (format!("/{key}/{}", escaped(name)), value))
            .collect(),
        Value::Array(list) if LIST.contains(&keyword) => list
            .iter()
            .enumerate()
            .filter(|(_, value)| is_schema(value))
            .map(|(at, value)| (format!("/{key}/{at}"), value))
            .collect(),
        value if ONE.contains(&keyword) && is_schema(value) => vec![(format!("/{key}"), value)],
        _ => Vec::new(),
    }
}

/// The same value with each schema directly in it replaced.
pub(super) fn map_below(
    keyword: &str,
    value: &Value,
    with: &mut dyn FnMut(&str, &Value) -> Value,
) -> Value {
    let key = escaped(keyword);
    match value {
        Value::Object(by_name) if BY_NAME.contains(&keyword) => Value::Object(
            by_name
                .iter()
                .map(|(name, value)| {
                    let at = format!("/{key}/{}", escaped(name));
                    let is_schema = is_schema(value);
                    (name.clone(), if is_schema { with(&at, value) } else { value.clone() })
                })
                .collect(),
        ),
        Value::Array(list) if LIST.contains(&keyword) => Value::Array(
            list.iter()
                .enumerate()
                .map(|(at, value)| {
                    if is_schema(value) {
                        with(&format!("/{key}/{at}"), value)
                    } else {
                        value.clone()
                    }
                })
                .collect(),
        ),
        value if ONE.contains(&keyword) && is_schema(value) => with(&format!("/{key}"), value),
        value => value.clone(),
    }
}

/// The schemas that look at the same value as this one: its reference, and what it joins. `not`: also
/// the one that may not fit.
pub(super) fn in_place<'v>(
    doc: &'v Value,
    schema: &'v Map<String, Value>,
    not: bool,
) -> Vec<&'v Value> {
    let mut found: Vec<&Value> = target(doc, schema).into_iter().collect();
    for (keyword, value) in schema {
        if IN_PLACE.contains(&keyword.as_str()) || (not && keyword == "not") {
            found.extend(below(keyword, value).into_iter().map(|(_, schema)| schema));
        }
    }
    found
}

/// What a schema refers to.
pub(super) fn target<'v>(doc: &'v Value, schema: &Map<String, Value>) -> Option<&'v Value> {
    doc.get("$defs")?.get(reference(schema)?)
}

/// The name of what a schema refers to.
pub(super) fn reference(schema: &Map<String, Value>) -> Option<String> {
    let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some(parse::unpointer(name))
}

/// The names of all that is referred to here and below.
pub(super) fn references(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    each(schema, "", &mut |_, schema| names.extend(reference(schema)));
    names
}

/// Calls `f` with every schema, and where it stands.
pub(super) fn each<'v>(
    schema: &'v Value,
    at: &str,
    f: &mut dyn FnMut(&str, &'v Map<String, Value>),
) {
    let Some(members) = schema.as_object() else { return };
    f(at, members);
    for (keyword, value) in members {
        for (step, schema) in below(keyword, value) {
            each(schema, &format!("{at}{step}"), f);
        }
    }
}

/// What is wrong with the patterns of a schema.
pub(super) fn patterns(doc: &Value, check: &dyn Fn(&str) -> Result<(), String>) -> Vec<String> {
    let mut faults = Vec::new();
    each(doc, "", &mut |at, schema| {
        let own = schema.get("pattern").and_then(Value::as_str);
        let own = own.map(|source| (format!("{at}/pattern"), source));
        let keys = schema.get("patternProperties").and_then(Value::as_object);
        let keys = keys.into_iter().flat_map(|keys| keys.keys());
        let keys = keys.map(|key| (format!("{at}/patternProperties/{}", escaped(key)), &**key));
        for (at, source) in own.into_iter().chain(keys) {
            // One that can't be held may have taken its time.
            if faults.len() == MAX_FAULTS {
                return;
            }
            if let Err(why) = check(source) {
                faults.push(format!("at `{}`: the pattern can't be held: {why}", shown(&at)));
            }
        }
    });
    faults
}

pub(super) fn count_patterns(doc: &Value) -> usize {
    let mut count = 0;
    each(doc, "", &mut |_, schema| {
        let keys = schema.get("patternProperties").and_then(Value::as_object);
        count += usize::from(schema.contains_key("pattern")) + keys.map_or(0, Map::len);
    });
    count
}

/// A name as a step of a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A JSON pointer as people are shown it.
pub(super) fn shown(pointer: &str) -> String {
    let mut shown = format!("#{pointer}");
    crate::problem::cut(&mut shown, 200);
    shown
}
