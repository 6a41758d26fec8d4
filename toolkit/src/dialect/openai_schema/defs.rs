//! Lookup of local references, and flattening of a schema made of several into one.

use std::borrow::Cow;

use super::ordered::{Fields, Node};

/// How many references or `allOf`s deep one node may be composed.
const MAX_STEPS: usize = 64;

/// How many references one node may be composed of.
const MAX_OPENED: usize = 1_000;

/// The definitions that a schema's references point at.
#[derive(Clone, Copy)]
pub(super) struct Defs<'r, 't> {
    root: &'r Node<'t>,
}

impl<'r, 't> Defs<'r, 't> {
    pub(super) fn new(root: &'r Node<'t>) -> Self {
        Self { root }
    }

    /// The target of `#`, `#/$defs/Name` or `#/definitions/Name`; no other reference is local
    /// enough.
    pub(super) fn get(&self, reference: &str) -> Option<&'r Node<'t>> {
        let pointer = reference.strip_prefix('#')?;
        if pointer.is_empty() {
            return Some(self.root);
        }
        let (place, name) = pointer.strip_prefix('/')?.split_once('/')?;
        if !matches!(place, "$defs" | "definitions") || name.contains('/') {
            return None;
        }
        let name = if name.contains(['%', '~']) {
            // As the fragment of a URI, then as a step of a JSON pointer.
            Cow::Owned(percent_decoded(name).replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(name)
        };
        self.root.as_object()?.get(place)?.as_object()?.named(&name)
    }

    /// One plain schema out of `$ref` with neighbours and `allOf`, the outer keywords winning where
    /// both describe. Adds every reference that it opened to `opened`.
    pub(super) fn flatten<'s>(
        &self,
        schema: &'s Fields<'t>,
        opened: &mut Vec<Cow<'t, str>>,
    ) -> Result<Cow<'s, Fields<'t>>, String> {
        if schema.contains("$ref") || schema.contains("allOf") {
            return self.flatten_within(schema.clone(), opened, MAX_STEPS).map(Cow::Owned);
        }
        Ok(Cow::Borrowed(schema))
    }

    fn flatten_within(
        &self,
        mut schema: Fields<'t>,
        opened: &mut Vec<Cow<'t, str>>,
        steps: usize,
    ) -> Result<Fields<'t>, String> {
        let steps = steps.checked_sub(1).ok_or("references lead in a circle")?;
        if let Some(Node::Text(reference)) = schema.take("$ref") {
            let Some(Node::Object(target)) = self.get(&reference) else {
                return Err(format!("the reference `{reference}` leads to no schema"));
            };
            let mut target = target.clone();
            if reference == "#" {
                target.retain(|key| !matches!(key, "$defs" | "definitions"));
            }
            opened.push(reference);
            if opened.len() > MAX_OPENED {
                return Err(format!("composed of over {MAX_OPENED} references"));
            }
            return self.flatten_within(merge(target, schema)?, opened, steps);
        }
        if let Some(Node::List(parts)) = schema.take("allOf") {
            for part in parts.into_iter().rev() {
                match part {
                    Node::Object(part) => {
                        schema = merge(self.flatten_within(part, opened, steps)?, schema)?;
                    }
                    part if part.is("true") => {}
                    _ => return Err("a part of `allOf` is no schema".to_owned()),
                }
            }
        }
        Ok(schema)
    }

    /// The flat form for a look only; what can't be flattened is seen as it is.
    pub(super) fn view<'s>(&self, schema: &'s Node<'t>) -> Cow<'s, Fields<'t>> {
        match schema {
            Node::Object(fields) => {
                self.flatten(fields, &mut Vec::new()).unwrap_or(Cow::Borrowed(fields))
            }
            _ => Cow::Owned(Fields::default()),
        }
    }
}

/// Both schemas in one; for keywords that describe, `over` wins.
pub(super) fn merge<'t>(mut base: Fields<'t>, over: Fields<'t>) -> Result<Fields<'t>, String> {
    for (key, value) in over {
        let Some(held) = base.get_mut(&key) else {
            base.push(key, value);
            continue;
        };
        match (key.as_ref(), held, value) {
            (_, held, value) if *held == value => {}
            (
                "description" | "title" | "default" | "examples" | "deprecated" | "readOnly"
                | "writeOnly" | "$comment",
                held,
                value,
            ) => *held = value,
            ("properties", Node::Object(held), Node::Object(more)) => {
                for (name, schema) in more {
                    match held.named(&name) {
                        Some(twin) if *twin != schema => {
                            return Err(format!("two schemas are given for `{name}`"));
                        }
                        Some(_) => {}
                        None => held.push(name, schema),
                    }
                }
            }
            ("required", Node::List(held), Node::List(more)) => {
                for name in more {
                    if !held.contains(&name) {
                        held.push(name);
                    }
                }
            }
            ("allOf", Node::List(held), Node::List(more)) => held.extend(more),
            ("type", held @ Node::List(_), Node::Text(one)) if held.names(&one) => {
                *held = Node::Text(one);
            }
            ("type", Node::Text(one), more @ Node::List(_)) if more.names(one) => {}
            _ => return Err(format!("`{key}` is given twice, in different ways")),
        }
    }
    Ok(base)
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
    use serde_json::{Value, json};

    use super::super::read::read;
    use super::*;

    #[test]
    fn only_local_definitions_are_found() {
        let root =
            json!({"$defs": {"A": {"type": "string"}, "B/C": {"type": "null"}}, "type": "object"})
                .to_string();
        let root = read(&root).unwrap();
        let defs = Defs::new(&root);
        let found = |reference: &str| defs.get(reference).map(Node::text);
        assert_eq!(defs.get("#"), Some(&root));
        assert_eq!(found("#/$defs/A"), Some(json!({"type": "string"}).to_string()));
        assert_eq!(found("#/$defs/B~1C"), Some(json!({"type": "null"}).to_string()));
        assert_eq!(found("#/$defs/%41"), Some(json!({"type": "string"}).to_string()));
        for elsewhere in
            ["#/$defs/Z", "#/$defs/A/type", "#/type", "https://example.com/a.json", "A", ""]
        {
            assert_eq!(defs.get(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_circle_of_references_ends() {
        let root = json!({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
        let root = root.to_string();
        let root = read(&root).unwrap();
        let schema = Fields::one("$ref", "#/$defs/A");
        assert!(Defs::new(&root).flatten(&schema, &mut Vec::new()).is_err());
    }

    #[test]
    fn parts_are_merged_and_contradictions_refused() {
        let root = json!({"$defs": {"I": {"type": "object", "description": "inner",
            "properties": {"x": {"type": "number"}}, "required": ["x"]}}});
        let root = root.to_string();
        let root = read(&root).unwrap();
        let flat = |schema: Value| {
            let text = schema.to_string();
            let Node::Object(schema) = read(&text).unwrap() else { panic!() };
            let flat = Defs::new(&root).flatten(&schema, &mut Vec::new());
            flat.map(|flat| serde_json::from_str(&Node::Object(flat.into_owned()).text()).unwrap())
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
