//! The plain types: objects, arrays, strings, numbers, booleans, null.

use serde_json::Value;

use super::super::defs::{Schema, names};
use super::super::notes::Notes;
use super::super::ordered::{Fields, Node};
use super::{Strict, nullable};

const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// The formats that strict mode knows.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Keywords that are handled with their type, and say nothing beside another one.
const TYPED: [&str; 24] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "minProperties",
    "maxProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// The schema type of a value.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(number) => {
            if number.is_i64() || number.is_u64() {
                "integer"
            } else {
                "number"
            }
        }
    }
}

/// One type as a string, several as a list.
pub(super) fn type_node(types: &[&str]) -> Node {
    match types {
        [one] => Node::from(*one),
        many => Node::strings(many.iter().copied()),
    }
}

/// The order in which a model reads and writes the properties of an object: `order` as far as it
/// goes; then tags, since they say what the others are; then the required ones as declared; then
/// the optional ones by name. An object's own order can't be used: a feature of `serde_json`
/// decides whether it is that of declaration.
pub(in super::super) fn property_order<'m>(
    properties: &'m Schema,
    required: &[&str],
    order: &[&str],
) -> Vec<&'m String> {
    let mut keys: Vec<&String> = properties.keys().collect();
    let rank = |key: &str| {
        if let Some(at) = order.iter().position(|held| *held == key) {
            return (0, at);
        }
        match required.iter().position(|held| *held == key) {
            Some(at) if is_tag(&properties[key]) => (1, at),
            Some(at) => (2, at),
            None => (3, 0),
        }
    };
    keys.sort_by_cached_key(|key| (rank(key), *key));
    keys
}

fn is_tag(schema: &Value) -> bool {
    schema.get("const").is_some()
        || schema.get("enum").and_then(Value::as_array).is_some_and(|values| values.len() == 1)
}

impl Strict<'_> {
    pub(super) fn typed(
        &mut self,
        mut map: Schema,
        path: &str,
        order: &[&str],
        notes: &mut Notes,
    ) -> Fields {
        for key in map.keys() {
            if !TYPED.contains(&key.as_str()) && !super::REFUSED.contains(&key.as_str()) {
                return self.reject(path, format!("`{key}`"));
            }
        }
        let mut types = names(map.get("type")).into_iter().map(str::to_owned).collect::<Vec<_>>();
        if types.is_empty() {
            let inferred = if map.contains_key("properties") {
                "object"
            } else if map.contains_key("items") || map.contains_key("prefixItems") {
                "array"
            } else {
                return self.reject(path, "any value fits");
            };
            types.push(inferred.to_owned());
        }
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        if let Some(unknown) = types.iter().find(|name| !TYPES.contains(name)) {
            return self.reject(path, format!("the type `{unknown}`"));
        }
        let mut fields = Fields::default();
        fields.set("type", type_node(&types));
        if types.contains(&"object") {
            self.object(&map, &mut fields, path, order, notes);
        }
        if types.contains(&"array") {
            self.array(&map, &mut fields, path, notes);
        }
        if types.contains(&"string") {
            self.string(&map, &mut fields, path, notes);
        }
        if types.contains(&"integer") || types.contains(&"number") {
            for key in ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"]
            {
                if let Some(bound) = map.remove(key) {
                    fields.set(key, Node::data(&bound));
                }
            }
        }
        fields
    }

    fn object(
        &mut self,
        map: &Schema,
        fields: &mut Fields,
        path: &str,
        order: &[&str],
        notes: &mut Notes,
    ) {
        let open = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|key| map.get(*key).is_some_and(|value| *value != Value::Bool(false)));
        if open {
            self.reject(path, "a map whose keys are open (`additionalProperties`)");
        }
        let patterned = map.get("patternProperties").and_then(Value::as_object);
        if patterned.is_some_and(|patterns| !patterns.is_empty()) {
            self.reject(path, "a map whose keys follow a pattern (`patternProperties`)");
        }
        let (min, max) = (map.get("minProperties"), map.get("maxProperties"));
        if min.is_some() || max.is_some() {
            notes.count(min, max, "key", "keys");
            self.described(path, "`minProperties`/`maxProperties`");
        }
        let required = names(map.get("required"));
        let empty = Schema::new();
        let properties = map.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let mut lowered = Fields::default();
        for key in property_order(properties, &required, order) {
            let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let schema = self.schema(&properties[key], &place);
            let optional = !required.contains(&key.as_str());
            lowered.push(key.clone(), if optional { nullable(schema) } else { schema });
        }
        if let Some(stray) = required.iter().find(|name| !properties.contains_key(**name)) {
            self.described(path, format!("`required` names `{stray}`, which isn't declared"));
        }
        let keys = Node::strings(lowered.iter().map(|(key, _)| key));
        fields.set("properties", lowered);
        fields.set("required", keys);
        fields.set("additionalProperties", false);
    }

    fn array(&mut self, map: &Schema, fields: &mut Fields, path: &str, notes: &mut Notes) {
        let place = format!("{path}[]");
        let items = map.get("items");
        let max = map.get("maxItems").and_then(Value::as_u64);
        let lowered = if let Some(Value::Array(prefix)) = map.get("prefixItems") {
            let bounded = matches!(items, Some(Value::Bool(false)))
                || max.is_some_and(|max| max <= prefix.len() as u64);
            self.tuple(prefix, items.filter(|_| !bounded), bounded, path, notes)
        } else {
            match items {
                None if max == Some(0) => nothing(),
                None => self.reject(&place, "any value fits"),
                Some(items) => self.schema(items, &place),
            }
        };
        fields.set("items", lowered);
        for key in ["minItems", "maxItems"] {
            if let Some(bound) = map.get(key) {
                fields.set(key, Node::data(bound));
            }
        }
        if map.get("uniqueItems") == Some(&Value::Bool(true)) {
            notes.add("no item twice");
            self.described(path, "`uniqueItems`");
        }
    }

    /// The order of a tuple's items can only be told; its length is kept.
    fn tuple(
        &mut self,
        prefix: &[Value],
        rest: Option<&Value>,
        bounded: bool,
        path: &str,
        notes: &mut Notes,
    ) -> Fields {
        let place = format!("{path}[]");
        let mut branches: Vec<Fields> = Vec::new();
        let mut kinds = Vec::new();
        for schema in prefix.iter().chain(rest) {
            let lowered = self.schema(schema, &place);
            kinds.push(lowered.get("type").map_or_else(|| "other".to_owned(), kind));
            if !branches.contains(&lowered) {
                branches.push(lowered);
            }
        }
        if !bounded && rest.is_none() {
            self.reject(&place, "any value fits after the first items");
        }
        if branches.len() > 1 {
            notes.add(format!("in this order: {}", kinds.join(", ")));
            self.described(path, "the order of a tuple (`prefixItems`)");
        }
        match branches.len() {
            0 => nothing(),
            1 => branches.remove(0),
            _ => {
                let mut union = Fields::default();
                union.set("anyOf", branches.into_iter().map(Node::Object).collect::<Vec<_>>());
                union
            }
        }
    }

    fn string(&mut self, map: &Schema, fields: &mut Fields, path: &str, notes: &mut Notes) {
        match map.get("format") {
            Some(Value::String(format)) if FORMATS.contains(&format.as_str()) => {
                fields.set("format", format.as_str());
            }
            Some(Value::String(format)) => {
                notes.add(format!("format: {format}"));
                self.described(path, format!("the format `{format}`"));
            }
            _ => {}
        }
        if let Some(Value::String(pattern)) = map.get("pattern") {
            match regex_kind(pattern) {
                RegexKind::Plain => fields.set("pattern", pattern.as_str()),
                RegexKind::Dialect => {
                    notes.add(format!("pattern: {pattern}"));
                    self.described(path, format!("the pattern `{pattern}`"));
                }
                RegexKind::Lookaround => {
                    self.reject(path, format!("the pattern `{pattern}` looks around or back"));
                }
            }
        }
        let (min, max) = (map.get("minLength"), map.get("maxLength"));
        if min.is_some() || max.is_some() {
            notes.count(min, max, "character", "characters");
            self.described(path, "`minLength`/`maxLength`");
        }
    }
}

fn kind(types: &Node) -> String {
    match types.as_list() {
        Some(list) => list.iter().filter_map(Node::as_str).collect::<Vec<_>>().join(" or "),
        None => types.as_str().unwrap_or("other").to_owned(),
    }
}

/// The schema of items that never come: an array that stays empty still needs one.
fn nothing() -> Fields {
    let mut fields = Fields::default();
    fields.set("type", "null");
    fields
}

#[derive(Debug, PartialEq)]
enum RegexKind {
    /// The syntax that all engines share.
    Plain,
    /// Syntax that engines disagree on.
    Dialect,
    /// Look-around or a back-reference.
    Lookaround,
}

fn regex_kind(pattern: &str) -> RegexKind {
    let mut kind = RegexKind::Plain;
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let Some(escaped) = rest.chars().next() else { return RegexKind::Dialect };
                rest = &rest[escaped.len_utf8()..];
                match escaped {
                    '1'..='9' | 'k' => return RegexKind::Lookaround,
                    'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'b' | 'n' | 'r' | 't' => {}
                    c if c.is_ascii_punctuation() => {}
                    _ => kind = RegexKind::Dialect,
                }
            }
            '(' if rest.starts_with('?') => {
                let after = &rest[1..];
                if ["=", "!", "<=", "<!", "P="].iter().any(|mark| after.starts_with(mark)) {
                    return RegexKind::Lookaround;
                }
                if !after.starts_with(':') {
                    kind = RegexKind::Dialect;
                }
            }
            '[' if rest.starts_with("[:") => kind = RegexKind::Dialect,
            '&' if rest.starts_with('&') => kind = RegexKind::Dialect,
            _ => {}
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_told_apart() {
        use RegexKind::{Dialect, Lookaround, Plain};
        for (pattern, kind) in [
            (r"^-?\d+(\.\d+)?([eE]\d+)?$", Plain),
            (r"^(?:a|b)[\]\[]{2,3}$", Plain),
            (r"\(?=", Plain),
            (r"(?=a)b", Lookaround),
            (r"a(?!b)", Lookaround),
            (r"(?<=a)b", Lookaround),
            (r"(?<!a)b", Lookaround),
            (r"(a)\1", Lookaround),
            (r"(?P<n>a)(?P=n)", Lookaround),
            (r"(?<n>a)\k<n>", Lookaround),
            (r"(?i)a", Dialect),
            (r"(?P<n>a)", Dialect),
            (r"\p{L}+", Dialect),
            (r"\Aa\z", Dialect),
            (r"[[:alpha:]]", Dialect),
            (r"[a-z&&[^b]]", Dialect),
            ("é\\", Dialect),
        ] {
            assert_eq!(regex_kind(pattern), kind, "{pattern}");
        }
    }
}
