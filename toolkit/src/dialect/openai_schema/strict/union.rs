//! `anyOf` and `oneOf`. Strict mode has `anyOf` only, so a `oneOf` must be one whose branches
//! exclude each other anyway.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::defs::merge;
use super::super::keyword::Keyword;
use super::super::notes::{Notes, fixed_strings};
use super::super::ordered::{Fields, Node, texts};
use super::{Place, Strict, Word, kinds};

/// How many branches are looked at while the types of a union are collected.
const MAX_LOOKS: usize = 500;

impl<'t> Strict<'_, 't> {
    pub(super) fn union(
        &mut self,
        schema: &Fields<'t>,
        place: &Place<'_>,
        notes: &mut Notes,
    ) -> Fields<'t> {
        let (one_of, any_of) = (schema.get("oneOf"), schema.get("anyOf"));
        let exclusive = one_of.is_some();
        let branches = match (one_of, any_of) {
            (Some(_), Some(_)) => return self.reject(place, "`anyOf` beside `oneOf`"),
            (Some(Node::List(branches)), _) | (_, Some(Node::List(branches))) => branches,
            _ => return self.reject(place, "a union that is no list"),
        };
        if branches.is_empty() {
            return self.reject(place, "no value fits");
        }
        let beside = || {
            let stays = |key: &str| {
                !matches!(Word::of(Keyword::of(key), key), Word::Silent | Word::Told | Word::Union)
            };
            schema.iter().filter(move |(key, _)| stays(key))
        };
        if beside()
            .all(|(key, kind)| key == "type" && kind.as_text().is_some_and(|t| t == "string"))
            && branches.len() > 1
            && let Some((values, lines)) = fixed_strings(branches)
        {
            let fixed =
                |branch: &Node<'t>| branch.as_object().and_then(fixed_values).map_or(0, <[_]>::len);
            if exclusive && branches.iter().map(fixed).sum::<usize>() > values.len() {
                // A value of two of them fits neither.
                return self.reject(place, "branches of `oneOf` that overlap");
            }
            lines.into_iter().for_each(|line| notes.line(line));
            let mut fields = Fields::with_capacity(2);
            fields.push("type", "string");
            fields.push("enum", values);
            return fields;
        }
        if exclusive && !self.all_exclusive(branches) {
            return self.reject(place, "branches of `oneOf` that overlap");
        }
        let beside: Fields<'t> = beside().map(|(key, node)| (key.clone(), node.clone())).collect();
        let Some(branches) = self.distribute(&beside, branches, place) else {
            return Fields::default();
        };
        let mut lowered: Vec<Node<'t>> = Vec::with_capacity(branches.len());
        for branch in branches.iter() {
            let node = Node::Object(self.schema(branch, place));
            if !lowered.contains(&node) {
                lowered.push(node);
            }
        }
        if let [Node::Object(only)] = lowered.as_mut_slice() {
            return std::mem::take(only);
        }
        Fields::one("anyOf", lowered)
    }

    /// Moves what stands beside the union into each of its branches.
    fn distribute<'b>(
        &mut self,
        beside: &Fields<'t>,
        branches: &'b [Node<'t>],
        place: &Place<'_>,
    ) -> Option<Cow<'b, [Node<'t>]>> {
        if beside.is_empty() {
            return Some(Cow::Borrowed(branches));
        }
        let mut merged = Vec::with_capacity(branches.len());
        for branch in branches {
            let view = self.defs.view(branch).into_owned();
            match merge(beside.clone(), view) {
                Ok(branch) => merged.push(Node::Object(branch)),
                Err(reason) => {
                    self.reject(place, format!("a union beside other keywords: {reason}"));
                    return None;
                }
            }
        }
        Some(Cow::Owned(merged))
    }

    fn all_exclusive(&self, branches: &[Node<'t>]) -> bool {
        let views: Vec<_> = branches.iter().map(|branch| self.defs.view(branch)).collect();
        views
            .iter()
            .enumerate()
            .all(|(at, one)| views[at + 1..].iter().all(|other| self.exclusive(one, other)))
    }

    /// Whether no value that is written for one lowered branch fits the other branch as declared.
    /// A lowered object has all its declared keys and no other.
    fn exclusive(&self, one: &Fields<'t>, other: &Fields<'t>) -> bool {
        if let (Some(a), Some(b)) = (self.types(one, &mut 0), self.types(other, &mut 0)) {
            let meets = |a: &str, b: &str| a == b || (a, b) == ("integer", "number");
            if !a.iter().any(|a| b.iter().any(|b| meets(a, b) || meets(b, a))) {
                return true;
            }
        }
        if let (Some(a), Some(b)) = (fixed_values(one), fixed_values(other)) {
            return disjoint(a, b);
        }
        if tagged_apart(one, other) {
            return true;
        }
        is_object(one) && is_object(other) && unfit(one, other) && unfit(other, one)
    }

    /// The types that a schema allows, where they can be told.
    fn types(&self, schema: &Fields<'t>, looks: &mut usize) -> Option<BTreeSet<Cow<'t, str>>> {
        let declared: BTreeSet<_> = texts(schema.get("type")).cloned().collect();
        if !declared.is_empty() {
            return Some(declared);
        }
        if let Some(values) = fixed_values(schema) {
            return Some(values.iter().map(|one| Cow::Borrowed(kinds::type_of(one))).collect());
        }
        if schema.contains("properties") {
            return Some(BTreeSet::from([Cow::Borrowed("object")]));
        }
        let Some(Node::List(branches)) = schema.get("anyOf").or_else(|| schema.get("oneOf")) else {
            return None;
        };
        let mut all = BTreeSet::new();
        for branch in branches {
            *looks += 1;
            if *looks > MAX_LOOKS {
                return None;
            }
            all.extend(self.types(&self.defs.view(branch), looks)?);
        }
        Some(all)
    }
}

fn is_object(schema: &Fields<'_>) -> bool {
    schema.contains("properties")
        && !["anyOf", "oneOf", "not", "if"].iter().any(|key| schema.contains(key))
}

fn fixed_values<'n, 't>(schema: &'n Fields<'t>) -> Option<&'n [Node<'t>]> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => Some(std::slice::from_ref(one)),
        (None, Some(Node::List(many))) => Some(many),
        _ => None,
    }
}

fn disjoint(a: &[Node<'_>], b: &[Node<'_>]) -> bool {
    !a.iter().any(|value| b.contains(value))
}

fn properties<'n, 't>(schema: &'n Fields<'t>) -> Option<&'n Fields<'t>> {
    schema.get("properties").and_then(Node::as_object)
}

/// Whether both require one key whose fixed values differ.
fn tagged_apart(one: &Fields<'_>, other: &Fields<'_>) -> bool {
    let (Some(mine), Some(theirs)) = (properties(one), properties(other)) else { return false };
    let required = other.get("required");
    texts(one.get("required")).any(|key| {
        let values = fixed_of(mine, key).zip(fixed_of(theirs, key));
        texts(required).any(|other| other == key) && values.is_some_and(|(a, b)| disjoint(a, b))
    })
}

fn fixed_of<'n, 't>(properties: &'n Fields<'t>, key: &str) -> Option<&'n [Node<'t>]> {
    properties.named(key)?.as_object().and_then(fixed_values)
}

/// Whether an object with all keys of `one`, and no other, can't fit `other`.
fn unfit(one: &Fields<'_>, other: &Fields<'_>) -> bool {
    let none = Fields::default();
    let mine = properties(one).unwrap_or(&none);
    let theirs = properties(other).unwrap_or(&none);
    let lacks = texts(other.get("required")).any(|key| mine.named(key).is_none());
    let closed = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|key| other.get(key).is_some_and(|value| value.is("false")));
    lacks || (closed && mine.keys().any(|key| theirs.named(key).is_none()))
}
