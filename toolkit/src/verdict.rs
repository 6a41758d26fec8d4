//! What one rule says of a call, and what all of them say together.

use std::borrow::Cow;
use std::fmt;

/// What one rule says of one call; a later verdict only tightens an earlier one.
///
/// The order is the lattice: the decision on a call is the maximum of all verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Run it, with intent and outcome written to the store.
    Record,
    /// A person must agree first.
    Ask,
    /// Refuse it, with the reason.
    Deny,
    /// Refuse it as if the tool did not exist.
    Hide,
}

impl Verdict {
    /// The word used in events and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Record => "record",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Hide => "hide",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One verdict with where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What the rule says; `None` for a guard that was not asked, since another had already said no,
    /// and for a grant, which answers what others ask.
    pub verdict: Option<Verdict>,
    /// What said it: `policy`, `flag`, `scope`, `session`, `ceiling`, `host`, `depth`, `loop guard`,
    /// `rate`, `budget`, `rewrite`, `guard` or `around` with its name, `rule` with its file and line, or
    /// `grant` with its id.
    pub source: Cow<'static, str>,
    /// Why, for the operator and, where the call is denied, for the caller.
    pub reason: Cow<'static, str>,
}

impl Finding {
    pub(crate) fn new(
        verdict: Verdict,
        source: impl Into<Cow<'static, str>>,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { verdict: Some(verdict), source: source.into(), reason: reason.into() }
    }

    pub(crate) fn not_asked(source: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: None, source: source.into(), reason: Cow::Borrowed("not asked") }
    }
}

/// All findings on one call, and their maximum.
///
/// One decision explains one call: it lists every rule that spoke, guards that were not asked
/// included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    findings: Vec<Finding>,
}

impl Decision {
    pub(crate) const fn new() -> Self {
        Self { findings: Vec::new() }
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// The maximum of all verdicts; [`Verdict::Allow`] where none spoke.
    pub fn verdict(&self) -> Verdict {
        self.findings.iter().filter_map(|f| f.verdict).max().unwrap_or(Verdict::Allow)
    }

    /// Every finding, in the order in which they were made.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The first finding with the deciding verdict.
    pub fn deciding(&self) -> Option<&Finding> {
        let verdict = self.verdict();
        self.findings.iter().find(|f| f.verdict == Some(verdict))
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict())?;
        for finding in &self.findings {
            let verdict = finding.verdict.map_or("-", Verdict::as_str);
            write!(f, "; {}: {verdict} ({})", finding.source, finding.reason)?;
        }
        Ok(())
    }
}
