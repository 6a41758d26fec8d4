//! What a host allows: a table of origin × risk, and rules on single tools and their arguments.
//! Policies for common cases are in the [cookbook].

mod answer;
#[doc = include_str!("cookbook.md")]
pub mod cookbook {}
#[cfg(feature = "policy-toml")]
mod file;
mod fitting;
mod given;
mod matcher;
mod number;
#[cfg(feature = "rates")]
mod rate;
mod rule;
mod rules;
mod table;
mod tool_rules;
mod when;

use std::time::Duration;

#[cfg(feature = "policy-toml")]
pub use file::PolicyError;
#[cfg(feature = "globs")]
pub use matcher::glob;
pub use matcher::{Matcher, Number, equals, host, one_of, prefix, range, regex, under};
#[cfg(feature = "rates")]
pub use rate::Rate;
pub use rule::{Rule, Tools, ask, deny, only, waive_ask};
pub(crate) use rules::Rules;
pub(crate) use table::Table;
pub(crate) use tool_rules::ToolRules;

use crate::context::Origin;
use crate::risk::{Risk, RiskSet};
use crate::verdict::Verdict;

/// How long an approver has to answer, unless a cell says otherwise.
pub const DEFAULT_APPROVAL_TIME: Duration = Duration::from_secs(300);

/// How long a grant for a session lasts at most, unless a cell says otherwise.
pub const DEFAULT_GRANT_TIME: Duration = Duration::from_secs(8 * 60 * 60);

/// How wide a grant may be that a person gives for the rest of a session, see
/// [`Rung`](crate::approval::Rung).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Widest {
    /// None may be given: each call is asked about.
    Nothing,
    /// Exactly the arguments that were asked about.
    Exact,
    /// The values of some of them.
    Arguments,
    /// The whole tool.
    Tool,
}

/// How much of a call its events and records carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Detail {
    /// A digest of the arguments.
    Digest,
    /// The final arguments as well, secrets redacted.
    Arguments,
    /// The text of the reply as well: what the model read, secrets redacted.
    Results,
}

/// What the policy says of one risk level for one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cell {
    /// What happens to a call.
    pub verdict: Verdict,
    /// How much its events and records carry.
    pub detail: Detail,
    /// How long an approver has to answer.
    pub approval_time: Duration,
    /// How wide a grant may be that answers for the rest of the session.
    pub widest: Widest,
    /// How long such a grant may last.
    pub grant_time: Duration,
    /// What happens to a call, if it is stricter, once its session has read untrusted data.
    pub tainted: Verdict,
}

/// A table of origin × risk, and [rules](Rule) on single tools and their arguments. A tool with several
/// levels must pass the cell of each: the verdict is their maximum, and that of all rules.
///
/// | | human | plan | model |
/// |---|---|---|---|
/// | read | allow | allow | allow |
/// | write | record | record | ask |
/// | network | record | record | record |
/// | send | record | deny | hide |
/// | destructive | ask | ask | ask |
///
/// ```
/// use toolkit::{Origin, Policy, Risk, Verdict};
///
/// let policy = Policy::default();
/// let risk = Risk::Network.into();
/// assert_eq!(policy.verdict(Origin::Model, risk), Verdict::Record);
/// assert_eq!(Policy::trusting().cell(Origin::Model, Risk::Write).verdict, Verdict::Record);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    cells: [[Cell; 5]; 3],
    rules: Vec<Rule>,
    #[cfg(feature = "rates")]
    rates: Vec<(Origin, Risk, Rate)>,
}

impl Default for Policy {
    fn default() -> Self {
        use Verdict::{Allow, Ask, Deny, Hide, Record};
        let verdicts = [
            [Allow, Record, Record, Record, Ask],
            [Allow, Record, Record, Deny, Ask],
            [Allow, Ask, Record, Hide, Ask],
        ];
        let cells = verdicts.map(|row| {
            let mut risks = Risk::ALL.into_iter();
            row.map(|verdict| {
                let risk = risks.next().unwrap_or(Risk::Destructive);
                Cell {
                    verdict,
                    detail: match risk {
                        Risk::Read => Detail::Digest,
                        _ => Detail::Arguments,
                    },
                    approval_time: DEFAULT_APPROVAL_TIME,
                    widest: match risk {
                        Risk::Destructive => Widest::Exact,
                        _ => Widest::Tool,
                    },
                    grant_time: DEFAULT_GRANT_TIME,
                    tainted: Allow,
                }
            })
        });
        Self {
            cells,
            rules: Vec::new(),
            #[cfg(feature = "rates")]
            rates: Vec::new(),
        }
    }
}

impl Policy {
    /// The default table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The default table, but a model may write, under record, until its session has read
    /// [untrusted data](Self::tainted): then it may neither write nor reach the network unless a person
    /// says so.
    pub fn trusting() -> Self {
        Self::default()
            .set(Origin::Model, Risk::Write, Verdict::Record)
            .tainted(Origin::Model, Risk::Write, Verdict::Ask)
            .tainted(Origin::Model, Risk::Network, Verdict::Ask)
    }

    /// This table, but plans and models may draft what is to be sent, under record. Confirming a draft
    /// stays with a person: no table says otherwise.
    #[must_use]
    pub fn drafts(self) -> Self {
        self.set(Origin::Plan, Risk::Send, Verdict::Record).set(
            Origin::Model,
            Risk::Send,
            Verdict::Record,
        )
    }

    /// Sets what happens to calls of this origin and risk.
    #[must_use]
    pub fn set(mut self, origin: Origin, risk: Risk, verdict: Verdict) -> Self {
        self.cells[origin.index()][risk.index()].verdict = verdict;
        self
    }

    /// Sets how much the events and records of calls of this origin and risk carry.
    #[must_use]
    pub fn detail(mut self, origin: Origin, risk: Risk, detail: Detail) -> Self {
        self.cells[origin.index()][risk.index()].detail = detail;
        self
    }

    /// Sets how long an approver has to answer for calls of this origin and risk.
    #[must_use]
    pub fn approval_time(mut self, origin: Origin, risk: Risk, time: Duration) -> Self {
        self.cells[origin.index()][risk.index()].approval_time = time;
        self
    }

    /// Adds a rule. Their order doesn't matter: each that matches has its say, and the strictest
    /// decides.
    ///
    /// A rule that names a tool or an argument that isn't there keeps the toolkit from starting.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Bounds how many calls of this origin may run in a time, of all tools together that declare the
    /// level. A tool with several levels takes of each; a second rate of one level holds beside the first.
    ///
    /// What is taken, and when: see [`Builder::rate`](crate::Builder::rate). A confirmed draft takes of
    /// the level `send` of a person.
    ///
    /// ```
    /// use toolkit::{Origin, Policy, Rate, Risk};
    /// let policy = Policy::trusting().rate(Origin::Model, Risk::Write, Rate::per_minute(10));
    /// ```
    #[cfg(feature = "rates")]
    #[must_use]
    pub fn rate(mut self, origin: Origin, risk: Risk, rate: Rate) -> Self {
        self.rates.push((origin, risk, rate));
        self
    }

    /// The rates, as they were given.
    #[cfg(feature = "rates")]
    pub(crate) fn rates(&self) -> &[(Origin, Risk, Rate)] {
        &self.rates
    }

    /// The rules, as they were given.
    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Sets how wide a grant may be, and how long it may last, that answers calls of this origin and
    /// risk for the rest of a session; the whole tool and [`DEFAULT_GRANT_TIME`] unless set, for what is
    /// destructive exact arguments alone. A tool with several levels has the narrowest of theirs.
    #[must_use]
    pub fn grants(mut self, origin: Origin, risk: Risk, widest: Widest, time: Duration) -> Self {
        let cell = &mut self.cells[origin.index()][risk.index()];
        (cell.widest, cell.grant_time) = (widest, time);
        self
    }

    /// Sets what happens to calls of this origin and risk once their session has read untrusted data;
    /// [`Verdict::Allow`] unless set, which leaves them as they are. It only tightens what the table and
    /// the rules say; a grant that was given before doesn't answer it.
    ///
    /// Untrusted is what a tool with the risk `network` returns, or one that
    /// [`Builder::untrusted`](crate::Builder::untrusted) names, and what a body says by
    /// [`CallContext::read_untrusted`](crate::CallContext::read_untrusted). It marks the session, those
    /// that it lies within, and so those within them, as soon as a body that has begun has ended,
    /// however it did and before its reply is seen; without a session it marks the context and its
    /// clones. Nothing takes a mark away: a session that is opened again under its name has it still.
    /// 262,144 names of sessions that aren't open are remembered; after that each counts as marked.
    ///
    /// ```
    /// use toolkit::{Origin, Policy, Risk, Verdict};
    ///
    /// // Whoever has read the web deletes nothing.
    /// let policy = Policy::trusting().tainted(Origin::Model, Risk::Destructive, Verdict::Hide);
    /// assert_eq!(policy.cell(Origin::Model, Risk::Write).tainted, Verdict::Ask);
    /// # drop(policy);
    /// ```
    #[must_use]
    pub fn tainted(mut self, origin: Origin, risk: Risk, verdict: Verdict) -> Self {
        self.cells[origin.index()][risk.index()].tainted = verdict;
        self
    }

    /// What the table says of one level.
    pub fn cell(&self, origin: Origin, risk: Risk) -> Cell {
        self.cells[origin.index()][risk.index()]
    }

    /// The verdict on a set of levels: the maximum over its members.
    pub fn verdict(&self, origin: Origin, risks: RiskSet) -> Verdict {
        let cells = risks.iter().map(|risk| self.cell(origin, risk).verdict);
        cells.max().unwrap_or(Verdict::Hide)
    }

    /// The greatest detail over the members of a set.
    pub(crate) fn detail_of(&self, origin: Origin, risks: RiskSet) -> Detail {
        let cells = risks.iter().map(|risk| self.cell(origin, risk).detail);
        cells.max().unwrap_or(Detail::Digest)
    }

    /// The narrowest grants, and the shortest, over the members of a set.
    pub(crate) fn grants_of(&self, origin: Origin, risks: RiskSet) -> (Widest, Duration) {
        let cells = || risks.iter().map(|risk| self.cell(origin, risk));
        let widest = cells().map(|cell| cell.widest).min().unwrap_or(Widest::Nothing);
        (widest, cells().map(|cell| cell.grant_time).min().unwrap_or(Duration::ZERO))
    }

    /// The shortest approval time over the members of a set.
    pub(crate) fn approval_time_of(&self, origin: Origin, risks: RiskSet) -> Duration {
        let cells = risks.iter().map(|risk| self.cell(origin, risk).approval_time);
        cells.min().unwrap_or(Duration::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_table_is_the_documented_one() {
        use Verdict::{Allow, Ask, Deny, Hide, Record};
        let policy = Policy::default();
        let row = |origin| Risk::ALL.map(|risk| policy.cell(origin, risk).verdict);
        assert_eq!(row(Origin::Human), [Allow, Record, Record, Record, Ask]);
        assert_eq!(row(Origin::Plan), [Allow, Record, Record, Deny, Ask]);
        assert_eq!(row(Origin::Model), [Allow, Ask, Record, Hide, Ask]);
    }

    #[test]
    fn trusting_differs_in_two_cells() {
        for origin in Origin::ALL {
            for risk in Risk::ALL {
                let (strict, trusting) = (Policy::default(), Policy::trusting());
                let same = strict.cell(origin, risk) == trusting.cell(origin, risk);
                let model = origin == Origin::Model;
                assert_eq!(same, !(model && matches!(risk, Risk::Write | Risk::Network)));
                assert!(
                    risk == Risk::Write
                        || strict.verdict(origin, risk.into())
                            == trusting.verdict(origin, risk.into())
                );
            }
        }
    }

    #[test]
    fn drafts_differs_in_two_cells() {
        for origin in Origin::ALL {
            for risk in Risk::ALL {
                let cells = [Policy::new(), Policy::new().drafts()].map(|p| p.cell(origin, risk));
                let drafts = risk == Risk::Send && origin != Origin::Human;
                assert_eq!(cells[0] != cells[1], drafts);
                assert!(!drafts || cells[1].verdict == Verdict::Record);
            }
        }
    }
}
