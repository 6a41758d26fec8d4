//! What can only be judged on the whole lowered schema: its size, and unions of objects.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::ordered::{Fields, Node};
use crate::dialect::loss::{Loss, LossKind};

/// A shorter text holds nothing that is over a budget: each value of an enum takes two characters.
pub(super) const SMALL: usize = 2 * MAX_ENUM_VALUES;
pub(super) const MAX_LEVELS: usize = 10;
pub(super) const MAX_PROPERTIES: usize = 5_000;
pub(super) const MAX_ENUM_VALUES: usize = 1_000;
pub(super) const MAX_CHARS: usize = 120_000;
pub(super) const LONG_ENUM: usize = 250;
pub(super) const MAX_LONG_ENUM_CHARS: usize = 15_000;

/// The definitions that are sent, by the references to them.
type Definitions<'n, 't> = BTreeMap<String, &'n Node<'t>>;

fn definitions<'n, 't>(root: &'n Fields<'t>) -> Definitions<'n, 't> {
    let mut all = Definitions::new();
    for place in ["$defs", "definitions"] {
        for (name, node) in members(root.get(place)) {
            let name = name.replace('~', "~0").replace('/', "~1");
            all.insert(format!("#/{place}/{name}"), node);
        }
    }
    all
}

fn members<'n, 't>(
    object: Option<&'n Node<'t>>,
) -> impl Iterator<Item = (&'n Cow<'t, str>, &'n Node<'t>)> {
    object.and_then(Node::as_object).into_iter().flat_map(Fields::iter)
}

/// The schemas directly below one, without its definitions.
fn children<'n, 't>(fields: &'n Fields<'t>) -> impl Iterator<Item = &'n Node<'t>> {
    let branches = fields.get("anyOf").and_then(Node::as_list).unwrap_or_default();
    members(fields.get("properties"))
        .map(|(_, node)| node)
        .chain(fields.get("items"))
        .chain(branches)
}

/// Settles how the objects of unions begin, and adds a reason for all that strict mode doesn't take.
pub(super) fn judge(root: &mut Fields<'_>, reasons: &mut Vec<Loss>) {
    // In most schemas nothing clashes.
    if World::of(root).any_clash() {
        first_keys(root, reasons);
    }
    budgets(&World::of(root), reasons);
}

/// Adds a reason for every budget that the schema is over.
fn budgets(World { definitions, root }: &World<'_, '_>, reasons: &mut Vec<Loss>) {
    let mut size = Size::default();
    size.add(root);
    for (name, node) in definitions {
        size.chars += name.rsplit('/').next().unwrap_or(name).chars().count();
        node.as_object().into_iter().for_each(|fields| size.add(fields));
    }
    let levels = Levels { definitions, known: BTreeMap::new() }.of(root);
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
    fn add(&mut self, fields: &Fields<'_>) {
        let chars = |node: &Node<'_>| match node {
            Node::Text(text) => text.chars().count(),
            other => other.text().len(),
        };
        for (name, _) in members(fields.get("properties")) {
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
struct Levels<'n, 't> {
    definitions: &'n Definitions<'n, 't>,
    /// What is known of each definition; nothing yet of one that is being measured.
    known: BTreeMap<&'n str, usize>,
}

impl<'n, 't> Levels<'n, 't> {
    fn of(&mut self, fields: &'n Fields<'t>) -> usize {
        if let Some(reference) = fields.get("$ref").and_then(Node::as_text) {
            if let Some(known) = self.known.get(reference.as_ref()) {
                return *known;
            }
            let target = self.definitions.get(reference.as_ref());
            self.known.insert(reference, 0);
            let target = target.and_then(|target| target.as_object());
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
fn first_keys(root: &mut Fields<'_>, reasons: &mut Vec<Loss>) {
    let before = root.clone();
    let world = World::of(&before);
    settle(root, "", &world, reasons);
    for place in ["$defs", "definitions"] {
        let Some(held) = root.get_mut(place).and_then(Node::as_object_mut) else { continue };
        for (name, node) in held.iter_mut() {
            if let Some(fields) = node.as_object_mut() {
                settle(fields, &format!("{place}.{name}"), &world, reasons);
            }
        }
    }
}

fn settle<'t>(fields: &mut Fields<'t>, path: &str, world: &World<'_, 't>, reasons: &mut Vec<Loss>) {
    if let Some(held) = fields.get_mut("properties").and_then(Node::as_object_mut) {
        for (name, node) in held.iter_mut() {
            let place = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            if let Some(child) = node.as_object_mut() {
                settle(child, &place, world, reasons);
            }
        }
    }
    if let Some(items) = fields.get_mut("items").and_then(Node::as_object_mut) {
        settle(items, &format!("{path}[]"), world, reasons);
    }
    let Some(Node::List(branches)) = fields.get_mut("anyOf") else { return };
    for branch in branches.iter_mut().filter_map(Node::as_object_mut) {
        settle(branch, path, world, reasons);
    }
    if world.clash(branches).is_some() {
        spread(branches);
    }
    if let Some(key) = world.clash(branches) {
        let reason = format!("branches of a union all begin with the key `{key}`");
        reasons.push(Loss::new(LossKind::NotStrict, path, reason));
    }
}

/// Moves to the front of each inline object a key that no other inline object has.
fn spread(branches: &mut [Node<'_>]) {
    let keys = |node: &Node<'_>| -> Vec<String> {
        let properties = node.as_object().and_then(|one| one.get("properties"));
        members(properties).map(|(key, _)| key.to_string()).collect()
    };
    let all: Vec<Vec<String>> = branches.iter().map(keys).collect();
    for (at, branch) in branches.iter_mut().enumerate() {
        let others = || all.iter().enumerate().filter(|(other, _)| *other != at);
        let own = all[at].iter().find(|key| !others().any(|(_, keys)| keys.contains(key)));
        let (Some(key), Some(fields)) = (own, branch.as_object_mut()) else { continue };
        let mut order = Vec::new();
        if let Some(properties) = fields.get_mut("properties").and_then(Node::as_object_mut) {
            properties.promote(key);
            order = properties.iter().map(|(key, _)| Node::Text(key.clone())).collect();
        }
        fields.set("required", order);
    }
}

/// How an object that a union may hold begins.
struct First<'n, 't> {
    key: &'n str,
    values: Option<&'n [Node<'t>]>,
}

/// A lowered schema, and where its references lead.
struct World<'n, 't> {
    definitions: Definitions<'n, 't>,
    root: &'n Fields<'t>,
}

impl<'n, 't: 'n> World<'n, 't> {
    fn of(root: &'n Fields<'t>) -> Self {
        Self { definitions: definitions(root), root }
    }

    /// Whether some union holds objects that begin alike.
    fn any_clash(&self) -> bool {
        self.clashes(self.root)
            || self
                .definitions
                .values()
                .any(|node| node.as_object().is_some_and(|one| self.clashes(one)))
    }

    fn clashes(&self, fields: &Fields<'t>) -> bool {
        fields.get("anyOf").and_then(Node::as_list).is_some_and(|all| self.clash(all).is_some())
            || children(fields).filter_map(Node::as_object).any(|child| self.clashes(child))
    }

    fn clash<'b>(&'b self, branches: &'b [Node<'t>]) -> Option<String> {
        let firsts: Vec<Vec<First<'b, 't>>> = branches
            .iter()
            .map(|branch| {
                let mut firsts = Vec::new();
                self.firsts(branch, &mut Vec::new(), &mut firsts);
                firsts
            })
            .collect();
        for (at, mine) in firsts.iter().enumerate() {
            for first in mine {
                let twin = firsts[at + 1..].iter().flatten().find(|other| {
                    let apart = match (first.values, other.values) {
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

    fn firsts<'b>(
        &'b self,
        node: &'b Node<'t>,
        seen: &mut Vec<&'b str>,
        found: &mut Vec<First<'b, 't>>,
    ) {
        if let Some(fields) = node.as_object() {
            self.firsts_of(fields, seen, found);
        }
    }

    fn firsts_of<'b>(
        &'b self,
        fields: &'b Fields<'t>,
        seen: &mut Vec<&'b str>,
        found: &mut Vec<First<'b, 't>>,
    ) {
        if let Some(reference) = fields.get("$ref").and_then(Node::as_text) {
            if seen.contains(&reference.as_ref()) {
                return;
            }
            let target = match reference.as_ref() {
                "#" => Some(self.root),
                other => self.definitions.get(other).and_then(|node| node.as_object()),
            };
            if let Some(target) = target {
                seen.push(reference);
                self.firsts_of(target, seen, found);
            }
            return;
        }
        if let Some(branches) = fields.get("anyOf").and_then(Node::as_list) {
            branches.iter().for_each(|branch| self.firsts(branch, seen, found));
            return;
        }
        let Some((key, schema)) = members(fields.get("properties")).next() else { return };
        let schema = schema.as_object();
        let values = match schema.and_then(|one| one.get("const")) {
            Some(value) => Some(std::slice::from_ref(value)),
            None => schema.and_then(|one| one.get("enum")).and_then(Node::as_list),
        };
        found.push(First { key, values });
    }
}
