//! What a schema says of the kinds of value at a place in it; where it says nothing, anything may be
//! there.

use std::fmt;

use serde_json::Value;

use super::input::Segment;
use crate::text::nearest;

/// The kinds of value that may stand at a place; `None`: any.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kinds(Option<Vec<&'static str>>);

const KINDS: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

impl Kinds {
    const ANY: Self = Self(None);

    pub(super) fn known(&self) -> Option<&[&'static str]> {
        self.0.as_deref()
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.as_ref().map_or("anything".to_owned(), |kinds| kinds.join(" or ")))
    }
}

/// The kinds of value at this place of what the schema describes. Null counts as nothing: a reference
/// to it skips its step.
///
/// # Errors
/// Why nothing can be there.
pub(super) fn kinds_at(schema: &Value, path: &[Segment]) -> Result<Kinds, String> {
    let mut at = schema;
    for segment in path {
        at = match below(schema, at, segment)? {
            Some(inner) => inner,
            None => return Ok(Kinds::ANY),
        };
    }
    Ok(kinds(schema, at, 0))
}

/// The schema of what a reference within the document names, however often.
fn followed<'s>(root: &'s Value, mut at: &'s Value) -> Option<&'s Value> {
    for _ in 0..16 {
        match at.get("$ref").and_then(Value::as_str) {
            None => return Some(at),
            Some(reference) => at = root.pointer(reference.strip_prefix('#')?)?,
        }
    }
    None
}

/// The schema of a member or an element; `None` where it isn't said.
fn below<'s>(
    root: &'s Value,
    at: &'s Value,
    segment: &Segment,
) -> Result<Option<&'s Value>, String> {
    let Some(at) = followed(root, at).and_then(|at| only(root, at)) else { return Ok(None) };
    let Some(object) = at.as_object() else { return Ok(None) };
    let composed = ["allOf", "anyOf", "oneOf", "patternProperties", "if", "unevaluatedProperties"];
    if composed.iter().any(|key| object.contains_key(*key)) {
        return Ok(None);
    }
    let kind = object.get("type").and_then(Value::as_str);
    let (key, index) = match segment {
        Segment::Key(key) => (Some(key.as_str()), key.parse::<usize>().ok()),
        Segment::Index(index) => (None, Some(*index)),
    };
    match (kind, key, index) {
        (Some("array"), _, Some(_)) => {
            Ok(object.get("items").filter(|_| !object.contains_key("prefixItems")))
        }
        (Some("array"), Some(key), None) => Err(format!("a list has no `{key}`")),
        (Some("object"), Some(key), _) => {
            let Some(members) = object.get("properties").and_then(Value::as_object) else {
                return Ok(None);
            };
            match (members.get(key), object.get("additionalProperties")) {
                (Some(member), _) => Ok(Some(member)),
                (None, None | Some(Value::Bool(false))) => {
                    let near = nearest(key, members.keys().map(String::as_str));
                    let near =
                        near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    Err(format!("there is no `{key}`{near}"))
                }
                (None, Some(_)) => Ok(None),
            }
        }
        (Some("string" | "integer" | "number" | "boolean"), Some(key), _) => {
            Err(format!("a value of type {} has no `{key}`", kind.unwrap_or("value")))
        }
        _ => Ok(None),
    }
}

/// The one schema that is meant by an option: anything or null.
fn only<'s>(root: &'s Value, at: &'s Value) -> Option<&'s Value> {
    let Some(choices) = at.get("anyOf").and_then(Value::as_array) else { return Some(at) };
    let mut real = choices.iter().filter(|choice| choice.get("type") != Some(&"null".into()));
    match (real.next(), real.next()) {
        (Some(one), None) => followed(root, one),
        _ => None,
    }
}

fn kinds(root: &Value, at: &Value, depth: usize) -> Kinds {
    let Some(at) = followed(root, at).filter(|_| depth < 16) else { return Kinds::ANY };
    if let Some(choices) = at.get("anyOf").or_else(|| at.get("oneOf")).and_then(Value::as_array) {
        let mut all = Vec::new();
        for choice in choices {
            match kinds(root, choice, depth + 1).0 {
                None => return Kinds::ANY,
                Some(kinds) => all.extend(kinds),
            }
        }
        return Kinds(Some(all));
    }
    let of = |word: &str| KINDS.into_iter().find(|kind| *kind == word);
    match at.get("type") {
        Some(Value::String(word)) => Kinds(Some(of(word).into_iter().collect())),
        Some(Value::Array(words)) => {
            Kinds(Some(words.iter().filter_map(Value::as_str).filter_map(of).collect()))
        }
        _ => Kinds::ANY,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(schema: &Value, pointer: &str) -> Result<String, String> {
        let path: Vec<Segment> =
            pointer.split('/').skip(1).map(|key| Segment::Key(key.to_owned())).collect();
        kinds_at(schema, &path).map(|kinds| kinds.to_string())
    }

    #[test]
    fn schemas_say_what_is_at_a_place_or_nothing() {
        let schema = json!({
            "type": "array",
            "items": {"$ref": "#/$defs/Article"},
            "$defs": {"Article": {"type": "object", "properties": {
                "id": {"type": "integer"},
                "title": {"type": ["string", "null"]},
                "next": {"anyOf": [{"$ref": "#/$defs/Article"}, {"type": "null"}]},
                "any": {},
                "map": {"type": "object", "additionalProperties": {"type": "string"}},
            }}}
        });
        for (pointer, expected) in [
            ("", Ok("array")),
            ("/0", Ok("object")),
            ("/0/id", Ok("integer")),
            ("/0/title", Ok("string")),
            ("/0/next/next/id", Ok("integer")),
            ("/0/any/thing", Ok("anything")),
            ("/0/map/key", Ok("anything")),
            ("/0/idd", Err("there is no `idd`; did you mean `id`?")),
            ("/first", Err("a list has no `first`")),
            ("/0/id/more", Err("a value of type integer has no `more`")),
        ] {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(at(&schema, pointer), expected, "{pointer}");
        }
    }
}
