//! Lookup of local references, and flattening of a schema made of several into one.

use serde_json::{Map, Value};

pub(super) type Schema = Map<String, Value>;

/// How many references or `allOf`s deep one node may be composed.
const MAX_STEPS: usize = 64;

/// How many references one node may be composed of.
const MAX_OPENED: usize = 1_000;

/// The definitions that a schema's references point at.
#[derive(Clone, Copy)]
pub(super) struct Defs<'a> {
    root: &'a Value,
}

impl<'a> Defs<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root }
    }

    /// The target of `#`, `#/$defs/Name` or `#/definitions/Name`; no other reference is local
    /// enough.
    pub(super) fn get(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        let name =
            pointer.strip_prefix("/$defs/").or_else(|| pointer.strip_prefix("/definitions/"));
        match name {
            Some(name) if !name.contains('/') => self.root.pointer(&percent_decoded(pointer)),
            None if pointer.is_empty() => Some(self.root),
            _ => None,
        }
    }

    /// One plain schema out of `$ref` with neighbours and `allOf`, the outer keywords winning where
    /// both describe. Adds every reference that it opened to `opened`.
    pub(super) fn flatten(
        &self,
        schema: &Schema,
        opened: &mut Vec<String>,
    ) -> Result<Schema, String> {
        self.flatten_within(schema.clone(), opened, MAX_STEPS)
    }

    fn flatten_within(
        &self,
        mut schema: Schema,
        opened: &mut Vec<String>,
        steps: usize,
    ) -> Result<Schema, String> {
        let steps = steps.checked_sub(1).ok_or("references lead in a circle")?;
        if let Some(Value::String(reference)) = schema.remove("$ref") {
            let Some(Value::Object(target)) = self.get(&reference) else {
                return Err(format!("the reference `{reference}` leads to no schema"));
            };
            let mut target = target.clone();
            if reference == "#" {
                target.remove("$defs");
                target.remove("definitions");
            }
            opened.push(reference);
            if opened.len() > MAX_OPENED {
                return Err(format!("composed of over {MAX_OPENED} references"));
            }
            return self.flatten_within(merge(target, schema)?, opened, steps);
        }
        if let Some(Value::Array(parts)) = schema.remove("allOf") {
            for part in parts.into_iter().rev() {
                match part {
                    Value::Object(part) => {
                        schema = merge(self.flatten_within(part, opened, steps)?, schema)?;
                    }
                    Value::Bool(true) => {}
                    _ => return Err("a part of `allOf` is no schema".to_owned()),
                }
            }
        }
        Ok(schema)
    }

    /// The flat form for a look only; what can't be flattened is seen as it is.
    pub(super) fn view(&self, schema: &Value) -> Schema {
        match schema {
            Value::Object(map) => {
                self.flatten(map, &mut Vec::new()).unwrap_or_else(|_| map.clone())
            }
            _ => Schema::new(),
        }
    }
}

/// Both schemas in one; for keywords that describe, `over` wins.
pub(super) fn merge(mut base: Schema, over: Schema) -> Result<Schema, String> {
    for (key, value) in over {
        let Some(held) = base.get_mut(&key) else {
            base.insert(key, value);
            continue;
        };
        match (key.as_str(), held, value) {
            (_, held, value) if *held == value => {}
            (
                "description" | "title" | "default" | "examples" | "deprecated" | "readOnly"
                | "writeOnly" | "$comment",
                held,
                value,
            ) => *held = value,
            ("properties", Value::Object(held), Value::Object(more)) => {
                for (name, schema) in more {
                    match held.get(&name) {
                        Some(twin) if *twin != schema => {
                            return Err(format!("two schemas are given for `{name}`"));
                        }
                        _ => held.insert(name, schema),
                    };
                }
            }
            ("required", Value::Array(held), Value::Array(more)) => {
                for name in more {
                    if !held.contains(&name) {
                        held.push(name);
                    }
                }
            }
            ("allOf", Value::Array(held), Value::Array(more)) => held.extend(more),
            ("type", Value::Array(held), Value::String(one)) if held.iter().any(|t| *t == *one) => {
                base.insert(key, Value::String(one));
            }
            ("type", Value::String(one), Value::Array(more))
                if more.iter().any(|t| *t == **one) => {}
            _ => return Err(format!("`{key}` is given twice, in different ways")),
        }
    }
    Ok(base)
}

/// The names in an array of strings, in order.
pub(super) fn names(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    }
}

fn percent_decoded(pointer: &str) -> String {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |b: u8| char::from(b).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high * 16 + low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_local_definitions_are_found() {
        let root =
            json!({"$defs": {"A": {"type": "string"}, "B/C": {"type": "null"}}, "type": "object"});
        let defs = Defs::new(&root);
        assert_eq!(defs.get("#"), Some(&root));
        assert_eq!(defs.get("#/$defs/A"), Some(&json!({"type": "string"})));
        assert_eq!(defs.get("#/$defs/B~1C"), Some(&json!({"type": "null"})));
        assert_eq!(defs.get("#/$defs/%41"), Some(&json!({"type": "string"})));
        for elsewhere in
            ["#/$defs/Z", "#/$defs/A/type", "#/type", "https://example.com/a.json", "A", ""]
        {
            assert_eq!(defs.get(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_circle_of_references_ends() {
        let root = json!({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
        let Value::Object(schema) = json!({"$ref": "#/$defs/A", "description": "d"}) else {
            panic!()
        };
        assert!(Defs::new(&root).flatten(&schema, &mut Vec::new()).is_err());
    }

    #[test]
    fn parts_are_merged_and_contradictions_refused() {
        let root = json!({"$defs": {"I": {"type": "object", "description": "inner",
            "properties": {"x": {"type": "number"}}, "required": ["x"]}}});
        let defs = Defs::new(&root);
        let flat = |schema: Value| match schema {
            Value::Object(map) => defs.flatten(&map, &mut Vec::new()).map(Value::Object),
            _ => panic!(),
        };
        assert_eq!(
            flat(json!({"$ref": "#/$defs/I", "description": "outer", "required": ["k"],
                "properties": {"k": {"const": "i"}}})),
            Ok(json!({"type": "object", "description": "outer", "required": ["x", "k"],
                "properties": {"x": {"type": "number"}, "k": {"const": "i"}}}))
        );
        assert_eq!(
            flat(json!({"allOf": [{"$ref": "#/$defs/I"}, {"description": "second"}]})),
            Ok(json!({"type": "object", "description": "second", "required": ["x"],
                "properties": {"x": {"type": "number"}}}))
        );
        assert!(flat(json!({"allOf": [{"minimum": 1}, {"minimum": 2}]})).is_err());
    }
}
