//! Schemas that must hold together, as one.

use serde_json::Value;

use super::schema::{Shape, types};

/// Joins what must hold together, as well as it can be: of two bounds the tighter, of two lists both.
pub(super) fn join(shape: &mut Shape, other: Shape) {
    for (key, new) in other {
        let Some(held) = shape.get_mut(&key) else {
            shape.insert(key, new);
            continue;
        };
        match key.as_str() {
            "properties" => {
                let (Value::Object(held), Value::Object(new)) = (held, new) else { continue };
                for (name, new) in new {
                    let both = match held.remove(&name) {
                        Some(held) if held != new => serde_json::json!({"allOf": [held, new]}),
                        _ => new,
                    };
                    held.insert(name, both);
                }
            }
            "required" => {
                let (Value::Array(held), Value::Array(new)) = (held, new) else { continue };
                held.extend(new);
            }
            "type" => {
                let both: Vec<Value> = types(held)
                    .into_iter()
                    .filter(|of| types(&new).contains(of))
                    .map(Into::into)
                    .collect();
                *held = Value::Array(both);
            }
            key if is_least(key) && new.as_f64() > held.as_f64() => *held = new,
            key if is_most(key) && new.as_f64() < held.as_f64() => *held = new,
            _ => {}
        }
    }
}

fn is_least(key: &str) -> bool {
    key.starts_with("min") || key == "exclusiveMinimum"
}

fn is_most(key: &str) -> bool {
    key.starts_with("max") || key == "exclusiveMaximum"
}
