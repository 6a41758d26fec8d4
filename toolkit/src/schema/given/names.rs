//! The names that all schemas of one object know together.

use serde_json::{Map, Value};

use super::place;

/// The names of an object's members, as far as its schemas speak of them.
#[derive(Default)]
pub(super) struct Names<'v> {
    named: Vec<&'v str>,
    /// Whether one of the schemas allows others.
    pub(super) open: bool,
    seen: Vec<*const Map<String, Value>>,
}

impl<'v> Names<'v> {
    /// Takes in what a schema, and all that look at the same value with it, say of names.
    pub(super) fn gather(&mut self, doc: &'v Value, schema: &'v Map<String, Value>) {
        let this = std::ptr::from_ref(schema);
        if self.seen.contains(&this) {
            return;
        }
        self.seen.push(this);
        let properties = schema.get("properties").and_then(Value::as_object);
        self.named
            .extend(properties.into_iter().flat_map(|named| named.keys()).map(String::as_str));
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            self.open |= schema.get(keyword).is_some_and(|rest| *rest != Value::Bool(false));
        }
        self.open |= schema.contains_key("patternProperties");
        for inner in place::in_place(doc, schema, false).into_iter().filter_map(Value::as_object) {
            self.gather(doc, inner);
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.named.contains(&name)
    }

    pub(super) fn named(&self) -> impl Iterator<Item = &'v str> + '_ {
        self.named.iter().copied()
    }
}
