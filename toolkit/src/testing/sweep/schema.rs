//! A schema as a sweep reads it, and whether a value fits it: a reading of JSON Schema that has nothing to
//! do with the one by which calls are held, so that each is a test of the other.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::chance::Chance;
use super::join::join;
use super::strings;
use crate::schema::Pattern;

/// The schema of an object's members, by keyword.
pub(super) type Shape = Map<String, Value>;

/// Keywords that are heeded here, and those that ask nothing of a value.
const KNOWN: [&str; 42] = [
    "$ref",
    "$defs",
    "definitions",
    "type",
    "enum",
    "const",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "minProperties",
    "maxProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$id",
    "$schema",
    "$comment",
    "$anchor",
];

/// How deep references and parts may lie within each other.
const DEPTH: usize = 48;

/// The schema of one tool's arguments.
pub(super) struct Schema {
    pub(super) root: Value,
    /// Each pattern is read once; `None`: it can't be.
    patterns: RefCell<HashMap<String, Option<Pattern>>>,
    /// The texts of each schema of strings, made once.
    texts: RefCell<HashMap<String, Result<Vec<String>, String>>>,
}

/// Both, as far as is known: what is false is so whatever else isn't known.
fn and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

impl Schema {
    pub(super) fn new(root: Value) -> Self {
        Self { root, patterns: RefCell::default(), texts: RefCell::default() }
    }

    /// Texts that fit: see [`strings::fitting`].
    ///
    /// # Errors
    /// None can be made; why.
    pub(super) fn texts(&self, shape: &Shape, rng: &mut Chance) -> Result<Vec<String>, String> {
        let asked = ["pattern", "format", "minLength", "maxLength"].map(|key| shape.get(key));
        let mut texts = self.texts.borrow_mut();
        let made = texts.entry(format!("{asked:?}"));
        made.or_insert_with(|| strings::fitting(shape, rng)).clone()
    }

    /// Whether a pattern matches; `None` where it can't be read.
    pub(super) fn matches(&self, pattern: &str, text: &str) -> Option<bool> {
        let mut patterns = self.patterns.borrow_mut();
        if !patterns.contains_key(pattern) {
            patterns.insert(pattern.to_owned(), Pattern::read(pattern).ok());
        }
        Some(patterns.get(pattern)?.as_ref()?.is_match(text))
    }

    /// Whether an object's schema names a member, or has a pattern for it.
    pub(super) fn names(&self, shape: &Shape, name: &str) -> bool {
        let of = |key: &str| shape.get(key).and_then(Value::as_object);
        of("properties").is_some_and(|properties| properties.contains_key(name))
            || of("patternProperties").is_some_and(|patterns| {
                patterns.keys().any(|key| self.matches(key, name) == Some(true))
            })
    }

    /// What a reference leads to.
    fn find(&self, reference: &str) -> Option<&Value> {
        let pointer = reference.strip_prefix('#')?;
        // As a fragment of a URI has it: names of types have `<`, `>` and spaces escaped.
        let mut bytes = Vec::with_capacity(pointer.len());
        let mut rest = pointer.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'%' {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                bytes.push(u8::try_from(high * 16 + low).ok()?);
            } else {
                bytes.push(byte);
            }
        }
        self.root.pointer(&String::from_utf8(bytes).ok()?)
    }

    /// A schema with its references followed and what must hold together joined, so that a value can be
    /// made of it. What contradicts itself isn't seen here: values are held to the schema itself.
    ///
    /// # Errors
    /// What isn't known about it.
    pub(super) fn open(&self, schema: &Value) -> Result<Shape, String> {
        self.opened(schema, 0)
    }

    fn opened(&self, schema: &Value, depth: usize) -> Result<Shape, String> {
        let mut shape = match schema {
            Value::Bool(true) => return Ok(Shape::new()),
            Value::Object(shape) => shape.clone(),
            _ => return Err("a schema that nothing fits".to_owned()),
        };
        if let Some(unknown) = shape.keys().find(|key| !is_known(key)) {
            return Err(format!("the keyword `{unknown}` isn't known here"));
        }
        if depth > DEPTH {
            return Err("its references have no end".to_owned());
        }
        let mut parts = Vec::new();
        if let Some(Value::String(reference)) = shape.remove("$ref") {
            let found = self.find(&reference);
            parts.push(found.ok_or_else(|| format!("`{reference}` leads nowhere"))?.clone());
        }
        if let Some(Value::Array(all)) = shape.remove("allOf") {
            parts.extend(all);
        }
        for part in parts {
            join(&mut shape, self.opened(&part, depth + 1)?);
        }
        Ok(shape)
    }

    /// Whether a value fits; `None` where that hangs on a keyword that isn't known.
    pub(super) fn holds(&self, value: &Value) -> Option<bool> {
        self.fits(&self.root, value, 0)
    }

    /// The same of one place.
    pub(super) fn fits_here(&self, shape: &Shape, value: &Value) -> Option<bool> {
        shape
            .iter()
            .map(|(key, held)| self.keyword(shape, key, held, value, 0))
            .fold(Some(true), and)
    }

    fn fits(&self, schema: &Value, value: &Value, depth: usize) -> Option<bool> {
        let shape = match schema {
            Value::Bool(fits) => return Some(*fits),
            Value::Object(shape) if depth <= DEPTH => shape,
            _ => return None,
        };
        let all = shape.iter().map(|(key, held)| self.keyword(shape, key, held, value, depth));
        all.fold(Some(true), and)
    }

    /// Whether a value fits what one keyword asks.
    fn keyword(
        &self,
        shape: &Shape,
        key: &str,
        held: &Value,
        value: &Value,
        depth: usize,
    ) -> Option<bool> {
        let fits = |schema: &Value, value: &Value| self.fits(schema, value, depth + 1);
        let each = |schemas: &Value| -> Option<Vec<Option<bool>>> {
            Some(schemas.as_array()?.iter().map(|schema| fits(schema, value)).collect())
        };
        match key {
            "$ref" => fits(self.find(held.as_str()?)?, value),
            "allOf" => each(held)?.into_iter().fold(Some(true), and),
            "anyOf" => {
                let found = each(held)?;
                let none = found.iter().all(|one| *one == Some(false));
                if found.contains(&Some(true)) { Some(true) } else { none.then_some(false) }
            }
            "oneOf" => {
                let found = each(held)?;
                let count = found.iter().filter(|one| **one == Some(true)).count();
                if found.contains(&None) { None } else { Some(count == 1) }
            }
            "not" => fits(held, value).map(|fits| !fits),
            "type" => Some(types(held).iter().any(|of| is_of(value, of))),
            "const" => Some(same(held, value)),
            "enum" => Some(held.as_array()?.iter().any(|one| same(one, value))),
            _ => match value {
                Value::Number(number) => number_fits(key, held, number.as_f64()?),
                Value::String(text) if key == "pattern" => self.matches(held.as_str()?, text),
                Value::String(text) => text_fits(key, held, text),
                Value::Array(items) => {
                    let rest =
                        shape.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                    match key {
                        "prefixItems" => {
                            let first = held.as_array()?.iter().zip(items);
                            first.map(|(schema, item)| fits(schema, item)).fold(Some(true), and)
                        }
                        "items" => items
                            .iter()
                            .skip(rest)
                            .map(|item| fits(held, item))
                            .fold(Some(true), and),
                        _ => list_fits(key, held, items),
                    }
                }
                Value::Object(members) => self.members(shape, key, held, members, depth),
                _ => is_known(key).then_some(true),
            },
        }
    }

    fn members(
        &self,
        shape: &Shape,
        key: &str,
        held: &Value,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Option<bool> {
        let fits = |schema: &Value, value: &Value| self.fits(schema, value, depth + 1);
        let count = members.len() as u64;
        match key {
            "properties" => {
                let properties = held.as_object()?.iter();
                let there = properties.filter_map(|(name, of)| Some((of, members.get(name)?)));
                there.map(|(of, member)| fits(of, member)).fold(Some(true), and)
            }
            "required" => Some(
                held.as_array()?
                    .iter()
                    .all(|name| name.as_str().is_some_and(|name| members.contains_key(name))),
            ),
            "minProperties" => Some(count >= held.as_u64()?),
            "maxProperties" => Some(count <= held.as_u64()?),
            "patternProperties" => {
                let mut all = Some(true);
                for (pattern, of) in held.as_object()? {
                    for (name, member) in members {
                        if self.matches(pattern, name)? {
                            all = and(all, fits(of, member));
                        }
                    }
                }
                all
            }
            "additionalProperties" => {
                let others = members.iter().filter(|(name, _)| !self.names(shape, name));
                others.map(|(_, member)| fits(held, member)).fold(Some(true), and)
            }
            "unevaluatedProperties" => {
                let value = Value::Object(members.clone());
                let others = members.iter().filter(|(name, _)| {
                    !self.evaluates(&Value::Object(shape.clone()), &value, name, depth)
                });
                others.map(|(_, member)| fits(held, member)).fold(Some(true), and)
            }
            _ => is_known(key).then_some(true),
        }
    }

    /// Whether a schema, or one that it asks and that the value fits, has a word on a member.
    fn evaluates(&self, schema: &Value, value: &Value, name: &str, depth: usize) -> bool {
        let Value::Object(shape) = schema else { return false };
        if self.names(shape, name) || shape.contains_key("additionalProperties") {
            return true;
        }
        let parts = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| shape.get(key));
        let parts = parts.filter_map(Value::as_array).flatten();
        let referred = shape.get("$ref").and_then(Value::as_str).and_then(|to| self.find(to));
        depth < DEPTH
            && parts.chain(referred).any(|part| {
                self.fits(part, value, depth + 1) == Some(true)
                    && self.evaluates(part, value, name, depth + 1)
            })
    }
}

fn is_known(key: &str) -> bool {
    KNOWN.contains(&key) || key.starts_with("content") || key.starts_with("x-")
}

/// The words of a `type`.
pub(super) fn types(held: &Value) -> Vec<&str> {
    match held {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value is of a type.
pub(super) fn is_of(value: &Value, of: &str) -> bool {
    match value {
        Value::Null => of == "null",
        Value::Bool(_) => of == "boolean",
        Value::String(_) => of == "string",
        Value::Array(_) => of == "array",
        Value::Object(_) => of == "object",
        Value::Number(number) => {
            of == "number"
                || (of == "integer"
                    && (number.is_i64()
                        || number.is_u64()
                        || number.as_f64().is_some_and(|number| number.fract() == 0.0)))
        }
    }
}

/// Whether two values are one to JSON Schema, to which `1` is `1.0`.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

fn number_fits(key: &str, held: &Value, number: f64) -> Option<bool> {
    let bound = || held.as_f64();
    match key {
        "minimum" => Some(number >= bound()?),
        "maximum" => Some(number <= bound()?),
        "exclusiveMinimum" => Some(number > bound()?),
        "exclusiveMaximum" => Some(number < bound()?),
        "multipleOf" => {
            let times = number / bound()?;
            Some((times - times.round()).abs() < 1e-9)
        }
        _ => is_known(key).then_some(true),
    }
}

fn text_fits(key: &str, held: &Value, text: &str) -> Option<bool> {
    let length = || text.chars().count() as u64;
    match key {
        "minLength" => Some(length() >= held.as_u64()?),
        "maxLength" => Some(length() <= held.as_u64()?),
        _ => is_known(key).then_some(true),
    }
}

fn list_fits(key: &str, held: &Value, items: &[Value]) -> Option<bool> {
    match key {
        "minItems" => Some(items.len() as u64 >= held.as_u64()?),
        "maxItems" => Some(items.len() as u64 <= held.as_u64()?),
        "uniqueItems" if held == &Value::Bool(true) => Some(
            !items.iter().enumerate().any(|(at, one)| items[..at].iter().any(|two| same(one, two))),
        ),
        _ => is_known(key).then_some(true),
    }
}
