//! The tools that a host's words may name.

use std::sync::Arc;

use super::{BuildProblem, Entry};
use crate::text::nearest;

/// The tools that are there, and the names of those that come later.
#[derive(Clone, Copy)]
pub(crate) struct Known<'r> {
    pub(crate) entries: &'r [Arc<Entry>],
    pub(crate) later: &'r [String],
}

impl<'r> Known<'r> {
    /// The tool of this name, if it is there; a name that nobody has or will have is a problem.
    pub(crate) fn find(
        self,
        rule: &'static str,
        name: &str,
        problems: &mut Vec<BuildProblem>,
    ) -> Option<&'r Arc<Entry>> {
        let names = || self.entries.iter().map(|entry| entry.spec().name());
        let found = self.entries.iter().find(|entry| entry.spec().name() == name);
        if found.is_none() && !self.later.iter().any(|later| later == name) {
            let later = self.later.iter().map(String::as_str);
            let nearest = nearest(name, names().chain(later)).map(str::to_owned);
            problems.push(BuildProblem::UnknownTool { rule, name: name.to_owned(), nearest });
        }
        found
    }
}
