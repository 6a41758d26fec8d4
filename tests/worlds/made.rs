//! From a world to a toolkit: its policy, hooks and people, as a host would write them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolkit::approval::{self, Answer, ApprovalRequest, Approver};
use toolkit::hook::{guard_async, rewrite};
use toolkit::policy::{self, Matcher};
use toolkit::prelude::*;
use toolkit::{BoxFuture, Builder, HookCall, HookError, Rate, Verdict};

use crate::tools::{self, DIRECTORY, Ledger, risk};
use crate::world::{
    Counts, Effect, Flags, Flaw, Given, LEVELS, Minds, Person, Rewrite, Rule, Rung, Says, V, When,
    Who, World,
};

/// What a panic of ours says, so that it makes no noise.
pub(crate) const PANIC: &str = "on purpose";

pub(crate) fn origin(who: Who) -> Origin {
    match who {
        Who::Human => Origin::Human,
        Who::Plan => Origin::Plan,
        Who::Model => Origin::Model,
    }
}

pub(crate) fn verdict(verdict: V) -> Verdict {
    match verdict {
        V::Allow => Verdict::Allow,
        V::Record => Verdict::Record,
        V::Ask => Verdict::Ask,
        V::Deny => Verdict::Deny,
        V::Hide => Verdict::Hide,
    }
}

fn written_policy(world: &World) -> Policy {
    let mut policy = Policy::default();
    for (row, who) in [Who::Human, Who::Plan, Who::Model].into_iter().enumerate() {
        for (column, level) in LEVELS.into_iter().enumerate() {
            policy = policy.set(origin(who), risk(level), verdict(world.table[row][column]));
        }
    }
    for (who, level, says) in &world.tainted {
        policy = policy.tainted(origin(*who), risk(*level), verdict(*says));
    }
    for (counts, number) in &world.rates {
        if let Counts::Level(who, level) = *counts {
            policy = policy.rate(origin(who), risk(level), an_hour(*number));
        }
    }
    world.rules.iter().fold(policy, |policy, rule| policy.rule(written_rule(rule)))
}

/// So many at once, and then one in an hour: no world lasts that long.
fn an_hour(calls: usize) -> Rate {
    Rate::per_hour(1).burst(u32::try_from(calls).unwrap())
}

fn written_rule(rule: &Rule) -> policy::Rule {
    let mut written = match rule.effect {
        Effect::Deny => policy::deny(rule.tools),
        Effect::Ask => policy::ask(rule.tools),
        Effect::Only => policy::only(rule.tools),
        Effect::Waive => policy::waive_ask(rule.tools),
    };
    written = written.because(rule.mark).later();
    if let Some(level) = rule.level {
        written = written.risk(risk(level));
    }
    if let Some(who) = rule.who {
        written = written.origin(origin(who));
    }
    if let Some(principal) = rule.principal {
        written = written.principal(principal);
    }
    for when in &rule.when {
        let (path, matcher) = condition(*when);
        written = written.when(path, matcher);
    }
    written
}

fn condition(when: When) -> (&'static str, Matcher) {
    match when {
        When::NameIs(name) => ("name", policy::equals(name)),
        When::NameIsOneOf(names) => ("name", policy::one_of(names)),
        When::NameHas(part) => ("name", policy::regex(part)),
        When::NameOnHost => ("name", policy::host("red.example")),
        When::NFrom(from, to) => ("n", policy::range(from..=to)),
        When::PathUnder => ("path", policy::under(DIRECTORY)),
        When::Argv(words) => ("argv", policy::prefix(words.iter().copied())),
        When::ArgvWords(words) => ("argv", policy::one_of(words)),
        When::MemoIs(memo) => ("memo", policy::equals(memo)),
        When::UrlOn(host) => ("address", policy::host(host)),
    }
}

fn minded(minds: Minds, call: &HookCall<'_>) -> bool {
    match minds {
        Minds::All => true,
        Minds::Tool(name) => call.tool().name() == name,
        Minds::Name(name) => call.value().is_ok_and(|value| value["name"].as_str() == Some(name)),
        Minds::Caller(who) => call.context().origin() == origin(who),
    }
}

/// A person, who counts how often they are asked.
struct Somebody {
    person: Person,
    asked: Arc<AtomicUsize>,
}

impl Approver for Somebody {
    fn available(&self) -> bool {
        self.person != Person::Away
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            match self.person {
                Person::Absent | Person::Away => Err("nobody is here".into()),
                Person::Agrees => Ok(Answer::Approve),
                Person::Refuses => Ok(Answer::Deny(None)),
                Person::Fails => Err("no pen".into()),
                Person::Panics => panic!("{PANIC}"),
                Person::Sleeps => std::future::pending().await,
                Person::Writes(name) => {
                    let mut value: Value = serde_json::from_str(&request.arguments)?;
                    value["name"] = name.into();
                    Ok(Answer::edit(&value)?)
                }
                Person::AgreesForSession(rung) => {
                    let rung = match rung {
                        Rung::Exact => approval::Rung::Exact,
                        Rung::Tool => approval::Rung::Tool,
                    };
                    Ok(Answer::ApproveForSession(rung, None))
                }
                Person::WritesNonsense => Ok(Answer::Edit(r#"{"nonsense": 1}"#.to_owned())),
            }
        })
    }
}

/// The toolkit of a world, without what counts in it.
pub(crate) fn builder(world: &World, ledger: &Ledger, asked: &Arc<AtomicUsize>) -> Builder {
    let mut builder = Toolkit::builder()
        .only(tools::ids())
        .tool(tools::typed(&world.typed, ledger))
        .state(ledger.clone())
        .policy(written_policy(world));
    for (scene, domain) in &world.scenes {
        builder = builder.scene(scene, [*domain]).later_domains(["own"]);
    }
    for (tool, host) in &world.hosts {
        builder = builder.hosts(*tool, [*host]);
    }
    if let Some(calls) = world.budget {
        builder = builder.calls_per_session(u32::try_from(calls).unwrap());
    }
    for (counts, number) in &world.rates {
        builder = match *counts {
            Counts::Tool(tool) => builder.rate(tool, an_hour(*number)),
            Counts::Session => builder.rate_per_session(an_hour(*number)),
            Counts::Level(..) => builder,
        };
    }
    if let Some((minds, what)) = world.rewrite {
        builder = builder.rewrite(rewrite("pen", move |call| {
            if call.tool().name() == "outer.call" || !minded(minds, &call) {
                return Ok(Change::Keep);
            }
            match what {
                Rewrite::Refuse => Ok(Change::Refuse("not now".into())),
                Rewrite::Fail => Err("no ink".into()),
                Rewrite::Misfit => Ok(Change::Replace("{}".to_owned())),
                Rewrite::Name(name) => {
                    let mut value = call.value()?;
                    value["name"] = name.into();
                    Ok(Change::to(&value)?)
                }
            }
        }));
    }
    for (at, guard) in world.guards.iter().copied().enumerate() {
        builder = builder.guard(guard_async(format!("g{at}"), move |call| {
            Box::pin(async move {
                if guard.late {
                    tokio::task::yield_now().await;
                }
                if !minded(guard.minds, &call) {
                    return Ok(Ruling::Pass);
                }
                match guard.says {
                    Says::Ask => Ok(Ruling::Ask("it asks".into())),
                    Says::Deny => Ok(Ruling::Deny("it denies".into())),
                    Says::Fail => Err("no lamp".into()),
                    Says::Panic => panic!("{PANIC}"),
                    Says::Hang => std::future::pending().await,
                }
            })
        }));
    }
    if world.person != Person::Absent {
        let person = Somebody { person: world.person, asked: Arc::clone(asked) };
        builder = builder.approver(person);
    }
    let flags = world.flags;
    if flags != Flags::Silent {
        builder = builder.flags(move |_: &str, _: &CallContext| match flags {
            Flags::On => Ok(true),
            Flags::Off | Flags::Silent => Ok(false),
            Flags::Fail => Err(HookError::from("no source")),
            Flags::Panic => panic!("{PANIC}"),
        });
    }
    builder
}

/// The arguments of this tool as JSON text.
pub(crate) fn text(typed: bool, given: &Given, takes_url: bool) -> String {
    // A schema says nothing of serde's aliases.
    let n = if given.alias && !typed { "count" } else { "n" };
    let mut value = json!({"name": given.name, "path": given.path});
    let mut put = |key: &str, item: Value| value[key] = item;
    if let Some(number) = given.n {
        put(n, number.into());
    }
    if !given.argv.is_empty() {
        put("argv", given.argv.into());
    }
    if let Some(memo) = given.memo {
        put("memo", memo.into());
    }
    if let (Some(url), true) = (given.url, takes_url) {
        put("address", url.into());
    }
    match given.flaw {
        Flaw::None | Flaw::Cut => {}
        Flaw::NoJson => return r#"{"name": "red""#.to_owned(),
        Flaw::NoObject => return "[1]".to_owned(),
        Flaw::DuplicateKey => return r#"{"name": "red", "name": "blue"}"#.to_owned(),
        Flaw::Missing => drop(value.as_object_mut().unwrap().remove("name")),
        Flaw::WrongType => put("name", json!({"a": 1})),
        Flaw::UnknownKey => put("nmae", "red".into()),
        Flaw::OutOfRange | Flaw::Quoted => {
            let number = if given.flaw == Flaw::Quoted { json!("7") } else { json!(101) };
            value.as_object_mut().unwrap().remove("n");
            value[n] = number;
        }
    }
    value.to_string()
}
