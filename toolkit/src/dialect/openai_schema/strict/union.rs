//! `anyOf` and `oneOf`. Strict mode has `anyOf` only, so a `oneOf` must be one whose branches
//! exclude each other anyway.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::defs::{Schema, merge, names};
use super::super::notes::{Notes, fixed_strings};
use super::super::ordered::{Fields, Node};
use super::{Strict, kinds};

/// How many branches are looked at while the types of a union are collected.
const MAX_LOOKS: usize = 500;

impl Strict<'_> {
    pub(super) fn union(&mut self, mut map: Schema, path: &str, notes: &mut Notes) -> Fields {
        let (one_of, any_of) = (map.remove("oneOf"), map.remove("anyOf"));
        let exclusive = one_of.is_some();
        let branches = match (one_of, any_of) {
            (Some(_), Some(_)) => return self.reject(path, "`anyOf` beside `oneOf`"),
            (Some(Value::Array(branches)), _) | (_, Some(Value::Array(branches))) => branches,
            _ => return self.reject(path, "a union that is no list"),
        };
        if branches.is_empty() {
            return self.reject(path, "no value fits");
        }
        if map.get("type").is_none_or(|kind| kind == "string")
            && map.keys().all(|key| key == "type")
            && branches.len() > 1
            && let Some((values, lines)) = fixed_strings(&branches)
        {
            lines.into_iter().for_each(|line| notes.line(line));
            let mut fields = Fields::default();
            fields.set("type", "string");
            fields.set("enum", Node::strings(values.iter().map(String::as_str)));
            return fields;
        }
        if exclusive && !self.all_exclusive(&branches) {
            return self.reject(path, "branches of `oneOf` that overlap");
        }
        let Some(branches) = self.distribute(&map, branches, path) else {
            return Fields::default();
        };
        let mut lowered: Vec<Node> = Vec::new();
        for branch in branches {
            let node = Node::Object(self.schema(&branch, path));
            if !lowered.contains(&node) {
                lowered.push(node);
            }
        }
        if let [Node::Object(only)] = lowered.as_mut_slice() {
            return std::mem::take(only);
        }
        let mut fields = Fields::default();
        fields.set("anyOf", lowered);
        fields
    }

    /// Moves what stands beside the union into each of its branches.
    fn distribute(
        &mut self,
        beside: &Schema,
        branches: Vec<Value>,
        path: &str,
    ) -> Option<Vec<Value>> {
        if beside.is_empty() {
            return Some(branches);
        }
        let mut merged = Vec::with_capacity(branches.len());
        for branch in branches {
            let view = self.defs.view(&branch);
            match merge(beside.clone(), view) {
                Ok(branch) => merged.push(Value::Object(branch)),
                Err(reason) => {
                    self.reject(path, format!("a union beside other keywords: {reason}"));
                    return None;
                }
            }
        }
        Some(merged)
    }

    fn all_exclusive(&self, branches: &[Value]) -> bool {
        let views: Vec<Schema> = branches.iter().map(|branch| self.defs.view(branch)).collect();
        views
            .iter()
            .enumerate()
            .all(|(at, one)| views[at + 1..].iter().all(|other| self.exclusive(one, other)))
    }

    /// Whether no value that is written for one lowered branch fits the other branch as declared.
    /// A lowered object has all its declared keys and no other.
    fn exclusive(&self, one: &Schema, other: &Schema) -> bool {
        if let (Some(a), Some(b)) = (self.types(one, &mut 0), self.types(other, &mut 0)) {
            let meets = |a: &str, b: &str| a == b || (a, b) == ("integer", "number");
            if !a.iter().any(|a| b.iter().any(|b| meets(a, b) || meets(b, a))) {
                return true;
            }
        }
        if let (Some(a), Some(b)) = (fixed_values(one), fixed_values(other)) {
            return disjoint(&a, &b);
        }
        if tagged_apart(one, other) {
            return true;
        }
        is_object(one) && is_object(other) && unfit(one, other) && unfit(other, one)
    }

    /// The types that a schema allows, where they can be told.
    fn types(&self, schema: &Schema, looks: &mut usize) -> Option<BTreeSet<String>> {
        let declared = names(schema.get("type"));
        if !declared.is_empty() {
            return Some(declared.into_iter().map(str::to_owned).collect());
        }
        if let Some(values) = fixed_values(schema) {
            return Some(
                values.into_iter().map(|value| kinds::type_of(value).to_owned()).collect(),
            );
        }
        if schema.contains_key("properties") {
            return Some(BTreeSet::from(["object".to_owned()]));
        }
        let Some(Value::Array(branches)) = schema.get("anyOf").or_else(|| schema.get("oneOf"))
        else {
            return None;
        };
        let mut all = BTreeSet::new();
        for branch in branches {
            *looks += 1;
            if *looks > MAX_LOOKS {
                return None;
            }
            all.extend(self.types(&self.defs.view(branch), looks)?);
        }
        Some(all)
    }
}

fn is_object(schema: &Schema) -> bool {
    schema.contains_key("properties")
        && !["anyOf", "oneOf", "not", "if"].iter().any(|key| schema.contains_key(*key))
}

fn fixed_values(schema: &Schema) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => Some(vec![one]),
        (None, Some(Value::Array(many))) => Some(many.iter().collect()),
        _ => None,
    }
}

fn disjoint(a: &[&Value], b: &[&Value]) -> bool {
    !a.iter().any(|value| b.contains(value))
}

fn properties(schema: &Schema) -> Option<&Schema> {
    schema.get("properties").and_then(Value::as_object)
}

/// Whether both require one key whose fixed values differ.
fn tagged_apart(one: &Schema, other: &Schema) -> bool {
    let (Some(mine), Some(theirs)) = (properties(one), properties(other)) else { return false };
    let required = names(other.get("required"));
    names(one.get("required")).into_iter().filter(|key| required.contains(key)).any(|key| {
        let fixed = |schemas: &Schema| schemas.get(key).and_then(Value::as_object).cloned();
        match (fixed(mine), fixed(theirs)) {
            (Some(a), Some(b)) => match (fixed_values(&a), fixed_values(&b)) {
                (Some(a), Some(b)) => disjoint(&a, &b),
                _ => false,
            },
            _ => false,
        }
    })
}

/// Whether an object with all keys of `one`, and no other, can't fit `other`.
fn unfit(one: &Schema, other: &Schema) -> bool {
    let empty = Schema::new();
    let mine = properties(one).unwrap_or(&empty);
    let theirs = properties(other).unwrap_or(&empty);
    let lacks = names(other.get("required")).into_iter().any(|key| !mine.contains_key(key));
    let closed = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|key| other.get(*key) == Some(&Value::Bool(false)));
    lacks || (closed && mine.keys().any(|key| !theirs.contains_key(key)))
}
