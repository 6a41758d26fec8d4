//! Bounds on the time and the stack that a check takes. Schemas that look at one value together, or try
//! it as several kinds, multiply with each level of it.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::place::{self, in_place, shown};

/// How many schemas may look at one value because one does.
const MAX_TOGETHER: u64 = 1000;

/// How deep those may stand within each other.
const MAX_WITHIN: usize = 32;

/// How deep a check may go: schemas within schemas, at each level of the value.
const MAX_DEPTH: usize = 512;

/// Whether several schemas of this one may look at one value.
///
/// # Errors
/// A schema that asks itself of the same value again, or that asks too many others.
pub(super) fn weigh(doc: &Value) -> Result<bool, Vec<String>> {
    let mut together = Together { doc, known: HashMap::new() };
    let mut faults = Vec::new();
    let mut composed = false;
    place::each(doc, "", &mut |at, schema| {
        composed |= is_composed(schema);
        let what = match together.of(schema, 0) {
            Ok(count) if count <= MAX_TOGETHER => return,
            Ok(_) | Err(Endless::Deep) => "too many schemas look at one value together",
            Err(Endless::Circle) => "the schema refers to itself in place, for ever",
        };
        // What asks those that are too many is too many as well: one is told.
        if faults.is_empty() {
            faults.push(format!("at `{}`: {what}", shown(at)));
        }
    });
    if faults.is_empty() { Ok(composed) } else { Err(faults) }
}

/// Whether more than one schema may look at a value or at what is in it.
fn is_composed(schema: &Map<String, Value>) -> bool {
    const COMPOSING: [&str; 12] = [
        "allOf",
        "anyOf",
        "contains",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "patternProperties",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ];
    COMPOSING.iter().any(|keyword| schema.contains_key(*keyword))
        || (schema.contains_key("$ref") && schema.contains_key("properties"))
}

/// Why it can't be told how many there are.
#[derive(Clone, Copy)]
enum Endless {
    Circle,
    Deep,
}

/// Counts the schemas that look at one value together.
struct Together<'v> {
    doc: &'v Value,
    /// By the schema; nothing yet for one that is being counted.
    known: HashMap<*const Map<String, Value>, Option<u64>>,
}

impl<'v> Together<'v> {
    fn of(&mut self, schema: &'v Map<String, Value>, depth: usize) -> Result<u64, Endless> {
        let this = std::ptr::from_ref(schema);
        match self.known.get(&this) {
            Some(Some(count)) => return Ok(*count),
            Some(None) => return Err(Endless::Circle),
            None if depth > MAX_WITHIN => return Err(Endless::Deep),
            None => {}
        }
        self.known.insert(this, None);
        let mut count = Ok(1_u64);
        for inner in in_place(self.doc, schema, true) {
            let inner = match inner {
                Value::Object(inner) => self.of(inner, depth + 1),
                _ => Ok(1),
            };
            count = count.and_then(|count| Ok(count.saturating_add(inner?)));
            if count.is_err() {
                break;
            }
        }
        match count {
            Ok(count) => self.known.insert(this, Some(count)),
            Err(_) => self.known.remove(&this),
        };
        count
    }
}

/// Whether a check of the value ends in good time: how many schemas it asks at most, of which values.
pub(super) fn is_easy(doc: &Value, value: &Value, fuel: u32) -> bool {
    let mut work = Work { doc, left: fuel, known: FxHashMap::default() };
    work.of(doc, value, 0).is_some_and(|count| count <= 10 * u64::from(fuel))
}

/// Counts how often a check asks a schema of a value. What is asked twice is counted once, and added
/// twice.
struct Work<'v> {
    doc: &'v Value,
    left: u32,
    known: FxHashMap<(*const Value, *const Value), u64>,
}

/// The name of a member, for what is asked of names.
static NAME: Value = Value::Null;

impl<'v> Work<'v> {
    fn of(&mut self, schema: &'v Value, value: &'v Value, depth: usize) -> Option<u64> {
        let Value::Object(members) = schema else { return Some(1) };
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(count) = self.known.get(&key) {
            return Some(*count);
        }
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        // What is left over by others is found by asking those again.
        let unevaluated = members.contains_key("unevaluatedProperties")
            || members.contains_key("unevaluatedItems");
        let times = if unevaluated { 3 } else { 1 };
        let mut count = 1_u64;
        for schema in in_place(self.doc, members, true) {
            let inner = self.of(schema, value, depth + 1)?;
            count = count.saturating_add(inner.saturating_mul(times));
        }
        match value {
            Value::Object(object) => {
                let properties = members.get("properties").and_then(Value::as_object);
                let patterns = members.get("patternProperties").and_then(Value::as_object);
                for (name, value) in object {
                    let named = properties.and_then(|named| named.get(name));
                    let others = ["additionalProperties", "unevaluatedProperties"];
                    let others = others.into_iter().filter(|_| named.is_none());
                    let asked = named.into_iter().chain(others.filter_map(|key| members.get(key)));
                    // Which of the patterns fit isn't looked at.
                    let patterns = patterns.into_iter().flat_map(Map::values);
                    for schema in asked.chain(patterns) {
                        count = count.saturating_add(self.of(schema, value, depth + 1)?);
                    }
                    if let Some(schema) = members.get("propertyNames") {
                        count = count.saturating_add(self.of(schema, &NAME, depth + 1)?);
                    }
                }
            }
            Value::Array(elements) => {
                let first = members.get("prefixItems").and_then(Value::as_array);
                for (at, value) in elements.iter().enumerate() {
                    let own =
                        first.and_then(|first| first.get(at)).or_else(|| members.get("items"));
                    let others = ["contains", "unevaluatedItems"];
                    let others = others.into_iter().filter_map(|key| members.get(key));
                    for schema in own.into_iter().chain(others) {
                        count = count.saturating_add(self.of(schema, value, depth + 1)?);
                    }
                }
            }
            _ => {}
        }
        self.known.insert(key, count);
        Some(count)
    }
}
