//! What one call leaves behind for the next, once more.

use crate::oracle::{Reason, reason};
use crate::seen::Caller;
use crate::sets::Sets;
use crate::world::{Counts, Facts, V, Who, World};

/// What one call leaves behind for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// The calls that every rule let through, since what is counted counts those.
    pub(crate) counted: Vec<(Who, Facts)>,
    /// What a person granted for the session: a tool, and at which depth if only those arguments.
    /// One that was given before untrusted data was read doesn't answer what that asks.
    pub(crate) granted: Vec<(Facts, Option<usize>, bool)>,
    /// Whether untrusted data was read.
    pub(crate) tainted: bool,
    /// How often the call has failed, one after the other: by tool, or as one that isn't there.
    pub(crate) failed: Vec<(Whose, usize)>,
    /// The tools that came while the toolkit ran.
    pub(crate) sets: Sets,
}

/// Whose failures they are: those of a tool of a level, or of none that the caller may know of.
pub(crate) type Whose = Option<(&'static str, Option<usize>)>;

impl Past {
    pub(crate) fn failures(&mut self, whose: Whose) -> &mut usize {
        let at = self.failed.iter().position(|(other, _)| *other == whose).unwrap_or_else(|| {
            self.failed.push((whose, 0));
            self.failed.len() - 1
        });
        &mut self.failed[at].1
    }

    /// At the beginning.
    pub(crate) fn of(world: &World) -> Self {
        let within = world.caller.session.is_some_and(|s| s == "s" || s.starts_with("s/"));
        Self { tainted: world.held.outer && world.held.marked && within, ..Self::default() }
    }

    /// Why a call may not be counted any more; else it is.
    pub(crate) fn count(
        &mut self,
        world: &World,
        by: Caller,
        tool: &Facts,
    ) -> Option<(&'static str, Reason)> {
        let spent = self.counted.iter().filter(|(who, _)| *who != Who::Human).count();
        if by.who != Who::Human && world.budget.is_some_and(|budget| spent >= budget) {
            return Some(("loop_stopped", reason(V::Deny, "budget", "")));
        }
        let counts = |counts: Counts, who: Who, tool: &Facts| match counts {
            Counts::Tool(name) => tool.name == name,
            Counts::Level(other, level) => who == other && tool.levels.contains(&level),
            Counts::Session => true,
        };
        for (what, most) in &world.rates {
            let taken = self.counted.iter().filter(|(who, tool)| counts(*what, *who, tool)).count();
            if counts(*what, by.who, tool) && taken >= *most {
                return Some(("rate_limited", reason(V::Deny, "rate", "")));
            }
        }
        self.counted.push((by.who, tool.clone()));
        None
    }
}
