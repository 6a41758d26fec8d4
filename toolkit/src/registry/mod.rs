//! The checked set of tools: who they are, found by one hash, read without a lock.

mod collect;
mod entry;
#[cfg(feature = "jsonschema")]
mod given;
mod problem;
mod typed;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub(crate) use collect::{
    Attach, Loading, Selection, States, collect, function, typed as typed_entry,
};
pub(crate) use entry::{Attached, Delivers, Entry};
#[cfg(feature = "jsonschema")]
pub use given::SchemaTool;
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
    index: FxHashMap<Name, usize>,
    /// The flags that any tool has, in alphabetical order.
    flags: Vec<Box<str>>,
    generation: u64,
}

impl Registry {
    /// The entries' names are distinct: [`collect`] and [`Registry::with`] see to it.
    pub(crate) fn new(mut entries: Vec<Arc<Entry>>, generation: u64) -> Self {
        order::sort_by(&mut entries, |a, b| a.spec().name.cmp(&b.spec().name));
        let mut index = FxHashMap::with_capacity_and_hasher(entries.len() * 2, Default::default());
        for (i, entry) in entries.iter().enumerate() {
            index.insert(entry.spec().wire.clone(), i);
            index.insert(entry.spec().name.clone(), i);
        }
        let mut flags: Vec<Box<str>> =
            entries.iter().filter_map(|entry| entry.spec().flag()).map(Into::into).collect();
        order::sort_by(&mut flags, Ord::cmp);
        flags.dedup();
        Self { entries, index, flags, generation }
    }

    /// The tool of this name or wire name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.index.get(name).map(|i| &self.entries[*i])
    }

    /// Every tool, in order of names.
    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// The flags that any tool has, in alphabetical order.
    pub(crate) fn flags(&self) -> &[Box<str>] {
        &self.flags
    }

    /// Counts the changes of the set.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// This set with these tools more, or every one of them whose name is taken.
    pub(crate) fn with(&self, added: &[Arc<Entry>]) -> Result<Self, Vec<BuildProblem>> {
        let mut problems = Vec::new();
        for (at, entry) in added.iter().enumerate() {
            let spec = entry.spec();
            let clashes =
                |held: &&Arc<Entry>| held.spec().name == spec.name || held.spec().wire == spec.wire;
            let held = self.find(&spec.name).or_else(|| self.find(&spec.wire));
            if let Some(taken) = held.or_else(|| added[..at].iter().find(clashes)) {
                problems.push(BuildProblem::Duplicate {
                    name: spec.name().to_owned(),
                    first: taken.spec().source(),
                    second: spec.source(),
                });
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let entries = self.entries.iter().chain(added).cloned().collect();
        Ok(Self::new(entries, self.generation + 1))
    }

    /// This set without these very tools.
    pub(crate) fn without(&self, gone: &[Arc<Entry>]) -> Self {
        let stays = |held: &&Arc<Entry>| !gone.iter().any(|entry| Arc::ptr_eq(held, entry));
        let entries = self.entries.iter().filter(stays).cloned().collect();
        Self::new(entries, self.generation + 1)
    }
}
