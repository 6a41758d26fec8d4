//! The schema of a tool without strict mode: as declared, but for the few things that the API
//! refuses in any mode and for which it would refuse the whole request.

use serde_json::Value;

use super::defs::{Defs, Schema, names};
use super::notes::{Notes, fixed_strings};
use super::ordered::{Fields, Node};
use super::strict::property_order;

/// Keywords that only name the schema.
const DROPPED: [&str; 5] = ["$schema", "$id", "title", "$comment", "propertyNames"];

/// The keywords that the API refuses at the root.
const COMPOSING: [&str; 5] = ["oneOf", "anyOf", "enum", "const", "not"];

pub(super) fn lower(root: &Value, order: &[&str]) -> Fields {
    let empty = Schema::new();
    let map = root.as_object().unwrap_or(&empty);
    let map = whole_root(map, Defs::new(root));
    let mut fields = schema(&Value::Object(map), order);
    if fields.get("type").is_none_or(|types| types.as_str() != Some("object")) {
        fields.set("type", "object");
    }
    if !fields.contains("properties") {
        fields.set("properties", Fields::default());
    }
    fields.arrange();
    fields
}

/// A root without composition: the properties of all branches, of which only those that every
/// branch requires are required. The schema says less than before; the check of the arguments
/// doesn't.
fn whole_root(map: &Schema, defs: Defs<'_>) -> Schema {
    let mut inner = map.clone();
    let held = [inner.remove("$defs"), inner.remove("definitions")];
    let mut whole = defs.flatten(&inner, &mut Vec::new()).unwrap_or_else(|_| {
        inner.remove("allOf");
        inner.remove("$ref");
        inner
    });
    for key in COMPOSING {
        let Some(part) = whole.remove(key) else { continue };
        if let (Value::Array(branches), "anyOf" | "oneOf") = (&part, key) {
            widen(&mut whole, branches.iter().map(|branch| defs.view(branch)).collect());
        }
    }
    for (key, definitions) in ["$defs", "definitions"].into_iter().zip(held) {
        if let Some(definitions) = definitions {
            whole.insert(key.to_owned(), definitions);
        }
    }
    whole
}

fn widen(whole: &mut Schema, branches: Vec<Schema>) {
    let required = |schema: &Schema| -> Vec<String> {
        names(schema.get("required")).into_iter().map(str::to_owned).collect()
    };
    let shared: Vec<Value> = branches.first().map_or_else(Vec::new, |first| {
        let everywhere = |key: &String| branches.iter().all(|one| required(one).contains(key));
        required(first).into_iter().filter(everywhere).map(Value::String).collect()
    });
    let mut properties = match whole.remove("properties") {
        Some(Value::Object(held)) => held,
        _ => Schema::new(),
    };
    for branch in branches {
        let Some(Value::Object(more)) = branch.get("properties") else { continue };
        for (key, schema) in more {
            let Some(held) = properties.get_mut(key) else {
                properties.insert(key.clone(), schema.clone());
                continue;
            };
            let mut either = match held.get("anyOf") {
                Some(Value::Array(held)) => held.clone(),
                _ => vec![held.clone()],
            };
            if !either.contains(schema) {
                either.push(schema.clone());
            }
            if either.len() > 1 {
                *held =
                    Value::Object(Schema::from_iter([("anyOf".to_owned(), Value::Array(either))]));
            }
        }
    }
    whole.insert("properties".to_owned(), Value::Object(properties));
    let mut all = match whole.remove("required") {
        Some(Value::Array(held)) => held,
        _ => Vec::new(),
    };
    all.extend(shared.into_iter().filter(|key| !all.contains(key)).collect::<Vec<_>>());
    whole.insert("required".to_owned(), Value::Array(all));
}

fn schema(value: &Value, order: &[&str]) -> Fields {
    let map = match value {
        Value::Object(map) => map,
        Value::Bool(false) => {
            let mut never = Fields::default();
            never.set("not", Fields::default());
            return never;
        }
        _ => return Fields::default(),
    };
    let mut map = map.clone();
    map.retain(|key, _| !DROPPED.contains(&key.as_str()));
    let mut notes = Notes::default();
    let mut fields = Fields::default();
    alternatives(&mut map, &mut fields, &mut notes);
    tuple(&mut map, &mut notes);
    let types: Vec<String> = names(map.get("type")).into_iter().map(str::to_owned).collect();
    if types.iter().any(|name| name == "array") && !map.contains_key("items") {
        map.insert("items".to_owned(), Value::Bool(true));
    }
    if types.iter().any(|name| name == "object") && !map.contains_key("properties") {
        map.insert("properties".to_owned(), Value::Object(Schema::new()));
    }
    let required: Vec<String> = names(map.get("required")).into_iter().map(str::to_owned).collect();
    let required: Vec<&str> = required.iter().map(String::as_str).collect();
    let description = match map.remove("description") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    if let Some(text) = notes.describe(description) {
        fields.set("description", text);
    }
    for (key, value) in &map {
        match (key.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(held),
            ) => {
                let declared = key == "properties";
                let (required, order) =
                    if declared { (&required[..], order) } else { (&[][..], &[][..]) };
                let members = property_order(held, required, order);
                let members = members
                    .into_iter()
                    .map(|key| (key.clone(), Node::from(schema(&held[key], &[]))));
                fields.set(key.as_str(), members.collect::<Fields>());
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(held)) => {
                let branches = held.iter().map(|branch| Node::from(schema(branch, &[])));
                fields.set(key.as_str(), branches.collect::<Vec<_>>());
            }
            ("required", Value::Array(held)) => {
                let declared = map.get("properties").and_then(Value::as_object);
                let known = held.iter().filter(|name| {
                    declared.is_none_or(|held| {
                        name.as_str().is_some_and(|name| held.contains_key(name))
                    })
                });
                fields.set("required", known.map(Node::data).collect::<Vec<_>>());
            }
            ("additionalProperties" | "unevaluatedProperties", Value::Bool(_)) => {
                fields.set(key.as_str(), Node::data(value));
            }
            (
                "items"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                Value::Object(_) | Value::Bool(_),
            ) => fields.set(key.as_str(), schema(value, &[])),
            _ => fields.set(key.as_str(), Node::data(value)),
        }
    }
    fields.arrange();
    fields
}

/// `oneOf` becomes an enum where all of it is fixed strings, else `anyOf`.
fn alternatives(map: &mut Schema, fields: &mut Fields, notes: &mut Notes) {
    let Some(one_of) = map.remove("oneOf") else { return };
    let fixed = one_of.as_array().and_then(|branches| fixed_strings(branches));
    match fixed {
        Some((values, lines)) if !map.contains_key("enum") && !map.contains_key("anyOf") => {
            lines.into_iter().for_each(|line| notes.line(line));
            map.insert("type".to_owned(), Value::String("string".to_owned()));
            fields.set("enum", Node::strings(values.iter().map(String::as_str)));
        }
        _ if map.contains_key("anyOf") => {
            let branch = Value::Object(Schema::from_iter([("anyOf".to_owned(), one_of)]));
            match map.get_mut("allOf") {
                Some(Value::Array(all)) => all.push(branch),
                _ => {
                    map.insert("allOf".to_owned(), Value::Array(vec![branch]));
                }
            }
        }
        _ => {
            map.insert("anyOf".to_owned(), one_of);
        }
    }
}

/// `prefixItems` without `items` counts as an array without items; the order is told instead.
fn tuple(map: &mut Schema, notes: &mut Notes) {
    let Some(Value::Array(prefix)) = map.remove("prefixItems") else { return };
    let kinds: Vec<String> = prefix
        .iter()
        .map(|schema| match names(schema.get("type")).join(" or ") {
            kind if kind.is_empty() => "other".to_owned(),
            kind => kind,
        })
        .collect();
    let rest = map.remove("items");
    if rest == Some(Value::Bool(false)) && !map.contains_key("maxItems") {
        map.insert("maxItems".to_owned(), Value::from(prefix.len()));
    }
    let max = map.get("maxItems").and_then(Value::as_u64);
    let bounded = max.is_some_and(|max| max <= prefix.len() as u64);
    let rest = if bounded { None } else { Some(rest.unwrap_or(Value::Bool(true))) };
    let mut branches = Vec::new();
    for schema in prefix.into_iter().chain(rest) {
        if !branches.contains(&schema) {
            branches.push(schema);
        }
    }
    if branches.len() > 1 {
        notes.add(format!("in this order: {}", kinds.join(", ")));
    }
    let items = match branches.len() {
        _ if branches.contains(&Value::Bool(true)) => Value::Bool(true),
        0 => Value::Bool(true),
        1 => branches.remove(0),
        _ => Value::Object(Schema::from_iter([("anyOf".to_owned(), Value::Array(branches))])),
    };
    map.insert("items".to_owned(), items);
}
