//! What can only be judged on the whole lowered schema: its size, and unions of objects.

use std::collections::BTreeMap;

use super::super::ordered::{Fields, Node};
use crate::dialect::loss::{Loss, LossKind};

pub(super) const MAX_LEVELS: usize = 10;
pub(super) const MAX_PROPERTIES: usize = 5_000;
pub(super) const MAX_ENUM_VALUES: usize = 1_000;
pub(super) const MAX_CHARS: usize = 120_000;
pub(super) const LONG_ENUM: usize = 250;
pub(super) const MAX_LONG_ENUM_CHARS: usize = 15_000;

type Definitions = BTreeMap<String, Node>;

fn definitions(root: &Fields) -> Definitions {
    let mut all = Definitions::new();
    for place in ["$defs", "definitions"] {
        for (name, node) in
            root.get(place).and_then(Node::as_object).into_iter().flat_map(Fields::iter)
        {
            let name = name.replace('~', "~0").replace('/', "~1");
            all.insert(format!("#/{place}/{name}"), node.clone());
        }
    }
    all
}

/// The schemas directly below one, without its definitions.
fn children(fields: &Fields) -> impl Iterator<Item = &Node> {
    let properties = fields.get("properties").and_then(Node::as_object);
    let branches = fields.get("anyOf").and_then(Node::as_list).unwrap_or_default();
    properties
        .into_iter()
        .flat_map(|held| held.iter().map(|(_, node)| node))
        .chain(fields.get("items"))
        .chain(branches)
}

/// Adds a reason for every budget of strict mode that the schema is over.
pub(super) fn budgets(root: &Fields, reasons: &mut Vec<Loss>) {
    let definitions = definitions(root);
    let mut size = Size::default();
    size.add(root);
    for (name, node) in &definitions {
        size.chars += name.rsplit('/').next().unwrap_or(name).chars().count();
        node.as_object().into_iter().for_each(|fields| size.add(fields));
    }
    let levels = Levels { definitions: &definitions, known: BTreeMap::new() }.of(root);
    for (what, is, limit) in [
        ("levels of nesting", levels, MAX_LEVELS),
        ("properties", size.properties, MAX_PROPERTIES),
        ("enum values", size.enum_values, MAX_ENUM_VALUES),
        ("characters of names and fixed values", size.chars, MAX_CHARS),
        ("characters in one long enum", size.long_enum, MAX_LONG_ENUM_CHARS),
    ] {
        if is > limit {
            reasons.push(Loss::new(LossKind::NotStrict, "", format!("{is} {what}, over {limit}")));
        }
    }
}

#[derive(Default)]
struct Size {
    properties: usize,
    enum_values: usize,
    chars: usize,
    long_enum: usize,
}

impl Size {
    fn add(&mut self, fields: &Fields) {
        let chars = |node: &Node| match node.as_str() {
            Some(text) => text.chars().count(),
            None => node.text().len(),
        };
        for (name, _) in
            fields.get("properties").and_then(Node::as_object).into_iter().flat_map(Fields::iter)
        {
            self.properties += 1;
            self.chars += name.chars().count();
        }
        let values = fields.get("enum").and_then(Node::as_list).unwrap_or_default();
        let total: usize = values.iter().map(chars).sum();
        self.enum_values += values.len();
        self.chars += total + fields.get("const").map_or(0, chars);
        if values.len() > LONG_ENUM {
            self.long_enum = self.long_enum.max(total);
        }
        children(fields).filter_map(Node::as_object).for_each(|child| self.add(child));
    }
}

/// The depth of objects and arrays, through references; a recursive one counts once.
struct Levels<'a> {
    definitions: &'a Definitions,
    /// What is known of each definition; nothing yet of one that is being measured.
    known: BTreeMap<&'a str, usize>,
}

impl<'a> Levels<'a> {
    fn of(&mut self, fields: &'a Fields) -> usize {
        if let Some(reference) = fields.get("$ref").and_then(Node::as_str) {
            if let Some(known) = self.known.get(reference) {
                return *known;
            }
            let target = self.definitions.get(reference).and_then(Node::as_object);
            self.known.insert(reference, 0);
            let depth = target.map_or(0, |target| self.of(target));
            self.known.insert(reference, depth);
            return depth;
        }
        let types = fields.get("type");
        let own = types.is_some_and(|types| types.names("object") || types.names("array"));
        let below = children(fields).filter_map(Node::as_object).map(|child| self.of(child)).max();
        usize::from(own) + below.unwrap_or(0)
    }
}

/// Some models refuse a union of objects that begin with the same key, unless that key tells them
/// apart by its value. Brings a key that only one branch has to that branch's front where this
/// helps, and adds a reason where it doesn't.
pub(super) fn first_keys(root: &mut Fields, reasons: &mut Vec<Loss>) {
    let definitions = definitions(root);
    let whole = Node::Object(root.clone());
    settle(root, "", &definitions, &whole, reasons);
    for place in ["$defs", "definitions"] {
        let Some(held) = root.get_mut(place).and_then(Node::as_object_mut) else { continue };
        let names: Vec<String> = held.iter().map(|(name, _)| name.to_owned()).collect();
        for name in names {
            if let Some(fields) = held.get_mut(&name).and_then(Node::as_object_mut) {
                settle(fields, &format!("{place}.{name}"), &definitions, &whole, reasons);
            }
        }
    }
}

fn settle(
    fields: &mut Fields,
    path: &str,
    definitions: &Definitions,
    root: &Node,
    reasons: &mut Vec<Loss>,
) {
    if let Some(held) = fields.get_mut("properties").and_then(Node::as_object_mut) {
        let names: Vec<String> = held.iter().map(|(name, _)| name.to_owned()).collect();
        for (name, node) in names.iter().zip(held.values_mut()) {
            let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            node.as_object_mut()
                .into_iter()
                .for_each(|child| settle(child, &place, definitions, root, reasons));
        }
    }
    if let Some(items) = fields.get_mut("items").and_then(Node::as_object_mut) {
        settle(items, &format!("{path}[]"), definitions, root, reasons);
    }
    let Some(Node::List(branches)) = fields.get_mut("anyOf") else { return };
    for branch in branches.iter_mut().filter_map(Node::as_object_mut) {
        settle(branch, path, definitions, root, reasons);
    }
    if clash(branches, definitions, root).is_some() {
        spread(branches);
    }
    if let Some(key) = clash(branches, definitions, root) {
        let reason = format!("branches of a union all begin with the key `{key}`");
        reasons.push(Loss::new(LossKind::NotStrict, path, reason));
    }
}

/// Moves to the front of each inline object a key that no other inline object has.
fn spread(branches: &mut [Node]) {
    let keys = |node: &Node| -> Vec<String> {
        let properties =
            node.as_object().and_then(|one| one.get("properties")).and_then(Node::as_object);
        properties.into_iter().flat_map(Fields::iter).map(|(key, _)| key.to_owned()).collect()
    };
    let all: Vec<Vec<String>> = branches.iter().map(keys).collect();
    for (at, branch) in branches.iter_mut().enumerate() {
        let others = || all.iter().enumerate().filter(|(other, _)| *other != at);
        let own = all[at].iter().find(|key| !others().any(|(_, keys)| keys.contains(key)));
        let (Some(key), Some(fields)) = (own, branch.as_object_mut()) else { continue };
        let mut order = Vec::new();
        if let Some(properties) = fields.get_mut("properties").and_then(Node::as_object_mut) {
            properties.promote(key);
            order = properties.iter().map(|(key, _)| Node::from(key)).collect();
        }
        fields.set("required", order);
    }
}

/// How an object that a union may hold begins.
struct First<'a> {
    key: &'a str,
    values: Option<Vec<&'a Node>>,
}

fn clash(branches: &[Node], definitions: &Definitions, root: &Node) -> Option<String> {
    let firsts: Vec<Vec<First<'_>>> =
        branches.iter().map(|branch| firsts(branch, definitions, root, &mut Vec::new())).collect();
    for (at, mine) in firsts.iter().enumerate() {
        for first in mine {
            let twin = firsts[at + 1..].iter().flatten().find(|other| {
                let apart = match (&first.values, &other.values) {
                    (Some(a), Some(b)) => !a.iter().any(|value| b.contains(value)),
                    _ => false,
                };
                other.key == first.key && !apart
            });
            if twin.is_some() {
                return Some(first.key.to_owned());
            }
        }
    }
    None
}

fn firsts<'a>(
    node: &'a Node,
    definitions: &'a Definitions,
    root: &'a Node,
    seen: &mut Vec<&'a str>,
) -> Vec<First<'a>> {
    let Some(fields) = node.as_object() else { return Vec::new() };
    if let Some(reference) = fields.get("$ref").and_then(Node::as_str) {
        let target = if reference == "#" { Some(root) } else { definitions.get(reference) };
        let Some(target) = target.filter(|_| !seen.contains(&reference)) else { return Vec::new() };
        seen.push(reference);
        return firsts(target, definitions, root, seen);
    }
    if let Some(branches) = fields.get("anyOf").and_then(Node::as_list) {
        return branches
            .iter()
            .flat_map(|branch| firsts(branch, definitions, root, seen))
            .collect();
    }
    let properties = fields.get("properties").and_then(Node::as_object);
    let Some((key, schema)) = properties.and_then(|held| held.iter().next()) else {
        return Vec::new();
    };
    let schema = schema.as_object();
    let values = match schema.and_then(|one| one.get("const")) {
        Some(value) => Some(vec![value]),
        None => schema
            .and_then(|one| one.get("enum"))
            .and_then(Node::as_list)
            .map(|values| values.iter().collect()),
    };
    vec![First { key, values }]
}
