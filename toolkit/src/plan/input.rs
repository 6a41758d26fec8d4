//! What a step is called with, where it is written as data: values, and typed references to what came
//! before. A reference is a node of its own kind; no text is ever searched for one.

use serde_json::{Map, Value};

use crate::json::Step as PathStep;
use crate::redact::REDACTED;

/// A value with references in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// A value without any.
    Literal(Value),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
    From(Reference),
}

/// A place in what came before.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    pub(super) from: Source,
    /// A JSON pointer into it (RFC 6901).
    pub(super) at: String,
}

/// What a reference is to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Seed,
    /// A step, by its place.
    Index(usize),
    /// A step, by its id.
    Id(String),
    /// The last step before with this tool.
    Tool(String),
}

/// What is wrong with a value that should hold references, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misread {
    pub(super) path: String,
    pub(super) what: String,
}

/// The deepest nesting.
const DEEPEST: usize = 64;

impl Node {
    /// Reads a value; everything that is wrong with it goes to `wrong`.
    pub(super) fn read(value: Value, wrong: &mut Vec<Misread>) -> Self {
        Self::inner(value, &mut Vec::new(), wrong)
    }

    fn inner(value: Value, path: &mut Vec<Segment>, wrong: &mut Vec<Misread>) -> Self {
        if path.len() > DEEPEST {
            let what = format!("is nested deeper than {DEEPEST}");
            wrong.push(Misread { path: written(path), what });
            return Self::Literal(Value::Null);
        }
        match value {
            Value::Array(items) => {
                let mut read = Vec::with_capacity(items.len());
                for (index, item) in items.into_iter().enumerate() {
                    path.push(Segment::Index(index));
                    read.push(Self::inner(item, path, wrong));
                    path.pop();
                }
                match read.iter().all(|node| matches!(node, Self::Literal(_))) {
                    true => {
                        Self::Literal(read.into_iter().filter_map(Self::into_literal).collect())
                    }
                    false => Self::Array(read),
                }
            }
            Value::Object(members) if members.keys().any(|key| key.starts_with('$')) => {
                special(members).unwrap_or_else(|what| {
                    wrong.push(Misread { path: written(path), what });
                    Self::Literal(Value::Null)
                })
            }
            Value::Object(members) => {
                let mut read = Vec::with_capacity(members.len());
                for (key, member) in members {
                    path.push(Segment::Key(key.clone()));
                    read.push((key, Self::inner(member, path, wrong)));
                    path.pop();
                }
                match read.iter().all(|(_, node)| matches!(node, Self::Literal(_))) {
                    true => {
                        let literal =
                            |(key, node): (String, Self)| Some((key, node.into_literal()?));
                        Self::Literal(read.into_iter().filter_map(literal).collect())
                    }
                    false => Self::Object(read),
                }
            }
            value => Self::Literal(value),
        }
    }

    fn into_literal(self) -> Option<Value> {
        match self {
            Self::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The value with `null` in the place of each reference.
    pub(super) fn blank(&self) -> Value {
        match self {
            Self::Literal(value) => value.clone(),
            Self::Array(items) => items.iter().map(Self::blank).collect(),
            Self::Object(members) => {
                members.iter().map(|(key, node)| (key.clone(), node.blank())).collect()
            }
            Self::From(_) => Value::Null,
        }
    }

    /// Every reference, with the way to it.
    pub(super) fn references(&self) -> Vec<(Vec<Segment>, &Reference)> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect<'n>(
        &'n self,
        path: &mut Vec<Segment>,
        found: &mut Vec<(Vec<Segment>, &'n Reference)>,
    ) {
        match self {
            Self::Literal(_) => {}
            Self::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(Segment::Index(index));
                    item.collect(path, found);
                    path.pop();
                }
            }
            Self::Object(members) => {
                for (key, member) in members {
                    path.push(Segment::Key(key.clone()));
                    member.collect(path, found);
                    path.pop();
                }
            }
            Self::From(reference) => found.push((path.clone(), reference)),
        }
    }

    /// The value with each reference replaced, once, by what `find` gives for it.
    pub(super) fn filled<E>(
        &self,
        find: &mut impl FnMut(&Reference) -> Result<Value, E>,
    ) -> Result<Value, E> {
        Ok(match self {
            Self::Literal(value) => value.clone(),
            Self::Array(items) => {
                Value::Array(items.iter().map(|item| item.filled(find)).collect::<Result<_, E>>()?)
            }
            Self::Object(members) => {
                let mut filled = Map::new();
                for (key, member) in members {
                    filled.insert(key.clone(), member.filled(find)?);
                }
                Value::Object(filled)
            }
            Self::From(reference) => find(reference)?,
        })
    }
}

/// An object with keys of ours: a reference, or a value that only looks like one.
fn special(mut members: Map<String, Value>) -> Result<Node, String> {
    if members.len() == 1
        && let Some(literal) = members.remove("$literal")
    {
        return Ok(Node::Literal(literal));
    }
    let at = match members.remove("at") {
        None => None,
        Some(Value::String(at)) => Some(at),
        Some(_) => return Err("`at` takes a JSON pointer, e.g. \"/0/id\"".to_owned()),
    };
    let mut rest = members.into_iter();
    let (from, at) = match (rest.next(), rest.next()) {
        (Some((key, value)), None) => match (key.as_str(), value) {
            ("$seed", Value::String(pointer)) if at.is_none() => (Source::Seed, Some(pointer)),
            ("$step", Value::String(id)) => (Source::Id(id), at),
            ("$step", Value::Number(index)) if index.as_u64().is_some() => {
                let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                (Source::Index(index.unwrap_or(usize::MAX)), at)
            }
            ("$tool", Value::String(tool)) => (Source::Tool(tool), at),
            _ => return Err(no_reference(&key)),
        },
        (Some((key, _)), Some(_)) => return Err(no_reference(&key)),
        (None, _) => return Err(no_reference("at")),
    };
    let at = at.unwrap_or_default();
    if !(at.is_empty() || at.starts_with('/')) {
        return Err(format!("{at:?} is no JSON pointer: write \"/{at}\", or \"\" for the whole"));
    }
    Ok(Node::From(Reference { from, at }))
}

fn no_reference(key: &str) -> String {
    format!(
        "`{key}` makes no reference: write {{\"$seed\": \"/key\"}}, {{\"$step\": 0, \"at\": \"/key\"}} \
         or {{\"$tool\": \"kb.search\", \"at\": \"/0/id\"}}; and {{\"$literal\": …}} around what only \
         looks like one"
    )
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Key(String),
    Index(usize),
}

/// A way as problems name it: `filters[1].op`.
pub(super) fn written(path: &[Segment]) -> String {
    let mut written = String::new();
    for segment in path {
        match segment {
            Segment::Key(key) => PathStep::Key(key.as_str().into()),
            Segment::Index(index) => PathStep::Index(*index),
        }
        .push_to(&mut written);
    }
    written
}

/// Whether a secret stood somewhere in the value before it was redacted.
pub(super) fn is_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text == REDACTED,
        Value::Array(items) => items.iter().any(is_redacted),
        Value::Object(members) => members.values().any(is_redacted),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Node, Vec<Misread>> {
        let mut wrong = Vec::new();
        let node = Node::read(value, &mut wrong);
        if wrong.is_empty() { Ok(node) } else { Err(wrong) }
    }

    #[test]
    fn references_are_nodes_at_any_depth_and_never_texts() {
        let node = read(json!({
            "query": {"$step": "find", "at": "/0/title"},
            "list": [1, {"$seed": "/a"}, {"deep": {"$tool": "kb.search", "at": "/0"}}],
            "text": "{\"$seed\": \"/a\"} {{steps.0}} $seed",
            "literal": {"$literal": {"$seed": "/a"}},
        }))
        .unwrap();
        let ways: Vec<String> = node.references().iter().map(|(path, _)| written(path)).collect();
        let mut sorted = ways.clone();
        sorted.sort();
        assert_eq!(sorted, ["list[1]", "list[2].deep", "query"]);
        // What is filled in isn't read again.
        let filled: Result<Value, ()> = node.filled(&mut |_| Ok(json!({"$seed": "/a"})));
        let filled = filled.unwrap();
        assert_eq!(filled["query"], json!({"$seed": "/a"}));
        assert_eq!(filled["literal"], json!({"$seed": "/a"}));
        assert_eq!(filled["text"], "{\"$seed\": \"/a\"} {{steps.0}} $seed");
    }

    #[test]
    fn what_only_looks_like_a_reference_is_refused() {
        for value in [
            json!({"$sed": "/a"}),
            json!({"$seed": "/a", "at": "/b"}),
            json!({"$seed": 1}),
            json!({"$step": -1}),
            json!({"$step": 0, "at": 1}),
            json!({"$step": 0, "at": "a"}),
            json!({"$step": 0, "$tool": "a"}),
            json!({"$step": 0, "more": 1}),
            json!({"a": [{"$": 1}]}),
        ] {
            assert!(read(value.clone()).is_err(), "{value}");
        }
    }
}
