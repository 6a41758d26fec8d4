//! The calls of a sweep: arguments that a schema allows, and arguments with one mistake.

use std::collections::HashSet;

use serde_json::Value;

use super::chance::Chance;
use super::make::{Maker, Mode, Spot, Step, path_text};
use super::schema::{Schema, types};

/// How many arguments are made by chance.
const RANDOM: u64 = 16;

/// One call's arguments, and what is special about them.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) what: String,
    pub(super) text: String,
}

/// The cases of one tool.
#[derive(Debug, Default)]
pub(super) struct Cases {
    pub(super) valid: Vec<Case>,
    pub(super) mistaken: Vec<Case>,
    /// What wasn't tried, and why.
    pub(super) skipped: Vec<String>,
}

/// Collects cases that are what they are meant to be.
struct Collector<'s> {
    schema: &'s Schema,
    seen: HashSet<String>,
    cases: Cases,
}

impl Collector<'_> {
    /// Takes arguments that are to fit, or not to. False where they are the other, or nobody knows.
    fn take(&mut self, fits: bool, what: &str, value: &Value) -> bool {
        if self.schema.holds(value) != Some(fits) {
            return false;
        }
        let text = value.to_string();
        if self.seen.insert(text.clone()) {
            let cases = if fits { &mut self.cases.valid } else { &mut self.cases.mistaken };
            cases.push(Case { what: what.to_owned(), text });
        }
        true
    }
}

/// The cases of a schema, at most so many of each kind, chosen by the seed where there are more.
pub(super) fn cases(schema: &Schema, seed: u64, most: usize) -> Cases {
    let mut all = Collector { schema, seen: HashSet::new(), cases: Cases::default() };
    let mut skipped = Vec::new();
    let mut full = Maker::new(schema, Mode::Full, seed);
    let whole = match full.whole() {
        Ok(whole) => whole,
        Err(why) => {
            all.cases.skipped.push(why);
            return all.cases;
        }
    };
    let spots = full.spots.clone();
    if !all.take(true, "with everything", &whole) {
        skipped.push("what was made with everything doesn't fit, so it isn't tried".to_owned());
    }
    let mut least = Maker::new(schema, Mode::Least, seed);
    match least.whole() {
        Ok(value) if all.take(true, "with the least", &value) => {}
        Ok(_) => skipped.push("what was made with the least doesn't fit".to_owned()),
        Err(why) => skipped.push(why),
    }
    for spot in &spots {
        edges(&mut full, &mut all, &whole, spot);
        mistakes(&mut full, &mut all, &whole, spot);
    }
    for at in 0..RANDOM {
        let mut random = Maker::new(schema, Mode::Random, seed.wrapping_add(at + 1));
        if let Ok(value) = random.whole() {
            all.take(true, "by chance", &value);
        }
    }
    skipped.extend(full.skipped);
    let mut rng = Chance::new(seed);
    for cases in [&mut all.cases.valid, &mut all.cases.mistaken] {
        if cases.len() > most {
            skipped.push(format!("{} more cases than {most}", cases.len() - most));
            // The first are those with everything and with the least.
            rng.shuffle(&mut cases[2.min(most)..]);
            cases.truncate(most);
        }
    }
    all.cases.skipped = skipped;
    all.cases
}

/// Varies one place within what fits.
fn edges(maker: &mut Maker<'_>, all: &mut Collector<'_>, whole: &Value, spot: &Spot) {
    let place = path_text(&spot.path);
    if spot.optional {
        let mut without = whole.clone();
        if remove(&mut without, &spot.path) {
            all.take(true, &format!("{place} left out"), &without);
        }
    }
    for (what, value) in maker.edges(&spot.shape, &mut spot.path.clone()) {
        let fits = put(whole, &spot.path, value)
            .is_some_and(|changed| all.take(true, &format!("{place} {what}"), &changed));
        if !fits && what.starts_with("as its") {
            maker.skip(format!("{place} {what} doesn't fit its own schema"));
        }
    }
}

/// Makes one mistake at one place.
fn mistakes(maker: &mut Maker<'_>, all: &mut Collector<'_>, whole: &Value, spot: &Spot) {
    let place = path_text(&spot.path);
    let needed = spot.shape.get("required").map(types).unwrap_or_default();
    for name in needed {
        let mut path = spot.path.clone();
        path.push(Step::Key(name.to_owned()));
        let mut without = whole.clone();
        if remove(&mut without, &path) {
            all.take(false, &format!("{} is missing", path_text(&path)), &without);
        }
    }
    let mut path = spot.path.clone();
    path.push(Step::Key("no_such_argument".to_owned()));
    if let Some(more) = put(whole, &path, Value::from(1)) {
        all.take(false, &format!("{} isn't known", path_text(&path)), &more);
    }
    // The whole arguments in another type are malformed rather than mistaken.
    if spot.path.is_empty() {
        return;
    }
    for (what, value) in maker.mistakes(&spot.shape, &mut spot.path.clone()) {
        if let Some(changed) = put(whole, &spot.path, value) {
            all.take(false, &format!("{place} {what}"), &changed);
        }
    }
}

fn find<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match (value, step) {
        (Value::Object(members), Step::Key(key)) => members.get_mut(key),
        (Value::Array(items), Step::At(at)) => items.get_mut(*at),
        _ => None,
    })
}

/// The value with another one at a place, or with one more member.
fn put(whole: &Value, path: &[Step], value: Value) -> Option<Value> {
    let mut whole = whole.clone();
    let Some((last, above)) = path.split_last() else { return Some(value) };
    match (find(&mut whole, above)?, last) {
        (Value::Object(members), Step::Key(key)) => {
            members.insert(key.clone(), value);
        }
        (Value::Array(items), Step::At(at)) => *items.get_mut(*at)? = value,
        _ => return None,
    }
    Some(whole)
}

/// Takes a member out. Whether it was there.
fn remove(whole: &mut Value, path: &[Step]) -> bool {
    match path.split_last() {
        Some((Step::Key(key), above)) => match find(whole, above) {
            Some(Value::Object(members)) => members.remove(key).is_some(),
            _ => false,
        },
        _ => false,
    }
}
