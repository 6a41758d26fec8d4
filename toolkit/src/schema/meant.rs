//! Guesses which of several alternatives a value was meant to be, so that a model reads about that
//! one and not about all.

use super::check::Walk;
use super::explain::{Path, expected};
use super::mend::Findings;
use super::node::{Node, Objects, Property};
use crate::json::{Step, members};
use crate::problem::Problem;

/// What a value was meant to be.
pub(super) enum Meant {
    /// The alternative at this place.
    Branch(usize),
    /// None of them, and this is why.
    None(Problem),
    /// It can't be told.
    Unclear,
}

/// Which alternative the value that starts here was meant to be; all of them allow its kind.
pub(super) fn meant(walk: &Walk<'_, Findings>, branches: &[&Node], path: &Path<'_>) -> Meant {
    let nests = matches!(walk.scan.peek(), Some(b'{' | b'['));
    if let ([_], true) = (branches, nests) {
        return Meant::Branch(0);
    }
    let objects: Option<Vec<&Objects>> =
        branches.iter().map(|branch| resolve(walk, branch)?.objects.as_deref()).collect();
    match (objects, walk.scan.peek()) {
        (Some(objects), Some(b'{')) if !objects.is_empty() => by_tag(walk, &objects, path)
            .or_else(|| by_key(walk, &objects))
            .unwrap_or(Meant::Unclear),
        _ => Meant::Unclear,
    }
}

fn resolve<'n>(walk: &Walk<'n, Findings>, mut node: &'n Node) -> Option<&'n Node> {
    for _ in 0..8 {
        match &node.refers {
            Some(refers) if node.objects.is_none() => node = walk.definition(refers.at).ok()?,
            _ => return Some(node),
        }
    }
    None
}

fn tags(objects: &Objects) -> impl Iterator<Item = (&Property, &str)> {
    objects.properties.iter().filter(|property| property.required).filter_map(|property| {
        match property.node.values.as_deref() {
            Some([value]) => Some((property, value.as_str())),
            _ => None,
        }
    })
}

/// By a member whose value names the alternative.
fn by_tag(walk: &Walk<'_, Findings>, all: &[&Objects], path: &Path<'_>) -> Option<Meant> {
    let tag_of = |objects: &'_ Objects, name: &str| {
        tags(objects).find(|(property, _)| property.name == name).map(|(_, value)| value.to_owned())
    };
    let (tag, _) = tags(all.first()?)
        .find(|(tag, _)| all.iter().all(|objects| tag_of(objects, &tag.name).is_some()))?;
    let names: Vec<_> = all.iter().filter_map(|objects| tag_of(objects, &tag.name)).collect();
    let mut place = path.text();
    Step::Key(tag.name.as_ref().into()).push_to(&mut place);
    let members = members(&walk.scan);
    let Some((_, got)) = members.iter().find(|(key, _)| *key == tag.name) else {
        return Some(Meant::None(Problem::missing(place)));
    };
    let canonical = crate::json::canonical(got);
    Some(match names.iter().position(|name| *name == canonical) {
        Some(at) => Meant::Branch(at),
        None => {
            let one_of = Node { values: Some(names), ..Node::default() };
            let expected = expected(&one_of, walk.definitions, Some(got));
            Meant::None(Problem::unfit(place, expected, path.shown(got)))
        }
    })
}

/// By the one key that each alternative asks for.
fn by_key(walk: &Walk<'_, Findings>, all: &[&Objects]) -> Option<Meant> {
    let keys: Vec<_> = all
        .iter()
        .map(|objects| match objects.required.as_slice() {
            [key] if objects.properties.len() == 1 => Some(key),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let members = members(&walk.scan);
    let mut given = (0..keys.len()).filter(|at| members.iter().any(|(key, _)| key == keys[*at]));
    match (given.next(), given.next()) {
        (Some(at), None) => Some(Meant::Branch(at)),
        _ => None,
    }
}
