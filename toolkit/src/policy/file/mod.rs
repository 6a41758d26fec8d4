//! A policy as a TOML file: every mistake in it at once, each with its line.

mod read;
mod rules;
mod table;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use super::{Policy, Rules};
use crate::order;
use read::Reader;

/// What is wrong with a policy file, as lines for whoever wrote it. As `Debug` it says the same, since
/// that is what a `main` that returns it prints, and `unwrap`.
#[derive(thiserror::Error)]
#[error("{}", .problems.join("\n"))]
pub struct PolicyError {
    problems: Vec<String>,
}

impl PolicyError {
    /// The problems, in order of lines, each after its file and line: `policy.toml:12: …`.
    pub fn problems(&self) -> impl ExactSizeIterator<Item = &str> {
        self.problems.iter().map(String::as_str)
    }
}

impl fmt::Debug for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Policies from files, by the feature `policy-toml`.
impl Policy {
    /// The policy in the text of a TOML file; `name` is what verdicts and mistakes call the file.
    ///
    /// All keys are optional. Where a rule or a matcher takes one text, it takes a list of them as well:
    /// any of it.
    ///
    /// ```
    /// use toolkit::{Origin, Policy, Risk, Verdict};
    ///
    /// let policy = Policy::from_toml("policy.toml", r#"
    /// base = "trusting"      # or "default", which it is unless said
    /// drafts = true          # as `Policy::drafts`
    ///
    /// [table.model]          # or human, plan: what differs from the base
    /// network = "ask"        # allow, record, ask, deny, hide
    /// destructive = { verdict = "ask", approval_time = "2m", detail = "results" }
    /// write = { widest = "exact", grant_time = "1h" }  # grants: nothing, exact, arguments, tool
    ///
    /// [[rules]]
    /// deny = "ticket.*"      # or ask, only, waive_ask: the tools, by name or glob
    /// risk = "destructive"   # where it is about some of them, or of the callers
    /// origin = ["model", "plan"]
    /// principal = "guest"
    /// because = "guests only read"
    /// later = true           # tools may come later, as `Rule::later`
    ///
    /// [[rules]]
    /// only = "fs.write"
    /// when.path = { under = ["/usr", "/tmp"], relative_to = "/tmp" }
    ///
    /// [[rules]]
    /// waive_ask = "proc.run"
    /// when.argv = { prefix = ["cargo", "test"] }
    ///
    /// [[rules]]
    /// ask = "kb.search"
    /// when.query = { regex = "(?i)salary" }
    /// when."filters[*].op" = { one_of = ["like", "glob"] }
    /// when.limit = [{ range = "100.." }, { equals = 0 }]  # either of them
    ///
    /// [[rules]]
    /// deny = "web.fetch"
    /// when.url = { host = ["example.com", "127.0.0.1:8080"] }  # and, by the feature `globs`: glob
    /// "#)?;
    /// assert_eq!(policy.cell(Origin::Model, Risk::Network).verdict, Verdict::Ask);
    /// # Ok::<(), toolkit::policy::PolicyError>(())
    /// ```
    ///
    /// By the feature `rates`, a cell takes a `rate` as well: `"10 a minute"`, `"100 an hour, 5 at once"`.
    /// What a matcher means is said by the function of its name in [`policy`](crate::policy).
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with its line: TOML, unknown keys and words, paths,
    /// patterns, directories that aren't there. Whoever wrote the file mends it. Names of tools and of
    /// their arguments are looked at by [`Builder::build`](crate::Builder::build).
    pub fn from_toml(name: impl AsRef<str>, text: &str) -> Result<Self, PolicyError> {
        let mut reader = Reader::new(name.as_ref(), text);
        let mut policy = Self::default();
        if let Some(document) = reader.document() {
            for key in document.keys() {
                match key.get_ref().as_ref() {
                    "base" | "drafts" | "table" | "rules" => {}
                    _ => reader.unknown("", key, &["base", "drafts", "table", "rules"]),
                }
            }
            policy = table::base(&mut reader, &document);
            table::cells(&mut reader, &document, &mut policy);
            policy.rules = rules::rules(&mut reader, &document);
        }
        for rule in &policy.rules {
            let mut faults = Vec::new();
            Rules::new(std::slice::from_ref(rule), &mut faults);
            for fault in faults {
                reader.told(rule.place.line, fault.to_string());
            }
        }
        let mut problems = reader.into_problems();
        if problems.is_empty() {
            return Ok(policy);
        }
        order::sort_by(&mut problems, |(a, _), (b, _)| a.cmp(b));
        problems.dedup();
        Err(PolicyError { problems: problems.into_iter().map(|(_, text)| text).collect() })
    }

    /// The policy in a file, as [`Policy::from_toml`] reads it; verdicts and mistakes call it by this
    /// path.
    ///
    /// # Errors
    /// The file can't be read, or as for [`Policy::from_toml`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, PolicyError> {
        let path = path.as_ref();
        let name: Cow<'_, str> = path.to_string_lossy();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::from_toml(name, &text),
            Err(error) => {
                Err(PolicyError { problems: vec![format!("{name}: can't be read: {error}")] })
            }
        }
    }
}
