//! What is counted of all calls together: budgets and rates. A call takes of all that count it, or of
//! none, once every rule has let it through and before a person is asked.

mod budgets;
#[cfg(feature = "rates")]
mod rates;

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use budgets::Budgets;
#[cfg(feature = "rates")]
use rates::Rates;

use super::{Engine, Trail};
use crate::call::{Code, ToolReply};
use crate::context::Origin;
#[cfg(feature = "rates")]
use crate::policy::Rate;
use crate::registry::{BuildProblem, Entry, Known};
#[cfg(feature = "rates")]
use crate::risk::Risk;
use crate::verdict::{Finding, Verdict};

/// What a host says of budgets and rates.
#[derive(Default)]
pub(crate) struct Metering {
    pub(crate) per_session: Option<u32>,
    pub(crate) per_turn: Option<u32>,
    #[cfg(feature = "rates")]
    pub(crate) rates: Vec<(RateOf, Rate)>,
}

#[cfg(feature = "rates")]
impl Metering {
    /// With the rates of the policy's levels.
    pub(crate) fn with_levels(mut self, levels: &[(Origin, Risk, Rate)]) -> Self {
        let levels = levels.iter();
        self.rates
            .extend(levels.map(|(origin, risk, rate)| (RateOf::Level(*origin, *risk), *rate)));
        self
    }
}

/// What one rate counts.
#[cfg(feature = "rates")]
#[derive(Clone)]
pub(crate) enum RateOf {
    /// Calls of an origin, of tools that declare the level.
    Level(Origin, Risk),
    /// Calls of one tool.
    Tool(String),
    /// Calls of each session.
    Session,
    /// Calls of each principal.
    Principal,
}

/// The budgets and rates of a toolkit.
pub(crate) struct Meters {
    /// Keyed, so that no name can be made to be taken for another.
    hasher: RandomState,
    budgets: Budgets,
    #[cfg(feature = "rates")]
    rates: Rates,
}

/// Why a call may not run now.
struct Exceeded {
    code: Code,
    source: &'static str,
    /// What is used up.
    what: String,
    /// What the model does about it.
    hint: String,
    wait: Option<Duration>,
}

impl Meters {
    /// `None` where nothing is counted.
    pub(crate) fn new(
        metering: &Metering,
        known: Known<'_>,
        problems: &mut Vec<BuildProblem>,
    ) -> Option<Box<Self>> {
        let budgets = Budgets::new(metering.per_session, metering.per_turn);
        #[cfg(feature = "rates")]
        let rates = Rates::new(&metering.rates, known, problems);
        #[cfg(not(feature = "rates"))]
        let _ = (known, problems);
        let counts = budgets.count();
        #[cfg(feature = "rates")]
        let counts = counts || rates.count();
        counts.then(|| {
            Box::new(Self {
                hasher: RandomState::new(),
                budgets,
                #[cfg(feature = "rates")]
                rates,
            })
        })
    }
}

impl Engine {
    /// Takes of every budget and rate that counts the call, or of none; the error is the reply. An
    /// explained call takes nothing.
    pub(super) fn metered(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let Some(meters) = &self.meters else { return Ok(()) };
        let takes = !trail.explained;
        let counted = meters.budgets.count() && trail.context.origin() != Origin::Human;
        let bill = counted.then(|| meters.budgets.bill(self.spender(meters, trail))).transpose();
        let exceeded = match bill {
            Err(exceeded) => exceeded,
            Ok(bill) => match self.rated(meters, trail, entry) {
                Err(exceeded) => exceeded,
                Ok(()) => {
                    if let Some(bill) = bill.filter(|_| takes) {
                        bill.pay();
                    }
                    return Ok(());
                }
            },
        };
        let name = entry.spec().name();
        let text = format!("`{name}` was not run: {}; {}", exceeded.what, exceeded.hint);
        trail.find(Finding::new(Verdict::Deny, exceeded.source, exceeded.what));
        let mut reply = ToolReply::not_run(exceeded.code, text);
        if exceeded.wait.is_some() {
            reply.aside().wait = exceeded.wait;
        }
        Err(Box::new(reply))
    }

    /// Takes of every rate that counts the call, or of none.
    #[cfg(feature = "rates")]
    fn rated(&self, meters: &Meters, trail: &Trail<'_>, entry: &Entry) -> Result<(), Exceeded> {
        if !meters.rates.count() {
            return Ok(());
        }
        meters.rates.take(&self.payer(meters, trail, entry), !trail.explained)
    }

    #[cfg(not(feature = "rates"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "nothing is rated")]
    fn rated(&self, _: &Meters, _: &Trail<'_>, _: &Entry) -> Result<(), Exceeded> {
        Ok(())
    }

    /// The open sessions that the call counts for: its own first, and those that this lies within.
    fn sessions_of(&self, meters: &Meters, trail: &Trail<'_>) -> Vec<u64> {
        let context = trail.context;
        match context.session_id() {
            Some(id) => {
                let around = self.sessions.around(id);
                let ids = std::iter::once(id).chain(around.iter().map(AsRef::as_ref));
                ids.map(|id| meters.hasher.hash_one(id)).collect()
            }
            None => vec![meters.hasher.hash_one(context.lineage())],
        }
    }
}
