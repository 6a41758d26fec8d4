//! How the set changes while the toolkit runs: tools come, one or several at once, and go with a guard.

use std::any::{TypeId, type_name};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Weak};

use super::declared::check_targets;
use super::front::{Inner, Toolkit};
use crate::event::Event;
use crate::pipeline::take_in;
use crate::registry::{
    self, BuildError, BuildProblem, Entry, Loading, Making, TypedTool, listed_for,
};
use crate::spec::ToolSpec;
use crate::toolset::Toolset;

impl Toolkit {
    /// Adds an annotated function while the toolkit runs, for as long as the guard lives.
    ///
    /// # Errors
    /// [`BuildError`], as at the start: the function is no tool, a state is missing, the name is
    /// taken, a rule asks for an argument that it hasn't.
    pub fn register<F: 'static>(&self, _function: F) -> Result<Registered, BuildError> {
        let (id, name) = (TypeId::of::<F>(), type_name::<F>());
        self.add(|making, problems| {
            registry::function(id, name, making, problems).into_iter().collect()
        })
        .map(Registered)
    }

    /// Adds a tool from a closure while the toolkit runs, for as long as the guard lives: a [`TypedTool`], or
    /// with the feature `jsonschema` a `SchemaTool`.
    ///
    /// # Errors
    /// [`BuildError`], as at the start.
    pub fn register_typed(&self, tool: impl Into<TypedTool>) -> Result<Registered, BuildError> {
        let tool = tool.into();
        self.add(|making, problems| vec![registry::typed_entry(tool, making, problems)])
            .map(Registered)
    }

    /// Adds the tools of a [`#[toolset]`](macro@crate::toolset), which share this value, for as long as
    /// the guard lives. They come at once and go at once; nobody sees some of them.
    ///
    /// # Errors
    /// [`BuildError`] with every problem, as at the start, and then none of them is there: a state of
    /// a tool is missing, a name is taken, as by another value of the same toolset, a rule asks for
    /// an argument that a tool hasn't.
    pub fn load<T: Toolset>(&self, value: T) -> Result<Loaded, BuildError> {
        let loading = Loading::new(value);
        self.add(|making, problems| loading.entries(making, problems)).map(Loaded)
    }

    fn add(
        &self,
        make: impl FnOnce(Making<'_>, &mut Vec<BuildProblem>) -> Vec<Arc<Entry>>,
    ) -> Result<Added, BuildError> {
        let engine = self.engine();
        let mut problems = Vec::new();
        let lot = RandomState::new().hash_one("toolkit lot").max(1);
        let is_shadow = |tool: &str| self.set().may_shadow(tool);
        let attach = |entry: &mut Entry, problems: &mut _| {
            let shadow = is_shadow(entry.spec().name());
            entry.note_added(self.set().number(), lot, shadow);
            take_in(&engine.rules, &engine.scenes, entry, problems);
            check_targets(&engine.targets, entry, problems);
        };
        // Those of its parent's tool were listed for another's code.
        let listed = |tool: &str| match is_shadow(tool) {
            true => Vec::new(),
            false => listed_for(&engine.hosts, tool),
        };
        let making = Making { states: &engine.states, listed: &listed, attach: &attach };
        let entries = make(making, &mut problems);
        if !problems.is_empty() {
            return Err(BuildError::new(problems));
        }
        self.set().add(&entries).map_err(BuildError::new)?;
        for entry in &entries {
            let (tool, source) = (entry.spec().name().into(), entry.spec().source());
            engine.registry_changed(&Event::Registered { tool, source });
        }
        Ok(Added { toolkit: Arc::downgrade(&self.inner), entries })
    }
}

/// Tools that go when it is dropped.
struct Added {
    toolkit: Weak<Inner>,
    entries: Vec<Arc<Entry>>,
}

impl Added {
    fn specs(&self) -> impl ExactSizeIterator<Item = &ToolSpec> {
        self.entries.iter().map(|entry| entry.spec())
    }
}

impl fmt::Debug for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.specs().map(ToolSpec::name)).finish()
    }
}

impl Drop for Added {
    fn drop(&mut self) {
        let Some(inner) = self.toolkit.upgrade() else { return };
        inner.tell_gone(&inner.set.remove(&self.entries));
    }
}

impl Inner {
    /// Tells of tools that were taken out.
    pub(super) fn tell_gone(&self, gone: &[Arc<Entry>]) {
        for entry in gone {
            let tool = entry.spec().name().into();
            self.engine.registry_changed(&Event::Unregistered { tool });
        }
    }
}

/// A tool that was added at run time. Dropping it takes the tool out; calls under way finish.
#[derive(Debug)]
#[must_use = "dropping the guard takes the tool out again"]
pub struct Registered(Added);

impl Registered {
    /// The tool's static facts.
    #[allow(clippy::expect_used)]
    pub fn spec(&self) -> &ToolSpec {
        // `register` and `register_typed` add exactly one.
        self.0.specs().next().expect("one tool was added")
    }
}

/// The tools of a toolset that was loaded. Dropping it takes all of them out; calls under way finish.
#[derive(Debug)]
#[must_use = "dropping the guard takes the tools out again"]
pub struct Loaded(Added);

impl Loaded {
    /// The static facts of its tools, in the order of the block.
    pub fn specs(&self) -> impl ExactSizeIterator<Item = &ToolSpec> {
        self.0.specs()
    }
}
