//! What a toolkit keeps of the sessions that calls belong to, in this process and no longer than they
//! live: how high they may reach, and what a person allowed in them. It decides nothing; the gate does.

mod grants;
mod names;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use grants::Grants;
pub(crate) use grants::{Argument, Held, Question};
use names::Names;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::risk::Risk;

/// What separates the name of a session from that of the one it belongs to.
const SEPARATOR: char = '/';

/// The sessions of one toolkit.
pub(crate) struct Sessions {
    /// Whether anything is kept of any session, or a set of tools has a ceiling: a call looks at nothing
    /// else until then.
    any: AtomicBool,
    table: RwLock<Table>,
}

struct Table {
    /// In order of names, so that those within one stand together.
    open: BTreeMap<Arc<str>, Arc<State>>,
    /// What must outlast a session: that it has ended, and that it has read untrusted data.
    ended: Names,
    tainted: Names,
}

/// What is kept of one session while it is open.
pub(crate) struct State {
    id: Arc<str>,
    /// The place of the highest risk that may be seen; beyond all of them where there is no ceiling.
    ceiling: AtomicU8,
    ended: AtomicBool,
    /// How many hold it; it ends with the last.
    handles: AtomicUsize,
    grants: Grants,
    /// The first untrusted data that reached it.
    tainted: OnceLock<Arc<str>>,
    /// Told when a grant was given, and at the end.
    changed: Notify,
}

/// How a session bounds a call that names it, those that it lies within included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The highest risk that may be seen.
    pub(crate) ceiling: Option<Risk>,
    /// Whether it has ended: nothing may be seen.
    pub(crate) ended: bool,
    /// Whether it has read untrusted data.
    pub(crate) tainted: bool,
}

impl State {
    fn new(id: Arc<str>) -> Self {
        Self {
            id,
            ceiling: AtomicU8::new(u8::MAX),
            ended: AtomicBool::new(false),
            handles: AtomicUsize::new(1),
            grants: Grants::default(),
            tainted: OnceLock::new(),
            changed: Notify::new(),
        }
    }

    pub(crate) fn grants(&self) -> &Grants {
        &self.grants
    }

    /// Resolves when the next grant is given, or it ends.
    pub(crate) fn changes(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Wakes the questions that wait in it.
    pub(crate) fn changed(&self) {
        self.changed.notify_waiters();
    }

    fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.changed();
    }

    pub(crate) fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Lowers the ceiling, and never raises it.
    pub(crate) fn lower(&self, ceiling: Risk) {
        let place = Risk::ALL.iter().position(|risk| *risk == ceiling);
        let place = place.and_then(|place| u8::try_from(place).ok()).unwrap_or_default();
        self.ceiling.fetch_min(place, Ordering::SeqCst);
    }

    /// Its own ceiling, whatever those above it say.
    fn ceiling(&self) -> Option<Risk> {
        Risk::ALL.get(usize::from(self.ceiling.load(Ordering::SeqCst))).copied()
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// One more handle; false where the last is gone already.
    fn hold(&self) -> bool {
        let more = |held: usize| held.checked_add(1).filter(|_| held > 0);
        self.handles.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok()
    }
}

impl Sessions {
    /// Sessions that are looked at from the first call on, where the policy asks for it.
    pub(crate) fn new(looked_at: bool) -> Self {
        let (ended, tainted) = (Names::new("ended"), Names::new("tainted"));
        let table = Table { open: BTreeMap::new(), ended, tainted };
        Self { any: AtomicBool::new(looked_at), table: RwLock::new(table) }
    }

    /// Whether anything is kept of any session.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Lets every call look from now on.
    pub(crate) fn look(&self) {
        self.any.store(true, Ordering::SeqCst);
    }

    fn read(&self) -> RwLockReadGuard<'_, Table> {
        // Each change leaves the table whole.
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session, or finds the open one of this name; one more handle either way.
    pub(crate) fn open(&self, id: Arc<str>) -> Arc<State> {
        let mut table = self.write();
        self.any.store(true, Ordering::SeqCst);
        if let Some(state) = table.open.get(&id) {
            if state.hold() {
                return Arc::clone(state);
            }
            // Its last handle is being dropped, and only waits for the table.
            let state = Arc::clone(state);
            table.end(&state);
        }
        table.ended.forget(&id);
        let state = State::new(Arc::clone(&id));
        if table.tainted.have(&id, true) {
            // Whoever goes on under that name has read what was read under it.
            let _ = state.tainted.set("what was read under its name before".into());
        }
        let state = Arc::new(state);
        table.open.insert(id, Arc::clone(&state));
        state
    }

    /// Opens a session within another; one within a session that has ended has ended as well.
    pub(crate) fn open_within(&self, outer: &State, name: &str) -> Arc<State> {
        let id: Arc<str> = format!("{}{SEPARATOR}{name}", outer.id).into();
        if outer.is_ended() {
            let state = State::new(id);
            state.ended.store(true, Ordering::SeqCst);
            return Arc::new(state);
        }
        self.open(id)
    }

    /// One more handle of a session that has one.
    pub(crate) fn hold(&self, state: &State) {
        state.hold();
    }

    /// One handle less: the last ends the session. All that have ended with it.
    pub(crate) fn release(&self, state: &Arc<State>) -> Vec<Arc<State>> {
        if state.handles.fetch_sub(1, Ordering::SeqCst) == 1 { self.end(state) } else { Vec::new() }
    }

    /// Ends a session and all within it: all that have ended just now.
    pub(crate) fn end(&self, state: &Arc<State>) -> Vec<Arc<State>> {
        self.write().end(state)
    }

    /// The open session of this name.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<State>> {
        self.read().open.get(id).cloned()
    }

    /// The open sessions that the one of this name lies within.
    pub(crate) fn around(&self, id: &str) -> Vec<Arc<str>> {
        if !self.any() {
            return Vec::new();
        }
        let table = self.read();
        let around = line(id).skip(1).filter_map(|name| table.open.get(name));
        around.map(|state| Arc::clone(state.id())).collect()
    }

    /// Marks a session as one that untrusted data has reached, and those that it lies within: what one
    /// reads, it hands on.
    pub(crate) fn taint(&self, id: &str, source: &Arc<str>) {
        if self.any() && self.is_marked(id) {
            return;
        }
        let mut table = self.write();
        self.any.store(true, Ordering::SeqCst);
        for name in line(id) {
            if let Some(state) = table.open.get(name) {
                // The first is the reason.
                let _ = state.tainted.set(Arc::clone(source));
            }
        }
        if !table.open.contains_key(id) {
            table.tainted.add(id);
        }
    }

    /// Whether nothing is left to be marked.
    fn is_marked(&self, id: &str) -> bool {
        let table = self.read();
        line(id).all(|name| match table.open.get(name) {
            Some(state) => state.tainted.get().is_some(),
            None => name != id || table.tainted.have(name, false),
        })
    }

    /// What first reached the session of this name, or one that it lies within, where that is known.
    pub(crate) fn taint_of(&self, id: &str) -> Option<Arc<str>> {
        let table = self.read();
        line(id).find_map(|name| table.open.get(name)?.tainted.get().cloned())
    }

    /// How the session of this name bounds a call.
    pub(crate) fn bound(&self, id: &str) -> Bound {
        let (table, mut bound) = (self.read(), Bound::default());
        for name in line(id) {
            match table.open.get(name) {
                Some(state) => {
                    let lower = [bound.ceiling, state.ceiling()].into_iter().flatten().min();
                    bound.ceiling = lower;
                    bound.ended |= state.is_ended();
                    bound.tainted |= state.tainted.get().is_some();
                }
                // Of those it lies within, which may never have been sessions, only what is known counts.
                None => {
                    bound.ended |= table.ended.have(name, name == id);
                    bound.tainted |= table.tainted.have(name, name == id);
                }
            }
        }
        bound
    }
}

impl Table {
    fn end(&mut self, state: &Arc<State>) -> Vec<Arc<State>> {
        // Another session may have its name by now.
        match self.open.get(state.id()) {
            Some(held) if Arc::ptr_eq(held, state) => {}
            _ => return Vec::new(),
        }
        let within = format!("{}{SEPARATOR}", state.id());
        let from = (std::ops::Bound::Included(within.as_str()), std::ops::Bound::Unbounded);
        let from = self.open.range::<str, _>(from);
        let mut gone: Vec<Arc<State>> = from
            .map(|(_, state)| state)
            .take_while(|state| state.id().starts_with(&within))
            .cloned()
            .collect();
        gone.push(Arc::clone(state));
        for state in &gone {
            state.end();
            self.open.remove(state.id());
            self.ended.add(state.id());
            if state.tainted.get().is_some() {
                self.tainted.add(state.id());
            }
        }
        gone
    }
}

/// The name of a session, and those of all that it lies within.
fn line(id: &str) -> impl Iterator<Item = &str> {
    let above = id.match_indices(SEPARATOR).map(|(at, _)| &id[..at]);
    std::iter::once(id).chain(above)
}
