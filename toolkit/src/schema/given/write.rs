//! Writes a schema as it is held, in the order of keywords in which our own are written.

use serde_json::{Map, Value};

use super::super::parse;
use super::place::{self, BY_NAME, LIST, ONE, is_schema};
use crate::json::string;
use crate::order;

/// The keywords in order; others aren't shown.
const ORDER: [&str; 42] = [
    "$ref",
    "type",
    "description",
    "const",
    "enum",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "prefixItems",
    "items",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "patternProperties",
    "propertyNames",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "additionalProperties",
    "unevaluatedProperties",
    "minProperties",
    "maxProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "default",
    "examples",
];

/// The text of a schema of arguments.
pub(super) fn write(doc: &Value) -> String {
    let mut doc = doc.clone();
    if let Some(root) = doc.as_object_mut() {
        // As of a tool's own type: the tool's description says it.
        root.remove("description");
    }
    let mut out = String::with_capacity(1024);
    schema(&doc, true, &mut out);
    if let Some(Value::Object(defs)) = doc.get("$defs") {
        // Before the root's last brace.
        out.pop();
        out.push_str(if out.len() > 1 { ",\"$defs\":" } else { "\"$defs\":" });
        let shared = shared(&doc);
        by_name(
            sorted(defs, &[]),
            &|schema| !shared.iter().any(|held| std::ptr::eq(*held, schema)),
            &mut out,
        );
        out.push('}');
    }
    out
}

/// `alone`: no other schema knows keys of the same object.
fn schema(value: &Value, alone: bool, out: &mut String) {
    let Value::Object(members) = value else {
        out.push_str(if *value == Value::Bool(false) { "false" } else { "{}" });
        return;
    };
    let closed = alone && is_closed(members);
    out.push('{');
    let start = out.len();
    for keyword in ORDER {
        let closing = Value::Bool(false);
        let value = match members.get(keyword) {
            Some(value) => value,
            None if closed && keyword == "additionalProperties" => &closing,
            None => continue,
        };
        if out.len() > start {
            out.push(',');
        }
        string(keyword, out);
        out.push(':');
        match value {
            Value::Object(named) if BY_NAME.contains(&keyword) => {
                let required = members.get("required").and_then(Value::as_array);
                let required = required.map_or(&[][..], Vec::as_slice);
                by_name(sorted(named, required), &|_| keyword != "dependentSchemas", out);
            }
            Value::Array(list) if LIST.contains(&keyword) => {
                out.push('[');
                for (at, value) in list.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    schema(value, keyword == "prefixItems", out);
                }
                out.push(']');
            }
            value if ONE.contains(&keyword) && value.is_object() => {
                schema(value, !matches!(keyword, "not" | "if" | "then" | "else"), out);
            }
            value => parse::push_value(value, out),
        }
    }
    out.push('}');
}

/// Whether an object has no other keys than those that are named here.
fn is_closed(schema: &Map<String, Value>) -> bool {
    const OTHERS: [&str; 11] = [
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "dependentSchemas",
        "else",
        "if",
        "oneOf",
        "propertyNames",
        "then",
        "unevaluatedProperties",
    ];
    schema.contains_key("properties") && !OTHERS.iter().any(|keyword| schema.contains_key(*keyword))
}

/// Schemas that may look at an object together with others.
fn shared(doc: &Value) -> Vec<&Value> {
    let mut shared: Vec<&Value> = Vec::new();
    place::each(doc, "", &mut |_, schema| {
        let joined = place::in_place(doc, schema, true);
        if joined.len() > 1 || schema.contains_key("properties") {
            shared.extend(joined);
        }
    });
    let mut at = 0;
    while let Some(Value::Object(schema)) = shared.get(at) {
        let more = place::in_place(doc, schema, true);
        for schema in more {
            if !shared.iter().any(|held| std::ptr::eq(*held, schema)) {
                shared.push(schema);
            }
        }
        at += 1;
    }
    shared
}

/// `alone`: whether no other schema knows keys of the same object.
fn by_name(members: Vec<(&String, &Value)>, alone: &dyn Fn(&Value) -> bool, out: &mut String) {
    out.push('{');
    for (at, (name, value)) in members.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        string(name, out);
        out.push(':');
        match is_schema(value) {
            true => schema(value, alone(value), out),
            false => parse::push_value(value, out),
        }
    }
    out.push('}');
}

/// Those that must be there, as they are listed, then the others by name.
fn sorted<'v>(named: &'v Map<String, Value>, first: &[Value]) -> Vec<(&'v String, &'v Value)> {
    let mut members: Vec<_> = named.iter().collect();
    let place = |name: &str| first.iter().position(|first| first == name).unwrap_or(usize::MAX);
    order::sort_by(&mut members, |(a, _), (b, _)| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
    members
}
