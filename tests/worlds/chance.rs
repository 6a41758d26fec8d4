//! Worlds by chance: everything may be, and what matters is likely enough to meet.

use crate::dice::Dice;
use crate::tools;
use crate::world::{
    Caller, Counts, Door, EVERYBODY, Effect, FLAWS, Flags, Flaw, Given, Guard, Held, LEVELS, Level,
    Minds, Nest, Own, Person, Rewrite, Rule, Rung, Says, Step, V, VERDICTS, When, Who, World,
};

/// The table of the design: human, plan, model; read, write, network, send, destructive.
const DEFAULT: [[V; 5]; 3] = [
    [V::Allow, V::Record, V::Record, V::Record, V::Ask],
    [V::Allow, V::Record, V::Record, V::Deny, V::Ask],
    [V::Allow, V::Ask, V::Record, V::Hide, V::Ask],
];

pub(crate) const NAMES: [&str; 4] = ["red", "green", "blue", "reddish"];
pub(crate) const PATHS: [&str; 5] =
    [tools::INSIDE, tools::INSIDE_BY_DOTS, "/etc/passwd", tools::OUT, "a/b"];
const ARGVS: [&[&str]; 5] =
    [&[], &["cargo", "test"], &["cargo", "run"], &["cargo", "test", "--all"], &["cargo"]];
const MARKS: [&str; 4] = ["rule one", "rule two", "rule three", "rule four"];
const TOOLS: [&str; 15] = [
    "note.read",
    "note.write",
    "note.wipe",
    "web.fetch",
    "web.post",
    "web.purge",
    "mail.write",
    "mail.blast",
    "lab.read",
    "lab.write",
    "typed.any",
    "outer.call",
    "own.read",
    "own.write",
    "no.such",
];
const SELECTORS: [&str; 11] = [
    "*",
    "note.*",
    "web.*",
    "mail.*",
    "*.write",
    "note.read",
    "note.write",
    "web.fetch",
    "typed.any",
    "lab.*",
    "own.*",
];
const URLS: [&str; 5] = [
    "https://example.com/a",
    "https://hooks.example/b",
    "https://example.org/",
    "https://example.com.evil.example/",
    "no url",
];
const HOSTS: [&str; 3] = ["example.com", "hooks.example", "example.org"];
const PRINCIPALS: [&str; 3] = ["ada", "guest", "Guest"];

pub(crate) fn world(dice: &mut Dice) -> World {
    let mut table = DEFAULT;
    let wild = dice.pick(&[0, 10, 50]);
    for cell in table.iter_mut().flatten() {
        if dice.percent(wild) {
            *cell = dice.pick(&VERDICTS);
        }
    }
    let rules = dice.pick(&[0, 0, 0, 1, 2, 3]);
    let guards = dice.pick(&[0, 0, 0, 1, 2, 3]);
    let (tool, typed) = (dice.pick(&TOOLS), typed(dice));
    let mut given = given(dice);
    given.url = dice.perhaps(90, &URLS);
    let mut world = World {
        table,
        tainted: tainted(dice),
        rules: (0..rules).map(|at| rule(dice, MARKS[at])).collect(),
        guards: (0..guards).map(|_| guard(dice)).collect(),
        rewrite: dice.percent(15).then(|| (minds(dice), rewrite(dice))),
        person: person(dice),
        hosts: hosts(dice, &typed),
        budget: dice.perhaps(8, &[1, 2, 3]),
        rates: if dice.percent(12) { rates(dice, tool) } else { Vec::new() },
        flags: dice.pick(&[
            Flags::Silent,
            Flags::Silent,
            Flags::On,
            Flags::Off,
            Flags::Fail,
            Flags::Panic,
        ]),
        typed,
        held: held(dice),
        scenes: if dice.percent(25) { scenes(dice, tool) } else { Vec::new() },
        nest: if dice.percent(50) { nest(dice, tool) } else { Nest::default() },
        caller: caller(dice),
        door: Door {
            turn: dice.percent(25),
            read_only: dice.percent(10),
            wire: dice.percent(20),
            plan: dice.percent(50),
            twice: dice.percent(10),
            again: dice.perhaps(12, &[1, 1, 2, 3, 4, 5, 6]).unwrap_or(0),
            through: dice.pick(&[0, 0, 0, 0, 1, 2]),
            confirm: dice.percent(50),
        },
        tool,
        given,
    };
    more_likely(dice, &mut world);
    world
}

fn scenes(dice: &mut Dice, tool: &'static str) -> Vec<(&'static str, &'static str)> {
    let domain = tool.split('.').next().filter(|domain| *domain != "no").unwrap_or("note");
    let domains = [domain, domain, domain, "note", "web", "mail", "lab", "outer", "own"];
    let one = |dice: &mut Dice| (dice.pick(&["front", "back"]), dice.pick(&domains));
    (0..dice.pick(&[1, 1, 2, 3])).map(|_| one(dice)).collect()
}

fn nest(dice: &mut Dice, tool: &'static str) -> Nest {
    let mut may = Vec::new();
    for (level, name) in [1, 2].into_iter().flat_map(|level| tools::OWN.map(|name| (level, name))) {
        if dice.percent(55) {
            may.push((level, name));
        }
    }
    let name = |dice: &mut Dice| match tools::OWN.contains(&tool) {
        true if dice.percent(70) => tool,
        _ => dice.pick(&tools::OWN),
    };
    let own = |dice: &mut Dice| {
        let name = name(dice);
        let level = if name.starts_with("own.") { dice.below(3) } else { 1 + dice.below(2) };
        let levels: [&[Level]; 4] =
            [&[Level::Read], &[Level::Write], &[Level::Destructive], &[Level::Read, Level::Write]];
        Own { level, name, levels: dice.pick(&levels).to_vec() }
    };
    let step = |dice: &mut Dice| {
        let step = match dice.below(20) {
            0..9 => Step::Load(own(dice)),
            9..17 => Step::Unload(dice.below(3), name(dice)),
            _ => Step::End,
        };
        (dice.pick(&[1, 1, 2, 3]), step)
    };
    Nest {
        depth: dice.pick(&[0, 1, 1, 2, 2]),
        may,
        own: (0..dice.pick(&[0, 1, 1, 2, 3])).map(|_| own(dice)).collect(),
        steps: (0..dice.pick(&[0, 0, 1, 1, 2, 3])).map(|_| step(dice)).collect(),
        ceilings: [8, 12, 12].map(|percent| dice.perhaps(percent, &LEVELS)),
        sibling: dice.percent(50),
    }
}

/// Makes what takes several things at once less rare.
fn more_likely(dice: &mut Dice, world: &mut World) {
    if !world.nest.steps.is_empty() {
        world.door.again = world.door.again.max(dice.pick(&[1, 2, 3]));
    }
    let granted = matches!(world.person, Person::AgreesForSession(_));
    if granted && dice.percent(70) {
        world.caller.session = Some("s");
        (world.held.outer, world.held.outer_ceiling, world.held.ended) = (true, None, false);
        (world.door.twice, world.door.again) = (false, dice.pick(&[1, 2]));
        if dice.percent(40) {
            let who = world.caller.who;
            world.table[who as usize][Level::Network as usize] = V::Ask;
            world.tainted = vec![(who, Level::Network, dice.pick(&[V::Ask, V::Ask, V::Deny]))];
            (world.tool, world.given.url) = ("web.fetch", Some(URLS[0]));
            world.hosts.push(("web.fetch", HOSTS[0]));
        }
    } else if !world.tainted.is_empty() && dice.percent(60) {
        world.caller.session = dice.pick(&[Some("s"), Some("s/in")]);
        (world.held.outer, world.held.marked, world.held.ended) = (true, dice.percent(70), false);
        world.door.again = world.door.again.max(1);
        for (who, level, _) in world.tainted.clone() {
            world.table[who as usize][level as usize] = dice.pick(&[V::Allow, V::Record, V::Ask]);
        }
    }
}

/// As `trusting` has it, or by chance, or none; of one cell at most one.
fn tainted(dice: &mut Dice) -> Vec<(Who, Level, V)> {
    match dice.below(5) {
        0 => vec![(Who::Model, Level::Write, V::Ask), (Who::Model, Level::Network, V::Ask)],
        1 => {
            let (who, level) = (dice.pick(&EVERYBODY), dice.pick(&LEVELS));
            vec![(who, level, dice.pick(&VERDICTS))]
        }
        _ => Vec::new(),
    }
}

fn given(dice: &mut Dice) -> Given {
    Given {
        name: dice.pick(&NAMES),
        n: dice.perhaps(60, &[0, 1, 5, 50, 100]),
        alias: dice.percent(30),
        path: dice.pick(&PATHS),
        argv: dice.pick(&ARGVS),
        memo: dice.perhaps(40, &NAMES),
        url: None,
        flaw: dice.perhaps(12, &FLAWS).unwrap_or(Flaw::None),
    }
}

fn caller(dice: &mut Dice) -> Caller {
    Caller {
        who: dice.pick(&[Who::Human, Who::Plan, Who::Model, Who::Model]),
        principal: dice.perhaps(50, &PRINCIPALS),
        scope: dice.perhaps(50, &["desk", "mail"]),
        scene: dice.perhaps(50, &["front", "front", "back", "hall"]),
        flag: dice.percent(60),
        session: dice.perhaps(60, &["s", "s/in", "s/in/deep", "other"]),
        ceiling: dice.perhaps(15, &LEVELS),
        cancelled: dice.percent(3),
    }
}

fn rule(dice: &mut Dice, mark: &'static str) -> Rule {
    let effect = dice.pick(&[Effect::Deny, Effect::Ask, Effect::Only, Effect::Waive]);
    let tools = dice.pick(&SELECTORS);
    let least = usize::from(effect == Effect::Only);
    let conditions = least.max(dice.pick(&[0, 1, 1, 2]));
    Rule {
        mark,
        effect,
        tools,
        level: dice.perhaps(20, &LEVELS),
        who: dice.perhaps(30, &EVERYBODY),
        principal: dice.perhaps(20, &PRINCIPALS),
        when: (0..conditions).map(|_| when(dice, tools)).collect(),
    }
}

fn when(dice: &mut Dice, tools: &str) -> When {
    match dice.below(if tools == "*" || tools.starts_with("web.") { 10 } else { 9 }) {
        0 => When::NameIs(dice.pick(&NAMES)),
        1 => When::NameIsOneOf(dice.pick(&[&["red", "green"], &["blue"]])),
        2 => When::NameHas(dice.pick(&["red", "e", "blue"])),
        3 => When::NameOnHost,
        4 => When::NFrom(dice.pick(&[0, 1, 5]), dice.pick(&[5, 50, 100])),
        5 => When::PathUnder,
        6 => When::Argv(dice.pick(&[&["cargo", "test"], &["cargo"]])),
        7 => When::ArgvWords(dice.pick(&[&["cargo", "test"], &["run"]])),
        8 => When::MemoIs(dice.pick(&NAMES)),
        _ => When::UrlOn(dice.pick(&HOSTS)),
    }
}

fn minds(dice: &mut Dice) -> Minds {
    match dice.below(4) {
        0 => Minds::All,
        1 => Minds::Tool(dice.pick(&TOOLS)),
        2 => Minds::Name(dice.pick(&NAMES)),
        _ => Minds::Caller(dice.pick(&EVERYBODY)),
    }
}

fn guard(dice: &mut Dice) -> Guard {
    let says = [Says::Ask, Says::Ask, Says::Deny, Says::Deny, Says::Fail, Says::Panic, Says::Hang];
    Guard { minds: minds(dice), says: dice.pick(&says), late: dice.percent(25) }
}

fn rewrite(dice: &mut Dice) -> Rewrite {
    match dice.below(6) {
        0 => Rewrite::Refuse,
        1 => Rewrite::Fail,
        2 => Rewrite::Misfit,
        _ => Rewrite::Name(dice.pick(&NAMES)),
    }
}

fn person(dice: &mut Dice) -> Person {
    match dice.below(24) {
        0 => Person::Absent,
        1 => Person::Away,
        2..10 => Person::Agrees,
        10..13 => Person::Refuses,
        13 => Person::Fails,
        14 => Person::Panics,
        15 => Person::Sleeps,
        16..19 => Person::Writes(dice.pick(&NAMES)),
        19 => Person::WritesNonsense,
        _ => Person::AgreesForSession(dice.pick(&[Rung::Exact, Rung::Tool])),
    }
}

fn hosts(dice: &mut Dice, typed: &[Level]) -> Vec<(&'static str, &'static str)> {
    let mut listed = Vec::new();
    // A tool without an argument for an address isn't built without.
    if typed.contains(&Level::Network) {
        listed.push(("typed.any", dice.pick(&HOSTS)));
    }
    for tool in ["web.fetch", "web.post", "web.purge"] {
        while dice.percent(55) && listed.len() < 7 {
            listed.push((tool, dice.pick(&HOSTS)));
        }
    }
    listed
}

fn rates(dice: &mut Dice, tool: &'static str) -> Vec<(Counts, usize)> {
    let there = tools::facts(tool, &[]).is_some();
    let tool = if there { tool } else { "note.read" };
    let counts = |dice: &mut Dice| match dice.below(4) {
        0 => Counts::Tool("outer.call"),
        1 => Counts::Tool(tool),
        2 => Counts::Session,
        _ => Counts::Level(dice.pick(&[Who::Plan, Who::Model]), dice.pick(&LEVELS)),
    };
    (0..dice.pick(&[1, 1, 2])).map(|_| (counts(dice), dice.pick(&[1, 2, 3]))).collect()
}

fn typed(dice: &mut Dice) -> Vec<Level> {
    let mut levels: Vec<Level> =
        LEVELS.into_iter().filter(|level| *level != Level::Send && dice.percent(35)).collect();
    if levels.is_empty() {
        levels.push(Level::Read);
    }
    levels
}

fn held(dice: &mut Dice) -> Held {
    if dice.percent(60) {
        return Held::default();
    }
    Held {
        outer: dice.percent(80),
        outer_ceiling: dice.perhaps(40, &LEVELS),
        inner: dice.percent(60),
        inner_ceiling: dice.perhaps(40, &LEVELS),
        marked: dice.percent(25),
        ended: dice.percent(8),
    }
}
