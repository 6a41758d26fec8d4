//! The rules of the policy once more: whom one is about, and whether its conditions hold.

use crate::chance::PATHS;
use crate::oracle::takes_url;
use crate::world::{Effect, Facts, Given, Rule, When, Who, World};

/// What doubt does: a rule that refuses or asks takes it for a match, one that lets through doesn't.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Wide,
    Narrow,
}

/// What one condition says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    Yes,
    No,
    Unclear,
}

fn is(yes: bool) -> Is {
    if yes { Is::Yes } else { Is::No }
}

/// The rules on this tool that are about this caller.
pub(crate) fn about<'w>(
    world: &'w World,
    who: Who,
    tool: &Facts,
) -> impl Iterator<Item = &'w Rule> {
    let (name, levels) = (tool.name, tool.levels.clone());
    let principal = world.caller.principal;
    world.rules.iter().filter(move |rule| {
        let named = match rule.tools.split_once('*') {
            None => rule.tools == name,
            Some((start, end)) => name.starts_with(start) && name.ends_with(end),
        };
        named
            && rule.level.is_none_or(|level| levels.contains(&level))
            && rule.who.is_none_or(|other| other == who)
            && (rule.principal.is_none() || rule.principal == principal)
    })
}

/// Whether the tool has the argument that the condition is about.
fn has(tool: &Facts, when: When) -> bool {
    !tool.calls_on && (!matches!(when, When::UrlOn(_)) || takes_url(tool))
}

/// Whether a rule refuses whatever the arguments are, and so makes the tool invisible.
pub(crate) fn always_refuses(rule: &Rule, tool: &Facts) -> bool {
    match rule.effect {
        Effect::Deny => rule.when.is_empty(),
        Effect::Only => rule.when.iter().any(|when| !has(tool, *when)),
        Effect::Ask | Effect::Waive => false,
    }
}

/// Whether all conditions hold.
pub(crate) fn hold(rule: &Rule, tool: &Facts, given: &Given, sort: Sort) -> bool {
    rule.when.iter().all(|when| {
        has(tool, *when)
            && match answer(*when, given, sort) {
                Is::Yes => true,
                Is::No => false,
                Is::Unclear => sort == Sort::Wide,
            }
    })
}

fn answer(when: When, given: &Given, sort: Sort) -> Is {
    match when {
        When::NameIs(name) => is(given.name == name),
        When::NameIsOneOf(names) => is(names.contains(&given.name)),
        // Anywhere in the text, or all of it.
        When::NameHas(part) if sort == Sort::Wide => is(given.name.contains(part)),
        When::NameHas(whole) => is(given.name == whole),
        When::NameOnHost => Is::Unclear,
        When::NFrom(from, to) => is((from..=to).contains(&given.n.unwrap_or(5))),
        When::PathUnder => match PATHS.iter().position(|path| *path == given.path) {
            Some(0 | 1) => Is::Yes,
            Some(2 | 3) => Is::No,
            // A relative one may lead anywhere.
            _ => Is::Unclear,
        },
        When::Argv(words) => is(given.argv.starts_with(words)),
        When::ArgvWords(words) if sort == Sort::Wide => {
            is(given.argv.iter().any(|word| words.contains(word)))
        }
        When::ArgvWords(words) => {
            is(!given.argv.is_empty() && given.argv.iter().all(|word| words.contains(word)))
        }
        When::MemoIs(memo) => is(given.memo == Some(memo)),
        When::UrlOn(host) => match given.url.and_then(host_of) {
            Some(on) => is(on == host),
            None => Is::Unclear,
        },
    }
}

/// The host of an address of ours.
pub(crate) fn host_of(url: &'static str) -> Option<&'static str> {
    url.strip_prefix("https://")?.split('/').next()
}
