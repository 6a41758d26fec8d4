//! What a sweep found.

use std::collections::BTreeMap;
use std::fmt;

use crate::testing::fail;
use crate::text::{excerpt, visible};

/// What came of a [`Sweep`](super::Sweep), by tool. Its `Display` is a line a tool, what wasn't tried, and
/// each fault with the arguments that show it.
#[derive(Clone, Debug)]
pub struct Swept {
    pub(super) seed: u64,
    pub(super) tools: Vec<SweptTool>,
}

/// What came of one tool's calls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SweptTool {
    /// The tool's name.
    pub tool: String,
    /// Whether it was really called; else it was only [explained](crate::Toolkit::explain).
    pub called: bool,
    /// How many calls with what the schema allows came to each code, or to `run`, `ask` or `draft` where
    /// it was only explained.
    pub valid: BTreeMap<&'static str, usize>,
    /// The same of calls with one mistake.
    pub mistaken: BTreeMap<&'static str, usize>,
    /// The calls that came to what they mustn't.
    pub faults: Vec<SweepFault>,
    /// What wasn't tried, and why: a keyword that isn't known, a pattern for which no text is made.
    pub skipped: Vec<String>,
}

/// A call that came to what it mustn't: one that the schema allows was refused for its arguments or ended
/// in a defect, or one with a mistake was not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweepFault {
    /// Whether the schema allows the arguments.
    pub valid: bool,
    /// What is special about them.
    pub what: String,
    /// The arguments as JSON.
    pub arguments: String,
    /// What it came to: a code, or `run`, `ask` or `draft`.
    pub came_to: &'static str,
    /// What the caller reads, where there is anything.
    pub text: String,
}

impl Swept {
    /// Every tool of the catalog, in order of names.
    pub fn tools(&self) -> &[SweptTool] {
        &self.tools
    }

    /// The tool of this name.
    pub fn tool(&self, name: &str) -> Option<&SweptTool> {
        self.tools.iter().find(|tool| tool.tool == name)
    }

    /// Every fault, with its tool.
    pub fn faults(&self) -> impl Iterator<Item = (&str, &SweepFault)> {
        self.tools.iter().flat_map(|tool| tool.faults.iter().map(|fault| (&*tool.tool, fault)))
    }

    /// Whether there is no fault. Something may not have been tried, see [`SweptTool::skipped`].
    pub fn is_ok(&self) -> bool {
        self.faults().next().is_none()
    }

    /// There is no fault, and every tool was called in some way.
    ///
    /// # Panics
    /// There is one; with the report.
    #[track_caller]
    pub fn assert_ok(&self) -> &Self {
        if !self.is_ok() {
            fail("tools came to what they mustn't", self);
        }
        if let Some(tool) = self.tools.iter().find(|tool| tool.valid.is_empty()) {
            fail(&format!("no call was made of `{}`", tool.tool), self);
        }
        self
    }
}

fn counts(counts: &BTreeMap<&'static str, usize>) -> String {
    let sum: usize = counts.values().sum();
    let each: Vec<String> = counts.iter().map(|(code, count)| format!("{count} {code}")).collect();
    if each.is_empty() { "none".to_owned() } else { format!("{sum} ({})", each.join(", ")) }
}

/// How much of arguments and texts is printed.
const MOST: usize = 500;

impl fmt::Display for Swept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} tools with seed {}", self.tools.len(), self.seed)?;
        for tool in &self.tools {
            let how = if tool.called { "called" } else { "explained" };
            let (valid, mistaken) = (counts(&tool.valid), counts(&tool.mistaken));
            writeln!(f, "{} {how}: valid {valid}, mistaken {mistaken}", tool.tool)?;
            for skipped in &tool.skipped {
                writeln!(f, "  not tried: {skipped}")?;
            }
            for fault in &tool.faults {
                let what = if fault.valid { "the schema allows it" } else { "it is a mistake" };
                writeln!(f, "  FAULT: {}: {what}, and it came to {}", fault.what, fault.came_to)?;
                writeln!(f, "    {}", excerpt(&visible(&fault.arguments, false), MOST))?;
                for line in fault.text.lines().take(6) {
                    writeln!(f, "    > {}", excerpt(&visible(line, false), MOST))?;
                }
            }
        }
        Ok(())
    }
}
