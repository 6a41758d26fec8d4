//! The grants of one session, and which calls they answer. Built from a question, never from what a
//! client writes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::approval::Rung;
use crate::context::Origin;
use crate::event::Grant;

/// How many grants a session keeps.
pub(crate) const MOST: usize = 256;

/// A call as grants see it.
pub(crate) struct Question {
    /// The digest of the tool's source and of everything that it states.
    pub(crate) tool: String,
    pub(crate) origin: Origin,
    pub(crate) principal: Option<Arc<str>>,
    /// Who asks for a person, each as often as it does.
    pub(crate) askers: Vec<String>,
    /// The digest of exactly what would run.
    pub(crate) binding: String,
    /// The final arguments by their declared names, each as canonical JSON.
    pub(crate) arguments: Vec<Argument>,
}

/// One argument, as grants compare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Its elements, where it is a list of targets.
    pub(crate) targets: Option<Vec<String>>,
}

/// What a grant covers.
enum Covered {
    Exact(String),
    Arguments(Vec<Argument>),
    Tool,
}

/// A grant with what it is compared by.
pub(crate) struct Held {
    pub(crate) grant: Arc<Grant>,
    tool: String,
    askers: Vec<String>,
    covered: Covered,
    /// When its time is up here, whatever the clock on the wall is set to; `None` where that is beyond
    /// what can be counted.
    until: Option<Instant>,
    /// Whether it answers anything yet.
    live: bool,
}

impl Held {
    /// The grant on this rung of a question; `None` where the question has no such arguments.
    pub(crate) fn of(
        question: &Question,
        rung: &Rung,
        grant: Arc<Grant>,
        time: Duration,
    ) -> Option<Self> {
        let covered = match rung {
            Rung::Exact => Covered::Exact(question.binding.clone()),
            Rung::Tool => Covered::Tool,
            Rung::Arguments(names) => {
                let chosen = |held: &&Argument| names.contains(&held.name);
                let arguments: Vec<_> = question.arguments.iter().filter(chosen).cloned().collect();
                let has = |name: &String| arguments.iter().any(|held| held.name == *name);
                if arguments.is_empty() || !names.iter().all(has) {
                    return None;
                }
                Covered::Arguments(arguments)
            }
        };
        let (tool, askers) = (question.tool.clone(), question.askers.clone());
        let until = Instant::now().checked_add(time);
        Some(Self { grant, tool, askers, covered, until, live: false })
    }

    fn is_expired(&self, now: SystemTime) -> bool {
        now >= self.grant.expires || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether it was given for such a call, whatever the arguments.
    fn is_for(&self, question: &Question, now: SystemTime) -> bool {
        self.live
            && !self.is_expired(now)
            && self.tool == question.tool
            && self.grant.origin == question.origin
            && self.grant.principal == question.principal
            && all_among(&question.askers, &self.askers)
    }

    /// The targets that it adds to others of its kind: where one argument alone is a list of them, and
    /// all else that it names is as in the call.
    fn targets<'h>(&'h self, question: &Question) -> Option<(&'h Argument, &'h [String])> {
        let Covered::Arguments(chosen) = &self.covered else { return None };
        let mut lists = chosen.iter().filter(|argument| argument.targets.is_some());
        let (list, None) = (lists.next()?, lists.next()) else { return None };
        let mut others = chosen.iter().filter(|argument| argument.name != list.name);
        let same = others.all(|argument| question.arguments.contains(argument));
        same.then_some((list, list.targets.as_deref()?))
    }

    fn covers(&self, question: &Question, all: &[&Self]) -> bool {
        match &self.covered {
            Covered::Exact(binding) => *binding == question.binding,
            Covered::Tool => true,
            Covered::Arguments(chosen) => {
                if chosen.iter().all(|argument| question.arguments.contains(argument)) {
                    return true;
                }
                let Some((list, _)) = self.targets(question) else { return false };
                let missing = missing(question, &list.name, all);
                missing.is_some_and(|missing| missing.is_empty())
            }
        }
    }
}

/// The targets of a call that no grant names; `None` where it has none at all.
fn missing(question: &Question, name: &str, all: &[&Held]) -> Option<Vec<String>> {
    let called = question.arguments.iter().find(|argument| argument.name == name)?;
    let targets = called.targets.as_ref().filter(|targets| !targets.is_empty())?;
    let granted: Vec<&[String]> = all
        .iter()
        .filter_map(|held| held.targets(question))
        .filter(|(list, _)| list.name == name)
        .map(|(_, targets)| targets)
        .collect();
    let is_granted = |target: &&String| granted.iter().any(|targets| targets.contains(target));
    Some(targets.iter().filter(|target| !is_granted(target)).cloned().collect())
}

/// Whether each of these is among the others, as often as it is here.
fn all_among(these: &[String], others: &[String]) -> bool {
    let count = |list: &[String], item: &String| list.iter().filter(|held| *held == item).count();
    these.iter().all(|item| count(these, item) <= count(others, item))
}

/// The grants of one session.
#[derive(Default)]
pub(crate) struct Grants(Mutex<Vec<Held>>);

impl Grants {
    fn lock(&self) -> MutexGuard<'_, Vec<Held>> {
        // Each change leaves the list whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The grant that answers a call.
    pub(crate) fn covering(&self, question: &Question, now: SystemTime) -> Option<Arc<Grant>> {
        let held = self.lock();
        let all: Vec<&Held> = held.iter().filter(|held| held.is_for(question, now)).collect();
        let found = all.iter().find(|held| held.covers(question, &all))?;
        Some(Arc::clone(&found.grant))
    }

    /// The targets of a call that aren't granted, by name of the argument, where others of it are.
    pub(crate) fn missing(
        &self,
        question: &Question,
        now: SystemTime,
    ) -> Vec<(String, Vec<String>)> {
        let held = self.lock();
        let all: Vec<&Held> = held.iter().filter(|held| held.is_for(question, now)).collect();
        let lists = question.arguments.iter().filter(|argument| argument.targets.is_some());
        lists
            .filter_map(|list| {
                let missing = missing(question, &list.name, &all)?;
                let some = missing.len() < list.targets.as_ref()?.len();
                some.then(|| (list.name.clone(), missing))
            })
            .collect()
    }

    /// Whether there is room for one more.
    pub(crate) fn has_room(&self, now: SystemTime) -> bool {
        self.lock().iter().filter(|held| !held.is_expired(now)).count() < MOST
    }

    /// Keeps a grant that answers nothing yet; false where there is no room.
    pub(crate) fn keep(&self, held: Held, now: SystemTime) -> bool {
        let mut all = self.lock();
        all.retain(|held| !held.is_expired(now));
        let room = all.len() < MOST;
        if room {
            all.push(held);
        }
        room
    }

    /// Lets a grant that is kept answer from now on.
    pub(crate) fn begin(&self, id: &str) {
        if let Some(held) = self.lock().iter_mut().find(|held| *held.grant.id == *id) {
            held.live = true;
        }
    }

    /// Whether a grant still answers.
    pub(crate) fn has(&self, id: &str, now: SystemTime) -> bool {
        self.lock().iter().any(|held| held.live && *held.grant.id == *id && !held.is_expired(now))
    }

    /// Takes a grant back, if it still answers.
    pub(crate) fn revoke(&self, id: &str, now: SystemTime) -> Option<Arc<Grant>> {
        let mut all = self.lock();
        let at = all.iter().position(|held| *held.grant.id == *id)?;
        let held = all.remove(at);
        (held.live && !held.is_expired(now)).then_some(held.grant)
    }

    /// Those that answer now, in the order in which they were given.
    pub(crate) fn list(&self, now: SystemTime) -> Vec<Arc<Grant>> {
        let held = self.lock();
        let live = held.iter().filter(|held| held.live && !held.is_expired(now));
        live.map(|held| Arc::clone(&held.grant)).collect()
    }
}
