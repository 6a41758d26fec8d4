//! Reads what schemars made of a type. The only place that knows JSON Schema's keywords: one that
//! constrains and isn't known here is an error, for a call must never pass what its schema refuses.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::bounds::{End, Numbers};
use super::node::{Arrays, Join, Node, Objects, Property, Refers, Rest, Strings, Types, Union};
use super::pattern::Pattern;
use super::plain::format_bounds;
use crate::json::{canonical, string};
use crate::order;
use crate::param::Read;

/// Reads schemas, and collects what is wrong with them.
#[derive(Default)]
pub(super) struct Parser {
    pub(super) errors: Vec<String>,
}

/// Keywords that ask nothing of a value and say nothing to a model.
const SILENT: [&str; 11] = [
    "title",
    "$id",
    "$schema",
    "$comment",
    "$anchor",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

/// Whether a keyword is read here.
#[cfg(feature = "jsonschema")]
pub(super) fn knows(keyword: &str) -> bool {
    const KNOWN: [&str; 31] = [
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "required",
        "type",
        "unevaluatedProperties",
        "uniqueItems",
    ];
    KNOWN.contains(&keyword)
}

impl Parser {
    pub(super) fn node(&mut self, value: Value) -> Node {
        match value {
            Value::Bool(true) => Node::default(),
            Value::Bool(false) => Node { never: true, ..Node::default() },
            Value::Object(members) => self.object(members),
            other => self.wrong("a schema", &other),
        }
    }

    fn wrong<T: Default>(&mut self, keyword: &str, value: &Value) -> T {
        self.errors.push(format!("`{keyword}` can't be `{value}`"));
        T::default()
    }

    fn object(&mut self, members: Map<String, Value>) -> Node {
        let mut node = Node::default();
        let mut numbers = Numbers::default();
        let mut strings = Strings::default();
        let mut arrays = Arrays::default();
        let mut objects = Objects::default();
        let mut named = false;
        let mut format = None;
        for (keyword, value) in members {
            match keyword.as_str() {
                "type" => node.types = self.types(value),
                "description" => node.description = Some(Cow::Owned(self.text(&keyword, value))),
                "$ref" => node.refers = self.refers(value),
                "const" => {
                    node.constant = true;
                    only(&mut node, vec![constant(&value)]);
                }
                "enum" => {
                    let values = self.list(&keyword, value);
                    only(&mut node, values.iter().map(constant).collect());
                }
                "default" if value.is_null() => {}
                "default" => node.default = Some(text_of(&value)),
                "examples" => {
                    node.examples = self.list(&keyword, value).iter().map(text_of).collect();
                }
                "format" => format = Some(self.text(&keyword, value)),
                "pattern" => {
                    let source = self.text(&keyword, value);
                    strings.pattern = self.pattern(&source);
                }
                "minLength" => strings.min = self.count(&keyword, &value),
                "maxLength" => strings.max = self.count(&keyword, &value),
                "minimum" => numbers.raise(self.end(&keyword, &value, false)),
                "maximum" => numbers.lower(self.end(&keyword, &value, false)),
                "exclusiveMinimum" => numbers.raise(self.end(&keyword, &value, true)),
                "exclusiveMaximum" => numbers.lower(self.end(&keyword, &value, true)),
                "items" => arrays.rest = Some(self.node(value)),
                "prefixItems" => arrays.first = self.nodes(&keyword, value),
                "minItems" => arrays.min = self.count(&keyword, &value),
                "maxItems" => arrays.max = self.count(&keyword, &value),
                "uniqueItems" => arrays.unique = value == Value::Bool(true),
                "properties" => {
                    named = true;
                    objects.properties = self.properties(&keyword, value);
                }
                "required" => {
                    let names = self.list(&keyword, value);
                    objects.required = names.into_iter().map(|v| self.text(&keyword, v)).collect();
                }
                "additionalProperties" => objects.rest = self.rest(value),
                "unevaluatedProperties" => objects.unevaluated = Some(self.rest(value)),
                "patternProperties" => objects.patterns = self.patterns(&keyword, value),
                "minProperties" => objects.min = self.count(&keyword, &value),
                "maxProperties" => objects.max = self.count(&keyword, &value),
                "allOf" => self.union(&mut node, Join::All, &keyword, value),
                "anyOf" => self.union(&mut node, Join::Any, &keyword, value),
                "oneOf" => self.union(&mut node, Join::One, &keyword, value),
                "not" => {
                    let branches = vec![self.node(value)];
                    node.unions.push(Union { join: Join::Not, branches });
                }
                silent if SILENT.contains(&silent) || silent.starts_with("x-") => {}
                _ => self.errors.push(format!("the schema keyword `{keyword}` isn't supported")),
            }
        }
        if named && objects.rest == Rest::Unsaid && objects.unevaluated.is_none() {
            objects.rest = Rest::Implied;
        }
        sort(&mut objects);
        if numbers != Numbers::default() {
            numbers.read = match format.as_deref() {
                Some("float") => Read::Single,
                Some("double") => Read::Double,
                _ => Read::Whole,
            };
        }
        match format.as_deref().map(|format| (format, format_bounds(format))) {
            Some((_, Some(bounds))) => {
                bounds.lower.into_iter().for_each(|end| numbers.raise(end));
                bounds.upper.into_iter().for_each(|end| numbers.lower(end));
            }
            Some(("double", None)) | None => {}
            Some((_, None)) => strings.format = format,
        }
        node.numbers = unless_default(numbers);
        node.strings = unless_default(strings);
        node.arrays = unless_default(arrays);
        node.objects = unless_default(objects);
        // However the map was ordered that the keywords came in.
        order::sort_by(&mut node.unions, |a, b| (a.join as u8).cmp(&(b.join as u8)));
        node
    }

    fn text(&mut self, keyword: &str, value: Value) -> String {
        match value {
            Value::String(text) => text,
            other => self.wrong(keyword, &other),
        }
    }

    fn list(&mut self, keyword: &str, value: Value) -> Vec<Value> {
        match value {
            Value::Array(items) => items,
            other => self.wrong(keyword, &other),
        }
    }

    fn nodes(&mut self, keyword: &str, value: Value) -> Vec<Node> {
        self.list(keyword, value).into_iter().map(|value| self.node(value)).collect()
    }

    fn members(&mut self, keyword: &str, value: Value) -> Map<String, Value> {
        match value {
            Value::Object(members) => members,
            other => self.wrong(keyword, &other),
        }
    }

    fn count(&mut self, keyword: &str, value: &Value) -> Option<u64> {
        value.as_u64().or_else(|| self.wrong(keyword, value))
    }

    fn end(&mut self, keyword: &str, value: &Value, exclusive: bool) -> End {
        let text = match value {
            Value::Number(number) => number_text(number),
            other => self.wrong(keyword, other),
        };
        End::new(text, exclusive, true)
    }

    fn types(&mut self, value: Value) -> Types {
        let words = match value {
            Value::Array(words) => words,
            word => vec![word],
        };
        words.iter().fold(Types::ANY, |types, word| {
            types.and(match Types::ALL.iter().find(|(_, name)| word == name) {
                Some((of, _)) => *of,
                None => self.wrong("type", word),
            })
        })
    }

    fn refers(&mut self, value: Value) -> Option<Box<Refers>> {
        let text = self.text("$ref", value);
        match text.strip_prefix("#/$defs/") {
            Some(pointer) => Some(Box::new(Refers { name: unpointer(pointer), at: usize::MAX })),
            None => {
                self.errors.push(format!("the reference `{text}` isn't to one of `$defs`"));
                None
            }
        }
    }

    fn pattern(&mut self, source: &str) -> Option<Pattern> {
        Pattern::new(source).map_err(|error| self.errors.push(error)).ok()
    }

    fn properties(&mut self, keyword: &str, value: Value) -> Vec<Property> {
        let members = self.members(keyword, value);
        let property = |(name, value)| Property::new(Cow::Owned(name), self.node(value));
        members.into_iter().map(property).collect()
    }

    fn patterns(&mut self, keyword: &str, value: Value) -> Vec<(Pattern, Node)> {
        let mut patterns = Vec::new();
        for (source, value) in self.members(keyword, value) {
            let node = self.node(value);
            patterns.extend(self.pattern(&source).map(|pattern| (pattern, node)));
        }
        patterns
    }

    fn rest(&mut self, value: Value) -> Rest {
        match value {
            Value::Bool(true) => Rest::Open,
            Value::Bool(false) => Rest::Closed,
            other => Rest::Fitting(Box::new(self.node(other))),
        }
    }

    fn union(&mut self, node: &mut Node, join: Join, keyword: &str, value: Value) {
        let branches = self.nodes(keyword, value);
        if branches.is_empty() {
            self.errors.push(format!("`{keyword}` is empty"));
        }
        node.unions.push(Union { join, branches });
    }
}

/// Puts keys into an order that doesn't depend on the map they came in: those that must be there, as
/// they were declared, then the others by name.
fn sort(objects: &mut Objects) {
    let Objects { properties, required, patterns, .. } = objects;
    let place = |name: &str| required.iter().position(|known| known == name);
    for property in properties.iter_mut() {
        property.required = place(&property.name).is_some();
    }
    let place = |property: &Property| place(&property.name).unwrap_or(usize::MAX);
    order::sort_by(properties, |a, b| place(a).cmp(&place(b)).then_with(|| a.name.cmp(&b.name)));
    order::sort_by(patterns, |(a, _), (b, _)| a.source.cmp(&b.source));
}

fn unless_default<T: Default + PartialEq>(rules: T) -> Option<Box<T>> {
    (rules != T::default()).then(|| Box::new(rules))
}

/// A number as a schema says it: a bound of `1.0` is `1`.
fn number_text(number: &Number) -> String {
    let text = number.to_string();
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Leaves of the values that may stand these: a schema may have both `const` and `enum`.
fn only(node: &mut Node, mut values: Vec<String>) {
    values.retain(|value| node.values.as_ref().is_none_or(|held| held.contains(value)));
    node.never |= values.is_empty();
    node.values = Some(values).filter(|values| !values.is_empty());
}

/// A value that another must equal, in its one spelling.
fn constant(value: &Value) -> String {
    match value {
        Value::String(_) => text_of(value),
        other => canonical(&text_of(other)),
    }
}

/// A value as JSON, the keys of its objects sorted, its numbers as they are.
fn text_of(value: &Value) -> String {
    let mut out = String::new();
    push_value(value, &mut out);
    out
}

pub(super) fn push_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                push_value(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            order::sort_by(&mut members, |(a, _), (b, _)| a.cmp(b));
            out.push('{');
            for (i, (key, value)) in members.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                string(key, out);
                out.push(':');
                push_value(value, out);
            }
            out.push('}');
        }
    }
}

/// The name in the last step of a JSON pointer in a URI's fragment.
pub(super) fn unpointer(pointer: &str) -> String {
    if !pointer.contains(['%', '~']) {
        return pointer.to_owned();
    }
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |at: usize| tail.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &tail[2..];
            }
            // schemars writes a small byte as `% 9`.
            (b'%', None, Some(low)) if tail[0] == b' ' => {
                bytes.push(low as u8);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~")
}
