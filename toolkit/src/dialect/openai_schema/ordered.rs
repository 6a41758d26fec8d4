//! JSON whose objects keep the order in which they were built, whatever features of `serde_json`
//! are on.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// One JSON value of a lowered schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A scalar, an empty array or an empty object.
    Leaf(Value),
    List(Vec<Node>),
    Object(Fields),
}

/// The members of an object, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(Vec<(String, Node)>);

/// The order of keywords within one schema; all others come after, by name.
const KEYWORDS: [&str; 29] = [
    "$ref",
    "type",
    "description",
    "const",
    "enum",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "properties",
    "required",
    "patternProperties",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "default",
    "examples",
    "deprecated",
];

impl Fields {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(held, _)| held == key).map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.iter_mut().find(|(held, _)| held == key).map(|(_, node)| node)
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Puts a member in at its old place, or at the end.
    pub(crate) fn set(&mut self, key: impl Into<String>, node: impl Into<Node>) {
        let (key, node) = (key.into(), node.into());
        match self.get_mut(&key) {
            Some(held) => *held = node,
            None => self.0.push((key, node)),
        }
    }

    /// Puts in a member that isn't there yet.
    pub(crate) fn push(&mut self, key: String, node: impl Into<Node>) {
        self.0.push((key, node.into()));
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Node> {
        let at = self.0.iter().position(|(held, _)| held == key)?;
        Some(self.0.remove(at).1)
    }

    /// Moves a member to the front.
    pub(crate) fn promote(&mut self, key: &str) {
        if let Some(at) = self.0.iter().position(|(held, _)| held == key) {
            self.0[..=at].rotate_right(1);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(key, node)| (key.as_str(), node))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.0.iter_mut().map(|(_, node)| node)
    }

    /// Sorts the keywords of a schema for its reader: what it is, then what it holds.
    pub(crate) fn arrange(&mut self) {
        let rank =
            |key: &str| KEYWORDS.iter().position(|held| *held == key).unwrap_or(KEYWORDS.len());
        self.0.sort_by(|(a, _), (b, _)| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
        for last in ["$defs", "definitions"] {
            if let Some(node) = self.take(last) {
                self.set(last, node);
            }
        }
    }
}

impl FromIterator<(String, Node)> for Fields {
    fn from_iter<I: IntoIterator<Item = (String, Node)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl Node {
    /// A value that is data, not schema: a default, an example, a member of an enum. The members
    /// of its objects are sorted, since their order may depend on features.
    pub(crate) fn data(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::List(items.iter().map(Self::data).collect()),
            Value::Object(map) => {
                let mut keys: Vec<&String> = map.keys().collect();
                keys.sort();
                Self::Object(
                    keys.into_iter().map(|key| (key.clone(), Self::data(&map[key]))).collect(),
                )
            }
            scalar => Self::Leaf(scalar.clone()),
        }
    }

    pub(crate) fn strings<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::List(texts.into_iter().map(Self::from).collect())
    }

    pub(crate) fn as_object(&self) -> Option<&Fields> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    pub(crate) fn as_object_mut(&mut self) -> Option<&mut Fields> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Node]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Leaf(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether the value is this string, or a list with it.
    pub(crate) fn names(&self, text: &str) -> bool {
        match self {
            Self::List(items) => items.iter().any(|item| item.as_str() == Some(text)),
            other => other.as_str() == Some(text),
        }
    }

    /// The value as compact JSON.
    pub(crate) fn text(&self) -> String {
        // Writing strings, numbers and string-keyed maps to memory has no way to fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Leaf(Value::String(text.to_owned()))
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Leaf(Value::String(text))
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Self::Leaf(Value::Bool(value))
    }
}

impl From<Fields> for Node {
    fn from(fields: Fields) -> Self {
        Self::Object(fields)
    }
}

impl From<Vec<Node>> for Node {
    fn from(items: Vec<Node>) -> Self {
        Self::List(items)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Leaf(value) => value.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Object(fields) => fields.serialize(serializer),
        }
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, node) in &self.0 {
            map.serialize_entry(key, node)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keywords_are_arranged_and_data_is_sorted() {
        let mut fields = Fields::default();
        for key in ["$defs", "x-b", "required", "properties", "x-a", "description", "type"] {
            fields.set(key, true);
        }
        fields.set("default", Node::data(&json!({"b": 1, "a": [{"d": 1, "c": 2}]})));
        fields.arrange();
        assert_eq!(
            Node::Object(fields).text(),
            r#"{"type":true,"description":true,"properties":true,"required":true,"default":{"a":[{"c":2,"d":1}],"b":1},"x-a":true,"x-b":true,"$defs":true}"#
        );
    }
}
