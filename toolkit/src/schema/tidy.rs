//! Makes what schemars says fit for a model to read: enums of names in one piece, scalars in place,
//! no `null` where leaving out says the same, objects without other keys than their own.

use std::collections::HashMap;

use super::node::{Join, Node, Property, Rest, Types, Way};
use super::quick;

/// Definitions, sorted by name.
pub(super) type Definitions = Vec<(String, Node)>;

/// Where a name stands among the definitions.
pub(super) fn place(definitions: &[(String, Node)], name: &str) -> Option<usize> {
    definitions.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()
}

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
    let union = node.unions.remove(0);
    let mut values = Vec::new();
    for branch in union.branches {
        let names = branch.values.unwrap_or_default();
        if let Some(description) = branch.description {
            let names: Vec<_> = names.iter().map(|name| name.trim_matches('"')).collect();
            let words: Vec<_> = description.split_whitespace().collect();
            notes.push(format!("- `{}`: {}", names.join("`, `"), words.join(" ")));
        }
        notes.extend(branch.notes);
        values.extend(names);
    }
    // A name of two alternatives is one name, and fits neither where only one may fit.
    let mut often: HashMap<String, usize> = HashMap::new();
    for name in &values {
        *often.entry(name.clone()).or_default() += 1;
    }
    let once = union.join == Join::One;
    values.retain(|name: &String| match once {
        true => often.get(name) == Some(&1),
        false => often.remove(name).is_some(),
    });
    if values.is_empty() {
        node.never = true;
        return;
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
    // Without its scalars a definition may be one itself: a newtype of a newtype.
    while definitions.iter().any(|(_, node)| is_scalar(node)) {
        let (scalars, rest): (Definitions, _) =
            std::mem::take(definitions).into_iter().partition(|(_, node)| is_scalar(node));
        *definitions = rest;
        definitions.iter_mut().for_each(|(_, node)| inline(node, &scalars));
        inline(root, &scalars);
    }
}

fn inline(node: &mut Node, scalars: &[(String, Node)]) {
    node.each_below(&mut |below| inline(below, scalars));
    if let Some(at) = node.refers.as_ref().and_then(|refers| place(scalars, &refers.name)) {
        let scalar = &scalars[at].1;
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
    for property in node.properties_mut() {
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
    let mut open = Vec::new();
    mark(root, false, &mut open);
    definitions.iter_mut().for_each(|(_, node)| mark(node, false, &mut open));
    let mut done = vec![false; definitions.len()];
    while let Some(name) = open.pop() {
        if let Some(at) = place(definitions, &name)
            && !std::mem::replace(&mut done[at], true)
        {
            open_in_place(&mut definitions[at].1, &mut open);
        }
    }
}

fn mark(node: &mut Node, composed: bool, open: &mut Vec<String>) {
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

fn open_in_place(node: &mut Node, open: &mut Vec<String>) {
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
) -> Result<Definitions, String> {
    let mut reached = vec![false; definitions.len()];
    let mut wanted = Vec::new();
    let want = |node: &mut Node, wanted: &mut Vec<usize>, known: &[(String, Node)]| {
        names(node, &mut |name| match place(known, name) {
            Some(at) => {
                wanted.push(at);
                Ok(())
            }
            None => Err(format!("the reference to `{name}` leads nowhere")),
        })
    };
    want(root, &mut wanted, &definitions)?;
    while let Some(at) = wanted.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            let mut node = std::mem::take(&mut definitions[at].1);
            want(&mut node, &mut wanted, &definitions)?;
            definitions[at].1 = node;
        }
    }
    let mut is_reached = reached.into_iter();
    definitions.retain(|_| is_reached.next() == Some(true));
    let places: Vec<String> = definitions.iter().map(|(name, _)| name.clone()).collect();
    point(root, &places);
    definitions.iter_mut().for_each(|(_, node)| point(node, &places));
    let mut state = vec![Visit::Not; definitions.len()];
    for (at, (name, _)) in definitions.iter().enumerate() {
        if comes_back(at, &definitions, &mut state) {
            return Err(format!("`{name}` refers to itself in place"));
        }
    }
    Ok(definitions)
}

fn names(node: &mut Node, each: &mut dyn FnMut(&str) -> Result<(), String>) -> Result<(), String> {
    let mut result = match &node.refers {
        Some(refers) => each(&refers.name),
        None => Ok(()),
    };
    node.each_below(&mut |below| {
        if result.is_ok() {
            result = names(below, each);
        }
    });
    result
}

/// The same of a schema that stands by itself, as far as there are definitions.
#[cfg(feature = "jsonschema")]
pub(super) fn refer(node: &mut Node, definitions: &[(String, Node)]) {
    let places: Vec<String> = definitions.iter().map(|(name, _)| name.clone()).collect();
    point(node, &places);
}

/// Settles where a schema's references lead, and by what values are held to it.
fn point(node: &mut Node, places: &[String]) {
    if let Some(refers) = &mut node.refers {
        // Every name that is referred to has been reached.
        refers.at = places.binary_search(&refers.name).unwrap_or(usize::MAX);
    }
    node.way = match (node.is_composed(), node.delegates()) {
        (true, _) => Way::Composed,
        (_, true) => Way::Other,
        _ => Way::Own,
    };
    if let Some(objects) = &mut node.objects {
        objects.must = quick::must(objects);
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
        for union in &node.unions {
            in_place.extend(&union.branches);
        }
    }
    state[at] = Visit::Done;
    false
}
