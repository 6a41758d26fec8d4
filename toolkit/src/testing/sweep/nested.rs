//! Objects and lists that fit a schema.

use serde_json::{Map, Value};

use super::make::{Maker, Mode, Step};
use super::schema::{Shape, types};
use super::strings;
use crate::order::sort_by;

/// So many members at most are made that no property names.
const MEMBERS: usize = 64;

/// So deep, what may be left out is left out.
const DEPTH: usize = 4;

impl Maker<'_> {
    pub(super) fn object(&mut self, shape: &Shape, path: &mut Vec<Step>) -> Result<Value, String> {
        let mut made = Map::new();
        let required: Vec<&str> = shape.get("required").map(types).unwrap_or_default();
        let properties = shape.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let optional = !required.contains(&name.as_str());
            let wanted = match self.mode {
                Mode::Least => false,
                Mode::Full => path.len() < DEPTH,
                Mode::Random => path.len() < DEPTH && self.rng.coin(),
            };
            if optional && !wanted {
                continue;
            }
            self.member(&mut made, name, schema, optional, path)?;
        }
        for name in required {
            if !made.contains_key(name) {
                made.insert(name.to_owned(), self.other(shape, name, path)?);
            }
        }
        let least = shape.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
        // What ends sooner is what refers to nothing.
        let mut others: Vec<(&String, &Value)> = properties.into_iter().flatten().collect();
        others.retain(|(name, _)| !made.contains_key(*name));
        sort_by(&mut others, |a, b| refers(a.1).cmp(&refers(b.1)));
        for (name, schema) in others {
            if made.len() as u64 >= least {
                break;
            }
            self.member(&mut made, name, schema, true, path)?;
        }
        let open =
            shape.get("additionalProperties").is_some_and(|rest| rest != &Value::Bool(false));
        let wanted = match self.mode {
            Mode::Full if open && path.len() < DEPTH => least.max(1),
            _ => least,
        };
        let pattern = shape.get("patternProperties").and_then(Value::as_object);
        let pattern = pattern.and_then(|patterns| patterns.keys().next()).filter(|_| !open);
        for at in 0..MEMBERS {
            if made.len() >= usize::try_from(wanted).unwrap_or(MEMBERS).min(MEMBERS) {
                break;
            }
            let key = match pattern {
                Some(pattern) => {
                    let of = [("pattern".to_owned(), Value::String(pattern.clone()))];
                    strings::fitting(&of.into_iter().collect(), &mut self.rng)?.swap_remove(0)
                }
                None => format!("key_{at}"),
            };
            if !made.contains_key(&key) {
                let value = self.other(shape, &key, path)?;
                made.insert(key, value);
            }
        }
        Ok(Value::Object(made))
    }

    /// Makes one member; where it may be left out and can't be made, it is left out.
    fn member(
        &mut self,
        made: &mut Map<String, Value>,
        name: &str,
        schema: &Value,
        optional: bool,
        path: &mut Vec<Step>,
    ) -> Result<(), String> {
        let (spots, depth) = (self.spots.len(), path.len());
        path.push(Step::Key(name.to_owned()));
        match self.value(schema, path, optional) {
            Ok(value) => {
                made.insert(name.to_owned(), value);
            }
            Err(why) if optional => {
                self.spots.truncate(spots);
                self.skip(why);
            }
            Err(why) => return Err(why),
        }
        path.truncate(depth);
        Ok(())
    }

    /// The value of a member that no property names.
    fn other(&mut self, shape: &Shape, key: &str, path: &mut Vec<Step>) -> Result<Value, String> {
        let patterns = shape.get("patternProperties").and_then(Value::as_object);
        let mut patterns = patterns.into_iter().flatten();
        let matching =
            patterns.find(|(pattern, _)| self.schema.matches(pattern, key) == Some(true));
        let rest = matching.map(|(_, of)| of).or_else(|| shape.get("additionalProperties"));
        let rest = rest.cloned().unwrap_or(Value::Bool(true));
        path.push(Step::Key(key.to_owned()));
        let value = self.value(&rest, path, !self.schema.names(shape, key));
        path.pop();
        value
    }

    pub(super) fn array(&mut self, shape: &Shape, path: &mut Vec<Step>) -> Result<Value, String> {
        let count = |key: &str| shape.get(key).and_then(Value::as_u64);
        let first =
            shape.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let (least, most) = (count("minItems").unwrap_or(0), count("maxItems").unwrap_or(u64::MAX));
        let usual = first.len().max(1) as u64;
        let wanted = match self.mode {
            Mode::Least => least,
            _ if path.len() >= DEPTH => least,
            Mode::Full => usual.clamp(least, most.max(least)),
            Mode::Random => {
                let most = most.min(least.saturating_add(4)).max(least);
                u64::try_from(self.rng.within(least.into(), most.into())).unwrap_or(least)
            }
        };
        let unique = shape.get("uniqueItems") == Some(&Value::Bool(true));
        let anything = Value::Bool(true);
        let rest = shape.get("items").unwrap_or(&anything);
        let mut made: Vec<Value> = Vec::new();
        while (made.len() as u64) < wanted.min(1_000) {
            let schema = first.get(made.len()).unwrap_or(rest).clone();
            path.push(Step::At(made.len()));
            let spots = self.spots.len();
            let item = self.value(&schema, path, false);
            path.pop();
            let mut item = item?;
            if unique && made.contains(&item) {
                self.spots.truncate(spots);
                let Some(other) = self.another(&schema, &made, path)? else { break };
                item = other;
            }
            made.push(item);
        }
        Ok(Value::Array(made))
    }
}

/// How often a value that differs from others is tried by chance.
const TRIES: usize = 64;

impl Maker<'_> {
    /// A value that isn't one of these.
    fn another(
        &mut self,
        schema: &Value,
        made: &[Value],
        path: &mut Vec<Step>,
    ) -> Result<Option<Value>, String> {
        let Some(left) = self.looks.checked_sub(1) else { return Ok(None) };
        self.looks = left;
        let shape = self.schema.open(schema)?;
        let mut others = self.edges(&shape, path).into_iter().map(|(_, value)| value);
        let found = others.find(|other| !made.contains(other));
        if found.is_some() {
            return Ok(found);
        }
        let mode = std::mem::replace(&mut self.mode, Mode::Random);
        let spots = self.spots.len();
        let found = (0..TRIES).find_map(|_| {
            self.looks = self.looks.checked_sub(1)?;
            let value = match shape.contains_key("pattern") {
                // Texts of a pattern are few where they are kept.
                true => Value::String(strings::fitting(&shape, &mut self.rng).ok()?.swap_remove(0)),
                false => self.shaped(&shape, path).ok()?,
            };
            Some(value).filter(|value| !made.contains(value))
        });
        self.spots.truncate(spots);
        self.mode = mode;
        Ok(found)
    }
}

/// Whether a schema refers to another.
fn refers(schema: &Value) -> bool {
    schema.to_string().contains("\"$ref\"")
}
