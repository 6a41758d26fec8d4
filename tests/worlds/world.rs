//! One world: everything that a decision may hang on, as plain data of the test's own.

/// What one rule says, milder first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum V {
    #[default]
    Allow,
    Record,
    Ask,
    Deny,
    Hide,
}

pub(crate) const VERDICTS: [V; 5] = [V::Allow, V::Record, V::Ask, V::Deny, V::Hide];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Human,
    Plan,
    Model,
}

pub(crate) const EVERYBODY: [Who; 3] = [Who::Human, Who::Plan, Who::Model];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Read,
    Write,
    Network,
    Send,
    Destructive,
}

pub(crate) const LEVELS: [Level; 5] =
    [Level::Read, Level::Write, Level::Network, Level::Send, Level::Destructive];

/// The static facts of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) name: &'static str,
    pub(crate) levels: Vec<Level>,
    pub(crate) flag: Option<&'static str>,
    pub(crate) scopes: &'static [&'static str],
    /// The hosts that its author lists.
    pub(crate) hosts: &'static [&'static str],
    /// Whether it takes `tool` and `arguments` and calls on, in the place of the arguments of others.
    pub(crate) calls_on: bool,
    /// The level that it was added at while the toolkit ran: 0 is the toolkit's own.
    pub(crate) own: Option<usize>,
    /// Whether it may stand in the place of another.
    pub(crate) shadow: bool,
}

/// A tool that is added while the toolkit runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Own {
    /// 0 for the toolkit itself, 1 for its child, 2 for the child of that.
    pub(crate) level: usize,
    pub(crate) name: &'static str,
    pub(crate) levels: Vec<Level>,
}

/// What changes between two calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Load(Own),
    Unload(usize, &'static str),
    /// The last handle of a child is dropped: that which the caller's stands above, where there is one, else
    /// the one that stands above all.
    End,
}

/// The children of the toolkit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nest {
    /// The level of the handle that is called.
    pub(crate) depth: usize,
    /// At which level which name may stand in the place of another's.
    pub(crate) may: Vec<(usize, &'static str)>,
    /// What is added before the first call, in order.
    pub(crate) own: Vec<Own>,
    /// What changes before which call, counted from 0.
    pub(crate) steps: Vec<(usize, Step)>,
    /// The ceiling of each level.
    pub(crate) ceilings: [Option<Level>; 3],
    /// Whether another child has a tool of every name there is.
    pub(crate) sibling: bool,
}

/// The arguments of a call, and what is wrong with them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    pub(crate) name: &'static str,
    /// Where it is left out, the body gets 5.
    pub(crate) n: Option<i64>,
    /// Whether `n` is given under its other name.
    pub(crate) alias: bool,
    pub(crate) path: &'static str,
    pub(crate) argv: &'static [&'static str],
    pub(crate) memo: Option<&'static str>,
    /// Given to tools that reach the network.
    pub(crate) url: Option<&'static str>,
    pub(crate) flaw: Flaw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    NoJson,
    NoObject,
    DuplicateKey,
    Missing,
    WrongType,
    UnknownKey,
    OutOfRange,
    /// A number in quotes: mended for tools that only read.
    Quoted,
    /// The response was cut.
    Cut,
}

pub(crate) const FLAWS: [Flaw; 9] = [
    Flaw::NoJson,
    Flaw::NoObject,
    Flaw::DuplicateKey,
    Flaw::Missing,
    Flaw::WrongType,
    Flaw::UnknownKey,
    Flaw::OutOfRange,
    Flaw::Quoted,
    Flaw::Cut,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Deny,
    Ask,
    Only,
    Waive,
}

/// One rule of the policy.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// By which it is known in a reason.
    pub(crate) mark: &'static str,
    pub(crate) effect: Effect,
    /// A name, or a glob.
    pub(crate) tools: &'static str,
    pub(crate) level: Option<Level>,
    pub(crate) who: Option<Who>,
    pub(crate) principal: Option<&'static str>,
    pub(crate) when: Vec<When>,
}

/// A condition of a rule on the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    NameIs(&'static str),
    NameIsOneOf(&'static [&'static str]),
    NameHas(&'static str),
    /// A name is no URL.
    NameOnHost,
    NFrom(i64, i64),
    PathUnder,
    Argv(&'static [&'static str]),
    ArgvWords(&'static [&'static str]),
    MemoIs(&'static str),
    UrlOn(&'static str),
}

/// What a guard does with the calls that it minds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Ask,
    Deny,
    Fail,
    Panic,
    Hang,
}

/// The calls that a hook minds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Minds {
    All,
    Tool(&'static str),
    Name(&'static str),
    Caller(Who),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) minds: Minds,
    pub(crate) says: Says,
    /// Whether it thinks before it answers.
    pub(crate) late: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rewrite {
    Name(&'static str),
    Refuse,
    Fail,
    Misfit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    Absent,
    Away,
    Agrees,
    Refuses,
    Fails,
    Panics,
    Sleeps,
    /// Writes another `name`.
    Writes(&'static str),
    WritesNonsense,
    /// Agrees for the rest of the session: to exactly these arguments, or to the whole tool.
    AgreesForSession(Rung),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    Exact,
    Tool,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    Tool(&'static str),
    /// Calls of plans or models, of tools with this level.
    Level(Who, Level),
    Session,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flags {
    Silent,
    On,
    Off,
    Fail,
    Panic,
}

/// The sessions `s` and `s/in`, where the host holds them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    pub(crate) outer: bool,
    pub(crate) outer_ceiling: Option<Level>,
    pub(crate) inner: bool,
    pub(crate) inner_ceiling: Option<Level>,
    /// Whether the host says of `s` that untrusted data has reached it.
    pub(crate) marked: bool,
    pub(crate) ended: bool,
}

/// Who calls, and where.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) who: Who,
    pub(crate) principal: Option<&'static str>,
    pub(crate) scope: Option<&'static str>,
    pub(crate) scene: Option<&'static str>,
    pub(crate) flag: bool,
    pub(crate) session: Option<&'static str>,
    pub(crate) ceiling: Option<Level>,
    pub(crate) cancelled: bool,
}

/// The way in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Door {
    pub(crate) turn: bool,
    pub(crate) read_only: bool,
    pub(crate) wire: bool,
    /// Whether it is the step of a plan, where it can be.
    pub(crate) plan: bool,
    /// Whether the same call of a numbered turn is made twice.
    pub(crate) twice: bool,
    /// How often the same call is made again, else.
    pub(crate) again: usize,
    /// Through how many bodies that call on.
    pub(crate) through: usize,
    /// Whether a person then confirms what was drafted; a model tries to, before.
    pub(crate) confirm: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) table: [[V; 5]; 3],
    /// The cells that say something else once untrusted data was read.
    pub(crate) tainted: Vec<(Who, Level, V)>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) rewrite: Option<(Minds, Rewrite)>,
    pub(crate) person: Person,
    /// Hosts that the host of the program lists.
    pub(crate) hosts: Vec<(&'static str, &'static str)>,
    /// How many calls a session may make.
    pub(crate) budget: Option<usize>,
    /// How many calls may be made in an hour.
    pub(crate) rates: Vec<(Counts, usize)>,
    pub(crate) flags: Flags,
    /// The levels of `typed.any`.
    pub(crate) typed: Vec<Level>,
    pub(crate) held: Held,
    /// The scenes, each with one of its domains.
    pub(crate) scenes: Vec<(&'static str, &'static str)>,
    pub(crate) nest: Nest,
    pub(crate) caller: Caller,
    pub(crate) door: Door,
    pub(crate) tool: &'static str,
    pub(crate) given: Given,
}

impl World {
    /// Worlds with one thing less each, for a failure that is small enough to be read.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut less = |change: &dyn Fn(&mut Self)| {
            let mut world = self.clone();
            change(&mut world);
            all.push(world);
        };
        for at in 0..self.rules.len() {
            less(&|w| _ = w.rules.remove(at));
            for condition in 0..self.rules[at].when.len() {
                less(&|w| _ = w.rules[at].when.remove(condition));
            }
            less(&|w| w.rules[at].level = None);
            less(&|w| w.rules[at].who = None);
            less(&|w| w.rules[at].principal = None);
        }
        for at in 0..self.guards.len() {
            less(&|w| _ = w.guards.remove(at));
            less(&|w| w.guards[at].late = false);
        }
        for at in 0..self.hosts.len() {
            less(&|w| _ = w.hosts.remove(at));
        }
        for (row, level) in (0..3).flat_map(|row| (0..5).map(move |level| (row, level))) {
            less(&|w| w.table[row][level] = V::Allow);
        }
        less(&|w| w.rewrite = None);
        less(&|w| w.person = Person::Absent);
        less(&|w| w.person = Person::Agrees);
        for at in 0..self.rates.len() {
            less(&|w| _ = w.rates.remove(at));
        }
        less(&|w| w.budget = None);
        less(&|w| w.flags = Flags::Silent);
        for at in 0..self.tainted.len() {
            less(&|w| _ = w.tainted.remove(at));
        }
        less(&|w| w.held.marked = false);
        less(&|w| w.held = Held::default());
        less(&|w| w.held.inner = false);
        less(&|w| w.held.outer_ceiling = None);
        less(&|w| w.held.inner_ceiling = None);
        less(&|w| w.typed = vec![Level::Read]);
        for at in 0..self.scenes.len() {
            less(&|w| _ = w.scenes.remove(at));
        }
        less(&|w| w.caller.scene = None);
        less(&|w| w.nest = Nest::default());
        for at in 0..self.nest.may.len() {
            less(&|w| _ = w.nest.may.remove(at));
        }
        for at in 0..self.nest.own.len() {
            less(&|w| _ = w.nest.own.remove(at));
        }
        for at in 0..self.nest.steps.len() {
            less(&|w| _ = w.nest.steps.remove(at));
        }
        less(&|w| w.nest.ceilings = [None; 3]);
        less(&|w| w.nest.sibling = false);
        less(&|w| w.caller.principal = None);
        less(&|w| w.caller.scope = None);
        less(&|w| w.caller.session = None);
        less(&|w| w.caller.ceiling = None);
        less(&|w| w.caller.cancelled = false);
        less(&|w| w.door.turn = false);
        less(&|w| w.door.read_only = false);
        less(&|w| w.door.wire = false);
        less(&|w| w.door.plan = false);
        less(&|w| w.door.twice = false);
        less(&|w| w.door.again = w.door.again.saturating_sub(1));
        less(&|w| w.door.through = 0);
        less(&|w| w.door.confirm = false);
        less(&|w| w.given.flaw = Flaw::None);
        less(&|w| w.given.n = None);
        less(&|w| w.given.argv = &[]);
        less(&|w| w.given.memo = None);
        all
    }

    /// How much there is in it.
    pub(crate) fn size(&self) -> usize {
        let table = self.table.iter().flatten().filter(|verdict| **verdict != V::Allow).count();
        format!("{:?}", Self { table: Default::default(), ..self.clone() }).len() + table
    }
}
