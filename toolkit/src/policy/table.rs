//! The table of a policy as calls look it up.

use super::Policy;
use crate::context::Origin;
use crate::risk::{Risk, RiskSet};
use crate::verdict::Verdict;

/// The verdicts of a policy for every origin and set of levels, looked up by index on each call.
pub(crate) struct Table {
    plain: [[Verdict; 32]; 3],
    /// The same where untrusted data was read: never milder.
    tainted: [[Verdict; 32]; 3],
    /// Whether the two differ.
    tightens: bool,
}

impl Table {
    pub(crate) fn new(policy: &Policy) -> Self {
        let mut plain = [[Verdict::Hide; 32]; 3];
        let mut tainted = plain;
        let mut tightens = false;
        for origin in Origin::ALL {
            for bits in 1..32 {
                let levels: Vec<Risk> =
                    Risk::ALL.into_iter().filter(|risk| bits & (1 << risk.index()) != 0).collect();
                let set = RiskSet::of(&levels);
                let verdict = policy.verdict(origin, set);
                let more = set.iter().map(|risk| policy.cell(origin, risk).tainted).max();
                plain[origin.index()][set.bits()] = verdict;
                tainted[origin.index()][set.bits()] = more.unwrap_or(Verdict::Hide).max(verdict);
                tightens |= more > Some(Verdict::Allow);
            }
        }
        Self { plain, tainted, tightens }
    }

    /// The verdict where untrusted data was read.
    #[inline]
    pub(crate) fn tainted(&self, origin: Origin, risks: RiskSet) -> Verdict {
        self.tainted[origin.index()][risks.bits()]
    }

    /// Whether it matters that untrusted data was read.
    #[inline]
    pub(crate) fn tightens(&self) -> bool {
        self.tightens
    }

    #[inline]
    pub(crate) fn verdict(&self, origin: Origin, risks: RiskSet) -> Verdict {
        self.plain[origin.index()][risks.bits()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> impl Iterator<Item = RiskSet> {
        (0..32_u8).map(|bits| {
            let levels: Vec<Risk> =
                Risk::ALL.into_iter().filter(|risk| bits & (1 << risk.index()) != 0).collect();
            RiskSet::of(&levels)
        })
    }

    #[test]
    fn adding_a_risk_never_makes_a_verdict_milder() {
        for policy in [Policy::default(), Policy::trusting().drafts()] {
            let table = Table::new(&policy);
            for origin in Origin::ALL {
                for set in sets() {
                    for risk in Risk::ALL {
                        let more = set.with(risk);
                        assert!(table.verdict(origin, more) >= table.verdict(origin, set));
                        assert_eq!(table.verdict(origin, more), policy.verdict(origin, more));
                        assert!(table.tainted(origin, more) >= table.tainted(origin, set));
                        assert!(table.tainted(origin, set) >= table.verdict(origin, set));
                    }
                }
            }
        }
    }
}
