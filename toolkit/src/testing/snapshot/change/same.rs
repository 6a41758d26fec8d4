//! Whether two schemas ask the same in the same words, whatever they are called and said to be.

use std::collections::HashSet;

use serde_json::Value;

/// Keywords that ask nothing of a value.
pub(super) const SILENT: [&str; 13] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

/// Keywords whose value is an object of schemas.
const BY_NAME: [&str; 3] = ["dependentSchemas", "patternProperties", "properties"];

/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords whose value is a schema.
const ONE: [&str; 10] = [
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list in no order.
const UNORDERED: [&str; 3] = ["enum", "required", "type"];

/// So many references lead from one to the next.
const DEPTH: usize = 32;

/// What a schema refers to.
pub(super) fn resolved<'s>(root: &'s Value, mut schema: &'s Value) -> &'s Value {
    for _ in 0..DEPTH {
        let target = schema["$ref"].as_str().and_then(|to| root.pointer(to.strip_prefix('#')?));
        match target {
            Some(inner) => schema = inner,
            None => break,
        }
    }
    schema
}

/// Two schemas at one place, by where they are held.
pub(super) type Pair = (*const Value, *const Value);

/// The roots of two schemas, of which their references are.
pub(super) struct Roots<'s> {
    pub(super) one: &'s Value,
    pub(super) other: &'s Value,
}

impl Roots<'_> {
    /// Whether they are the same. `seen`: pairs that are, unless something else differs.
    pub(super) fn same(&self, one: &Value, other: &Value, seen: &mut HashSet<Pair>) -> bool {
        let (one, other) = (resolved(self.one, one), resolved(self.other, other));
        let (Value::Object(left), Value::Object(right)) = (one, other) else {
            return match (one, other) {
                (Value::Array(left), Value::Array(right)) => self.all(left, right, seen),
                (left, right) => left == right,
            };
        };
        if !seen.insert((std::ptr::from_ref(one), std::ptr::from_ref(other))) {
            return true;
        }
        let asks = |key: &&String| !SILENT.contains(&key.as_str());
        left.keys().filter(asks).count() == right.keys().filter(asks).count()
            && left.iter().filter(|(key, _)| asks(key)).all(|(key, left)| {
                right.get(key).is_some_and(|right| self.keyword(key, left, right, seen))
            })
    }

    /// Whether a keyword says the same.
    pub(super) fn keyword(
        &self,
        key: &str,
        left: &Value,
        right: &Value,
        seen: &mut HashSet<Pair>,
    ) -> bool {
        match (left, right) {
            (Value::Object(left), Value::Object(right)) if BY_NAME.contains(&key) => {
                left.len() == right.len()
                    && left.iter().all(|(name, left)| {
                        right.get(name).is_some_and(|right| self.same(left, right, seen))
                    })
            }
            (Value::Array(left), Value::Array(right)) if LISTS.contains(&key) => {
                self.all(left, right, seen)
            }
            (Value::Array(left), Value::Array(right)) if UNORDERED.contains(&key) => {
                left.len() == right.len() && left.iter().all(|value| right.contains(value))
            }
            _ if ONE.contains(&key) => self.same(left, right, seen),
            _ => left == right,
        }
    }

    fn all(&self, left: &[Value], right: &[Value], seen: &mut HashSet<Pair>) -> bool {
        left.len() == right.len()
            && left.iter().zip(right).all(|(left, right)| self.same(left, right, seen))
    }
}
