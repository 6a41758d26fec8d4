//! A schema as it is held without what it says of secret arguments, for who is told of it.

use serde_json::{Map, Value};

use super::place::{self, map_below};

/// The schema without the defaults and examples of these arguments, at any depth of them.
pub(super) fn withheld(doc: &Value, secret: &[String]) -> Value {
    let is_secret = |name: &String| secret.contains(name);
    // A type that a secret is of may be that of others as well; they say less then.
    let mut types = Vec::new();
    let mut due = Vec::new();
    place::each(doc, "", &mut |_, schema| {
        let properties = schema.get("properties").and_then(Value::as_object);
        let secret = properties.into_iter().flatten().filter(|(name, _)| is_secret(name));
        due.extend(secret.flat_map(|(_, property)| place::references(property)));
    });
    while let Some(name) = due.pop() {
        if let Some(schema) = doc.get("$defs").and_then(|defs| defs.get(&name))
            && !types.contains(&name)
        {
            due.extend(place::references(schema));
            types.push(name);
        }
    }
    Withheld { secret, types }.of(doc, false)
}

struct Withheld<'a> {
    secret: &'a [String],
    types: Vec<String>,
}

impl Withheld<'_> {
    fn of(&self, schema: &Value, bare: bool) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        let told = members
            .iter()
            .filter(|(keyword, _)| !(bare && matches!(keyword.as_str(), "default" | "examples")));
        let told = told.map(|(keyword, value)| {
            let value = map_below(keyword, value, &mut |step, schema| {
                let name = step.rsplit('/').next().unwrap_or_default();
                let name = name.replace("~1", "/").replace("~0", "~");
                let is_bare = match keyword.as_str() {
                    "properties" => self.secret.contains(&name),
                    "$defs" => self.types.contains(&name),
                    _ => false,
                };
                self.of(schema, bare || is_bare)
            });
            (keyword.clone(), value)
        });
        Value::Object(told.collect::<Map<_, _>>())
    }
}
