//! How many calls a session and a turn may make at all. A budget doesn't come back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::{Exceeded, Meters};
use crate::call::Code;
use crate::pipeline::{Engine, Place, Trail};

/// How many sessions are known at once; beyond them, those that called the longest ago are forgotten.
const MOST: usize = 65_536;

/// How many turns of a session may be under way side by side.
const TURNS: usize = 8;

/// The budgets, and what is spent of them.
pub(super) struct Budgets {
    per_session: Option<u32>,
    per_turn: Option<u32>,
    spent: Mutex<Spent>,
}

#[derive(Default)]
pub(super) struct Spent {
    sessions: FxHashMap<u64, Account>,
    /// Goes up with each call, to tell which came last.
    calls: u64,
}

/// What a session has spent.
#[derive(Default)]
struct Account {
    calls: u32,
    /// Its turns of late, the latest last.
    turns: Vec<(u64, u32)>,
    last: u64,
}

/// Who spends.
pub(super) struct Spender {
    /// The session, and those that it lies within.
    sessions: Vec<u64>,
    turn: Turn,
}

/// The turn that a call belongs to.
#[derive(Clone, Copy)]
enum Turn {
    Of(u64),
    /// That of the call around it: the last of its session.
    Latest,
}

/// What a call may take: nobody else takes meanwhile.
pub(super) struct Bill<'a> {
    spent: MutexGuard<'a, Spent>,
    sessions: Vec<u64>,
    turn: u64,
}

impl Engine {
    pub(super) fn spender(&self, meters: &Meters, trail: &Trail<'_>) -> Spender {
        let numbered = trail.context.turn_number().is_some();
        let turn = match trail.place {
            Place::Within(_) if !numbered => Turn::Latest,
            _ => Turn::Of(self.loops.turn_of(trail)),
        };
        Spender { sessions: self.sessions_of(meters, trail), turn }
    }
}

impl Budgets {
    pub(super) fn new(per_session: Option<u32>, per_turn: Option<u32>) -> Self {
        Self { per_session, per_turn, spent: Mutex::default() }
    }

    /// Whether there is any.
    pub(super) fn count(&self) -> bool {
        self.per_session.is_some() || self.per_turn.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        // Each change leaves the accounts whole.
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the call may take of every budget. It has taken nothing until that is paid.
    pub(super) fn bill(&self, spender: Spender) -> Result<Bill<'_>, Exceeded> {
        let spent = self.lock();
        let Spender { sessions, turn } = spender;
        let calls = |session: &u64| spent.sessions.get(session).map_or(0, |held| held.calls);
        if let Some(most) = self.per_session
            && sessions.iter().any(|session| calls(session) >= most)
        {
            return Err(of_the_session(most));
        }
        let own = sessions.first().and_then(|session| spent.sessions.get(session));
        let turns = own.map_or(&[][..], |held| held.turns.as_slice());
        let turn = match turn {
            Turn::Of(turn) => turn,
            Turn::Latest => turns.last().map_or(0, |(turn, _)| *turn),
        };
        let made = turns.iter().find(|(held, _)| *held == turn).map_or(0, |(_, made)| *made);
        if let Some(most) = self.per_turn
            && made >= most
        {
            return Err(of_the_turn(most));
        }
        Ok(Bill { spent, sessions, turn })
    }
}

impl Bill<'_> {
    pub(super) fn pay(mut self) {
        self.spent.calls += 1;
        let last = self.spent.calls;
        for (at, session) in self.sessions.iter().enumerate() {
            let account = self.spent.account(*session);
            (account.calls, account.last) = (account.calls.saturating_add(1), last);
            if at == 0 {
                account.made_one_in(self.turn);
            }
        }
    }
}

impl Spent {
    fn account(&mut self, session: u64) -> &mut Account {
        if self.sessions.len() >= MOST && !self.sessions.contains_key(&session) {
            let mut lasts: Vec<u64> = self.sessions.values().map(|held| held.last).collect();
            // An eighth at once, so that not each new one looks at all.
            let (_, oldest, _) = lasts.select_nth_unstable(MOST / 8);
            let oldest = *oldest;
            self.sessions.retain(|_, held| held.last > oldest);
        }
        self.sessions.entry(session).or_default()
    }
}

impl Account {
    fn made_one_in(&mut self, turn: u64) {
        let made = match self.turns.iter().position(|(held, _)| *held == turn) {
            Some(at) => self.turns.remove(at).1,
            None => 0,
        };
        if self.turns.len() >= TURNS {
            self.turns.remove(0);
        }
        self.turns.push((turn, made.saturating_add(1)));
    }
}

fn of_the_session(most: u32) -> Exceeded {
    Exceeded {
        code: Code::LoopStopped,
        source: "budget",
        what: format!("this session has made all of its {}", calls(most)),
        hint: "make no more, and say what you have and what is missing".to_owned(),
        wait: None,
    }
}

fn of_the_turn(most: u32) -> Exceeded {
    Exceeded {
        code: Code::RateLimited,
        source: "budget",
        what: format!("this turn has made all of its {}", calls(most)),
        hint: "use the results that you have, and make what is still needed in the next turn"
            .to_owned(),
        wait: None,
    }
}

fn calls(most: u32) -> String {
    if most == 1 { "1 call".to_owned() } else { format!("{most} calls") }
}
