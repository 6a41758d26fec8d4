//! What a walk finds, and how a text is mended: at the places found, and nowhere else.

use super::check::{Halt, Notes, Walk};
use super::explain::Path;
use super::node::{Node, Types};
use crate::json::{Failed, Scanner};
use crate::order;
use crate::problem::{Problem, Repair};

/// More problems than anybody reads aren't noted.
const MAX_PROBLEMS: usize = 1000;

/// What was found in a text.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) problems: Vec<Problem>,
    /// Values to write in another way: where they start, and how.
    pub(super) edits: Vec<(usize, String)>,
    /// Members whose `null` may stand for leaving them out: where the key starts, and the argument
    /// that they belong to.
    pub(super) nulls: Vec<(usize, String)>,
    pub(super) repairs: Vec<Repair>,
    /// Whether values may be read out of strings.
    pub(super) repair: bool,
}

impl Notes for Findings {
    fn taken(&mut self) -> Option<&mut Findings> {
        Some(self)
    }

    fn noting<'w, 'a>(walk: &'w mut Walk<'a, Self>) -> Option<&'w mut Walk<'a, Findings>> {
        Some(walk)
    }
}

/// How much had been found at some time.
pub(super) struct Mark([usize; 4]);

impl Findings {
    /// Whether there are more problems than anybody reads, so that none need be put into words.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }

    pub(super) fn push(&mut self, problem: Problem) {
        if !self.is_full() {
            self.problems.push(problem);
        }
    }

    pub(super) fn null(&mut self, key_at: usize, path: &Path<'_>) {
        self.nulls.push((key_at, path.argument().unwrap_or_default().to_owned()));
    }

    pub(super) fn mark(&self) -> Mark {
        Mark([self.problems.len(), self.edits.len(), self.nulls.len(), self.repairs.len()])
    }

    pub(super) fn is_amiss_since(&self, mark: &Mark) -> bool {
        self.problems.len() > mark.0[0]
    }

    /// Forgets what was found since.
    pub(super) fn rewind(&mut self, mark: &Mark) {
        let Mark([problems, edits, nulls, repairs]) = *mark;
        self.problems.truncate(problems);
        self.edits.truncate(edits);
        self.nulls.truncate(nulls);
        self.repairs.truncate(repairs);
    }

    /// Takes over what another walk found.
    pub(super) fn adopt(&mut self, other: Self) {
        other.problems.into_iter().for_each(|problem| self.push(problem));
        self.edits.extend(other.edits);
        self.nulls.extend(other.nulls);
        self.repairs.extend(other.repairs);
    }
}

/// Reads a string's content as the value that the schema asks for, if it is exactly one and nothing is
/// lost: a number in its digits, `true` or `false`, or the JSON of an object or array that fits.
pub(super) fn read_text(
    node: &Node,
    definitions: &[(String, Node)],
    content: &str,
    path: &Path<'_>,
    around: &Scanner<'_>,
    fuel: &mut u32,
) -> Option<String> {
    let content = match content.trim_matches([' ', '\n', '\r', '\t']) {
        json if json.starts_with(['{', '[']) => json,
        _ => content,
    };
    let mut scan = Scanner::within(content, 0, around.depth());
    let read = match scan.peek()? {
        b'-' | b'0'..=b'9' => {
            let number = scan.number().ok()?;
            !number.contains(['e', 'E']) || takes_fractions(node, definitions, 8)
        }
        b'"' | b'n' => false,
        _ => scan.skip().is_ok(),
    };
    if !read || scan.at != content.len() {
        return None;
    }
    let scan = Scanner::within(content, 0, around.depth());
    let mut walk = Walk { fuel: *fuel, ..Walk::new(scan, definitions, Findings::default()) };
    let walked: Result<(), Halt> = walk.value(node, path);
    *fuel = walk.fuel;
    let Findings { problems, edits, nulls, .. } = walk.findings;
    if walked.is_err() || !problems.is_empty() {
        return None;
    }
    mended(content, edits, nulls.into_iter().map(|(at, _)| at)).ok()
}

/// Whether of numbers not only whole ones may stand.
fn takes_fractions(node: &Node, definitions: &[(String, Node)], steps: usize) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    node.types.has(Types::NUMBER)
        || node
            .refers
            .as_ref()
            .and_then(|refers| definitions.get(refers.at))
            .is_some_and(|(_, node)| takes_fractions(node, definitions, steps))
        || node.unions.iter().any(|union| {
            union.branches.iter().any(|node| takes_fractions(node, definitions, steps))
        })
}

/// The text with some values written in another way and some members left out. What isn't mended is
/// copied as it stands, but for white space.
pub(super) fn mended(
    text: &str,
    edits: impl IntoIterator<Item = (usize, String)>,
    dropped: impl IntoIterator<Item = usize>,
) -> Result<String, Failed> {
    let mut copy = Copy {
        scan: Scanner::new(text),
        edits: edits.into_iter().collect(),
        dropped: dropped.into_iter().collect(),
        out: String::with_capacity(text.len()),
    };
    if copy.edits.is_empty() && copy.dropped.is_empty() {
        return Ok(text.to_owned());
    }
    order::sort_by(&mut copy.edits, |(a, _), (b, _)| a.cmp(b));
    order::sort_by(&mut copy.dropped, Ord::cmp);
    copy.scan.space();
    copy.value()?;
    Ok(copy.out)
}

struct Copy<'t> {
    scan: Scanner<'t>,
    /// In order of their places.
    edits: Vec<(usize, String)>,
    /// In order.
    dropped: Vec<usize>,
    out: String,
}

impl Copy<'_> {
    fn value(&mut self) -> Result<(), Failed> {
        let start = self.scan.at;
        // Of several for one place the last.
        let after = self.edits.partition_point(|(at, _)| *at <= start);
        if let Some((_, edit)) = self.edits[..after].last().filter(|(at, _)| *at == start) {
            self.out.push_str(edit);
            return self.scan.skip();
        }
        match self.scan.peek() {
            Some(b'[') => {
                self.out.push('[');
                let mut more = self.scan.open_array()?;
                while more {
                    self.value()?;
                    more = self.scan.next_element()?;
                    if more {
                        self.out.push(',');
                    }
                }
                self.out.push(']');
            }
            Some(b'{') => {
                self.out.push('{');
                let mut first = true;
                let mut more = self.scan.open_object()?;
                while more {
                    let start = self.scan.at;
                    let key = self.scan.key()?;
                    if self.dropped.binary_search(&start).is_ok() {
                        self.scan.skip()?;
                    } else {
                        if !first {
                            self.out.push(',');
                        }
                        first = false;
                        self.out.push('"');
                        self.out.push_str(key.raw);
                        self.out.push_str("\":");
                        self.value()?;
                    }
                    more = self.scan.next_member()?;
                }
                self.out.push('}');
            }
            _ => {
                self.scan.skip()?;
                self.out.push_str(self.scan.since(start));
            }
        }
        Ok(())
    }
}
