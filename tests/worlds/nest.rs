//! The children of a world's toolkit, and what changes in them between its calls.

use toolkit::prelude::*;
use toolkit::{Builder, Registered};

use crate::past::Past;
use crate::tools::{self, Ledger};
use crate::world::{Level, Own, Step, World};

/// The level that the tools of the child beside the others are of.
const BESIDE: usize = 9;

/// The handles of a toolkit and its children, and the guards of their tools.
pub(crate) struct Handles {
    /// By level.
    levels: [Option<Toolkit>; 3],
    held: Vec<(usize, &'static str, Registered)>,
    /// A child that is called by nobody, and that nobody may notice.
    _beside: Option<(Toolkit, Vec<Registered>)>,
}

impl Handles {
    /// With what is added at the beginning.
    pub(crate) fn new(
        world: &World,
        builder: Builder,
        ledger: &Ledger,
        past: &mut Past,
    ) -> Result<Self, String> {
        let root = builder.build().map_err(|error| format!("{}{error}", crate::play::SENSELESS))?;
        let may = |level: usize| {
            world.nest.may.iter().filter(move |(of, _)| *of == level).map(|(_, name)| *name)
        };
        let child = root.child_shadowing(may(1));
        let inner = child.child_shadowing(may(2));
        let beside = world.nest.sibling.then(|| {
            let beside = root.child_shadowing(tools::NAMES);
            let own = |name| Own { level: BESIDE, name, levels: vec![Level::Read] };
            let tools = tools::NAMES.map(|name| tools::own(&own(name), ledger));
            beside.ceiling(Risk::Read);
            // Not one that lacks what a rule on its name asks for.
            let held = tools.into_iter().filter_map(|tool| beside.register_typed(tool).ok());
            let held = held.collect();
            (beside, held)
        });
        for (handle, ceiling) in [&root, &child, &inner].into_iter().zip(world.nest.ceilings) {
            if let Some(ceiling) = ceiling {
                handle.ceiling(tools::risk(ceiling));
            }
        }
        let levels = [Some(root), Some(child), Some(inner)];
        let mut handles = Self { levels, held: Vec::new(), _beside: beside };
        for own in &world.nest.own {
            handles.step(world, ledger, past, &Step::Load(own.clone()))?;
        }
        Ok(handles)
    }

    /// The toolkit itself.
    pub(crate) fn root(&self) -> &Toolkit {
        self.levels[0].as_ref().unwrap()
    }

    /// The one that is called.
    pub(crate) fn called(&self, world: &World) -> &Toolkit {
        self.levels[world.nest.depth].as_ref().unwrap()
    }

    /// What changes before this call.
    pub(crate) fn before(
        &mut self,
        call: usize,
        world: &World,
        ledger: &Ledger,
        past: &mut Past,
    ) -> Result<(), String> {
        let mut steps = world.nest.steps.iter().filter(|(before, _)| *before == call);
        steps.try_for_each(|(_, step)| self.step(world, ledger, past, step))
    }

    fn step(
        &mut self,
        world: &World,
        ledger: &Ledger,
        past: &mut Past,
        step: &Step,
    ) -> Result<(), String> {
        match step {
            Step::Load(own) => {
                let handle = self.levels[own.level].as_ref();
                let Some(handle) = handle.filter(|_| !past.sets.has_ended(own.level)) else {
                    return Ok(());
                };
                let added = handle.register_typed(tools::own(own, ledger));
                let taken_in = past.sets.load(world, own);
                if added.is_ok() != taken_in {
                    return Err(format!("{own:?} should be taken in: {taken_in}; it is {added:?}"));
                }
                self.held.extend(added.ok().map(|added| (own.level, own.name, added)));
            }
            Step::Unload(level, name) => {
                self.held.retain(|(of, held, _)| (of, held) != (level, name));
                past.sets.unload(*level, name);
            }
            Step::End => {
                let level = if world.nest.depth == 2 { 1 } else { 2 };
                if level != world.nest.depth {
                    self.levels[level] = None;
                    past.sets.end(level);
                }
            }
        }
        Ok(())
    }
}
