//! Section 7 of the design once more, in plain words: what may run, and why not. It shares nothing with
//! the engine, and is to be read against the design from top to bottom.

use crate::past::Past;
use crate::rules::{self, Sort};
use crate::seen::{Caller, cells, invisible, listed, taint};
use crate::tools::{self, Ran};
use crate::world::{
    Effect, Facts, Flaw, Given, Level, Minds, Person, Rewrite, Rung, Says, V, Who, World,
};

/// What a rule says of a call, and under which name it is quoted.
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    pub(crate) verdict: V,
    pub(crate) source: String,
    /// How its words begin.
    pub(crate) words: String,
    /// The code where it makes a tool invisible.
    pub(crate) code: &'static str,
}

pub(crate) fn reason(verdict: V, source: impl Into<String>, words: impl Into<String>) -> Reason {
    Reason { verdict, source: source.into(), words: words.into(), code: "denied" }
}

/// What becomes of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fate {
    pub(crate) code: &'static str,
    /// One of these decides; all the same where there are none.
    pub(crate) because: Vec<Reason>,
    /// What runs, in order.
    pub(crate) runs: Vec<Ran>,
    /// How often a person is asked.
    pub(crate) asked: usize,
    /// The tools whose intents are written, in order.
    pub(crate) recorded: Vec<&'static str>,
    /// Whether an explanation says that a person is asked.
    pub(crate) asks: bool,
    /// Whether the same call of a numbered turn gets this reply again.
    pub(crate) kept: bool,
}

/// What becomes of the world's next call. A model's that has failed four times is stopped: it was told so
/// three times.
pub(crate) fn next(world: &World, by: Caller, past: &mut Past) -> Fate {
    let outermost = if world.door.through > 0 { "outer.call" } else { world.tool };
    let tool = past.sets.facts(world, outermost);
    let mut said = tool.as_ref().map(|tool| invisible(world, by, tool, past)).unwrap_or_default();
    let hidden = first_verdict(&said) == Some(V::Hide);
    let whose = tool.filter(|_| !hidden).map(|tool| (tool.name, tool.own));
    if by.who == Who::Model && *past.failures(whose) > 3 {
        // What makes a tool invisible speaks as well.
        said.push(reason(V::Deny, "loop guard", ""));
        return Fate { code: "loop_stopped", because: strictest(&said).1, ..Fate::default() };
    }
    let fate = call(world, by, world.door.through, past);
    match fate.code {
        "ok" | "needs_confirmation" => *past.failures(whose) = 0,
        "expired" | "rate_limited" | "loop_stopped" => {}
        _ => *past.failures(whose) += 1,
    }
    fate
}

/// Of what speaks against a tool the first, and where that is the table, the strictest of what it says.
fn first_verdict(against: &[Reason]) -> Option<V> {
    let of_table = |r: &&Reason| r.source == "policy" || r.source == "taint";
    let first = against.first()?;
    let table = against.iter().filter(of_table).map(|r| r.verdict).max();
    if of_table(&first) { table } else { Some(first.verdict) }
}

/// What becomes of a call: of the world's tool, or of one that calls on, so deep.
pub(crate) fn call(world: &World, by: Caller, depth: usize, past: &mut Past) -> Fate {
    let refused = |code| Fate { code, ..Fate::default() };
    let name = if depth > 0 { "outer.call" } else { world.tool };
    let Some(tool) = past.sets.facts(world, name) else { return refused("unknown_tool") };

    let against = invisible(world, by, &tool, past);
    // What is hidden from a model isn't there. The first reason gives the code: hidden by the table
    // comes before denied by it.
    if let (Some(first), Some(verdict)) = (against.first(), first_verdict(&against)) {
        let hidden = verdict == V::Hide && by.who == Who::Model;
        let code = if hidden { "unknown_tool" } else { first.code };
        return Fate { code, because: strictest(&against).1, ..Fate::default() };
    }

    let mut given = world.given.clone();
    if depth > 0 {
        // The arguments of a tool that calls on are good, and of another kind.
        given = Given { name: "", flaw: Flaw::None, ..given };
    } else if given.flaw == Flaw::Cut {
        return refused("incomplete_call");
    } else if let Some(code) = wrong_with(&tool, &given) {
        return refused(code);
    }
    if given.flaw == Flaw::Quoted {
        given.n = Some(7);
    }

    if let Some((minds, rewrite)) = world.rewrite
        && !tool.calls_on
        && is_minded(minds, by.who, &tool, &given)
    {
        match rewrite {
            Rewrite::Name(name) => given.name = name,
            Rewrite::Refuse | Rewrite::Fail | Rewrite::Misfit => {
                let because = vec![reason(V::Deny, "rewrite pen", "")];
                return Fate { because, ..refused("denied") };
            }
        }
    }

    let said = judge(world, by.who, &tool, &given, past);
    let (verdict, because) = strictest(&said);
    if verdict >= V::Deny {
        return Fate { because, ..refused("denied") };
    }
    if let Some((code, reason)) = past.count(world, by, &tool) {
        return Fate { because: vec![reason], ..refused(code) };
    }
    let mut fate = Fate { because, ..Fate::default() };
    let taint_asks = fate.because.iter().any(|reason| reason.source == "taint");
    let is_granted = |(of, at, knew): &(Facts, Option<usize>, bool)| {
        (of.name, of.own, &of.levels) == (tool.name, tool.own, &tool.levels)
            && at.is_none_or(|at| at == depth)
            && (*knew || !taint_asks)
    };
    if verdict == V::Ask && !past.granted.iter().any(is_granted) {
        fate.asks = true;
        fate.asked = 1;
        let refused = |fate, code| Fate { code, ..fate };
        match world.person {
            Person::Absent | Person::Away => {
                return Fate { asks: false, asked: 0, ..refused(fate, "no_approver") };
            }
            Person::Refuses => return Fate { kept: true, ..refused(fate, "rejected") },
            Person::Fails | Person::Panics => return refused(fate, "denied"),
            Person::Sleeps => return refused(fate, "expired"),
            // Asked three times, until it is enough.
            Person::WritesNonsense => return Fate { asked: 3, ..refused(fate, "denied") },
            Person::Writes(_) if tool.calls_on => {
                return Fate { asked: 3, ..refused(fate, "denied") };
            }
            Person::Agrees => {}
            Person::AgreesForSession(rung) => {
                let held = match world.caller.session {
                    Some("s") => world.held.outer,
                    Some("s/in") => world.held.inner,
                    _ => false,
                };
                // For what is destructive no more is offered than these arguments.
                let offered = rung == Rung::Exact || !tool.levels.contains(&Level::Destructive);
                if !held || !offered {
                    return refused(fate, "denied");
                }
                past.granted.push((
                    tool.clone(),
                    (rung == Rung::Exact).then_some(depth),
                    taint_asks,
                ));
            }
            Person::Writes(name) if name == given.name => {}
            Person::Writes(name) => {
                // Judged anew: that it asks is answered, a no stands.
                given.name = name;
                let (verdict, because) = strictest(&judge(world, by.who, &tool, &given, past));
                if verdict >= V::Deny {
                    fate.because = because;
                    return refused(fate, "denied");
                }
                fate.because = Vec::new();
            }
        }
    }

    fate.kept = true;
    fate.recorded.extend((verdict >= V::Record).then_some(tool.name));
    fate.runs.push(ran(&tool, &given));
    fate.code = if tool.levels.contains(&Level::Send) { "needs_confirmation" } else { "ok" };
    if depth > 0 {
        let inner = call(world, by, depth - 1, past);
        fate.runs.extend(inner.runs);
        fate.asked += inner.asked;
        fate.recorded.extend(inner.recorded);
    }
    // What the network gave is nobody's word here.
    past.tainted |= tool.levels.contains(&Level::Network);
    fate
}

fn wrong_with(tool: &Facts, given: &Given) -> Option<&'static str> {
    let reads = tool.levels.iter().all(|level| *level == Level::Read);
    match given.flaw {
        Flaw::NoJson | Flaw::NoObject | Flaw::DuplicateKey => Some("malformed_arguments"),
        Flaw::Quoted if reads && !tool.calls_on => None,
        Flaw::None if !tool.calls_on && (given.url.is_some() || !takes_url(tool)) => None,
        _ => Some("invalid_arguments"),
    }
}

/// Whether the tool has an argument for an address: the one from a closure has none.
pub(crate) fn takes_url(tool: &Facts) -> bool {
    tool.levels.contains(&Level::Network) && tool.name != "typed.any"
}

fn ran(tool: &Facts, given: &Given) -> Ran {
    if tool.calls_on {
        return Ran { tool: tool.name.to_owned(), ..tools::sent() };
    }
    Ran {
        tool: tool.own.map_or(tool.name.to_owned(), |level| tools::mark(tool.name, level)),
        name: given.name.to_owned(),
        n: given.n.unwrap_or(5),
        path: given.path.to_owned(),
        argv: given.argv.iter().map(|word| (*word).to_owned()).collect(),
        memo: given.memo.map(str::to_owned),
        url: given.url.filter(|_| takes_url(tool)).map(str::to_owned),
    }
}

/// The greatest verdict, and all who gave it.
pub(crate) fn strictest(said: &[Reason]) -> (V, Vec<Reason>) {
    let verdict = said.iter().map(|reason| reason.verdict).max().unwrap_or(V::Allow);
    (verdict, said.iter().filter(|reason| reason.verdict == verdict).cloned().collect())
}

/// What table, rules, hosts and guards say of a visible tool's final arguments.
fn judge(world: &World, who: Who, tool: &Facts, given: &Given, past: &Past) -> Vec<Reason> {
    let rules: Vec<_> = rules::about(world, who, tool).collect();
    // Nor is what was waived of one function waived of what stands in its place.
    let never = tool.levels.contains(&Level::Send) || tool.shadow;
    let waived = rules.iter().any(|rule| {
        rule.effect == Effect::Waive && !never && rules::hold(rule, tool, given, Sort::Narrow)
    });
    let mut said = cells(world, who, tool, waived);
    said.extend(taint(world, who, tool, past));
    for rule in rules {
        match rule.effect {
            Effect::Deny if rules::hold(rule, tool, given, Sort::Wide) => {
                said.push(reason(V::Deny, "rule ", rule.mark));
            }
            Effect::Ask if rules::hold(rule, tool, given, Sort::Wide) => {
                said.push(reason(V::Ask, "rule ", rule.mark));
            }
            Effect::Only if !rules::hold(rule, tool, given, Sort::Narrow) => {
                said.push(reason(V::Deny, "rule ", rule.mark));
            }
            _ => {}
        }
    }
    if takes_url(tool) {
        let hosts = listed(world, tool);
        let on_it = given.url.and_then(rules::host_of).is_some_and(|host| hosts.contains(&host));
        said.push(reason(if on_it { V::Allow } else { V::Deny }, "host", ""));
    }
    if strictest(&said).0 < V::Deny {
        said.extend(guards(world, who, tool, given));
    }
    said
}

/// What the guards say, all at once: the first no ends it, and of several at one moment the first that
/// was registered is heard.
fn guards(world: &World, who: Who, tool: &Facts, given: &Given) -> Vec<Reason> {
    let minding = world.guards.iter().enumerate();
    let minding: Vec<_> = minding.filter(|(_, g)| is_minded(g.minds, who, tool, given)).collect();
    let no = |late: bool| {
        let says = |s| matches!(s, Says::Deny | Says::Fail | Says::Panic);
        minding.iter().find(move |(_, g)| says(g.says) && g.late == late)
    };
    let hangs = || minding.iter().find(|(_, guard)| guard.says == Says::Hang);
    if let Some((at, _)) = no(false).or(no(true)).or_else(hangs) {
        return vec![reason(V::Deny, format!("guard g{at}"), "")];
    }
    let asks = minding.iter().filter(|(_, guard)| guard.says == Says::Ask);
    asks.map(|(at, _)| reason(V::Ask, format!("guard g{at}"), "")).collect()
}

fn is_minded(minds: Minds, who: Who, tool: &Facts, given: &Given) -> bool {
    match minds {
        Minds::All => true,
        Minds::Tool(name) => tool.name == name,
        Minds::Name(name) => !tool.calls_on && given.name == name,
        Minds::Caller(caller) => caller == who,
    }
}

/// The arguments with which a draft was made, and whether a person's confirmation sends it: the tool is
/// visible to them, and nothing denies; that something asks is answered.
pub(crate) fn may_be_sent(world: &World, tool: &Facts, drafted: &Given, past: &Past) -> bool {
    let person = Caller { who: Who::Human, ceiling: world.caller.ceiling };
    // Without a session, what was read marks the caller, and the person is another.
    let tainted = past.tainted && world.caller.session.is_some();
    let past = &Past { tainted, ..past.clone() };
    invisible(world, person, tool, past).is_empty()
        && strictest(&judge(world, Who::Human, tool, drafted, past)).0 < V::Deny
}
