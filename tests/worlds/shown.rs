//! A world as people read it, when one has failed.

use std::fmt;

use crate::world::{EVERYBODY, LEVELS, World};

/// A line for each thing.
impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            table,
            tainted,
            rules,
            guards,
            rewrite,
            person,
            hosts,
            budget,
            rates,
            flags,
            typed,
            held,
            scenes,
            nest,
            caller,
            door,
            tool,
            given,
        } = self;
        writeln!(f, "table, by {EVERYBODY:?}, of {LEVELS:?}:")?;
        table.iter().try_for_each(|row| writeln!(f, "    {row:?}"))?;
        writeln!(f, "tainted {tainted:?}")?;
        rules.iter().try_for_each(|rule| writeln!(f, "{rule:?}"))?;
        guards.iter().try_for_each(|guard| writeln!(f, "{guard:?}"))?;
        writeln!(f, "rewrite {rewrite:?}\nperson {person:?}\nhosts {hosts:?}\nflags {flags:?}")?;
        writeln!(f, "budget {budget:?}\nrates {rates:?}")?;
        writeln!(f, "scenes {scenes:?}\n{nest:?}")?;
        writeln!(f, "typed {typed:?}\n{held:?}\n{caller:?}\n{door:?}\ntool {tool}\n{given:?}")
    }
}
