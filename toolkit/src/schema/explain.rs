//! Says what is amiss in words: where, what was asked and what was there.

use super::check::{Halt, Seen, Walk};
use super::meant::{Meant, meant};
use super::mend::Findings;
use super::node::{Join, Node, Objects, Property, Sort, Types, Union};
use crate::json::{Decimal, Scanner, Step, echo, kind_of, members};
use crate::problem::{Problem, Repair, cut};

/// The longest description of what is asked, in bytes.
const MAX_EXPECTED: usize = 200;

/// Where a walk stands.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Property(&'p Path<'p>, &'p Property),
    Key(&'p Path<'p>, &'p str),
    Element(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// The path as a model reads it; keys within a secret are withheld.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.push_to(&mut text);
        text
    }

    fn push_to(&self, text: &mut String) {
        match self {
            Self::Root => {}
            Self::Property(up, property) => {
                up.push_to(text);
                Step::Key(property.name.as_ref().into()).push_to(text);
            }
            Self::Key(up, _) if up.is_secret() => {
                up.push_to(text);
                text.push_str("[…]");
            }
            Self::Key(up, key) => {
                up.push_to(text);
                Step::Key((*key).into()).push_to(text);
            }
            Self::Element(up, index) => {
                up.push_to(text);
                Step::Index(*index).push_to(text);
            }
        }
    }

    pub(super) fn is_secret(&self) -> bool {
        match self {
            Self::Root => false,
            Self::Property(up, property) => property.secret || up.is_secret(),
            Self::Key(up, _) | Self::Element(up, _) => up.is_secret(),
        }
    }

    /// The argument that the place belongs to.
    pub(super) fn argument(&self) -> Option<&str> {
        match self {
            Self::Root => None,
            Self::Property(Self::Root, property) => Some(&property.name),
            Self::Key(Self::Root, key) => Some(key),
            Self::Property(up, _) | Self::Key(up, _) | Self::Element(up, _) => up.argument(),
        }
    }

    /// What was there, or for a secret its kind.
    pub(super) fn shown(&self, json: &str) -> String {
        if self.is_secret() { kind_of(json).to_owned() } else { echo(json) }
    }
}

/// How deep alternatives within alternatives are tried, where it can't be told which was meant.
const MAX_EXPLAINED: u8 = 2;

/// After so many problems no near name is looked for: the reply has no room for it.
const MAX_SUGGESTED: usize = 50;

impl<'a> Walk<'a, Findings> {
    fn note(&mut self, problem: impl FnOnce() -> Problem) -> Result<(), Halt> {
        if !self.findings.is_full() {
            self.findings.push(problem());
        }
        Ok(())
    }

    /// The value that starts here doesn't fit; passes it.
    pub(super) fn unfit(&mut self, node: &Node, path: &Path<'_>) -> Result<(), Halt> {
        let start = self.scan.at;
        self.scan.skip()?;
        let got = self.scan.since(start);
        let expected = expected(node, self.definitions, Some(got));
        self.note(|| Problem::unfit(path.text(), expected, path.shown(got)))
    }

    pub(super) fn missing(&mut self, path: &Path<'_>, name: &str) -> Result<(), Halt> {
        self.note(|| {
            let mut path = path.text();
            Step::Key(name.into()).push_to(&mut path);
            Problem::missing(path)
        })
    }

    /// Two keys name one property.
    pub(super) fn twice(&mut self, path: &Path<'_>, key: &str) -> Result<(), Halt> {
        self.note(|| {
            Problem::other(Path::Key(path, key).text(), "given twice; keep one".to_owned())
        })
    }

    pub(super) fn unknown(
        &mut self,
        objects: &Objects,
        path: &Path<'_>,
        key: &str,
        seen: &Seen<'_>,
    ) -> Result<(), Halt> {
        self.note(|| {
            let names = objects.properties.iter().map(|property| property.name.as_ref());
            let names = names.filter(|name| !seen.has(objects, name));
            Problem::unknown(Path::Key(path, key).text(), nearest(key, names))
        })
    }

    /// A key that none of several schemas knows.
    pub(super) fn unknown_to_all(
        &mut self,
        node: &'a Node,
        path: &Path<'_>,
        key: &str,
        object: &Scanner<'a>,
    ) -> Result<(), Halt> {
        if self.findings.problems.len() > MAX_SUGGESTED {
            return self.note(|| Problem::unknown(Path::Key(path, key).text(), None));
        }
        let mut names = Vec::new();
        self.in_place(node, &mut |node| {
            names.extend(node.properties().iter().map(|property| property.name.as_ref()));
        });
        let given = members(object);
        names.retain(|name| given.iter().all(|(given, _)| given != name));
        self.note(|| Problem::unknown(Path::Key(path, key).text(), nearest(key, names)))
    }

    /// A number that isn't plainly a whole one, where only those may stand: it may still be one.
    pub(super) fn whole(
        &mut self,
        node: &Node,
        path: &Path<'_>,
        start: usize,
        number: &str,
    ) -> Result<(), Halt> {
        if let Some(whole) = Decimal::new(number).whole()
            && node.numbers.as_ref().is_none_or(|numbers| numbers.holds(&whole))
            && node.values.as_ref().is_none_or(|values| values.contains(&whole))
        {
            self.findings.edits.push((start, whole));
            return Ok(());
        }
        self.scan.at = start;
        self.unfit(node, path)
    }

    /// Holds a value to its schema, and where it doesn't fit but holds what does, reads that.
    pub(super) fn explain_value(&mut self, node: &'a Node, path: &Path<'_>) -> Result<(), Halt> {
        let start = self.scan.clone();
        let mark = self.findings.mark();
        self.judge(node, path, true)?;
        if !self.findings.repair
            || !self.findings.is_amiss_since(&mark)
            || self.admits(node, Sort::String)
        {
            return Ok(());
        }
        let mut scan = start.clone();
        let Ok(quoted) = scan.string() else { return Ok(()) };
        let fuel = &mut self.fuel;
        let read =
            super::mend::read_text(node, self.definitions, &quoted.text(), path, &scan, fuel);
        if let Some(read) = read {
            let from = path.shown(scan.since(start.at));
            let repair = Repair::new(path.text(), from, path.shown(&read));
            self.findings.rewind(&mark);
            self.findings.edits.push((start.at, read));
            self.findings.repairs.push(repair);
        }
        Ok(())
    }

    /// No alternative fits the value that starts here, or too many do.
    pub(super) fn no_branch(
        &mut self,
        union: &'a Union,
        node: &'a Node,
        path: &Path<'_>,
        alone: bool,
        fitting: usize,
    ) -> Result<(), Halt> {
        let repair = self.findings.repair;
        if fitting > 1 {
            return self.unfit(node, path);
        }
        let sort = Sort::of(self.scan.peek()).ok_or(Halt)?;
        let branches: Vec<_> =
            union.branches.iter().filter(|branch| self.admits(branch, sort)).collect();
        match meant(self, &branches, path) {
            Meant::Branch(at) => return self.judge(branches[at], path, alone),
            Meant::None(problem) => {
                self.scan.skip()?;
                return self.note(|| problem);
            }
            // To try alternatives within alternatives within alternatives takes for ever.
            Meant::Unclear if self.explaining >= MAX_EXPLAINED => return self.unfit(node, path),
            Meant::Unclear => {}
        }
        for branch in branches {
            let mut walk = Walk {
                scan: self.scan.clone(),
                definitions: self.definitions,
                fuel: self.fuel,
                explaining: self.explaining + 1,
                findings: Findings { repair, ..Findings::default() },
                trials: self.trials,
                tried: std::mem::take(&mut self.tried),
                work: 0,
            };
            let walked = walk.judge(branch, path, alone);
            self.fuel = walk.fuel;
            self.tried = walk.tried;
            walked?;
            if walk.findings.problems.is_empty() {
                self.scan = walk.scan;
                self.findings.adopt(walk.findings);
                return Ok(());
            }
        }
        self.unfit(node, path)
    }
}

/// The name that was meant, if one is near enough.
pub(super) fn nearest<'n>(
    wanted: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    // Names as others write them: `maxResults` for `max_results`.
    let bare = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let wanted_bare = bare(wanted);
    let names: Vec<_> = names.into_iter().collect();
    let same = names.iter().copied().find(|name| bare(name) == wanted_bare);
    // Nobody means a short name by one that goes on for ever.
    let near = || (wanted.len() <= 200).then(|| crate::text::nearest(wanted, names)).flatten();
    same.or_else(near).map(str::to_owned)
}

/// What a schema asks, in words. `got` is the value that doesn't fit.
pub(super) fn expected(node: &Node, definitions: &[(String, Node)], got: Option<&str>) -> String {
    let mut words = Vec::new();
    describe(node, definitions, got, (8, false), &mut words);
    let is_object = |word: &String| word.starts_with("object");
    if words.iter().any(|word| word.starts_with("object with")) {
        words.retain(|word| word != "object");
    }
    if words.iter().filter(|word| is_object(word)).count() > 2 {
        // Too many to tell apart here.
        words.retain(|word| !is_object(word));
        words.push("object".to_owned());
    }
    let mut text = match words.as_slice() {
        [] => "a value of another kind".to_owned(),
        words => words.join(" or "),
    };
    cut(&mut text, MAX_EXPECTED);
    text
}

fn describe(
    node: &Node,
    definitions: &[(String, Node)],
    got: Option<&str>,
    (steps, among): (usize, bool),
    words: &mut Vec<String>,
) {
    let mut push = |word: String| {
        if !words.contains(&word) {
            words.push(word);
        }
    };
    if node.never {
        return push("nothing here".to_owned());
    }
    if let Some(values) = &node.values {
        let values: Vec<_> = values.iter().map(|v| format!("`{}`", v.trim_matches('"'))).collect();
        return push(match values.as_slice() {
            [value] => value.clone(),
            values => format!("one of {}", values.join(", ")),
        });
    }
    for word in node.types.words() {
        push(match word {
            "integer" | "number" => number_words(word, node, got),
            "string" => string_words(node),
            "array" => array_words(node),
            "object" if among => object_words(node),
            "object" => format!("object{}", member_words(node)),
            word => word.to_owned(),
        });
    }
    let requires = node.objects.as_ref().is_some_and(|objects| !objects.required.is_empty());
    if among && node.types == Types::ANY && requires {
        push(object_words(node));
    }
    // Where any type may stand, what is asked of one.
    if node.types == Types::ANY {
        let asked = [
            node.strings.is_some().then(|| string_words(node)),
            node.numbers.is_some().then(|| number_words("number", node, got)),
            node.arrays.is_some().then(|| array_words(node)),
            Some(member_words(node))
                .filter(|words| !words.is_empty())
                .map(|w| format!("object{w}")),
        ];
        asked.into_iter().flatten().for_each(&mut push);
    }
    let Some(steps) = steps.checked_sub(1) else { return };
    if let Some((_, node)) = node.refers.as_ref().and_then(|refers| definitions.get(refers.at)) {
        describe(node, definitions, got, (steps, among), words);
    }
    for union in node.unions.iter().filter(|union| union.join != Join::Not) {
        let among = among || union.branches.len() > 1;
        let mut describe = |node| describe(node, definitions, got, (steps, among), words);
        union.branches.iter().for_each(&mut describe);
    }
    for union in node.unions.iter().filter(|union| union.join == Join::Not) {
        if let (Some(word), Some(refused)) =
            (words.last_mut(), union.branches.iter().find_map(|branch| branch.values.as_ref()))
        {
            word.push_str(&format!(" other than {}", refused.join(", ")));
        }
    }
}

fn number_words(word: &str, node: &Node, got: Option<&str>) -> String {
    // A type's own 64 bits are worth a word only to who went beyond them.
    let is_number = got.is_some_and(|got| Sort::of(got.bytes().next()) == Some(Sort::Number));
    let Some(numbers) = &node.numbers else { return word.to_owned() };
    let said = |end: &Option<super::bounds::End>| {
        end.as_ref()
            .filter(|end| end.shown || is_number)
            .map(|end| (end.text.clone(), end.exclusive))
    };
    match (said(&numbers.lower), said(&numbers.upper)) {
        (None, None) => word.to_owned(),
        (Some((min, false)), None) => format!("{word} of at least {min}"),
        (Some((min, true)), None) => format!("{word} above {min}"),
        (None, Some((max, false))) => format!("{word} of at most {max}"),
        (None, Some((max, true))) => format!("{word} below {max}"),
        (Some((min, false)), Some((max, false))) => format!("{word} from {min} to {max}"),
        (Some((min, true)), Some((max, false))) => format!("{word} above {min} and at most {max}"),
        (Some((min, false)), Some((max, true))) => format!("{word} from {min} to below {max}"),
        (Some((min, true)), Some((max, true))) => format!("{word} above {min} and below {max}"),
    }
}

fn string_words(node: &Node) -> String {
    let Some(strings) = &node.strings else { return "string".to_owned() };
    let mut text = "string".to_owned();
    if let Some(format) = &strings.format {
        text.push_str(&format!(" ({format})"));
    }
    text.push_str(&count_words(strings.min, strings.max, "character"));
    if let Some(pattern) = &strings.pattern {
        text.push_str(&format!(" that matches `{}`", pattern.source));
    }
    text
}

fn array_words(node: &Node) -> String {
    let Some(arrays) = &node.arrays else { return "array".to_owned() };
    let distinct = if arrays.unique { " without repetition" } else { "" };
    format!("array{}{distinct}", count_words(arrays.min, arrays.max, "item"))
}

fn member_words(node: &Node) -> String {
    let objects = node.objects.as_ref();
    objects.map_or(String::new(), |objects| count_words(objects.min, objects.max, "member"))
}

/// One of several kinds of objects, told by the keys that it must have.
fn object_words(node: &Node) -> String {
    match node.objects.as_ref().map(|objects| objects.required.as_slice()) {
        None | Some([]) => "object".to_owned(),
        Some(required) => format!("object with `{}`", required.join("`, `")),
    }
}

fn count_words(min: Option<u64>, max: Option<u64>, what: &str) -> String {
    let plural = |n: u64| if n == 1 { what.to_owned() } else { format!("{what}s") };
    match (min, max) {
        (None | Some(0), None) => String::new(),
        (Some(min), None) => format!(" of at least {min} {}", plural(min)),
        (None | Some(0), Some(max)) => format!(" of at most {max} {}", plural(max)),
        (Some(min), Some(max)) if min == max => format!(" of {min} {}", plural(min)),
        (Some(min), Some(max)) => format!(" of {min} to {max} {}", plural(max)),
    }
}
