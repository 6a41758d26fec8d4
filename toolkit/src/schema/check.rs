//! Holds JSON text to a schema, in place and without building a value. One walk serves both ends: on
//! the way to a body it stops at the first thing amiss; to explain, it goes on and notes everything.

use std::borrow::Cow;

use super::compose::Tried;
use super::explain::Path;
use super::mend::Findings;
use super::node::{Arrays, Node, Objects, Property, Rest, Sort, Strings, Way};
use crate::json::{Failed, Keys, Quoted, Scanner, canonical};

/// How many schemas one check of a text may ask. Alternatives that nest multiply, and a few bytes
/// could keep a call waiting for ever.
pub(super) fn fuel(text: &str) -> u32 {
    100_000 + 16 * u32::try_from(text.len()).unwrap_or(u32::MAX / 32)
}

/// The value doesn't fit, or nothing more can be said of it.
#[derive(Debug)]
pub(super) struct Halt;

impl From<Failed> for Halt {
    fn from(_: Failed) -> Self {
        Self
    }
}

type Walked = Result<(), Halt>;

/// Whether a text is one value that fits, with `depth` arrays and objects around it. `null` fits where
/// a value may be left out: the decoder decides what it means.
pub(super) fn fits(
    node: &Node,
    required: bool,
    definitions: &[(String, Node)],
    text: &str,
    depth: usize,
) -> bool {
    if !required && text == "null" {
        return true;
    }
    work(node, definitions, text, depth).is_some()
}

/// How much work a decoder has with a text that is one value that fits: it tries alternatives one after
/// the other, and again each time that something around them is tried again.
pub(super) fn work(
    node: &Node,
    definitions: &[(String, Node)],
    text: &str,
    depth: usize,
) -> Option<u64> {
    let mut walk = Walk::new(Scanner::within(text, 0, depth), definitions, Quiet);
    let fits = walk.value(node, &Path::Root).is_ok() && walk.scan.at == text.len();
    fits.then_some(walk.work)
}

/// Where a walk leaves what it finds.
pub(super) trait Notes: Sized {
    /// The notes, if any are taken; else the first thing amiss ends the walk.
    fn taken(&mut self) -> Option<&mut Findings>;

    /// The walk as one that takes notes, if it does.
    fn noting<'w, 'a>(walk: &'w mut Walk<'a, Self>) -> Option<&'w mut Walk<'a, Findings>>;
}

/// Takes no notes.
pub(super) struct Quiet;

impl Notes for Quiet {
    #[inline]
    fn taken(&mut self) -> Option<&mut Findings> {
        None
    }

    #[inline]
    fn noting<'w, 'a>(_: &'w mut Walk<'a, Self>) -> Option<&'w mut Walk<'a, Findings>> {
        None
    }
}

/// A walk over a text along a schema.
pub(super) struct Walk<'a, N> {
    pub(super) scan: Scanner<'a>,
    pub(super) definitions: &'a [(String, Node)],
    pub(super) fuel: u32,
    /// How many alternatives this walk stands in that are being explained.
    pub(super) explaining: u8,
    pub(super) findings: N,
    /// How many trials this walk is part of, each within the one before.
    pub(super) trials: u32,
    /// What came of trials that may be asked for again.
    pub(super) tried: Tried,
    /// How many schemas a decoder would have asked so far.
    pub(super) work: u64,
}

impl<'a, N: Notes> Walk<'a, N> {
    pub(super) fn new(scan: Scanner<'a>, definitions: &'a [(String, Node)], findings: N) -> Self {
        let fuel = fuel(scan.text());
        let (trials, tried) = (0, Tried::new());
        Self { scan, definitions, fuel, explaining: 0, findings, trials, tried, work: 0 }
    }

    /// Holds the value that starts here to a schema, and to nothing else.
    pub(super) fn value(&mut self, node: &'a Node, path: &Path<'_>) -> Walked {
        if let Some(walk) = N::noting(self) {
            return walk.explain_value(node, path);
        }
        self.judge(node, path, true)
    }

    /// Holds the value to a schema that is the only one asked (`alone`) or one of several.
    pub(super) fn judge(&mut self, node: &'a Node, path: &Path<'_>, alone: bool) -> Walked {
        self.fuel = self.fuel.checked_sub(1).ok_or(Halt)?;
        self.work = self.work.saturating_add(1);
        match (node.way, &node.refers, node.unions.first()) {
            (Way::Own, ..) => return self.own(node, path, alone),
            (Way::Other, Some(refers), _) => {
                return self.judge(self.definition(refers.at)?, path, alone);
            }
            (Way::Other, None, Some(union)) => return self.union(union, node, path, alone),
            _ => {}
        }
        self.composed(node, path, alone)
    }

    /// The walk, to note what is amiss. One that takes no notes ends, and so explains nothing.
    pub(super) fn noting(&mut self) -> Result<&mut Walk<'a, Findings>, Halt> {
        N::noting(self).ok_or(Halt)
    }

    /// How many problems have been noted.
    pub(super) fn noted(&mut self) -> usize {
        self.findings.taken().map_or(0, |findings| findings.problems.len())
    }

    pub(super) fn definition(&self, at: usize) -> Result<&'a Node, Halt> {
        self.definitions.get(at).map(|(_, node)| node).ok_or(Halt)
    }

    /// What the node itself asks.
    pub(super) fn own(&mut self, node: &'a Node, path: &Path<'_>, alone: bool) -> Walked {
        let start = self.scan.at;
        let sort = Sort::of(self.scan.peek()).ok_or(Halt)?;
        if node.never || !node.types.admits(sort) {
            return self.noting()?.unfit(node, path);
        }
        let fits = match sort {
            Sort::String => {
                let quoted = self.scan.string()?;
                node.strings.as_ref().is_none_or(|strings| string_fits(strings, quoted))
            }
            Sort::Number => {
                let number = self.scan.number()?;
                if node.types.only_whole() && !is_plainly_whole(number) {
                    return self.noting()?.whole(node, path, start, number);
                }
                node.numbers.as_ref().is_none_or(|numbers| numbers.holds(number))
            }
            Sort::Array => self.array(node.arrays.as_deref(), path)?,
            Sort::Object => self.object(node.objects.as_deref(), path, alone)?,
            Sort::Boolean | Sort::Null => {
                self.scan.literal()?;
                true
            }
        };
        if fits && self.is_among(node, start) {
            return Ok(());
        }
        self.scan.at = start;
        self.noting()?.unfit(node, path)
    }

    /// Whether the value since `start` is one of those that a schema lists.
    fn is_among(&self, node: &Node, start: usize) -> bool {
        let Some(values) = &node.values else { return true };
        let text = self.scan.since(start);
        // A string without escapes is written in one way only.
        let one_way = || text.starts_with('"') && !text.contains('\\');
        values.iter().any(|value| value == text)
            || (!one_way() && values.contains(&canonical(text)))
    }

    /// Whether the number of elements is right.
    fn array(&mut self, arrays: Option<&'a Arrays>, path: &Path<'_>) -> Result<bool, Halt> {
        let start = self.scan.at;
        let mut count = 0;
        let mut more = self.scan.open_array()?;
        while more {
            let of = arrays.and_then(|arrays| arrays.first.get(count).or(arrays.rest.as_ref()));
            match of {
                Some(node) => self.value(node, &Path::Element(path, count))?,
                None => self.scan.skip()?,
            }
            count += 1;
            more = self.scan.next_element()?;
        }
        let Some(arrays) = arrays else { return Ok(true) };
        Ok(within(count, arrays.min, arrays.max)
            && !(arrays.unique && repeats(self.scan.text(), start)?))
    }

    /// Whether the number of members is right. `alone`: no other schema knows keys of this object.
    fn object(
        &mut self,
        objects: Option<&'a Objects>,
        path: &Path<'_>,
        alone: bool,
    ) -> Result<bool, Halt> {
        let Some(objects) = objects else {
            self.scan.skip()?;
            return Ok(true);
        };
        let mut seen = Seen::default();
        let mut guess = 0;
        let mut count = 0;
        let mut strangers = Vec::new();
        let mut more = self.scan.open_object()?;
        while more {
            count += 1;
            let at = self.scan.at;
            if let Some(property) = objects.properties.get(guess)
                && property.plain
                && guess < 64
                && self.scan.key_is(&property.name)?
            {
                // The one that comes next by declaration, as most do.
                if !seen.first(guess) {
                    self.noting()?.twice(path, &property.name)?;
                }
                guess += 1;
                self.property(property, path, at)?;
                more = self.scan.next_member()?;
                continue;
            }
            let key = self.scan.key()?;
            let name = key.text();
            let known = objects.find(&name, guess);
            if !seen.insert(known, key) {
                self.noting()?.twice(path, &name)?;
            }
            match known.map(|known| (known, &objects.properties[known])) {
                Some((known, property)) => {
                    guess = known + 1;
                    self.property(property, path, at)?;
                }
                None => {
                    if self.stranger(objects, path, &name, alone)? {
                        strangers.push(name);
                    }
                }
            }
            more = self.scan.next_member()?;
        }
        for stranger in &strangers {
            self.noting()?.unknown(objects, path, stranger, &seen)?;
        }
        for name in &objects.required {
            if !seen.has(objects, name) {
                self.noting()?.missing(path, name)?;
            }
        }
        Ok(within(count, objects.min, objects.max))
    }

    fn property(&mut self, property: &'a Property, path: &Path<'_>, key_at: usize) -> Walked {
        let path = Path::Property(path, property);
        let is_null = !property.required
            && self.scan.peek() == Some(b'n')
            && !self.admits(&property.node, Sort::Null);
        if is_null {
            // Left out, if the decoder doesn't take it.
            self.scan.literal()?;
            if let Some(findings) = self.findings.taken() {
                findings.null(key_at, &path);
            }
            return Ok(());
        }
        self.value(&property.node, &path)
    }

    /// Holds the value of a key without a property of its own; whether no such key may stand.
    fn stranger(
        &mut self,
        objects: &'a Objects,
        path: &Path<'_>,
        key: &str,
        alone: bool,
    ) -> Result<bool, Halt> {
        let path = Path::Key(path, key);
        let start = self.scan.clone();
        let mut matched = false;
        for (pattern, node) in &objects.patterns {
            if pattern.is_match(key) {
                matched = true;
                self.scan = start.clone();
                self.value(node, &path)?;
            }
        }
        if matched {
            return Ok(false);
        }
        let rest = match (&objects.rest, &objects.unevaluated) {
            (Rest::Unsaid, Some(rest)) if alone => rest,
            (rest, _) => rest,
        };
        match rest {
            Rest::Fitting(node) => self.value(node, &path)?,
            _ => self.scan.skip()?,
        }
        Ok(match rest {
            Rest::Closed => true,
            Rest::Implied => alone,
            Rest::Open | Rest::Unsaid | Rest::Fitting(_) => false,
        })
    }
}

/// Which keys an object has had: a bit for a known one, a look at each for the others.
#[derive(Default)]
pub(super) struct Seen<'t> {
    known: u64,
    others: Option<Keys<'t>>,
}

impl<'t> Seen<'t> {
    /// Whether the property, one of the first 64, is new.
    fn first(&mut self, known: usize) -> bool {
        let bit = 1 << known;
        let new = self.known & bit == 0;
        self.known |= bit;
        new
    }

    /// Whether the key is new.
    fn insert(&mut self, known: Option<usize>, key: Quoted<'t>) -> bool {
        match known {
            Some(known) if known < 64 => self.first(known),
            _ => self.others.get_or_insert_with(Keys::new).insert(key),
        }
    }

    /// Whether the object has had the key, or another that names the same property.
    pub(super) fn has(&self, objects: &Objects, name: &str) -> bool {
        match objects.find(name, usize::MAX) {
            Some(known) if known < 64 => self.known & (1 << known) != 0,
            _ => self.others.as_ref().is_some_and(|others| others.contains(name)),
        }
    }
}

fn string_fits(strings: &Strings, quoted: Quoted<'_>) -> bool {
    let text = quoted.text();
    let counted = strings.min.is_some() || strings.max.is_some();
    (!counted || within(text.chars().count(), strings.min, strings.max))
        && strings.pattern.as_ref().is_none_or(|pattern| pattern.is_match(&text))
}

pub(super) fn within(count: usize, min: Option<u64>, max: Option<u64>) -> bool {
    let count = count as u64;
    min.is_none_or(|min| count >= min) && max.is_none_or(|max| count <= max)
}

/// Whether a whole number is written in the one way that every decoder reads.
fn is_plainly_whole(number: &str) -> bool {
    number != "-0" && !number.contains(['.', 'e', 'E'])
}

/// Whether an array has two equal elements.
fn repeats(text: &str, start: usize) -> Result<bool, Failed> {
    let mut scan = Scanner::within(text, start, 0);
    let mut values = std::collections::HashSet::new();
    let mut more = scan.open_array()?;
    while more {
        let start = scan.at;
        scan.skip()?;
        if !values.insert(Cow::<str>::Owned(canonical(scan.since(start)))) {
            return Ok(true);
        }
        more = scan.next_element()?;
    }
    Ok(false)
}
