//! The part of a schema that our own checker knows, never asking more than the whole does: what it finds
//! amiss is amiss.

use serde_json::{Map, Value};

use super::super::parse;
use super::super::pattern::Pattern;
use super::names::Names;
use super::place::{self, map_below};

/// What of a schema is known.
pub(super) struct Sound {
    pub(super) doc: Value,
    /// Whether the whole asks more.
    pub(super) partly: bool,
}

const PATTERNS: &str = "patternProperties";

/// Keywords under which others come to know names.
const NAMING: [&str; 4] = ["dependentSchemas", "else", "if", "then"];

/// Keywords under which what lets more through lets less through.
const TURNING: [&str; 3] = ["not", "oneOf", "unevaluatedProperties"];

/// Keywords that ask something of a value, and that our own checker doesn't hold it to.
const UNKNOWN: [&str; 11] = [
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "multipleOf",
    "propertyNames",
    "then",
    "unevaluatedItems",
];

pub(super) fn sound(doc: &Value) -> Sound {
    let (mut partly, mut formats, mut turns) = (false, false, false);
    place::each(doc, "", &mut |_, schema| {
        partly |= schema.iter().any(|(k, v)| asks_more(k, v));
        let format = schema.get("format").and_then(Value::as_str);
        formats |= format.is_some_and(|format| super::formats::example(format).is_some());
        turns |= TURNING.iter().any(|keyword| schema.contains_key(*keyword));
    });
    // To our own checker a format is a word. That lets more through, unless less is let through because
    // of it.
    partly |= formats && turns;
    Sound { doc: known(doc, doc, partly), partly }
}

/// Whether our own checker doesn't hold values to all that a keyword says.
fn asks_more(keyword: &str, value: &Value) -> bool {
    let read = |source: &str| Pattern::read(source).is_ok();
    match keyword {
        "pattern" => !value.as_str().is_some_and(read),
        "patternProperties" => {
            !value.as_object().is_some_and(|patterns| patterns.keys().all(|source| read(source)))
        }
        keyword => UNKNOWN.contains(&keyword),
    }
}

/// The part of one schema that our own checker knows, for what is to be told of it.
pub(super) fn part(doc: &Value, schema: &Value) -> Value {
    known(doc, schema, false)
}

/// Without what isn't known. Where something isn't, the schemas that remain ask less than they did, so
/// that one that mustn't fit fits too often, and one of several isn't the only one.
fn known(doc: &Value, schema: &Value, partly: bool) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let mut sound = Map::new();
    for (keyword, value) in members {
        if asks_more(keyword, value) || !(keyword == "$defs" || parse::knows(keyword)) {
            if keyword == "patternProperties" && !members.contains_key("additionalProperties") {
                sound.insert("additionalProperties".into(), Value::Bool(true));
            }
            continue;
        }
        let keyword = match keyword.as_str() {
            "not" if partly => continue,
            "oneOf" if partly => "anyOf",
            "additionalProperties" | "unevaluatedProperties"
                if members.get(PATTERNS).is_some_and(|by| asks_more(PATTERNS, by)) =>
            {
                sound.insert(keyword.clone(), Value::Bool(true));
                continue;
            }
            "unevaluatedProperties" if partly => {
                sound.insert(keyword.clone(), Value::Bool(true));
                continue;
            }
            keyword => keyword,
        };
        let value = map_below(keyword, value, &mut |_, schema| known(doc, schema, partly));
        if keyword == "allOf" {
            hold_all(&mut sound, value.as_array().cloned().unwrap_or_default());
        } else if let Some(held) = sound.remove(keyword) {
            // `oneOf` beside `anyOf`: both must hold.
            let both = [held, value];
            let both = both.map(|list| Value::Object(Map::from_iter([(keyword.to_owned(), list)])));
            hold_all(&mut sound, both.to_vec());
        } else {
            sound.insert(keyword.to_owned(), value);
        }
    }
    if NAMING.iter().any(|keyword| members.contains_key(*keyword)) {
        name_all(doc, members, &mut sound);
    }
    Value::Object(sound)
}

/// The names that are known only under a condition are known.
fn name_all(doc: &Value, members: &Map<String, Value>, sound: &mut Map<String, Value>) {
    let mut names = Names::default();
    names.gather(doc, members);
    if names.open && !sound.contains_key("additionalProperties") {
        sound.insert("additionalProperties".into(), Value::Bool(true));
    }
    let Some(properties) = sound.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for name in names.named() {
        properties.entry(name).or_insert(Value::Bool(true));
    }
}

/// Asks that these hold as well.
fn hold_all(sound: &mut Map<String, Value>, more: Vec<Value>) {
    match sound.get_mut("allOf") {
        Some(Value::Array(held)) => held.extend(more),
        _ => drop(sound.insert("allOf".into(), more.into())),
    }
}
