//! What a caller may see of the tools, once more.

use crate::oracle::{Reason, reason};
use crate::past::Past;
use crate::rules;
use crate::world::{Facts, Flags, Level, V, Who, World};

/// The caller, as the way in leaves it: the read-only exit is a model's, and goes no higher than read.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) who: Who,
    pub(crate) ceiling: Option<Level>,
}

pub(crate) fn caller(world: &World) -> Caller {
    if world.door.read_only {
        return Caller { who: Who::Model, ceiling: Some(Level::Read) };
    }
    Caller { who: world.caller.who, ceiling: world.caller.ceiling }
}

/// What makes a tool invisible to a caller: in this order their codes are told.
pub(crate) fn invisible(world: &World, by: Caller, tool: &Facts, past: &Past) -> Vec<Reason> {
    let mut against = Vec::new();
    let mut hide = |source: &str, code| {
        against.push(Reason { code, ..reason(V::Hide, source, "") });
    };
    let session = world.caller.session.unwrap_or_default();
    let within = |name: &str| session == name || session.starts_with(&format!("{name}/"));
    let (outer, inner) = (world.held.outer && within("s"), world.held.inner && within("s/in"));
    if world.held.ended && world.held.outer && within("s") {
        hide("session", "out_of_scope");
    }
    let flag_on = world.caller.flag || world.flags == Flags::On;
    if tool.flag.is_some() && !flag_on {
        hide("flag", "flag_off");
    }
    if !tool.scopes.is_empty() && !world.caller.scope.is_some_and(|s| tool.scopes.contains(&s)) {
        hide("scope", "out_of_scope");
    }
    // A domain that any scene names is there in its scenes alone.
    let domain = tool.name.split('.').next();
    let mut of = world.scenes.iter().filter(|(_, named)| Some(*named) == domain).peekable();
    if of.peek().is_some() && !of.any(|(scene, _)| Some(*scene) == world.caller.scene) {
        hide("scene", "out_of_scope");
    }
    let handles = &world.nest.ceilings[..=world.nest.depth];
    let ceilings = [
        by.ceiling,
        world.held.outer_ceiling.filter(|_| outer),
        world.held.inner_ceiling.filter(|_| inner),
    ];
    let highest = tool.levels.iter().max().unwrap();
    if ceilings.iter().chain(handles).flatten().any(|ceiling| highest > ceiling) {
        hide("ceiling", "above_ceiling");
    }
    for cell in
        cells(world, by.who, tool, false).into_iter().chain(taint(world, by.who, tool, past))
    {
        if cell.verdict >= V::Deny {
            against.push(cell);
        }
    }
    for rule in rules::about(world, by.who, tool) {
        if rules::always_refuses(rule, tool) {
            against.push(reason(V::Deny, "rule ", rule.mark));
        }
    }
    if tool.levels.contains(&Level::Network) && listed(world, tool).is_empty() {
        against.push(reason(V::Deny, "host", ""));
    }
    against
}

/// The cell of each level; a rule may waive that one asks.
pub(crate) fn cells(world: &World, who: Who, tool: &Facts, waived: bool) -> Vec<Reason> {
    let cell = |level: &Level| {
        let verdict = world.table[who as usize][*level as usize];
        let verdict = if waived && verdict == V::Ask { V::Record } else { verdict };
        let words = format!("{level:?} for {who:?}").to_lowercase();
        reason(verdict, "policy", words)
    };
    tool.levels.iter().map(cell).collect()
}

/// Whether the tool that the world calls is there, and visible.
pub(crate) fn is_there(world: &World, by: Caller, past: &Past) -> bool {
    let outermost = if world.door.through > 0 { "outer.call" } else { world.tool };
    let tool = past.sets.facts(world, outermost);
    tool.is_some_and(|tool| invisible(world, by, &tool, past).is_empty())
}

/// What the table says besides, once untrusted data was read.
pub(crate) fn taint(world: &World, who: Who, tool: &Facts, past: &Past) -> Vec<Reason> {
    let here = |(other, level, _): &&(Who, Level, V)| *other == who && tool.levels.contains(level);
    let cells = world.tainted.iter().filter(here).filter(|(.., says)| *says > V::Allow);
    cells.filter(|_| past.tainted).map(|(.., says)| reason(*says, "taint", "")).collect()
}

pub(crate) fn listed(world: &World, tool: &Facts) -> Vec<&'static str> {
    let by_host = world.hosts.iter().filter(|(name, _)| *name == tool.name).map(|(_, host)| *host);
    tool.hosts.iter().copied().chain(by_host).collect()
}
