//! The checked set of tools: who they are, found by one hash, read without a lock.

mod collect;
mod entry;
#[cfg(feature = "jsonschema")]
mod given;
mod known;
mod problem;
mod typed;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

pub(crate) use collect::{
    Hostings, Loading, Making, Selection, States, collect, function, listed_for,
    typed as typed_entry,
};
pub(crate) use entry::{Attached, Delivers, Entry};
#[cfg(feature = "jsonschema")]
pub use given::SchemaTool;
pub(crate) use known::Known;
pub use problem::{BuildError, BuildProblem};
pub use typed::TypedTool;

use crate::name::Name;
use crate::order;

/// One immutable state of the set; a change makes a new one.
pub(crate) struct Registry {
    /// In order of names, so that the catalog's bytes don't depend on link order.
    entries: Vec<Arc<Entry>>,
    /// Tool names and wire names alike.
    /// Looked up with names that a model chose, but filled only with ours: a hash that can't be
    /// attacked by filling it is enough.
    index: FxHashMap<Name, Arc<Entry>>,
    /// The flags that any tool has, in alphabetical order.
    flags: Vec<Box<str>>,
    generation: u64,
}

impl Registry {
    /// The entries' names are distinct: whoever makes it sees to that.
    pub(crate) fn new(mut entries: Vec<Arc<Entry>>) -> Self {
        static STATES: AtomicU64 = AtomicU64::new(0);
        order::sort_by(&mut entries, |a, b| a.spec().name.cmp(&b.spec().name));
        let mut index = FxHashMap::with_capacity_and_hasher(entries.len() * 2, Default::default());
        for entry in &entries {
            index.insert(entry.spec().wire.clone(), Arc::clone(entry));
            index.insert(entry.spec().name.clone(), Arc::clone(entry));
        }
        let mut flags: Vec<Box<str>> =
            entries.iter().filter_map(|entry| entry.spec().flag()).map(Into::into).collect();
        order::sort_by(&mut flags, Ord::cmp);
        flags.dedup();
        let generation = STATES.fetch_add(1, Ordering::Relaxed);
        Self { entries, index, flags, generation }
    }

    /// The tool of this name or wire name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.index.get(name)
    }

    /// Every tool, in order of names.
    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// The flags that any tool has, in alphabetical order.
    pub(crate) fn flags(&self) -> &[Box<str>] {
        &self.flags
    }

    /// A number that no other state of any set has.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }
}
