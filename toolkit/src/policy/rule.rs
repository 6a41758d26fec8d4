//! The host's rules on single tools and arguments, as they are written down.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;

use super::Matcher;
use crate::context::Origin;
use crate::order;
use crate::risk::Risk;

/// What a rule does to the calls that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Deny,
    Ask,
    Only,
    WaiveAsk,
}

impl Effect {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Only => "only",
            Self::WaiveAsk => "waive_ask",
        }
    }

    /// Whether all that is given must match, without doubt.
    pub(super) const fn is_narrow(self) -> bool {
        matches!(self, Self::Only | Self::WaiveAsk)
    }
}

/// Where a rule was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: Cow<'static, str>,
    pub(super) line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A rule of a [`Policy`](crate::Policy), made by [`deny`], [`ask`], [`only`] or [`waive_ask`].
///
/// It is about the calls of the tools that it selects: by name or glob, and of these, where it says so,
/// those of some [risk](Self::risk), [origin](Self::origin) or [principal](Self::principal). What is
/// said twice allows either. Conditions on the arguments, by [`when`](Self::when), must all match.
///
/// Rules only tighten, but for [`waive_ask`], and their order doesn't matter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a rule holds once it is given to `Policy::rule`"]
pub struct Rule {
    pub(super) effect: Effect,
    pub(super) tools: Vec<String>,
    pub(super) risks: Vec<Risk>,
    pub(super) origins: Vec<Origin>,
    pub(super) principals: Vec<String>,
    pub(super) conditions: Vec<(String, Matcher)>,
    pub(super) because: Option<String>,
    pub(super) later: bool,
    pub(super) place: Place,
}

/// Refuses the calls that match. Without a condition on arguments, the tools are invisible to these
/// callers as well.
///
/// ```
/// use toolkit::policy::{deny, regex};
/// use toolkit::{Origin, Policy};
///
/// let policy = Policy::default()
///     .rule(deny("ticket.*").origin(Origin::Model).principal("guest"))
///     .rule(deny("kb.search").when("query", regex("(?i)salary")).because("ask the staff office"));
/// ```
#[track_caller]
pub fn deny(tools: impl Into<Tools>) -> Rule {
    Rule::new(Effect::Deny, tools.into())
}

/// Asks a person about the calls that match.
#[track_caller]
pub fn ask(tools: impl Into<Tools>) -> Rule {
    Rule::new(Effect::Ask, tools.into())
}

/// Refuses calls of the tools unless their arguments match. Each `only` of a tool must match; what one
/// tool may be given in several ways stands in one matcher, by [`Matcher::or`].
///
/// An argument that is left out without a default doesn't match.
///
/// ```
/// use toolkit::Policy;
/// use toolkit::policy::{only, under};
///
/// let policy = Policy::default().rule(only("fs.write").when("path", under("/srv/data")));
/// ```
#[track_caller]
pub fn only(tools: impl Into<Tools>) -> Rule {
    Rule::new(Effect::Only, tools.into())
}

/// Lets calls that match run under record where the table would ask. It lowers nothing else: what is
/// denied stays denied, a person is asked where a rule or a guard says so, and a tool that sends is
/// never meant.
///
/// ```
/// use toolkit::Policy;
/// use toolkit::policy::{prefix, waive_ask};
///
/// let policy =
///     Policy::default().rule(waive_ask("proc.run").when("argv", prefix(["cargo", "test"])));
/// ```
#[track_caller]
pub fn waive_ask(tools: impl Into<Tools>) -> Rule {
    Rule::new(Effect::WaiveAsk, tools.into())
}

impl Rule {
    #[track_caller]
    fn new(effect: Effect, tools: Tools) -> Self {
        let here = Location::caller();
        Self::at(effect, tools.0, Place { file: Cow::Borrowed(here.file()), line: here.line() })
    }

    pub(super) fn at(effect: Effect, tools: Vec<String>, place: Place) -> Self {
        Self {
            effect,
            tools,
            risks: Vec::new(),
            origins: Vec::new(),
            principals: Vec::new(),
            conditions: Vec::new(),
            because: None,
            later: false,
            place,
        }
    }

    /// Only tools that declare this level.
    pub fn risk(mut self, risk: Risk) -> Self {
        self.risks.push(risk);
        self
    }

    /// Only calls of this origin.
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origins.push(origin);
        self
    }

    /// Only calls on behalf of this principal, to the letter. A call without one isn't meant.
    pub fn principal(mut self, principal: impl Into<String>) -> Self {
        self.principals.push(principal.into());
        self
    }

    /// Only calls whose final argument matches, as the body gets it: after hooks and edits, its default
    /// where it is left out, under whichever of its names.
    ///
    /// The path is written `query`, `filters[*].op` for every element, `to[0]` for one, `headers.*` for
    /// every member, `["a.b"]` for a key of any letters. Of several values that it leads to, a `deny` or
    /// an `ask` needs one that matches; an `only` or a `waive_ask` needs all, and at least one.
    ///
    /// Of an argument that is left out, where names are given that the schema doesn't know and takes all
    /// the same, it can't be told: one of them may be a name of it that `serde` alone knows.
    ///
    /// A tool that is named must have such an argument, one that can be what the matcher looks for, and of
    /// those that a glob selects at least one must: a `deny` of `"EUR"` where the schema takes `"eur"`
    /// would never speak, so the toolkit doesn't start. To the others of a glob such a condition never
    /// holds: an `only` refuses all their calls.
    pub fn when(mut self, path: impl Into<String>, matcher: Matcher) -> Self {
        self.conditions.push((path.into(), matcher));
        self
    }

    /// What the caller is told where the rule refuses, and the person where it asks.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.because = Some(reason.into());
        self
    }

    /// The tools may come later, by [`Toolkit::register`](crate::Toolkit::register): that none is there
    /// at the start is no mistake. A rule is about tools that come later in any case.
    pub fn later(mut self) -> Self {
        self.later = true;
        self
    }
}

/// Whom the rule is about, and when: `deny kb.search for model when query regex "x"`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: fmt::Display>(
            f: &mut fmt::Formatter<'_>,
            before: &str,
            items: &[T],
        ) -> fmt::Result {
            for (i, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if i == 0 { before } else { ", " })?;
            }
            Ok(())
        }
        f.write_str(self.effect.as_str())?;
        list(f, " ", &self.tools)?;
        list(f, " of risk ", &self.risks)?;
        list(f, " for ", &self.origins)?;
        list(f, " on behalf of ", &self.principals)?;
        for (i, (path, matcher)) in self.conditions.iter().enumerate() {
            write!(f, " {} {path} {matcher}", if i == 0 { "when" } else { "and" })?;
        }
        Ok(())
    }
}

/// The tools that a rule is about: names, or globs in which `*` stands for any letters, dots included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools(Vec<String>);

impl From<&str> for Tools {
    fn from(tool: &str) -> Self {
        Self(vec![tool.to_owned()])
    }
}

impl From<String> for Tools {
    fn from(tool: String) -> Self {
        Self(vec![tool])
    }
}

impl<S: Into<String>, const N: usize> From<[S; N]> for Tools {
    fn from(tools: [S; N]) -> Self {
        Self(tools.into_iter().map(Into::into).collect())
    }
}

impl<S: Into<String>> From<Vec<S>> for Tools {
    fn from(tools: Vec<S>) -> Self {
        Self(tools.into_iter().map(Into::into).collect())
    }
}

/// Whether a name is selected by a name or a glob.
pub(super) fn selects(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    // There is always a first part.
    let Some(rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut middle: Vec<&str> = parts.collect();
    let Some(last) = middle.pop() else { return rest.is_empty() };
    let mut rest = rest;
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The text of a list without repeats, for a message: `a`, `b` and `c`.
pub(super) fn quoted(mut names: Vec<String>) -> String {
    order::sort_by(&mut names, Ord::cmp);
    names.dedup();
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (glob, name, is) in [
            ("kb.search", "kb.search", true),
            ("kb.search", "kb.searches", false),
            ("kb.search", "a.kb.search", false),
            ("kb.*", "kb.search", true),
            ("kb.*", "kb.a.b", true),
            ("kb.*", "kb", false),
            ("*", "x", true),
            ("*.search", "kb.search", true),
            ("k*.*ch", "kb.search", true),
            ("k*b.search", "kb.search", true),
            ("kb.s*s*ch", "kb.search", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("**", "", true),
        ] {
            assert_eq!(selects(glob, name), is, "{glob} {name}");
        }
    }

    #[test]
    fn a_rule_reads_as_it_was_written() {
        let rule = deny(["a.b", "c.*"])
            .risk(Risk::Write)
            .origin(Origin::Model)
            .origin(Origin::Plan)
            .principal("guest")
            .when("n", super::super::range(1..=3))
            .when("argv", super::super::prefix(["cargo"]));
        assert_eq!(
            rule.to_string(),
            "deny a.b, c.* of risk write for model, plan on behalf of guest when n in 1..=3 and argv \
             begins with [\"cargo\"]"
        );
    }
}
