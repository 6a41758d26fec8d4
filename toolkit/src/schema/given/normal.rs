//! Puts a schema into the one form that is held and shown: of the newest draft, every reference to one
//! of its own `$defs`. What an older draft says in another way is said in the new one; what can't be
//! said, or leads out of the schema, is refused.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::draft::{Draft, draft};
use super::identity::{anchored, has_reference, own_id};
use super::place::{MAX_FAULTS, below, escaped, is_schema, map_below, shown};
use crate::text::nearest;

/// How many values a schema may consist of, names of members included.
const MAX_VALUES: usize = 20_000;

/// How deep they may stand within each other.
const MAX_DEPTH: usize = 64;

/// How many bytes of text they may hold.
const MAX_TEXT: usize = 1 << 20;

/// The schema in the one form.
///
/// # Errors
/// All that is wrong with it, each with its place.
pub(super) fn normal(schema: &Value) -> Result<Value, Vec<String>> {
    bounds(schema)
        .and_then(|()| draft(schema))
        .and_then(|draft| match schema {
            Value::Object(_) => Ok(draft),
            other => Err(format!("at `#`: the schema must be an object, not {}", kind(other))),
        })
        .map_err(|fault| vec![fault])
        .and_then(|draft| {
            let mut normal = Normal::new(schema, draft);
            let mut root = normal.schema(schema, "");
            let mut defs = Map::new();
            // What is referred to may refer to more.
            let mut done = 0;
            while let Some((at, name)) = normal.named.get(done).cloned() {
                let target = schema.pointer(&at).unwrap_or(&Value::Null);
                let target = normal.schema(target, &at);
                defs.insert(name, target);
                done += 1;
            }
            if !normal.faults.is_empty() {
                return Err(normal.faults);
            }
            if let Some(root) = root.as_object_mut()
                && !defs.is_empty()
            {
                root.insert("$defs".to_owned(), Value::Object(defs));
            }
            Ok(root)
        })
}

fn kind(value: &Value) -> &'static str {
    crate::json::kind_of(&value.to_string())
}

fn bounds(schema: &Value) -> Result<(), String> {
    let (mut values, mut text) = (0, 0);
    let mut due = vec![(schema, 0)];
    while let Some((value, depth)) = due.pop() {
        values += 1;
        match value {
            Value::String(held) => text += held.len(),
            Value::Array(list) => due.extend(list.iter().map(|value| (value, depth + 1))),
            Value::Object(members) => {
                values += members.len();
                text += members.keys().map(String::len).sum::<usize>();
                due.extend(members.values().map(|value| (value, depth + 1)));
            }
            _ => {}
        }
        let (what, most) = match () {
            () if depth > MAX_DEPTH => ("levels", MAX_DEPTH),
            () if values > MAX_VALUES => ("values", MAX_VALUES),
            () if text > MAX_TEXT => ("bytes of text", MAX_TEXT),
            () => continue,
        };
        return Err(format!("the schema has more than {most} {what}, which is the limit"));
    }
    Ok(())
}

struct Normal<'v> {
    root: &'v Value,
    id: Option<&'v str>,
    draft: Draft,
    /// Where the schemas stand that have a name of their own, by that name.
    anchors: HashMap<&'v str, String>,
    /// What is referred to: where it stands, and what it is called among the definitions.
    named: Vec<(String, String)>,
    /// The same by where it stands.
    names: HashMap<String, String>,
    /// How often a name was wanted.
    wanted: HashMap<String, usize>,
    faults: Vec<String>,
}

/// What names a schema, and says nothing else.
const NAMES: [&str; 7] =
    ["$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "id"];

impl<'v> Normal<'v> {
    fn new(root: &'v Value, draft: Draft) -> Self {
        let id = root.get("$id").or_else(|| root.get("id")).and_then(Value::as_str);
        let mut anchors = HashMap::new();
        anchored(root, "", &mut anchors);
        Self {
            root,
            id,
            draft,
            anchors,
            named: Vec::new(),
            names: HashMap::new(),
            wanted: HashMap::new(),
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, at: &str, what: &str) {
        let fault = format!("at `{}`: {what}", shown(at));
        if !self.faults.contains(&fault) && self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    fn schema(&mut self, schema: &Value, at: &str) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        self.identity(members, at);
        let mut normal = Map::new();
        for (keyword, value) in members {
            let here = || format!("{at}/{}", escaped(keyword));
            let lone = self.draft.lone_references && members.contains_key("$ref");
            match keyword.as_str() {
                "$ref" => {
                    if let Some(name) = self.reference(value, &here()) {
                        normal.insert("$ref".into(), Value::String(name));
                    }
                }
                "description" | "default" | "examples" | "title" if lone => {
                    normal.insert(keyword.clone(), value.clone());
                }
                _ if lone => {}
                "$dynamicRef" | "$recursiveRef" => {
                    let what = format!("`{keyword}` isn't held; write `$ref` to one of `$defs`");
                    self.fault(&here(), &what);
                }
                name if NAMES.contains(&name) && value.is_string() => {}
                "$recursiveAnchor" | "$vocabulary" => {}
                // They stand where they are referred to.
                "$defs" | "definitions" => {}
                "type" => {
                    self.types(value, &here());
                    normal.insert(keyword.clone(), value.clone());
                }
                "items" if value.is_array() => {
                    let items = self.below("items", value, at);
                    normal.insert("prefixItems".into(), items);
                    if let Some(more) = members.get("additionalItems") {
                        normal.insert("items".into(), self.below("additionalItems", more, at));
                    }
                }
                "additionalItems" => {}
                "dependencies" => self.dependencies(value, &here(), &mut normal),
                "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => {
                    let end = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
                    if let (Value::Bool(true), Some(end)) = (value, members.get(end)) {
                        normal.insert(keyword.clone(), end.clone());
                    }
                }
                "enum" if value.as_array().is_some_and(Vec::is_empty) => {
                    self.fault(&here(), "it is empty, so that nothing fits");
                }
                count if COUNTS.contains(&count) => {
                    normal.insert(keyword.clone(), whole(value));
                }
                "minimum" if members.get("exclusiveMinimum") == Some(&Value::Bool(true)) => {}
                "maximum" if members.get("exclusiveMaximum") == Some(&Value::Bool(true)) => {}
                _ => {
                    let value = self.below(keyword, value, at);
                    normal.insert(keyword.clone(), value);
                }
            }
        }
        Value::Object(normal)
    }

    fn below(&mut self, keyword: &str, value: &Value, at: &str) -> Value {
        map_below(keyword, value, &mut |step, schema| self.schema(schema, &format!("{at}{step}")))
    }

    /// Within a schema that is a document of its own, a reference means another place.
    fn identity(&mut self, members: &Map<String, Value>, at: &str) {
        let Some(key) = own_id(members).filter(|_| !at.is_empty()) else { return };
        let mut refers = members.contains_key("$ref");
        for (keyword, value) in members {
            for (_, schema) in below(keyword, value) {
                refers |= has_reference(schema);
            }
        }
        if refers {
            let what =
                format!("a schema with an `{key}` of its own can't refer; leave out the `{key}`");
            self.fault(at, &what);
        }
    }

    /// The same of what is referred to past the schema that is a document of its own.
    fn leads_within(&self, pointer: &str) -> bool {
        let steps = pointer.match_indices('/').map(|(at, _)| &pointer[..at]);
        let mut outer = steps.filter(|at| !at.is_empty());
        let is_own = |at| {
            let members = self.root.pointer(at).and_then(Value::as_object);
            members.is_some_and(|members| own_id(members).is_some())
        };
        outer.any(is_own) && self.root.pointer(pointer).is_some_and(has_reference)
    }

    fn types(&mut self, value: &Value, at: &str) {
        const KNOWN: [&str; 7] =
            ["string", "number", "integer", "boolean", "array", "object", "null"];
        let words = match value {
            Value::Array(words) => words.as_slice(),
            word => std::slice::from_ref(word),
        };
        for word in words.iter().filter_map(Value::as_str).filter(|word| !KNOWN.contains(word)) {
            let near = match word {
                "float" | "double" | "decimal" => Some("number"),
                "int" | "long" => Some("integer"),
                "bool" => Some("boolean"),
                "dict" | "map" | "struct" => Some("object"),
                "list" | "tuple" | "set" => Some("array"),
                "str" | "text" => Some("string"),
                word => nearest(word, KNOWN),
            };
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let word = crate::json::line(word);
            self.fault(at, &format!("there is no type `{word}`{near} known: {}", KNOWN.join(", ")));
        }
    }

    fn dependencies(&mut self, value: &Value, at: &str, normal: &mut Map<String, Value>) {
        let Some(all) = value.as_object() else {
            return self.fault(at, "`dependencies` must be an object");
        };
        for (name, needs) in all {
            let (keyword, needs) = if is_schema(needs) {
                let at = format!("{at}/{}", escaped(name));
                ("dependentSchemas", self.schema(needs, &at))
            } else if needs.is_string() {
                ("dependentRequired", Value::Array(vec![needs.clone()]))
            } else {
                ("dependentRequired", needs.clone())
            };
            let held = normal.entry(keyword).or_insert_with(|| Value::Object(Map::new()));
            if let Some(held) = held.as_object_mut() {
                held.insert(name.clone(), needs);
            }
        }
    }

    /// A reference to the same among the definitions.
    fn reference(&mut self, value: &Value, at: &str) -> Option<String> {
        let Some(text) = value.as_str() else {
            self.fault(at, "a reference must be a text like `#/$defs/Name`");
            return None;
        };
        let own = self.id.and_then(|id| text.strip_prefix(id.trim_end_matches('#')));
        let own = own.filter(|rest| rest.is_empty() || rest.starts_with('#')).unwrap_or(text);
        let Some(fragment) = own.strip_prefix('#').or(own.is_empty().then_some("")) else {
            let text = crate::json::line(text);
            let what = format!(
                "the reference `{text}` leads out of the schema, and nothing is fetched; put what \
                 it means under `$defs` and refer to `#/$defs/…`"
            );
            self.fault(at, &what);
            return None;
        };
        let pointer = match self.anchors.get(fragment) {
            Some(at) => at.clone(),
            None => decoded(fragment),
        };
        if !self.root.pointer(&pointer).is_some_and(is_schema) {
            let text = crate::json::line(text);
            let names = ["$defs", "definitions"].into_iter().filter_map(|key| self.root.get(key));
            let names = names.filter_map(Value::as_object).flat_map(|defs| defs.keys());
            let last = pointer.rsplit('/').next().unwrap_or_default();
            let near = nearest(last, names.map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            self.fault(at, &format!("the reference `{text}` leads nowhere{near}"));
            return None;
        }
        if self.leads_within(&pointer) {
            let text = crate::json::line(text);
            let what = format!(
                "the reference `{text}` leads into a schema with an `$id` of its own, where others mean \
                 another place; leave out the `$id`"
            );
            self.fault(at, &what);
            return None;
        }
        let name = self.name(pointer);
        Some(format!("#/$defs/{}", encoded(&name)))
    }

    /// What the schema at this place is called.
    fn name(&mut self, pointer: String) -> String {
        if let Some(name) = self.names.get(&pointer) {
            return name.clone();
        }
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let base = last.replace("~1", "/").replace("~0", "~");
        let base = if base.is_empty() { "root".to_owned() } else { base };
        // A name that another of the schema's own definitions has is left to it.
        let own = |name: &str| format!("/$defs/{}", escaped(name));
        let is_free = |wanted: &HashMap<String, usize>, name: &str| {
            !wanted.contains_key(name)
                && (own(name) == pointer || self.root.pointer(&own(name)).is_none())
        };
        let mut name = base.clone();
        while !is_free(&self.wanted, &name) {
            let count = self.wanted.entry(base.clone()).or_insert(1);
            *count += 1;
            name = format!("{base}_{count}");
        }
        self.wanted.entry(name.clone()).or_insert(1);
        self.names.insert(pointer.clone(), name.clone());
        self.named.push((pointer, name.clone()));
        name
    }
}

/// Keywords that count. A count may be written as a number with a fraction of nothing.
const COUNTS: [&str; 8] = [
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
];

/// A count as a whole number, as far as it is one; beyond 64 bits nothing counts.
fn whole(value: &Value) -> Value {
    match value.as_f64() {
        Some(count) if !value.is_u64() && count >= 0.0 && count.fract() == 0.0 => {
            // The cast ends at the last number there is.
            Value::from(count as u64)
        }
        _ => value.clone(),
    }
}

/// A fragment of a URI without its escapes.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |at: usize| tail.get(at).and_then(|b| char::from(*b).to_digit(16));
        rest = tail;
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &tail[2..];
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A name as the last step of a JSON pointer in a URI's fragment.
fn encoded(name: &str) -> String {
    let mut out = String::new();
    super::super::text::pointer(name, &mut out);
    out
}
