//! JSON whose objects keep their order and whose texts are lent from where it was read, so that a
//! schema is read once, lowered and written without a copy of what stays as it is.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::keyword::Keyword;
use crate::json::string;

/// One JSON value. A text that is lent stands in JSON as it is, without escapes, and so does a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node<'t> {
    /// `null`, `true`, `false` or a number, as it is written.
    Word(Cow<'t, str>),
    /// What a string says.
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    Object(Fields<'t>),
}

/// The members of an object, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields<'t>(Vec<Member<'t>>);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member<'t> {
    word: Keyword,
    key: Cow<'t, str>,
    node: Node<'t>,
}

impl<'t> Member<'t> {
    #[inline]
    fn new(key: Cow<'t, str>, node: Node<'t>) -> Self {
        Self { word: Keyword::of(&key), key, node }
    }
}

impl<'t> Fields<'t> {
    pub(super) fn with_capacity(members: usize) -> Self {
        Self(Vec::with_capacity(members))
    }

    /// An object of one member.
    pub(super) fn one(key: &'static str, node: impl Into<Node<'t>>) -> Self {
        Self(vec![Member::new(Cow::Borrowed(key), node.into())])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value of a keyword; names of an author's go to [`Fields::named`].
    #[inline(always)]
    pub(super) fn get(&self, key: &str) -> Option<&Node<'t>> {
        match Keyword::of(key) {
            Keyword::Other => self.named(key),
            word => self.0.iter().find(|member| member.word == word).map(|member| &member.node),
        }
    }

    #[inline(always)]
    pub(super) fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The value of any key.
    pub(super) fn named(&self, key: &str) -> Option<&Node<'t>> {
        self.0.iter().find(|member| member.key == key).map(|member| &member.node)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node<'t>> {
        self.0.iter_mut().find(|member| member.key == key).map(|member| &mut member.node)
    }

    /// Puts a member in at its old place, or at the end.
    pub(super) fn set(&mut self, key: impl Into<Cow<'t, str>>, node: impl Into<Node<'t>>) {
        let (key, node) = (key.into(), node.into());
        match self.get_mut(&key) {
            Some(held) => *held = node,
            None => self.push(key, node),
        }
    }

    /// Puts in a member that isn't there yet.
    #[inline(always)]
    pub(super) fn push(&mut self, key: impl Into<Cow<'t, str>>, node: impl Into<Node<'t>>) {
        self.0.push(Member::new(key.into(), node.into()));
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Node<'t>> {
        let at = self.0.iter().position(|member| member.key == key)?;
        Some(self.0.remove(at).node)
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|member| keep(&member.key));
    }

    /// Moves a member to the front.
    pub(super) fn promote(&mut self, key: &str) {
        if let Some(at) = self.0.iter().position(|member| member.key == key) {
            self.0[..=at].rotate_right(1);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Cow<'t, str>, &Node<'t>)> {
        self.0.iter().map(|member| (&member.key, &member.node))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|member| member.key.as_ref())
    }

    /// The keys, each with the keyword that it is.
    pub(super) fn words(&self) -> impl Iterator<Item = (Keyword, &str)> {
        self.0.iter().map(|member| (member.word, member.key.as_ref()))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Node<'t>)> {
        self.0.iter_mut().map(|member| (&*member.key, &mut member.node))
    }

    /// Sorts the members by this, then by name.
    pub(super) fn sort_by_key<K: Ord>(&mut self, of: impl Fn(&str, &Node<'t>) -> K) {
        self.0.sort_by_cached_key(|member| (of(&member.key, &member.node), member.key.clone()));
    }

    /// Sorts the keywords of a schema for its reader.
    pub(super) fn arrange(&mut self) {
        let order = |a: &Member<'t>, b: &Member<'t>| match a.word.cmp(&b.word) {
            Ordering::Equal => a.key.cmp(&b.key),
            other => other,
        };
        if !self.0.is_sorted_by(|a, b| order(a, b).is_le()) {
            self.0.sort_by(order);
        }
    }

    /// Appends the object as compact JSON.
    pub(super) fn write(&self, out: &mut String) {
        out.push('{');
        for (i, Member { key, node, .. }) in self.0.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            write_text(key, out);
            out.push(':');
            node.write(out);
        }
        out.push('}');
    }
}

/// Appends a string, which needs a look for escapes only if it isn't lent.
#[inline]
#[allow(clippy::ptr_arg, reason = "whether it is lent is the question")]
fn write_text(text: &Cow<'_, str>, out: &mut String) {
    match text {
        Cow::Borrowed(plain) => {
            out.reserve(plain.len() + 2);
            out.push('"');
            out.push_str(plain);
            out.push('"');
        }
        Cow::Owned(text) => string(text, out),
    }
}

impl<'t> IntoIterator for Fields<'t> {
    type Item = (Cow<'t, str>, Node<'t>);
    type IntoIter = IntoIter<'t>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|member| (member.key, member.node))
    }
}

/// The members of an object that is taken apart.
type IntoIter<'t> =
    std::iter::Map<std::vec::IntoIter<Member<'t>>, fn(Member<'t>) -> (Cow<'t, str>, Node<'t>)>;

impl<'t> FromIterator<(Cow<'t, str>, Node<'t>)> for Fields<'t> {
    fn from_iter<I: IntoIterator<Item = (Cow<'t, str>, Node<'t>)>>(members: I) -> Self {
        Self(members.into_iter().map(|(key, node)| Member::new(key, node)).collect())
    }
}

impl<'t> Node<'t> {
    /// A value that is data, not schema: a default, an example, a member of an enum. The members of
    /// its objects are sorted, so that equal values are written alike.
    pub(super) fn data(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::data).collect()),
            Self::Object(fields) => {
                let mut fields: Fields<'t> =
                    fields.into_iter().map(|(key, node)| (key, node.data())).collect();
                fields.0.sort_by(|a, b| a.key.cmp(&b.key));
                Self::Object(fields)
            }
            scalar => scalar,
        }
    }

    pub(super) fn as_object(&self) -> Option<&Fields<'t>> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    pub(super) fn as_object_mut(&mut self) -> Option<&mut Fields<'t>> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<&Cow<'t, str>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the value is this word: `null`, `true`, `false`, a number.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(held) if held == word)
    }

    /// A count, where the value is one.
    pub(super) fn as_count(&self) -> Option<u64> {
        match self {
            Self::Word(word) => word.parse().ok(),
            _ => None,
        }
    }

    /// The texts of a list of them, or of one alone, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Cow<'t, str>> {
        let all = match self {
            Self::List(items) => items,
            one => std::slice::from_ref(one),
        };
        all.iter().filter_map(Self::as_text)
    }

    /// Whether the value is this text, or a list with it.
    #[inline]
    pub(super) fn names(&self, text: &str) -> bool {
        self.texts().any(|held| held == text)
    }

    /// Appends the value as compact JSON.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Word(word) => out.push_str(word),
            Self::Text(text) => write_text(text, out),
            Self::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(fields) => fields.write(out),
        }
    }

    /// The value as compact JSON.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// The texts that a keyword lists, in order.
pub(super) fn texts<'n, 't>(node: Option<&'n Node<'t>>) -> impl Iterator<Item = &'n Cow<'t, str>> {
    node.into_iter().flat_map(Node::texts)
}

impl<'t> From<&'t str> for Node<'t> {
    fn from(text: &'t str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'t> From<Cow<'t, str>> for Node<'t> {
    fn from(text: Cow<'t, str>) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Node<'_> {
    fn from(value: bool) -> Self {
        Self::Word(Cow::Borrowed(if value { "true" } else { "false" }))
    }
}

impl<'t> From<Fields<'t>> for Node<'t> {
    fn from(fields: Fields<'t>) -> Self {
        Self::Object(fields)
    }
}

impl<'t> From<Vec<Node<'t>>> for Node<'t> {
    fn from(items: Vec<Node<'t>>) -> Self {
        Self::List(items)
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;

    #[test]
    fn keywords_are_arranged_and_data_is_sorted() {
        let mut fields = Fields::default();
        for key in ["$defs", "x-b", "required", "properties", "x-a", "description", "type"] {
            fields.set(key, true);
        }
        let data = read(r#"{"b": 1, "a": [{"d": 1, "c": 2}]}"#).unwrap().data();
        fields.set("default", data);
        fields.arrange();
        assert_eq!(
            Node::Object(fields).text(),
            r#"{"type":true,"description":true,"properties":true,"required":true,"default":{"a":[{"c":2,"d":1}],"b":1},"x-a":true,"x-b":true,"$defs":true}"#
        );
    }
}
