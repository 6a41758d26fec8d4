//! Where a path into the arguments leads, as far as their schema says it: what else a key may be
//! called, and what stands for it where it is left out.

use super::Contract;
use super::node::Join;
use super::node::{Node, Objects, Rest, Types, Union};
use crate::text::nearest;

/// One step of a path into the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stride {
    /// To the member of this key.
    Key(Box<str>),
    /// To every member.
    AnyKey,
    /// To the element at this place.
    Index(usize),
    /// To every element.
    Each,
}

/// What a step to a key leads to beside a member of that key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Other keys for the same.
    pub(crate) aliases: Vec<Box<str>>,
    /// What may stand for it where it is left out, as JSON.
    pub(crate) defaults: Vec<Box<str>>,
    /// Every name that the schema knows, where the object takes others as well: a decoder may know one of
    /// those as another name of this member.
    pub(crate) known: Option<Vec<Box<str>>>,
}

/// A path that leads nowhere: the step that can't be taken, and the nearest key that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Astray {
    pub(crate) step: usize,
    pub(crate) nearest: Option<String>,
}

/// Where one can be after some steps.
#[derive(Default)]
pub(super) struct Places<'c> {
    pub(super) nodes: Vec<&'c Node>,
    /// Whether any value at all may stand there.
    pub(super) anything: bool,
}

impl Contract {
    /// What each step of the path leads to.
    ///
    /// # Errors
    /// No arguments that fit have a value there; whoever wrote the path mends it.
    pub(crate) fn follow(&self, path: &[Stride]) -> Result<Vec<Spot>, Astray> {
        Ok(self.trace(path)?.0)
    }

    /// What each step of the path leads to, and all of them.
    pub(super) fn trace(&self, path: &[Stride]) -> Result<(Vec<Spot>, Places<'_>), Astray> {
        let mut here = Places { nodes: vec![&self.root], anything: false };
        let mut spots = Vec::with_capacity(path.len());
        for (step, stride) in path.iter().enumerate() {
            let mut spot = Spot::default();
            let mut next = Places { nodes: Vec::new(), anything: here.anything };
            let mut keys = Vec::new();
            let nodes = self.spread(&here.nodes);
            for node in &nodes {
                match stride {
                    Stride::Key(key) => {
                        to_key(node, key, &mut next, &mut spot);
                        keys.extend(node.properties().iter().map(|p| p.name.as_ref()));
                    }
                    Stride::AnyKey => to_any_key(node, &mut next),
                    Stride::Index(place) => to_elements(node, Some(*place), &mut next),
                    Stride::Each => to_elements(node, None, &mut next),
                }
            }
            if next.nodes.is_empty() && !next.anything {
                let nearest = match stride {
                    Stride::Key(key) => nearest(key, keys).map(str::to_owned),
                    _ => None,
                };
                return Err(Astray { step, nearest });
            }
            if let Stride::Key(key) = stride {
                spot.known = known(&nodes, key);
            }
            spots.push(spot);
            here = next;
        }
        Ok((spots, here))
    }

    /// The schemas themselves and all that they refer to or join, each once.
    pub(super) fn spread<'c>(&'c self, nodes: &[&'c Node]) -> Vec<&'c Node> {
        let mut seen: Vec<&Node> = Vec::new();
        let mut due = nodes.to_vec();
        while let Some(node) = due.pop() {
            if seen.iter().any(|held| std::ptr::eq(*held, node)) {
                continue;
            }
            seen.push(node);
            if let Some(refers) = &node.refers {
                due.extend(self.definitions.get(refers.at).map(|(_, node)| node));
            }
            let joined = |union: &&Union| union.join != Join::Not;
            due.extend(node.unions.iter().filter(joined).flat_map(|union| &union.branches));
        }
        seen
    }
}

/// Every name of a member, where one of them is the key and others are taken as well.
fn known(nodes: &[&Node], key: &str) -> Option<Vec<Box<str>>> {
    let objects = || nodes.iter().filter_map(|node| node.objects.as_deref());
    let named = objects().any(|objects| objects.find(key, 0).is_some());
    if !named || !objects().any(Objects::says_open) {
        return None;
    }
    let properties = objects().flat_map(|objects| &objects.properties);
    let names = properties.flat_map(|p| p.aliases.iter().copied().chain([p.name.as_ref()]));
    Some(names.map(Box::from).collect())
}

/// Whether the schema leaves it to others what a value is.
pub(super) fn is_silent(node: &Node) -> bool {
    node.asks_nothing() && (node.refers.is_some() || !node.unions.is_empty())
}

/// Whether values of these types fit a schema that says no more of them.
fn is_free(node: &Node, types: Types) -> bool {
    !node.never
        && node.values.is_none()
        && !is_silent(node)
        && (node.types == Types::ANY || node.types.has(types))
}

fn to_key<'c>(node: &'c Node, key: &str, next: &mut Places<'c>, spot: &mut Spot) {
    let Some(objects) = &node.objects else {
        next.anything |= is_free(node, Types::OBJECT);
        return;
    };
    if let Some(at) = objects.find(key, 0) {
        let property = &objects.properties[at];
        next.nodes.push(&property.node);
        let names = property.aliases.iter().copied().chain([property.name.as_ref()]);
        for name in names.filter(|name| *name != key).map(Box::from) {
            if !spot.aliases.contains(&name) {
                spot.aliases.push(name);
            }
        }
        if let Some(default) = property.node.default.as_deref().map(Box::from)
            && !spot.defaults.contains(&default)
        {
            spot.defaults.push(default);
        }
        return;
    }
    let fitting = objects.patterns.iter().filter(|(pattern, _)| pattern.is_match(key));
    next.nodes.extend(fitting.map(|(_, node)| node));
    to_rest(objects, next);
}

fn to_any_key<'c>(node: &'c Node, next: &mut Places<'c>) {
    let Some(objects) = &node.objects else {
        next.anything |= is_free(node, Types::OBJECT);
        return;
    };
    next.nodes.extend(objects.properties.iter().map(|property| &property.node));
    next.nodes.extend(objects.patterns.iter().map(|(_, node)| node));
    to_rest(objects, next);
}

fn to_rest<'c>(objects: &'c Objects, next: &mut Places<'c>) {
    for rest in [Some(&objects.rest), objects.unevaluated.as_ref()].into_iter().flatten() {
        match rest {
            Rest::Unsaid => next.anything |= objects.unevaluated.is_none(),
            Rest::Open => next.anything = true,
            Rest::Fitting(node) => next.nodes.push(node),
            Rest::Implied | Rest::Closed => {}
        }
    }
}

pub(super) fn to_elements<'c>(node: &'c Node, place: Option<usize>, next: &mut Places<'c>) {
    let Some(arrays) = &node.arrays else {
        next.anything |= is_free(node, Types::ARRAY);
        return;
    };
    match place {
        None => next.nodes.extend(&arrays.first),
        Some(place) => next.nodes.extend(arrays.first.get(place)),
    }
    if place.is_none_or(|place| place >= arrays.first.len()) {
        match &arrays.rest {
            Some(rest) if !rest.never => next.nodes.push(rest),
            Some(_) => {}
            None => next.anything = true,
        }
    }
}
