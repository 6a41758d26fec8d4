//! How many calls may run in a time, by level, tool, session and principal. Counted by `governor` on
//! Tokio's clock; what is counted is bounded, and where there is no room for more, nothing more runs.

use std::cell::Cell;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::RateLimiter;
use governor::clock::Clock;
use governor::nanos::Nanos;
use governor::state::StateStore;
use rustc_hash::FxHashMap;
use tokio::time::Instant;

use super::{Exceeded, Meters, RateOf};
use crate::call::Code;
use crate::context::Origin;
use crate::pipeline::{Engine, Trail};
use crate::policy::Rate;
use crate::registry::{BuildProblem, Entry, Known};
use crate::risk::RiskSet;

/// How many sessions or principals one rate counts at once.
const MOST: usize = 65_536;

/// From how many on those are let go that have all of their calls back.
const FIRST_PRUNED: usize = 1_024;

/// How long a call waits for a place among those.
const FULL: Duration = Duration::from_secs(1);

/// The rates of a toolkit, and what is taken of them.
pub(super) struct Rates {
    /// Where time begins.
    epoch: Instant,
    /// All at once, so that a call takes of each or of none.
    meters: Mutex<Vec<Meter>>,
    none: bool,
}

struct Meter {
    of: RateOf,
    rate: Rate,
    limiter: RateLimiter<u64, Shared, Now>,
    taken: Shared,
}

/// The clock stands while one call looks at all rates.
#[derive(Default)]
struct Now(Cell<Nanos>);

impl Clock for Now {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.get()
    }
}

/// What the limiter counts on; it has no way to give it back, and asks for it by a shared reference.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Taken>>);

/// What is taken of one rate, by key: when all of it is back. And what would be taken, once every other
/// rate has agreed.
#[derive(Default)]
struct Taken {
    held: FxHashMap<u64, Nanos>,
    wanted: Vec<(u64, Nanos)>,
    /// At how many keys it is looked which may go.
    pruned_at: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Each change leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for Shared {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, f: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut taken = self.lock();
        let (said, next) = f(taken.held.get(key).copied())?;
        taken.wanted.push((*key, next));
        Ok(said)
    }
}

impl Taken {
    /// Whether there is a place for this key.
    fn has_room(&mut self, key: u64, now: Nanos) -> bool {
        let pruned_at = self.pruned_at.max(FIRST_PRUNED);
        if self.held.contains_key(&key) || self.held.len() < pruned_at {
            return true;
        }
        // The limiter's time begins at zero as well.
        self.held.retain(|_, back| *back > now);
        self.pruned_at = (self.held.len() * 2).clamp(FIRST_PRUNED, MOST);
        self.held.len() < MOST
    }
}

impl Meter {
    /// Notes what the call would take; how long it would have to wait where there isn't as much.
    fn wants(&self, payer: &Payer<'_>, now: Nanos) -> Option<Duration> {
        self.limiter.clock().0.set(now);
        self.taken.lock().wanted.clear();
        let mut longest = None;
        for key in self.of.keys(payer) {
            if !self.taken.lock().has_room(*key, now) {
                longest = longest.max(Some(FULL));
            } else if let Err(until) = self.limiter.check_key(key) {
                // What is back in no time at all is back in the next moment.
                let wait = until.wait_time_from(now).max(Duration::from_nanos(1));
                longest = longest.max(Some(wait));
            }
        }
        longest
    }

    /// Takes what the call wants.
    fn commit(&self) {
        let mut taken = self.taken.lock();
        let Taken { held, wanted, .. } = &mut *taken;
        held.extend(wanted.drain(..));
    }

    fn exceeded(&self, payer: &Payer<'_>, wait: Duration) -> Exceeded {
        let whose = match &self.of {
            RateOf::Level(origin, risk) => format!("{risk} calls by a {origin}"),
            RateOf::Tool(name) => format!("`{name}`"),
            RateOf::Session if payer.is_of_a_session => "this session".to_owned(),
            RateOf::Session => "calls without a session".to_owned(),
            RateOf::Principal if payer.has_principal => "this principal".to_owned(),
            RateOf::Principal => "calls on nobody's behalf".to_owned(),
        };
        Exceeded {
            code: Code::RateLimited,
            source: "rate",
            what: format!("the rate of {whose} is used up ({})", self.rate),
            hint: format!("wait {}, then make the same call again", waiting(wait)),
            wait: Some(wait),
        }
    }
}

/// A time to wait, for a model: never less than it is.
fn waiting(time: Duration) -> String {
    let seconds = time.as_millis().div_ceil(1_000).max(1);
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

impl RateOf {
    /// Under what keys a call is counted; none where the rate has nothing to do with it.
    fn keys<'p>(&self, payer: &'p Payer<'_>) -> &'p [u64] {
        let counts = |counts: bool| if counts { &[0][..] } else { &[] };
        match (self, &payer.call) {
            (Self::Level(origin, risk), _) => {
                counts(*origin == payer.origin && payer.risk.contains(*risk))
            }
            (Self::Tool(name), Some(call)) => counts(name == call.tool),
            (Self::Session, Some(call)) => &call.sessions,
            (Self::Principal, Some(call)) => std::slice::from_ref(&call.principal),
            (_, None) => &[],
        }
    }
}

impl fmt::Display for RateOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(origin, risk) => write!(f, "{risk} for {origin}"),
            Self::Tool(name) => write!(f, "`{name}`"),
            Self::Session => f.write_str("each session"),
            Self::Principal => f.write_str("each principal"),
        }
    }
}

/// Whose call it is, as far as rates are concerned.
pub(super) struct Payer<'a> {
    origin: Origin,
    risk: RiskSet,
    is_of_a_session: bool,
    has_principal: bool,
    /// `None` for what a confirmation delivers, which is no call of the tool.
    call: Option<Call<'a>>,
}

struct Call<'a> {
    tool: &'a str,
    /// The session, and those that it lies within.
    sessions: Vec<u64>,
    principal: u64,
}

impl Engine {
    pub(super) fn payer<'a>(
        &self,
        meters: &Meters,
        trail: &Trail<'_>,
        entry: &'a Entry,
    ) -> Payer<'a> {
        let (spec, context) = (entry.spec(), trail.context);
        let call = trail.delivering.is_none().then(|| Call {
            tool: spec.name(),
            sessions: match context.session_id() {
                Some(_) => self.sessions_of(meters, trail),
                // Without one all are one.
                None => vec![0],
            },
            principal: meters.hasher.hash_one(context.principal_name()),
        });
        Payer {
            origin: context.origin(),
            risk: spec.risk(),
            is_of_a_session: context.session_id().is_some(),
            has_principal: context.principal_name().is_some(),
            call,
        }
    }
}

impl Rates {
    pub(super) fn new(
        rates: &[(RateOf, Rate)],
        known: Known<'_>,
        problems: &mut Vec<BuildProblem>,
    ) -> Self {
        let mut meters = Vec::with_capacity(rates.len());
        for (of, rate) in rates {
            if let RateOf::Tool(name) = of {
                known.find("rate", name, problems);
            }
            match rate.quota() {
                Ok(quota) => {
                    let taken = Shared::default();
                    let limiter = RateLimiter::new(quota, taken.clone(), Now::default());
                    meters.push(Meter { of: of.clone(), rate: *rate, limiter, taken });
                }
                Err(what) => {
                    problems.push(BuildProblem::BadRate {
                        of: of.to_string(),
                        rate: rate.to_string(),
                        what,
                    });
                }
            }
        }
        let none = meters.is_empty();
        Self { epoch: Instant::now(), meters: Mutex::new(meters), none }
    }

    /// Whether there is any.
    pub(super) fn count(&self) -> bool {
        !self.none
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Meter>> {
        // Each change leaves the meters whole, and nobody takes what another wanted.
        self.meters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one call of each rate, or of none; where it only looks, of none either way.
    pub(super) fn take(&self, payer: &Payer<'_>, takes: bool) -> Result<(), Exceeded> {
        let meters = self.lock();
        // Under the lock, so that it never goes back.
        let now = Nanos::from(self.epoch.elapsed());
        let mut exceeded: Option<(&Meter, Duration)> = None;
        for meter in &*meters {
            let wait = meter.wants(payer, now);
            if let Some(wait) = wait
                && exceeded.is_none_or(|(_, held)| wait > held)
            {
                exceeded = Some((meter, wait));
            }
        }
        if let Some((meter, wait)) = exceeded {
            return Err(meter.exceeded(payer, wait));
        }
        if takes {
            meters.iter().for_each(Meter::commit);
        }
        Ok(())
    }
}
