//! The guard against loops: a model's same call that fails again and again is advised against, then
//! stopped. What it remembers is bounded, and looked at only while a failure is on record.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;
use tokio::time::Instant;

use super::mint::Place;
use super::{Engine, Trail, canonical};
use crate::call::{Code, Text, ToolReply};
use crate::context::Origin;
use crate::text::{excerpt, visible};
use crate::verdict::{Finding, Verdict};

/// How often the same failing call is advised against, unless the host says otherwise.
const ADVISED: u32 = 3;

/// How long a failure is remembered: whatever made the call fail may be over then.
const REMEMBERED: Duration = Duration::from_secs(600);

/// How many tools of sessions are remembered at once.
const MOST_RECORDS: usize = 4_096;

/// How many calls of one tool are remembered, where one turn had several.
const MOST_CALLS: usize = 16;

/// Longer arguments are compared by their start and their length.
const COMPARED: usize = 1 << 20;

/// The failures on record.
pub(crate) struct Loops {
    /// How often a call is advised against; `None`: never stopped.
    advised: Option<u32>,
    /// Whether there is any: the one look of a call that has nothing to do with loops.
    any: AtomicBool,
    turns: AtomicU64,
    /// Keyed, so that no text can be made to be taken for another.
    hasher: RandomState,
    records: Mutex<Records>,
}

#[derive(Default)]
struct Records {
    tools: FxHashMap<u64, Record>,
    swept: Option<Instant>,
}

/// The last failures of one tool in one session: calls of one turn, since others replace them.
struct Record {
    at: Instant,
    /// The last turn that called it.
    turn: u64,
    calls: Vec<Failing>,
}

/// One call that failed.
struct Failing {
    arguments: u64,
    times: u32,
    /// With what it failed last.
    code: Code,
    /// The last turn that made it.
    turn: u64,
    /// The ids of the calls counted, where a host may make them again.
    made: Vec<Arc<str>>,
}

/// How often a call has failed, and with what last.
#[derive(Clone, Copy)]
struct Failed {
    times: u32,
    code: Code,
}

impl Loops {
    pub(crate) fn new(advised: Option<u32>) -> Self {
        Self {
            advised,
            any: AtomicBool::new(false),
            turns: AtomicU64::new(0),
            hasher: RandomState::new(),
            records: Mutex::default(),
        }
    }

    /// The guard unless the host says otherwise.
    pub(crate) const fn usual() -> Option<u32> {
        Some(ADVISED)
    }

    /// A number that no other turn has.
    pub(crate) fn turn(&self) -> u64 {
        self.turns.fetch_add(1, Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn on_record(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Records> {
        // Each change leaves the records whole.
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Under what the tool's failures are on record: what the caller calls it, where that may not know
    /// whether it is there.
    fn key(&self, trail: &Trail<'_>) -> u64 {
        let context = trail.context;
        let known = trail.entry().map(|entry| (entry.spec().name(), entry.set()));
        // What isn't there isn't there for those of one set.
        let (tool, set) = known.unwrap_or((trail.call.name(), trail.set.number()));
        let call = (known.is_some(), tool, set, context.principal_name());
        match context.session_id() {
            Some(session) => self.hasher.hash_one((call, session)),
            None => self.hasher.hash_one((call, context.lineage())),
        }
    }

    /// By what the call is the same as another of its tool.
    fn arguments(&self, trail: &Trail<'_>) -> u64 {
        let text: &str = &trail.call.arguments;
        if text.len() <= COMPARED {
            return self.hasher.hash_one(canonical(text));
        }
        self.hasher.hash_one((text.len(), &text.as_bytes()[..COMPARED]))
    }

    /// The turn that the call belongs to; one that was made alone is a turn of its own.
    pub(super) fn turn_of(&self, trail: &Trail<'_>) -> u64 {
        let numbered = |turn: u64| turn ^ (1 << 63);
        match (trail.context.turn_number(), trail.place) {
            (Some(turn), _) => numbered(turn),
            (None, Place::InTurn(_, turn)) => turn,
            (None, _) => self.turn(),
        }
    }
}

impl Engine {
    /// The reply to a call that has failed too often, instead of running it; `None` where it may run.
    #[cold]
    pub(super) fn looped(&self, trail: &mut Trail<'_>) -> Option<Box<ToolReply>> {
        let advised = self.loops.advised.filter(|_| is_guarded(trail))?;
        let (key, now) = (self.loops.key(trail), trail.started);
        if !self.loops.lock().has(key, now) {
            return None;
        }
        // Not under the lock, since they may be long.
        let arguments = self.loops.arguments(trail);
        let known = trail.place.is_counted(trail.context, trail.call);
        let made = known.then(|| trail.id(&self.minter));
        let failed = self.loops.lock().failed(key, arguments, made.as_deref())?;
        if failed.times <= advised {
            return None;
        }
        trail.find(Finding::new(Verdict::Deny, "loop guard", format!("it {}", failed.words())));
        let name = trail.entry().map_or(trail.call.name(), |entry| entry.spec().name());
        let text = format!(
            "`{}` was not run: this same call {} and isn't run any more; {}",
            visible(&excerpt(name, 128), false),
            failed.words(),
            failed.hint()
        );
        Some(Box::new(ToolReply::not_run(Code::LoopStopped, text)))
    }

    /// Takes note of how a call ended, and advises against the next like it.
    #[cold]
    pub(super) fn note_end(&self, trail: &mut Trail<'_>, reply: &mut ToolReply) {
        let Some(advised) = self.loops.advised else { return };
        let code = reply.code;
        if reply.is_replay() || code == Code::LoopStopped || trail.context.depth() > 0 {
            return;
        }
        let (key, now) = (self.loops.key(trail), Instant::now());
        if matches!(code, Code::Ok | Code::NeedsConfirmation) {
            return self.loops.forget(key);
        }
        if !is_guarded(trail) || !(code.counts_as_failure() || self.loops.lock().has(key, now)) {
            return;
        }
        let (arguments, turn) = (self.loops.arguments(trail), self.loops.turn_of(trail));
        let known = trail.place.is_counted(trail.context, trail.call);
        let made = known.then(|| trail.id(&self.minter));
        let mut records = self.loops.lock();
        if !code.counts_as_failure() {
            return records.others_than(key, arguments, turn);
        }
        records.sweep(now);
        let failing = Failing { arguments, times: 1, code, turn, made: made.into_iter().collect() };
        let times = records.fails(key, now, failing);
        self.loops.any.store(true, Ordering::Relaxed);
        drop(records);
        if times < 2 {
            return;
        }
        if let Text::Engine(text) = &mut reply.text {
            let failed = Failed { times, code };
            let last = if times > advised { "; it won't be run as it is" } else { "" };
            text.to_mut().push_str(&format!(
                "\nthis same call {}; don't make it again{last}; {}",
                failed.words(),
                failed.hint()
            ));
        }
    }
}

/// Whether the call is one whose repetition is a model's: what people and plans repeat they mean to, and
/// what a body does, the call around it answers for. Nothing else is known of a tool that isn't there.
fn is_guarded(trail: &Trail<'_>) -> bool {
    let context = trail.context;
    context.origin() == Origin::Model
        && context.depth() == 0
        && !trail.entry().is_some_and(|entry| entry.spec().polling())
}

impl Loops {
    /// Forgets what failed of a tool.
    fn forget(&self, key: u64) {
        let mut records = self.lock();
        records.tools.remove(&key);
        if records.tools.is_empty() {
            self.any.store(false, Ordering::Relaxed);
        }
    }
}

impl Records {
    fn has(&mut self, key: u64, now: Instant) -> bool {
        let is_old = |record: &Record| now.saturating_duration_since(record.at) >= REMEMBERED;
        if self.tools.get(&key).is_some_and(is_old) {
            self.tools.remove(&key);
        }
        self.tools.contains_key(&key)
    }

    /// How often the call has failed; `None` where it hasn't, or is one of those that did.
    fn failed(&self, key: u64, arguments: u64, made: Option<&str>) -> Option<Failed> {
        let record = self.tools.get(&key)?;
        let call = record.calls.iter().find(|call| call.arguments == arguments)?;
        let is_one = made.is_some_and(|made| call.made.iter().any(|id| **id == *made));
        (!is_one).then_some(Failed { times: call.times, code: call.code })
    }

    /// Counts a failure; how many the call has now.
    fn fails(&mut self, key: u64, at: Instant, failing: Failing) -> u32 {
        if !self.tools.contains_key(&key) {
            self.make_room();
        }
        let record = self.tools.entry(key).or_insert_with(|| Record::new(at, failing.turn));
        record.at = at;
        record.enter(failing.arguments, failing.turn);
        let known = record.calls.iter().position(|call| call.arguments == failing.arguments);
        let Some(known) = known else {
            let times = failing.times;
            if record.calls.len() < MOST_CALLS {
                record.calls.push(failing);
            }
            return times;
        };
        let call = &mut record.calls[known];
        (call.code, call.turn) = (failing.code, failing.turn);
        if !failing.made.iter().any(|made| call.made.contains(made)) {
            call.times = call.times.saturating_add(1);
            if call.made.len() < MOST_CALLS {
                call.made.extend(failing.made);
            }
        }
        call.times
    }

    /// Other arguments begin anew, however they end.
    fn others_than(&mut self, key: u64, arguments: u64, turn: u64) {
        if let Some(record) = self.tools.get_mut(&key) {
            record.enter(arguments, turn);
        }
    }

    /// Now and then, lets go what is too old.
    fn sweep(&mut self, now: Instant) {
        let since = |at: Instant| now.saturating_duration_since(at);
        if since(*self.swept.get_or_insert(now)) >= REMEMBERED {
            self.swept = Some(now);
            self.tools.retain(|_, record| since(record.at) < REMEMBERED);
        }
    }

    /// A place for one more, for which the oldest goes.
    fn make_room(&mut self) {
        if self.tools.len() >= MOST_RECORDS
            && let Some(oldest) =
                self.tools.iter().min_by_key(|(_, record)| record.at).map(|(key, _)| *key)
        {
            self.tools.remove(&oldest);
        }
    }
}

impl Record {
    fn new(at: Instant, turn: u64) -> Self {
        Self { at, turn, calls: Vec::new() }
    }

    /// A call of these arguments came in this turn. What the turn before didn't repeat is forgotten; and
    /// with other arguments all but what the same turn holds beside them.
    fn enter(&mut self, arguments: u64, turn: u64) {
        if self.turn != turn {
            let last = std::mem::replace(&mut self.turn, turn);
            self.calls.retain(|call| call.turn == last);
        }
        if !self.calls.iter().any(|call| call.arguments == arguments) {
            self.calls.retain(|call| call.turn == turn);
        }
    }
}

impl Failed {
    fn words(self) -> String {
        format!("has failed {} times", self.times)
    }

    /// What to do instead.
    fn hint(self) -> &'static str {
        match self.code {
            Code::UnknownTool => "call a tool that is there, or go on without it",
            Code::MalformedArguments | Code::InvalidArguments | Code::IncompleteCall => {
                "change the arguments, or go on without it"
            }
            Code::Denied | Code::NoApprover | Code::Rejected | Code::Withdrawn => {
                "it stays refused, so go on without it, or say what you can't do"
            }
            _ => "use other arguments or another tool, or say what is in the way",
        }
    }
}
