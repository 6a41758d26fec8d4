//! Lowering of a schema to the subset that strict mode takes, or the reasons why that can't be.
//!
//! Strict mode wants a root object, every object closed, every key required (what may be left out
//! may be null instead), a type at every node, and a short list of keywords. What merely narrows a
//! value goes into the description; what would change the set of keys or values beyond what strict
//! mode can express makes the whole tool non-strict.

mod check;
mod kinds;
mod union;

use std::collections::BTreeSet;

use serde_json::Value;

pub(super) use kinds::property_order;

use super::defs::{Defs, Schema, names};
use super::notes::Notes;
use super::ordered::{Fields, Node};
use crate::dialect::loss::{Loss, LossKind};

/// How many nodes a lowered schema may have. Well above what the budgets allow; it stops a schema
/// that grows exponentially while shared definitions are opened.
const MAX_NODES: usize = 20_000;

/// How deep schemas may nest, unions and opened references included.
const MAX_DEPTH: usize = 128;

/// Keywords that say nothing about the value.
const SILENT: [&str; 12] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "title",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "$vocabulary",
    "$dynamicAnchor",
    "discriminator",
];

/// Keywords that strict mode refuses and that no rewriting keeps true.
const REFUSED: [&str; 12] = [
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "contentSchema",
    "$dynamicRef",
];

pub(super) struct Strict<'a> {
    defs: Defs<'a>,
    /// References whose target must be among the definitions sent.
    used: BTreeSet<String>,
    /// References that are being opened at this moment; a second opening would never end.
    opening: Vec<String>,
    nodes: usize,
    depth: usize,
    reasons: Vec<Loss>,
    described: Vec<Loss>,
}

/// The strict schema with what it only describes, or why there is none.
pub(super) fn lower(root: &Value, order: &[&str]) -> Result<(Fields, Vec<Loss>), Vec<Loss>> {
    let mut strict = Strict {
        defs: Defs::new(root),
        used: BTreeSet::new(),
        opening: Vec::new(),
        nodes: 0,
        depth: 0,
        reasons: Vec::new(),
        described: Vec::new(),
    };
    let mut schema = strict.root(root, order);
    strict.definitions(&mut schema);
    if strict.reasons.is_empty() {
        check::first_keys(&mut schema, &mut strict.reasons);
        check::budgets(&schema, &mut strict.reasons);
    }
    if strict.reasons.is_empty() { Ok((schema, strict.described)) } else { Err(strict.reasons) }
}

impl Strict<'_> {
    fn reject(&mut self, path: &str, reason: impl Into<Box<str>>) -> Fields {
        let loss = Loss::new(LossKind::NotStrict, path, reason);
        if !self.reasons.contains(&loss) {
            self.reasons.push(loss);
        }
        Fields::default()
    }

    fn described(&mut self, path: &str, what: impl Into<Box<str>>) {
        self.described.push(Loss::new(LossKind::Described, path, what));
    }

    fn root(&mut self, root: &Value, order: &[&str]) -> Fields {
        let Value::Object(map) = root else { return self.reject("", "the root is no object") };
        let mut map = map.clone();
        map.remove("$defs");
        map.remove("definitions");
        let flat = match self.defs.flatten(&map, &mut self.opening) {
            Ok(flat) => flat,
            Err(reason) => return self.reject("", reason),
        };
        for key in ["anyOf", "oneOf", "enum", "const", "not"] {
            if flat.contains_key(key) {
                return self.reject("", format!("`{key}` at the root"));
            }
        }
        if flat.get("type").and_then(Value::as_str) != Some("object") {
            return self.reject("", "the root is no object");
        }
        let fields = self.flat(flat, "", order);
        self.opening.clear();
        fields
    }

    /// Lowers every definition that is still referred to, and those that these refer to.
    fn definitions(&mut self, schema: &mut Fields) {
        let mut done = BTreeSet::new();
        while let Some(reference) = self.used.iter().find(|held| !done.contains(*held)).cloned() {
            done.insert(reference.clone());
            let Some((place, name)) = reference.trim_start_matches("#/").split_once('/') else {
                continue; // `#`: the root itself
            };
            let name = name.replace("~1", "/").replace("~0", "~");
            let Some(target) = self.defs.get(&reference) else { continue };
            let lowered = self.schema(target, &format!("{place}.{name}"));
            if !schema.contains(place) {
                schema.set(place, Fields::default());
            }
            if let Some(Node::Object(definitions)) = schema.get_mut(place) {
                definitions.set(name, lowered);
            }
        }
    }

    fn schema(&mut self, value: &Value, path: &str) -> Fields {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return self.reject("", format!("over {MAX_NODES} nodes"));
        }
        if self.depth >= MAX_DEPTH {
            return self.reject("", format!("over {MAX_DEPTH} schemas deep"));
        }
        self.depth += 1;
        let fields = match value {
            Value::Object(map) => self.keywords(map, path),
            Value::Bool(false) => self.reject(path, "no value fits"),
            _ => self.reject(path, "any value fits"),
        };
        self.depth -= 1;
        fields
    }

    fn keywords(&mut self, map: &Schema, path: &str) -> Fields {
        if let Some(Value::String(reference)) = map.get("$ref") {
            let alone = map.keys().all(|key| key == "$ref" || SILENT.contains(&key.as_str()));
            if alone {
                return self.reference(reference, path);
            }
            if self.opening.contains(reference) {
                let annotated = map.keys().all(|key| {
                    matches!(key.as_str(), "$ref" | "description" | "default" | "examples")
                        || SILENT.contains(&key.as_str())
                });
                if !annotated {
                    return self.reject(path, "constraints beside a recursive reference");
                }
                self.described(path, "the description beside a recursive reference is left out");
                return self.reference(reference, path);
            }
        }
        let depth = self.opening.len();
        let fields = match self.defs.flatten(map, &mut self.opening) {
            Ok(flat) => self.flat(flat, path, &[]),
            Err(reason) => self.reject(path, reason),
        };
        self.opening.truncate(depth);
        fields
    }

    fn reference(&mut self, reference: &str, path: &str) -> Fields {
        if self.defs.get(reference).is_none() {
            return self.reject(path, format!("the reference `{reference}` isn't local"));
        }
        self.used.insert(reference.to_owned());
        let mut fields = Fields::default();
        fields.set("$ref", reference);
        fields
    }

    /// Lowers a schema without `$ref` and `allOf`. `order` gives the order of its properties.
    fn flat(&mut self, mut map: Schema, path: &str, order: &[&str]) -> Fields {
        map.retain(|key, _| !SILENT.contains(&key.as_str()) && !key.starts_with("x-"));
        for key in REFUSED {
            if map.contains_key(key) {
                self.reject(path, format!("`{key}`"));
            }
        }
        let mut notes = Notes::default();
        let description = match map.remove("description") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        if let Some(value) = map.remove("default") {
            notes.default_of(&value);
        }
        if let Some(value) = map.remove("examples") {
            notes.examples(&value);
        }
        if map.remove("deprecated") == Some(Value::Bool(true)) {
            notes.add("deprecated");
        }
        if let Some(not) = map.remove("not") {
            self.not(&not, path, &mut notes);
        }
        let mut fields = if map.contains_key("anyOf") || map.contains_key("oneOf") {
            self.union(map, path, &mut notes)
        } else if map.contains_key("const") || map.contains_key("enum") {
            self.fixed(&map, path)
        } else {
            self.typed(map, path, order, &mut notes)
        };
        if let Some(text) = notes.describe(description) {
            fields.set("description", text);
        }
        fields.arrange();
        fields
    }

    /// `not` of fixed values can be told in words; any other can't.
    fn not(&mut self, not: &Value, path: &str, notes: &mut Notes) {
        let excluded: Vec<&Value> = match not {
            Value::Object(map) if map.len() == 1 => match (map.get("const"), map.get("enum")) {
                (Some(one), _) => vec![one],
                (_, Some(Value::Array(many))) => many.iter().collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        if excluded.is_empty() {
            self.reject(path, "`not`");
            return;
        }
        for value in excluded {
            notes.add(format!("not {}", Node::data(value).text()));
        }
        self.described(path, "`not`");
    }

    /// `const` and `enum`.
    fn fixed(&mut self, map: &Schema, path: &str) -> Fields {
        let mut values: Vec<&Value> = Vec::new();
        match (map.get("const"), map.get("enum")) {
            (Some(one), _) => values.push(one),
            (None, Some(Value::Array(many))) => {
                for value in many {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
            _ => {}
        }
        if values.iter().any(|value| value.is_object() || value.is_array()) {
            return self.reject(path, "a fixed value that is an array or an object");
        }
        // The types of the values, by the names that were declared; a value of another type is none.
        let declared = names(map.get("type"));
        let mut types = Vec::new();
        values.retain(|value| {
            let own = kinds::type_of(value);
            let wide = if own == "integer" { "number" } else { own };
            let fitting = declared.iter().copied().find(|name| *name == own || *name == wide);
            let name = if declared.is_empty() { Some(own) } else { fitting };
            types.extend(name.filter(|name| !types.contains(name)));
            name.is_some()
        });
        if values.is_empty() {
            return self.reject(path, "no value fits");
        }
        if types.contains(&"number") {
            types.retain(|name| *name != "integer");
        }
        let mut fields = Fields::default();
        fields.set("type", kinds::type_node(&types));
        if map.contains_key("const") {
            fields.set("const", Node::data(values[0]));
        } else {
            fields.set("enum", values.into_iter().map(Node::data).collect::<Vec<_>>());
        }
        fields
    }
}

/// The same schema, with null allowed too.
fn nullable(mut fields: Fields) -> Fields {
    let null = || {
        let mut null = Fields::default();
        null.set("type", "null");
        Node::Object(null)
    };
    if fields.get("type").is_some_and(|types| types.names("null")) {
        return fields;
    }
    if let Some(Node::List(branches)) = fields.get_mut("anyOf") {
        let has_null = |node: &Node| {
            node.as_object()
                .and_then(|one| one.get("type"))
                .is_some_and(|types| types.names("null"))
        };
        if !branches.iter().any(has_null) {
            branches.push(null());
        }
        return fields;
    }
    let fixed = fields.contains("const") || fields.contains("enum");
    match fields.get_mut("type") {
        Some(types) if !fixed => {
            let mut all = match std::mem::replace(types, Node::List(Vec::new())) {
                Node::List(all) => all,
                one => vec![one],
            };
            all.push(Node::from("null"));
            *types = Node::List(all);
            fields
        }
        _ => {
            let description = fields.take("description");
            let mut union = Fields::default();
            if let Some(description) = description {
                union.set("description", description);
            }
            union.set("anyOf", vec![Node::Object(fields), null()]);
            union
        }
    }
}
