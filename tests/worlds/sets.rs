//! Which tool a name means, once more: one of the toolkit's, of a child, or of a child of that.

use crate::tools;
use crate::world::{Facts, Own, World};

/// The tools that came while the toolkit ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sets {
    held: Vec<Own>,
    /// From which level on everything has ended.
    ended: Option<usize>,
}

impl Sets {
    /// Takes a tool in, unless its name is taken there and it may not stand in another's place.
    pub(crate) fn load(&mut self, world: &World, own: &Own) -> bool {
        let taken = self.own(own.name, own.level).is_some();
        let below = match own.level {
            0 => tools::facts(own.name, &world.typed),
            level => self.seen(world, own.name, level - 1),
        };
        let may = own.level > 0 && world.nest.may.contains(&(own.level, own.name));
        let free = !taken && (below.is_none() || may);
        if free {
            self.held.push(own.clone());
        }
        free
    }

    pub(crate) fn unload(&mut self, level: usize, name: &str) {
        self.held.retain(|own| (own.level, own.name) != (level, name));
    }

    /// Ends what stands at this level and above it.
    pub(crate) fn end(&mut self, level: usize) {
        self.ended = Some(self.ended.map_or(level, |ended| ended.min(level)));
    }

    pub(crate) fn has_ended(&self, level: usize) -> bool {
        self.ended.is_some_and(|ended| level >= ended)
    }

    /// The tool of this name as the caller's handle has it.
    pub(crate) fn facts(&self, world: &World, name: &str) -> Option<Facts> {
        self.seen(world, name, world.nest.depth)
    }

    fn own(&self, name: &str, level: usize) -> Option<&Own> {
        self.held.iter().find(|own| own.name == name && own.level == level)
    }

    /// The tool of this name as it is seen from this level.
    fn seen(&self, world: &World, name: &str, level: usize) -> Option<Facts> {
        if self.has_ended(level) {
            return None;
        }
        let may = world.nest.may.contains(&(level, name));
        let own = self.own(name, level).map(|own| Facts {
            name: own.name,
            levels: own.levels.clone(),
            flag: None,
            scopes: &[],
            hosts: &[],
            calls_on: false,
            own: Some(level),
            shadow: level > 0 && may,
        });
        let below = match level {
            0 => tools::facts(name, &world.typed),
            _ => self.seen(world, name, level - 1),
        };
        // What the level below has is its own, unless it may be shadowed.
        match (own, below) {
            (Some(own), None) => Some(own),
            (Some(own), Some(_)) if may => Some(own),
            (_, below) => below,
        }
    }
}
