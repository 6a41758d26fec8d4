//! The arguments of one call, read once for all rules on its tool, and the values that a path leads to.

use std::borrow::Cow;

use super::answer::{Answer, Test, elements};
use super::number::whole_number;
use crate::json::{Scanner, members};
use crate::schema::{Spot, Stride};

/// One argument that rules look at.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) name: Box<str>,
    pub(super) spot: Spot,
}

/// Where a condition looks: an argument, or all of them, and the way on from there.
#[derive(Debug)]
pub(super) struct Trace {
    /// The argument's slot; `None` for every argument there is.
    pub(super) slot: Option<usize>,
    pub(super) steps: Box<[(Stride, Spot)]>,
}

/// The arguments of a call.
pub(super) struct Given<'t> {
    text: &'t str,
    /// By slot: the value given under one of its names.
    values: Vec<Option<Held<'t>>>,
    /// Whether it can't be told what was given.
    unreadable: bool,
}

/// A value, read as far as one look goes.
enum Held<'t> {
    Whole(i64, &'t str),
    Text(Cow<'t, str>, &'t str),
    Other(&'t str),
}

impl<'t> Held<'t> {
    fn new(value: &'t str) -> Self {
        match value.as_bytes().first() {
            Some(b'"') => match Scanner::new(value).string() {
                Ok(quoted) => Self::Text(quoted.text(), value),
                Err(_) => Self::Other(value),
            },
            Some(b'-' | b'0'..=b'9') => {
                whole_number(value).map_or(Self::Other(value), |number| Self::Whole(number, value))
            }
            _ => Self::Other(value),
        }
    }

    fn json(&self) -> &'t str {
        match self {
            Self::Whole(_, json) | Self::Text(_, json) | Self::Other(json) => json,
        }
    }
}

impl<'t> Given<'t> {
    pub(super) fn new(text: &'t str, slots: &[Slot]) -> Self {
        let text = match text.trim() {
            "" | "null" => "{}",
            text => text,
        };
        let mut values = Vec::new();
        values.resize_with(slots.len(), || None);
        let mut given = Self { text, values, unreadable: false };
        given.unreadable = !given.fill(slots);
        given
    }

    /// False where the text is no object, or gives an argument twice.
    fn fill(&mut self, slots: &[Slot]) -> bool {
        if !self.text.starts_with('{') {
            return false;
        }
        let mut scanner = Scanner::new(self.text);
        let mut next = || -> Option<()> {
            let mut more = scanner.open_object().ok()?;
            while more {
                let key = scanner.key().ok()?.text();
                let start = scanner.at;
                scanner.skip().ok()?;
                if let Some(at) =
                    slots.iter().position(|slot| is_called(&key, &slot.name, &slot.spot))
                    && self.values[at].replace(Held::new(scanner.since(start))).is_some()
                {
                    return None;
                }
                more = scanner.next_member().ok()?;
            }
            scanner.end().ok()
        };
        next().is_some()
    }

    /// What the matcher says of all that the path leads to.
    #[inline]
    pub(super) fn answer(
        &self,
        slots: &[Slot],
        trace: &Trace,
        test: &Test,
        narrow: bool,
    ) -> Answer {
        if self.unreadable {
            return Answer::Unclear;
        }
        if let (Some(at), true) = (trace.slot, trace.steps.is_empty()) {
            match &self.values[at] {
                Some(Held::Whole(number, _)) => {
                    if let Some(yes) = test.of_whole_number(*number) {
                        return Answer::of(yes);
                    }
                }
                Some(Held::Text(text, _)) => return test.of_text(text),
                _ => {}
            }
        }
        self.at_length(slots, trace, test, narrow)
    }

    fn at_length(&self, slots: &[Slot], trace: &Trace, test: &Test, narrow: bool) -> Answer {
        let mut answer = None;
        let mut each = |leaf: Leaf<'_>| {
            let one = match leaf {
                Leaf::Value(value) => test.answer(value, narrow),
                Leaf::Nothing => Answer::No,
                Leaf::Unclear => Answer::Unclear,
            };
            answer = Some(answer.map_or(one, |all: Answer| all.and(one, narrow)));
        };
        match trace.slot {
            None => follow(self.text, &Stride::AnyKey, &Spot::default(), &trace.steps, &mut each),
            Some(at) => match &self.values[at] {
                Some(value) => walk(value.json(), &trace.steps, &mut each),
                None => absent(self.text, &slots[at].spot, &trace.steps, &mut each),
            },
        }
        answer.unwrap_or(Answer::No)
    }
}

fn is_called(key: &str, name: &str, spot: &Spot) -> bool {
    key == name || spot.aliases.iter().any(|alias| **alias == *key)
}

/// Where a path ends.
enum Leaf<'v> {
    Value(&'v str),
    Nothing,
    /// Something may stand there under a name that the schema doesn't know.
    Unclear,
}

/// Each end of the steps from here.
fn walk(value: &str, steps: &[(Stride, Spot)], each: &mut dyn FnMut(Leaf<'_>)) {
    match steps {
        [] => each(Leaf::Value(value)),
        [(stride, spot), rest @ ..] => follow(value, stride, spot, rest, each),
    }
}

fn follow(
    value: &str,
    stride: &Stride,
    spot: &Spot,
    rest: &[(Stride, Spot)],
    each: &mut dyn FnMut(Leaf<'_>),
) {
    let is_object = value.starts_with('{');
    match stride {
        Stride::Key(key) if is_object => {
            let mut found = false;
            for (held, inner) in members(&Scanner::new(value)) {
                if is_called(&held, key, spot) {
                    found = true;
                    walk(inner, rest, each);
                }
            }
            if !found {
                absent(value, spot, rest, each);
            }
        }
        Stride::AnyKey if is_object => {
            for (_, inner) in members(&Scanner::new(value)) {
                walk(inner, rest, each);
            }
        }
        Stride::Index(place) if value.starts_with('[') => {
            let mut found = false;
            elements(value, &mut |at, inner| {
                if at == *place {
                    found = true;
                    walk(inner, rest, each);
                }
            });
            if !found {
                each(Leaf::Nothing);
            }
        }
        Stride::Each if value.starts_with('[') => {
            elements(value, &mut |_, inner| walk(inner, rest, each));
        }
        _ => each(Leaf::Nothing),
    }
}

/// What stands for a member that is left out of an object.
fn absent(object: &str, spot: &Spot, rest: &[(Stride, Spot)], each: &mut dyn FnMut(Leaf<'_>)) {
    if let Some(known) = &spot.known {
        let is_known = |key: &str| known.iter().any(|name| **name == *key);
        if members(&Scanner::new(object)).iter().any(|(key, _)| !is_known(key)) {
            each(Leaf::Unclear);
            return;
        }
    }
    if spot.defaults.is_empty() {
        each(Leaf::Nothing);
    }
    for default in &spot.defaults {
        walk(default, rest, each);
    }
}
