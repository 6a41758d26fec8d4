//! What can be said of the descriptions of tools before any model reads them.
//!
//! A lint is a hint about wording, found by rules of thumb; it holds no call up. Those that look for words
//! know English, and say nothing of a text in another script. Let a test of your own
//! hold a set to them:
//!
//! ```
//! use toolkit::lint;
//! use toolkit::prelude::*;
//!
//! /// Search the help-desk knowledge base and return the most relevant articles.
//! ///
//! /// Use it before answering a factual question. Not for looking up a customer.
//! #[tool(name = "kb.search", risk = "read")]
//! async fn search(
//!     /// Keywords, e.g. `refund invoice`.
//!     query: String,
//! ) -> String {
//!     query
//! }
//!
//! let toolkit = Toolkit::builder().only([id(search)]).build().unwrap();
//! let report = lint::check(&toolkit);
//! assert!(report.is_clean(), "{report}");
//! ```
//!
//! What is meant as it stands is allowed, for one tool or for all: see [`Lints::allow`].

mod kind;
mod mentions;
mod parameters;
mod sizes;
mod texts;

use std::collections::HashSet;
use std::fmt;

pub use kind::{Level, Lint};
pub use sizes::Size;

use crate::order::sort_by;
use crate::spec::Source;
use crate::toolkit::{Tool, Toolkit};

/// One thing that could be said better: of which tool, where, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Which lint found it.
    pub lint: Lint,
    /// The tool's name; empty where it is about all of them.
    pub tool: String,
    /// The part of the tool: `description`, `risk`, or `parameter limit`.
    pub place: String,
    /// What is wrong there.
    pub what: String,
    /// What to do about it.
    pub cure: String,
    /// Where the tool stands in its author's code.
    pub source: Option<Source>,
}

/// Runs all lints over all tools of the set, but for the library's own.
pub fn check(toolkit: &Toolkit) -> Report {
    Lints::new().check(toolkit)
}

/// The lints, with what the host allows.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Lints {
    allowed: HashSet<(Lint, Option<String>)>,
    verbs: HashSet<String>,
}

impl Lints {
    /// All lints, nothing allowed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows what this lint finds in this tool.
    pub fn allow(mut self, lint: Lint, tool: impl Into<String>) -> Self {
        self.allowed.insert((lint, Some(tool.into())));
        self
    }

    /// Allows what this lint finds in any tool.
    pub fn allow_all(mut self, lint: Lint) -> Self {
        self.allowed.insert((lint, None));
        self
    }

    /// Adds a verb with which descriptions may begin, in its plain form, e.g. `reindex`.
    pub fn verb(mut self, verb: impl AsRef<str>) -> Self {
        self.verbs.insert(verb.as_ref().to_lowercase());
        self
    }

    /// Runs the lints over all tools of the set, but for the library's own.
    pub fn check(&self, toolkit: &Toolkit) -> Report {
        let tools: Vec<Tool> = toolkit.tools().filter(|tool| !super::is_ours(tool)).collect();
        let mut findings = Vec::new();
        let mut find = |finding: Finding| {
            let of_tool = (finding.lint, Some(finding.tool.clone()));
            if !self.allowed.contains(&of_tool) && !self.allowed.contains(&(finding.lint, None)) {
                findings.push(finding);
            }
        };
        for tool in &tools {
            texts::check(tool, &self.verbs, &mut find);
            parameters::check(tool, &mut find);
            mentions::check(tool, &tools, &mut find);
        }
        texts::check_pairs(&tools, &mut find);
        let sizes = sizes::of(&tools, &mut find);
        sort_by(&mut findings, |a, b| {
            (&a.tool, a.lint, &a.place).cmp(&(&b.tool, b.lint, &b.place))
        });
        Report { findings, sizes }
    }
}

/// What the lints found. Its `Display` is for the author: one line a finding and one for its cure, and
/// what the catalog weighs.
#[derive(Clone, Debug)]
pub struct Report {
    findings: Vec<Finding>,
    sizes: Vec<Size>,
}

impl Report {
    /// Everything that was found, by tool.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether nothing was found that [warns](Level::Warning); notes may be there.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.lint.level() == Level::Note)
    }

    /// What the whole catalog weighs, by provider.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            let Finding { lint, tool, place, what, cure, source } = finding;
            write!(f, "{}[{lint}]: ", lint.level())?;
            if !tool.is_empty() {
                write!(f, "`{tool}`, ")?;
            }
            writeln!(f, "{place}: {what}")?;
            if let Some(source) = source {
                writeln!(f, "  at {source}")?;
            }
            writeln!(f, "  help: {cure}")?;
        }
        for size in &self.sizes {
            writeln!(f, "{size}")?;
        }
        Ok(())
    }
}

/// A finding about a tool.
fn about(
    tool: &Tool,
    lint: Lint,
    place: impl Into<String>,
    what: impl Into<String>,
    cure: impl Into<String>,
) -> Finding {
    Finding {
        lint,
        tool: tool.name().to_owned(),
        place: place.into(),
        what: what.into(),
        cure: cure.into(),
        source: Some(tool.source()),
    }
}
