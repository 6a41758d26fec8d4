//! Strict reading of a response body: JSON, an object, no key twice.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::error::IntakeError;
use crate::text::excerpt;

/// How much of a body that can't be read is shown.
const SHOWN: usize = 60;

/// The object that a body holds. Arguments given as an object may hold a key twice: that is the
/// call's mistake, and its reply says so.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, IntakeError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let twice = RefCell::new(None);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Unique(&twice).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    if let Some(key) = twice.into_inner() {
        return Err(IntakeError::DuplicateKey { key: excerpt(&key, SHOWN) });
    }
    let value = read.and_then(|()| serde_json::from_str::<Value>(text));
    match value {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(shape("the whole body", "an object", Some(&other))),
        Err(source) => Err(IntakeError::NotJson { start: excerpt(text, SHOWN), source }),
    }
}

pub(super) fn shape(
    path: impl Into<String>,
    expected: &'static str,
    got: Option<&Value>,
) -> IntakeError {
    IntakeError::Shape { path: path.into(), expected, got: got.map_or("absent", kind) }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Reads a value, keeps nothing of it, and notes a key that one object has twice.
struct Unique<'a>(&'a RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Unique(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == "arguments" {
                members.next_value::<IgnoredAny>()?;
            } else {
                members.next_value_seed(Unique(self.0))?;
            }
            if let Some(key) = seen.replace(key) {
                *self.0.borrow_mut() = Some(key);
                return Err(A::Error::custom("a key is given twice"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_at_every_depth_but_within_arguments() {
        for text in [r#"{"a":1,"a":2}"#, r#"{"a":[{"b":{"c":1,"\u0063":2}}]}"#] {
            assert!(matches!(object(text), Err(IntakeError::DuplicateKey { .. })), "{text}");
        }
        let held = r#"{"choices":[{"message":{"tool_calls":[{"function":{"arguments":{"a":1,"a":2}}}]}}]}"#;
        assert!(object(held).is_ok());
        let twice = r#"{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{}","arguments":"{}"}}]}}]}"#;
        assert!(
            matches!(object(twice), Err(IntakeError::DuplicateKey { key }) if key == "arguments")
        );
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in
            ["", "  ", "<html>", "{", "{}x", "data: {}", "{\"a\":\"\\ud800\"}", "{\"a\":1e}"]
        {
            assert!(matches!(object(text), Err(IntakeError::NotJson { .. })), "{text}");
        }
        for text in ["null", "[]", "\"x\"", "1"] {
            assert!(matches!(object(text), Err(IntakeError::Shape { .. })), "{text}");
        }
        assert!(object("\u{feff} {\"n\": 1.5, \"t\": true, \"z\": null}\n").is_ok());
        assert!(matches!(object(&"[".repeat(100_000)), Err(IntakeError::NotJson { .. })));
    }

    #[test]
    fn only_the_start_of_a_bad_body_is_shown() {
        let error = object(&format!("<html>{}", "x".repeat(10_000))).unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
        assert!(error.to_string().contains("<html>"), "{error}");
    }
}
