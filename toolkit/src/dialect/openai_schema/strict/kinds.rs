//! The plain types: objects, arrays, strings, numbers, booleans, null.

use std::borrow::Cow;

use super::super::notes::Notes;
use super::super::ordered::{Fields, Node, texts};
use super::{Place, Strict, nullable};

const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// The formats that strict mode knows.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// The keywords of numbers.
const NUMBERS: [&str; 5] =
    ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"];

/// The schema type of a value.
pub(super) fn type_of(value: &Node<'_>) -> &'static str {
    match value {
        Node::Text(_) => "string",
        Node::List(_) => "array",
        Node::Object(_) => "object",
        Node::Word(word) => match word.as_ref() {
            "null" => "null",
            "true" | "false" => "boolean",
            number if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() => "integer",
            _ => "number",
        },
    }
}

/// One type as a string, several as a list.
pub(super) fn type_node<'t>(mut types: impl Iterator<Item = Cow<'t, str>>) -> Node<'t> {
    match (types.next(), types.next()) {
        (Some(one), None) => Node::Text(one),
        (first, second) => {
            Node::List(first.into_iter().chain(second).chain(types).map(Node::Text).collect())
        }
    }
}

/// The place of a property in the order in which a model reads and writes an object: that of `order`
/// as far as it goes; then tags, since they say what the others are; then the required ones as
/// declared; then the optional ones, by name. An object's own order isn't that of declaration, for
/// schemars may have sorted it.
pub(in super::super) fn property_rank<'t>(
    key: &str,
    schema: &Node<'t>,
    required: Option<&Node<'t>>,
    order: Option<&Fields<'t>>,
) -> (u8, usize) {
    if let Some(at) = order.and_then(|order| order.keys().position(|held| held == key)) {
        return (0, at);
    }
    match texts(required).position(|held| held == key) {
        Some(at) if is_tag(schema) => (1, at),
        Some(at) => (2, at),
        None => (3, 0),
    }
}

fn is_tag(schema: &Node<'_>) -> bool {
    schema.as_object().is_some_and(|schema| {
        schema.contains("const")
            || schema.get("enum").and_then(Node::as_list).is_some_and(|values| values.len() == 1)
    })
}

impl<'t> Strict<'_, 't> {
    pub(super) fn typed(
        &mut self,
        schema: &Fields<'t>,
        place: &Place<'_>,
        order: Option<&Fields<'t>>,
        notes: &mut Notes,
    ) -> Fields<'t> {
        let inferred;
        let types = match schema.get("type") {
            Some(declared) if declared.texts().next().is_some() => declared,
            _ if schema.contains("properties") => {
                inferred = Node::from("object");
                &inferred
            }
            _ if schema.contains("items") || schema.contains("prefixItems") => {
                inferred = Node::from("array");
                &inferred
            }
            _ => return self.reject(place, "any value fits"),
        };
        if let Some(unknown) = types.texts().find(|name| !TYPES.contains(&name.as_ref())) {
            return self.reject(place, format!("the type `{unknown}`"));
        }
        let mut fields = Fields::with_capacity(4);
        fields.push("type", type_node(types.texts().cloned()));
        if types.names("object") {
            self.object(schema, &mut fields, place, order, notes);
        }
        if types.names("array") {
            self.array(schema, &mut fields, place, notes);
        }
        if types.names("string") {
            self.string(schema, &mut fields, place, notes);
        }
        if types.names("integer") || types.names("number") {
            for key in NUMBERS {
                if let Some(bound) = schema.get(key) {
                    fields.push(key, bound.clone().data());
                }
            }
        }
        fields
    }

    fn object(
        &mut self,
        schema: &Fields<'t>,
        fields: &mut Fields<'t>,
        place: &Place<'_>,
        order: Option<&Fields<'t>>,
        notes: &mut Notes,
    ) {
        let open = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|key| schema.get(key).is_some_and(|value| !value.is("false")));
        if open {
            self.reject(place, "a map whose keys are open (`additionalProperties`)");
        }
        let patterned = schema.get("patternProperties").and_then(Node::as_object);
        if patterned.is_some_and(|patterns| !patterns.is_empty()) {
            self.reject(place, "a map whose keys follow a pattern (`patternProperties`)");
        }
        let (min, max) = (schema.get("minProperties"), schema.get("maxProperties"));
        if min.is_some() || max.is_some() {
            notes.count(min, max, "key", "keys");
            self.described(place, "`minProperties`/`maxProperties`");
        }
        let required = schema.get("required");
        let none = Fields::default();
        let properties = schema.get("properties").and_then(Node::as_object).unwrap_or(&none);
        let mut lowered = Fields::with_capacity(properties.len());
        let mut keys = Vec::with_capacity(properties.len());
        let mut members: Vec<_>;
        let mut sorted;
        let mut declared;
        let in_order: &mut dyn Iterator<Item = _> =
            if order.is_some_and(|order| std::ptr::eq(order, properties)) {
                declared = properties.iter();
                &mut declared
            } else {
                members = properties.iter().collect();
                members.sort_by_cached_key(|(key, schema)| {
                    (property_rank(key, schema, required, order), *key)
                });
                sorted = members.into_iter();
                &mut sorted
            };
        for (key, schema) in in_order {
            let schema = self.schema(schema, &place.key(key));
            let optional = !texts(required).any(|name| name == key);
            lowered.push(key.clone(), if optional { nullable(schema) } else { schema });
            keys.push(Node::Text(key.clone()));
        }
        if let Some(stray) = texts(required).find(|name| properties.named(name).is_none()) {
            self.described(place, format!("`required` names `{stray}`, which isn't declared"));
        }
        fields.push("properties", lowered);
        fields.push("required", keys);
        fields.push("additionalProperties", false);
    }

    fn array(
        &mut self,
        schema: &Fields<'t>,
        fields: &mut Fields<'t>,
        place: &Place<'_>,
        notes: &mut Notes,
    ) {
        let below = place.items();
        let items = schema.get("items");
        let max = schema.get("maxItems").and_then(Node::as_count);
        let lowered = if let Some(Node::List(prefix)) = schema.get("prefixItems") {
            let bounded = items.is_some_and(|items| items.is("false"))
                || max.is_some_and(|max| max <= prefix.len() as u64);
            self.tuple(prefix, items.filter(|_| !bounded), bounded, place, notes)
        } else {
            match items {
                None if max == Some(0) => super::null(),
                None => self.reject(&below, "any value fits"),
                Some(items) => self.schema(items, &below),
            }
        };
        fields.push("items", lowered);
        for key in ["minItems", "maxItems"] {
            if let Some(bound) = schema.get(key) {
                fields.push(key, bound.clone().data());
            }
        }
        if schema.get("uniqueItems").is_some_and(|value| value.is("true")) {
            notes.add("no item twice");
            self.described(place, "`uniqueItems`");
        }
    }

    /// The order of a tuple's items can only be told; its length is kept.
    fn tuple(
        &mut self,
        prefix: &[Node<'t>],
        rest: Option<&Node<'t>>,
        bounded: bool,
        place: &Place<'_>,
        notes: &mut Notes,
    ) -> Fields<'t> {
        let below = place.items();
        let mut branches: Vec<Fields<'t>> = Vec::new();
        let mut kinds = Vec::new();
        for schema in prefix.iter().chain(rest) {
            let lowered = self.schema(schema, &below);
            kinds.push(kind(&lowered));
            if !branches.contains(&lowered) {
                branches.push(lowered);
            }
        }
        if !bounded && rest.is_none() {
            self.reject(&below, "any value fits after the first items");
        }
        if branches.len() > 1 {
            notes.add(format!("in this order: {}", kinds.join(", ")));
            self.described(place, "the order of a tuple (`prefixItems`)");
        }
        match branches.len() {
            // An array that stays empty still needs a schema of its items.
            0 => super::null(),
            1 => branches.remove(0),
            _ => Fields::one("anyOf", branches.into_iter().map(Node::Object).collect::<Vec<_>>()),
        }
    }

    fn string(
        &mut self,
        schema: &Fields<'t>,
        fields: &mut Fields<'t>,
        place: &Place<'_>,
        notes: &mut Notes,
    ) {
        match schema.get("format") {
            Some(Node::Text(format)) if FORMATS.contains(&format.as_ref()) => {
                fields.push("format", format.clone());
            }
            Some(Node::Text(format)) => {
                notes.add(format!("format: {format}"));
                self.described(place, format!("the format `{format}`"));
            }
            _ => {}
        }
        if let Some(Node::Text(pattern)) = schema.get("pattern") {
            match regex_kind(pattern) {
                RegexKind::Plain => fields.push("pattern", pattern.clone()),
                RegexKind::Dialect => {
                    notes.add(format!("pattern: {pattern}"));
                    self.described(place, format!("the pattern `{pattern}`"));
                }
                RegexKind::Lookaround => {
                    self.reject(place, format!("the pattern `{pattern}` looks around or back"));
                }
            }
        }
        let (min, max) = (schema.get("minLength"), schema.get("maxLength"));
        if min.is_some() || max.is_some() {
            notes.count(min, max, "character", "characters");
            self.described(place, "`minLength`/`maxLength`");
        }
    }
}

/// The types of a lowered schema in words.
fn kind(schema: &Fields<'_>) -> String {
    match texts(schema.get("type")).map(Cow::as_ref).collect::<Vec<_>>().join(" or ") {
        none if none.is_empty() => "other".to_owned(),
        kind => kind,
    }
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
