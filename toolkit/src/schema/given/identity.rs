//! Schemas that have a name of their own, or are a document of their own.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::place::{self, below};

/// The keyword by which a schema is a document of its own.
pub(super) fn own_id(members: &Map<String, Value>) -> Option<&'static str> {
    ["$id", "id"].into_iter().find(|key| {
        let id = members.get(*key).and_then(Value::as_str);
        id.is_some_and(|id| !id.starts_with('#'))
    })
}

/// Whether a schema refers to another, or one in it does.
pub(super) fn has_reference(schema: &Value) -> bool {
    let mut refers = false;
    place::each(schema, "", &mut |_, schema| refers |= schema.contains_key("$ref"));
    refers
}

/// Finds the schemas that have a name of their own, but for those of other documents within.
pub(super) fn anchored<'v>(schema: &'v Value, at: &str, anchors: &mut HashMap<&'v str, String>) {
    let Some(members) = schema.as_object() else { return };
    if !at.is_empty() && own_id(members).is_some() {
        return;
    }
    let text = |key: &str| members.get(key).and_then(Value::as_str);
    let own = ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text);
    let ids = ["$id", "id"].into_iter().filter_map(|key| text(key)?.strip_prefix('#'));
    for name in own.chain(ids) {
        anchors.entry(name).or_insert_with(|| at.to_owned());
    }
    for (keyword, value) in members {
        for (step, schema) in below(keyword, value) {
            anchored(schema, &format!("{at}{step}"), anchors);
        }
    }
}
