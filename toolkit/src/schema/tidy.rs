//! Makes what schemars says fit for a model to read: enums of names in one piece, scalars in place,
//! no `null` where leaving out says the same, objects without other keys than their own.

use std::collections::{BTreeMap, BTreeSet};

use super::node::{Join, Node, Property, Rest, Types};

/// Definitions by name.
pub(super) type Definitions = BTreeMap<String, Node>;

/// Simplifies a schema and all below it, by itself.
pub(super) fn simplify(node: &mut Node) {
    node.each_below(&mut simplify);
    fold_names(node);
    unwrap_single(node);
}

/// An enum of documented names comes as alternatives of one name each; they are one list of names,
/// and their docs a list in the description.
fn fold_names(node: &mut Node) {
    let is_names = |branch: &Node| {
        branch.types.without(Types::STRING) == Types::ANY
            && branch.values.as_ref().is_some_and(|names| names.iter().all(|n| n.starts_with('"')))
            && branch.strings.is_none()
            && is_scalar(branch)
            && branch.unions.is_empty()
    };
    if !node.asks_nothing() || node.refers.is_some() {
        return;
    }
    let [union] = node.unions.as_slice() else { return };
    if !matches!(union.join, Join::One | Join::Any) || !union.branches.iter().all(is_names) {
        return;
    }
    let mut notes = node.notes.take().into_iter().collect::<Vec<_>>();
    let mut values = Vec::new();
    for branch in node.unions.remove(0).branches {
        let names = branch.values.unwrap_or_default();
        if let Some(description) = branch.description {
            let names: Vec<_> = names.iter().map(|name| name.trim_matches('"')).collect();
            let words: Vec<_> = description.split_whitespace().collect();
            notes.push(format!("- `{}`: {}", names.join("`, `"), words.join(" ")));
        }
        notes.extend(branch.notes);
        values.extend(names);
    }
    node.types = Types::STRING;
    node.values = Some(values);
    node.notes = (!notes.is_empty()).then(|| notes.join("\n"));
}

/// A choice of one is no choice.
fn unwrap_single(node: &mut Node) {
    let [union] = node.unions.as_slice() else { return };
    if !node.asks_nothing()
        || node.refers.is_some()
        || union.branches.len() != 1
        || union.join == Join::Not
    {
        return;
    }
    if let Some(inner) = node.unions.remove(0).branches.pop() {
        replace(node, inner);
    }
}

/// Puts `inner` in the place of a node that asks nothing itself; what the node says of itself wins.
fn replace(node: &mut Node, inner: Node) {
    let outer = std::mem::replace(node, inner);
    node.description = outer.description.or(node.description.take());
    node.notes = outer.notes.or(node.notes.take());
    node.default = outer.default.or(node.default.take());
    if !outer.examples.is_empty() {
        node.examples = outer.examples;
    }
}

/// Whether a schema is short enough to stand wherever it is referred to.
fn is_scalar(node: &Node) -> bool {
    node.refers.is_none()
        && node.arrays.is_none()
        && node.objects.is_none()
        && !node.types.has(Types::ARRAY.and(Types::OBJECT))
        && node.unions.iter().all(|union| {
            union.join == Join::Not
                && union.branches.iter().all(|b| is_scalar(b) && b.unions.is_empty())
        })
}

/// Puts scalars (numbers, texts, names) where they are referred to.
pub(super) fn inline_scalars(root: &mut Node, definitions: &mut Definitions) {
    loop {
        let (scalars, rest): (Definitions, _) =
            std::mem::take(definitions).into_iter().partition(|(_, node)| is_scalar(node));
        *definitions = rest;
        if scalars.is_empty() {
            return;
        }
        // Without its scalars a definition may be one itself: a newtype of a newtype.
        definitions.values_mut().for_each(|node| inline(node, &scalars));
        inline(root, &scalars);
    }
}

fn inline(node: &mut Node, scalars: &Definitions) {
    node.each_below(&mut |below| inline(below, scalars));
    if let Some(scalar) = node.refers.as_ref().and_then(|refers| scalars.get(&refers.name)) {
        node.refers = None;
        if node.asks_nothing() && node.unions.is_empty() {
            replace(node, scalar.clone());
        } else {
            node.join(scalar.clone());
        }
    }
    fold_names(node);
}

/// Takes `null` from properties that may be left out, here and below: leaving them out says the same.
/// It stays where it says something else, since absence has another default.
pub(super) fn strip_optional_nulls(node: &mut Node) {
    node.each_below(&mut strip_optional_nulls);
    for property in node.objects.iter_mut().flat_map(|objects| &mut objects.properties) {
        let Property { required, node, .. } = property;
        if !*required && node.default.is_none() {
            strip_null(node);
        }
    }
}

/// Takes `null` from what a schema allows, unless nothing else is.
pub(super) fn strip_null(node: &mut Node) {
    if node.types.has(Types::NULL) && node.types != Types::NULL {
        node.types = node.types.without(Types::NULL);
        if let Some(values) = &mut node.values {
            values.retain(|value| value != "null");
        }
        return;
    }
    let is_null = |branch: &Node| *branch == Node::of(Types::NULL);
    if let [union] = node.unions.as_mut_slice()
        && matches!(union.join, Join::Any | Join::One)
        && !union.branches.iter().all(is_null)
    {
        union.branches.retain(|branch| !is_null(branch));
        unwrap_single(node);
    }
}

/// Finds where the text may say that an object has no other keys: not where several schemas look at
/// one object, for each would refuse the keys of the others. (The checker knows better: it asks all of
/// them together.)
pub(super) fn close_objects(root: &mut Node, definitions: &mut Definitions) {
    let mut open = BTreeSet::new();
    mark(root, false, &mut open);
    definitions.values_mut().for_each(|node| mark(node, false, &mut open));
    let mut done = BTreeSet::new();
    while let Some(name) = open.pop_first() {
        if let Some(node) = definitions.get_mut(&name)
            && done.insert(name)
        {
            open_in_place(node, &mut open);
        }
    }
}

fn mark(node: &mut Node, composed: bool, open: &mut BTreeSet<String>) {
    if node.is_composed() && !composed {
        open_in_place(node, open);
    } else if let Some(objects) = &mut node.objects {
        objects.shown_closed |= objects.rest == Rest::Implied && !composed;
    }
    let in_place = node.is_composed();
    for union in &mut node.unions {
        for branch in &mut union.branches {
            mark(branch, in_place || composed, open);
        }
    }
    let unions = std::mem::take(&mut node.unions);
    node.each_below(&mut |below| mark(below, false, open));
    node.unions = unions;
}

fn open_in_place(node: &mut Node, open: &mut BTreeSet<String>) {
    if let Some(objects) = &mut node.objects {
        objects.shown_closed = false;
    }
    open.extend(node.refers.iter().map(|refers| refers.name.clone()));
    for union in &mut node.unions {
        union.branches.iter_mut().for_each(|branch| open_in_place(branch, open));
    }
}

/// The definitions that are reached, each reference made to point at its place among them.
pub(super) fn settle_references(
    root: &mut Node,
    mut definitions: Definitions,
) -> Result<Vec<(String, Node)>, String> {
    let mut reached = BTreeSet::new();
    let mut wanted = BTreeSet::new();
    names(root, &mut wanted);
    while let Some(name) = wanted.pop_first() {
        let Some(node) = definitions.get_mut(&name) else {
            return Err(format!("the reference to `{name}` leads nowhere"));
        };
        if reached.insert(name) {
            names(node, &mut wanted);
        }
    }
    definitions.retain(|name, _| reached.contains(name));
    let places: Vec<String> = definitions.keys().cloned().collect();
    let point = |node: &mut Node| point(node, &places);
    point(root);
    definitions.values_mut().for_each(point);
    let definitions: Vec<_> = definitions.into_iter().collect();
    let mut state = vec![Visit::Not; definitions.len()];
    for (at, (name, _)) in definitions.iter().enumerate() {
        if comes_back(at, &definitions, &mut state) {
            return Err(format!("`{name}` refers to itself in place"));
        }
    }
    Ok(definitions)
}

fn names(node: &mut Node, wanted: &mut BTreeSet<String>) {
    wanted.extend(node.refers.iter().map(|refers| refers.name.clone()));
    node.each_below(&mut |below| names(below, wanted));
}

fn point(node: &mut Node, places: &[String]) {
    if let Some(refers) = &mut node.refers {
        // Every name that is referred to has been reached.
        refers.at = places.iter().position(|name| *name == refers.name).unwrap_or(usize::MAX);
    }
    node.each_below(&mut |below| point(below, places));
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    Now,
    Done,
}

/// Whether a schema asks itself of the same value again, for ever.
fn comes_back(at: usize, definitions: &[(String, Node)], state: &mut [Visit]) -> bool {
    match state.get(at) {
        Some(Visit::Not) => {}
        Some(Visit::Now) => return true,
        Some(Visit::Done) | None => return false,
    }
    state[at] = Visit::Now;
    let mut in_place = vec![&definitions[at].1];
    while let Some(node) = in_place.pop() {
        if node.refers.as_ref().is_some_and(|to| comes_back(to.at, definitions, state)) {
            return true;
        }
        in_place.extend(node.unions.iter().flat_map(|union| &union.branches));
    }
    state[at] = Visit::Done;
    false
}
