//! The sets of tools of one toolkit: its own, and above it those of its children, each of which sees what
//! its parent sees and what it has itself. What a set sees is made anew whenever anything below or in it
//! changes, so that a call finds its tool by one hash and asks no parent.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};

use super::running::{GRACE, Running};
use crate::registry::{BuildProblem, Entry, Registry};
use crate::risk::Risk;

/// One set of tools, as it is seen by a handle.
pub(crate) struct Set {
    /// What is seen from here.
    view: ArcSwap<Registry>,
    /// The calls that came through here.
    pub(crate) running: Running,
    /// By which what is bound to a tool of its own is bound to no other's: 0 for the toolkit's own set, and
    /// a number that no other set has, nor had in another process.
    number: u64,
    /// What it stands above; the toolkit's own set stands above none.
    parent: Option<Arc<Self>>,
    /// The names of its parent's tools that it may have itself.
    shadows: Vec<Box<str>>,
    /// The place of the highest risk that may be seen; beyond all of them where there is no ceiling.
    ceiling: AtomicUsize,
    own: Mutex<Own>,
    /// Held while any set of the family is changed; never while one is read.
    change: Arc<Mutex<()>>,
}

/// What a set has beside what it sees of its parent.
#[derive(Default)]
struct Own {
    entries: Vec<Arc<Entry>>,
    children: Vec<Weak<Set>>,
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change leaves what it guards whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Set {
    /// The toolkit's own.
    pub(crate) fn new(registry: Registry) -> Arc<Self> {
        let own = Own { entries: registry.entries().to_vec(), ..Own::default() };
        Arc::new(Self {
            view: ArcSwap::from_pointee(registry),
            running: Running::default(),
            number: 0,
            parent: None,
            shadows: Vec::new(),
            ceiling: AtomicUsize::new(usize::MAX),
            own: Mutex::new(own),
            change: Arc::default(),
        })
    }

    /// A set above this one, without tools of its own, that may have these names though this one has them.
    pub(crate) fn above(self: &Arc<Self>, shadows: Vec<Box<str>>) -> Arc<Self> {
        let changing = lock(&self.change);
        let mut own = lock(&self.own);
        let child = Arc::new(Self {
            view: ArcSwap::new(self.view.load_full()),
            running: self.running.above(),
            number: RandomState::new().hash_one("toolkit child").max(1),
            parent: Some(Arc::clone(self)),
            shadows,
            ceiling: AtomicUsize::new(usize::MAX),
            own: Mutex::new(Own { ended: own.ended, ..Own::default() }),
            change: Arc::clone(&self.change),
        });
        own.children.retain(|child| child.strong_count() > 0);
        own.children.push(Arc::downgrade(&child));
        drop((own, changing));
        child
    }

    /// What is seen now.
    #[inline]
    pub(crate) fn load(&self) -> Guard<Arc<Registry>> {
        self.view.load()
    }

    /// Whether it is the toolkit's own.
    pub(crate) fn is_first(&self) -> bool {
        self.parent.is_none()
    }

    /// By which its own tools are told from those of others.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether a tool of this name may stand here in the place of its parent's.
    pub(crate) fn may_shadow(&self, name: &str) -> bool {
        self.shadows.iter().any(|held| **held == *name)
    }

    /// It and all that it stands above.
    fn line(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |set| set.parent.as_deref())
    }

    /// Whether the tools of the set with this number may be seen from here.
    pub(crate) fn reaches(&self, number: u64) -> bool {
        self.line().any(|set| set.number == number)
    }

    /// Lowers the ceiling, and never raises it.
    pub(crate) fn lower(&self, ceiling: Risk) {
        self.ceiling.fetch_min(ceiling.index(), Ordering::SeqCst);
    }

    /// The highest risk that may be seen, where there is a ceiling: the lowest of its own and those of what
    /// it stands above.
    pub(crate) fn ceiling(&self) -> Option<Risk> {
        let lowest = self.line().map(|set| set.ceiling.load(Ordering::SeqCst)).min();
        Risk::ALL.get(lowest?).copied()
    }

    /// Takes these tools in, or says which of their names are taken.
    pub(crate) fn add(&self, added: &[Arc<Entry>]) -> Result<(), Vec<BuildProblem>> {
        let _changing = lock(&self.change);
        let mut problems = Vec::new();
        {
            let below = self.parent.as_ref().map(|parent| parent.load());
            let mut own = lock(&self.own);
            for (at, entry) in added.iter().enumerate() {
                let beside = own.entries.iter().chain(&added[..at]);
                let beside = beside.into_iter().find(|held| held.spec().clashes_with(entry.spec()));
                let below = below.as_ref().and_then(|below| self.taken(below, entry));
                if let Some(taken) = beside.or(below) {
                    problems.push(BuildProblem::Duplicate {
                        name: entry.spec().name().to_owned(),
                        first: taken.spec().source(),
                        second: entry.spec().source(),
                    });
                }
            }
            if !problems.is_empty() {
                return Err(problems);
            }
            own.entries.extend_from_slice(added);
        }
        self.renew();
        Ok(())
    }

    /// The tool of its parent that keeps this one from being seen.
    fn taken<'r>(&self, below: &'r Registry, entry: &Entry) -> Option<&'r Arc<Entry>> {
        let spec = entry.spec();
        let may =
            |held: &&Arc<Entry>| held.spec().name == spec.name && self.may_shadow(spec.name());
        [&spec.name, &spec.wire]
            .into_iter()
            .filter_map(|name| below.find(name))
            .find(|held| !may(held))
    }

    /// Takes these very tools out; those that were there.
    pub(crate) fn remove(&self, gone: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
        let _changing = lock(&self.change);
        let is_gone = |held: &mut Arc<Entry>| gone.iter().any(|entry| Arc::ptr_eq(held, entry));
        let removed: Vec<_> = lock(&self.own).entries.extract_if(.., is_gone).collect();
        if !removed.is_empty() {
            self.renew();
        }
        removed
    }

    /// Ends it and all above it: nothing is seen from there any more, neither their own tools nor what
    /// those stood before. The tools that they had.
    pub(crate) fn end(&self) -> Vec<Arc<Entry>> {
        let _changing = lock(&self.change);
        let mut gone = Vec::new();
        self.end_with(&mut gone);
        self.renew();
        gone
    }

    fn end_with(&self, gone: &mut Vec<Arc<Entry>>) {
        let mut own = lock(&self.own);
        own.ended = true;
        gone.append(&mut own.entries);
        own.children.iter().filter_map(Weak::upgrade).for_each(|child| child.end_with(gone));
    }

    /// Makes anew what is seen from here and from above; the family's lock is held.
    fn renew(&self) {
        let own = lock(&self.own);
        let view = match &self.parent {
            _ if own.ended => Arc::new(Registry::new(Vec::new())),
            None => Arc::new(Registry::new(own.entries.clone())),
            Some(parent) if own.entries.is_empty() => parent.view.load_full(),
            Some(parent) => {
                let below = parent.load();
                let mut entries = own.entries.clone();
                // A name that the parent has taken since then is the parent's.
                entries.retain(|entry| self.taken(&below, entry).is_none());
                let shadowed = |held: &Entry| {
                    entries.iter().any(|entry| entry.spec().name == held.spec().name)
                };
                let seen = below.entries().iter().filter(|held| !shadowed(held));
                let seen: Vec<_> = seen.cloned().collect();
                entries.extend(seen);
                Arc::new(Registry::new(entries))
            }
        };
        self.view.store(view);
        own.children.iter().filter_map(Weak::upgrade).for_each(|child| child.renew());
    }

    /// Refuses calls that come from here and from above, those too that wait to be started, and waits for
    /// those under way.
    pub(crate) async fn close(self: &Arc<Self>) {
        let family = self.refuse();
        loop {
            for set in &family {
                set.running.idle().await;
            }
            // A body may have called through another set meanwhile.
            if family.iter().all(|set| set.running.under_way() == 0) {
                return;
            }
        }
    }

    /// The same, and ends the bodies that still run after this time. How many calls go on all the same.
    pub(crate) async fn close_within(self: &Arc<Self>, time: Duration) -> usize {
        if tokio::time::timeout(time, self.close()).await.is_err() {
            self.running.end();
            // Whoever is late even so is counted.
            let _ = tokio::time::timeout(GRACE, self.close()).await;
        }
        self.refuse().iter().map(|set| set.running.under_way()).sum()
    }

    /// Refuses calls; it and all above it.
    fn refuse(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let _changing = lock(&self.change);
        let mut family = vec![Arc::clone(self)];
        let mut at = 0;
        while let Some(set) = family.get(at) {
            set.running.refuse();
            let above: Vec<_> = lock(&set.own).children.iter().filter_map(Weak::upgrade).collect();
            family.extend(above);
            at += 1;
        }
        family
    }
}
