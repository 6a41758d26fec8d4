//! What keeps a toolkit from starting, as a report for whoever wrote the place.

use std::fmt;

use crate::hosts::HostError;
use crate::spec::Source;

/// Everything that keeps a toolkit from starting. As `Debug` it says the same as for people, since that
/// is what a `main` that returns it prints, and `unwrap`.
#[derive(thiserror::Error)]
#[error("{}", render(.problems))]
pub struct BuildError {
    problems: Vec<BuildProblem>,
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl BuildError {
    pub(crate) fn new(problems: Vec<BuildProblem>) -> Self {
        Self { problems }
    }

    /// The problems, in order of kind and name.
    pub fn problems(&self) -> &[BuildProblem] {
        &self.problems
    }
}

fn render(problems: &[BuildProblem]) -> String {
    let plural = if problems.len() == 1 { "problem" } else { "problems" };
    let mut text = format!("the toolkit has {} {plural}:", problems.len());
    for problem in problems {
        text.push_str("\n- ");
        text.push_str(&problem.to_string());
    }
    text
}

/// One thing that keeps a toolkit from starting; whoever wrote the place it names mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildProblem {
    /// Two tools have one name, or one wire name.
    Duplicate {
        /// The name.
        name: String,
        /// Where the first was written.
        first: Source,
        /// Where the second was written.
        second: Source,
    },
    /// A tool, or what delivers its drafts, borrows a state that the builder wasn't given.
    MissingState {
        /// The tool.
        tool: String,
        /// The state's type.
        state: &'static str,
        /// Where the function that borrows it was written.
        source: Source,
    },
    /// A tool that the host counts on isn't there.
    NotLinked {
        /// The expected name.
        name: String,
        /// The nearest name that is there.
        nearest: Option<String>,
    },
    /// A tool that the host counts on is linked, but the host itself leaves it out.
    Excluded {
        /// The expected name.
        name: String,
        /// What leaves it out: `crates`, `only` or `without`.
        by: &'static str,
        /// Where the tool was written.
        source: Source,
    },
    /// A crate that the host restricts to has no tool here.
    NoSuchCrate {
        /// The crate.
        name: String,
    },
    /// A function isn't a tool.
    NotATool {
        /// The function, as the compiler names it.
        function: &'static str,
    },
    /// A rule of the builder names a tool that isn't there.
    UnknownTool {
        /// The rule.
        rule: &'static str,
        /// The name.
        name: String,
        /// The nearest name that is there.
        nearest: Option<String>,
    },
    /// A scene names a domain that no tool has.
    UnknownDomain {
        /// The scene.
        scene: String,
        /// The domain.
        domain: String,
        /// The nearest domain that is there.
        nearest: Option<String>,
    },
    /// A host isn't an exact host name or address with an optional port.
    BadHost {
        /// The tool.
        tool: String,
        /// What is wrong.
        error: HostError,
    },
    /// A tool made at run time breaks a rule that the attribute checks at compile time.
    BadTool {
        /// The tool.
        tool: String,
        /// What is wrong.
        what: String,
        /// Where it was made.
        source: Source,
    },
    /// A pattern of a parameter isn't a regular expression.
    BadPattern {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: &'static str,
        /// What is wrong.
        what: String,
        /// Where the tool was written.
        source: Source,
    },
    /// A rule of the policy can't hold as it is written.
    BadRule {
        /// Where it was written: file and line.
        place: String,
        /// The rule, in one line.
        rule: String,
        /// What is wrong.
        what: String,
    },
    /// No tool at all.
    Empty,
    /// A rate can't be held.
    #[cfg(feature = "rates")]
    BadRate {
        /// Of what.
        of: String,
        /// The rate.
        rate: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A limit is out of range.
    BadLimit {
        /// Which.
        what: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
}

impl fmt::Display for BuildProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near = |nearest: &Option<String>| match nearest {
            Some(name) => format!("; did you mean `{name}`?"),
            None => String::new(),
        };
        match self {
            Self::Duplicate { name, first, second } => {
                write!(f, "two tools are named `{name}`: {first} and {second}")
            }
            Self::MissingState { tool, state, source } => {
                write!(f, "{source}: tool `{tool}` needs a state of type `{state}`")?;
                write!(f, "; give it with `.state(…)`")
            }
            Self::NotLinked { name, nearest } => {
                write!(f, "tool `{name}` is expected but not linked{}", near(nearest))?;
                write!(f, "; if its crate is a dependency, write `use its_crate as _;`")
            }
            Self::Excluded { name, by, source } => {
                write!(f, "tool `{name}` is expected, but `.{by}(…)` leaves it out: {source}")
            }
            Self::NoSuchCrate { name } => {
                write!(f, "crate `{name}` has no tool here")?;
                write!(f, "; if it is a dependency, write `use {} as _;`", name.replace('-', "_"))
            }
            Self::NotATool { function } => {
                write!(f, "`{function}` is not a tool; annotate the function itself with `#[tool]`")
            }
            Self::UnknownTool { rule, name, nearest } => {
                write!(f, "`{rule}` names a tool `{name}` that isn't there{}", near(nearest))?;
                // What isn't to be there needn't come later either.
                if *rule == "without" {
                    return Ok(());
                }
                f.write_str("; where it comes later, say `.later_tools([…])`")
            }
            Self::UnknownDomain { scene, domain, nearest } => {
                let near = near(nearest);
                write!(f, "the scene `{scene}` names a domain `{domain}` that no tool has{near}")?;
                write!(f, "; where its tools come later, say `.later_domains([…])`")
            }
            Self::BadHost { tool, error } => write!(f, "a host of tool `{tool}`: {error}"),
            Self::BadTool { tool, what, source } => write!(f, "{source}: tool `{tool}` {what}"),
            Self::BadPattern { tool, parameter, what, source } => {
                write!(f, "{source}: the pattern of `{parameter}` of tool `{tool}`: {what}")
            }
            Self::BadRule { place, rule, what } => write!(f, "{place}: rule `{rule}` {what}"),
            Self::Empty => f.write_str(
                "there is no tool; name the crates that hold them (`use their_crate as _;`), \
                 or say `.allow_empty()`",
            ),
            #[cfg(feature = "rates")]
            Self::BadRate { of, rate, what } => write!(f, "the rate of {of} ({rate}): {what}"),
            Self::BadLimit { what, allowed } => write!(f, "`{what}` must be {allowed}"),
        }
    }
}
