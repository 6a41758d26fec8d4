//! Makes the call of a world, and holds what came of it against what should.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::{CallRecord, CancellationToken, Event, Executed, Explanation, RiskSet, Would};

use crate::answer::{Answer, is_planned, planned};
use crate::made;
use crate::nest::Handles;
use crate::oracle::{self, Fate, Reason};
use crate::past::Past;
use crate::seen::{self, Caller};
use crate::tools::{self, Ledger, Ran};
use crate::world::{Flaw, Who, World};

/// How it is said that there is no such world.
pub(crate) const SENSELESS: &str = "it can't be built: ";

/// What was seen of a world.
struct Stage {
    handles: Handles,
    ledger: Ledger,
    asked: Arc<AtomicUsize>,
    store: Memory,
    finished: Arc<Mutex<Vec<Arc<CallRecord>>>>,
    cx: CallContext,
}

macro_rules! same {
    ($got:expr, $want:expr, $($what:tt)+) => {{
        let (got, want) = (&$got, &$want);
        if got != want {
            return Err(format!("{}: it was {got:?}, and should be {want:?}", format!($($what)+)));
        }
    }};
}

/// Whether the world went as it should.
pub(crate) async fn play(world: &World) -> Result<Fate, String> {
    let (ledger, asked) = (Ledger::default(), Arc::<AtomicUsize>::default());
    let (store, finished) = (Memory::default(), Arc::<Mutex<Vec<_>>>::default());
    let heard = Arc::clone(&finished);
    let builder = made::builder(world, &ledger, &asked).store(store.clone()).observer(
        move |event: &Event| {
            if let Event::CallFinished(record) = event {
                heard.lock().unwrap().push(Arc::clone(record));
            }
        },
    );
    let mut past = Past::of(world);
    let handles = Handles::new(world, builder, &ledger, &mut past)?;
    let mut sessions = Vec::new();
    let held = world.held;
    for (held, name, ceiling) in
        [(held.outer, "s", held.outer_ceiling), (held.inner, "s/in", held.inner_ceiling)]
    {
        if held {
            let session = handles.root().session(name);
            if let Some(ceiling) = ceiling {
                session.ceiling(tools::risk(ceiling));
            }
            sessions.push(session);
        }
    }
    if world.held.marked && world.held.outer {
        sessions[0].taint("a page that was pasted");
    }
    if world.held.ended && world.held.outer {
        sessions[0].end();
    }
    let cx = context(world, world.caller.who);
    let mut stage = Stage { handles, ledger, asked, store, finished, cx };
    let by = seen::caller(world);

    stage.catalog(world, by, &past)?;
    let texts = texts(world);
    // What each body would call in its turn is explained by itself.
    for (depth, text) in texts[..world.door.through].iter().enumerate() {
        let fate = oracle::call(world, by, depth, &mut past.clone());
        stage.explain(world, text, &fate).await?;
    }
    stage.calls(world, by, &texts[world.door.through], past).await
}

fn context(world: &World, who: Who) -> CallContext {
    let caller = &world.caller;
    let mut cx = match who {
        Who::Human => CallContext::human(),
        Who::Plan => CallContext::plan(),
        Who::Model => CallContext::model(),
    };
    if let Some(principal) = caller.principal {
        cx = cx.principal(principal);
    }
    if let Some(scope) = caller.scope {
        cx = cx.scope(scope);
    }
    if let Some(scene) = caller.scene {
        cx = cx.scene(scene);
    }
    if caller.flag {
        cx = cx.flag("lab");
    }
    if let Some(session) = caller.session {
        cx = cx.session(session);
    }
    if let Some(ceiling) = caller.ceiling {
        cx = cx.ceiling(tools::risk(ceiling));
    }
    if caller.cancelled {
        let token = CancellationToken::new();
        token.cancel();
        cx = cx.cancellation(token);
    }
    cx
}

/// The name, the arguments, and whether the response was cut: of the inner call first, and then of each
/// around it.
fn texts(world: &World) -> Vec<(String, String, bool)> {
    // The same text whatever has become of the tool, since another is another call.
    let takes_url = tools::facts(world.tool, &world.typed).is_some_and(|t| oracle::takes_url(&t));
    let nest = &world.nest;
    let typed = world.tool == "typed.any" || !(nest.own.is_empty() && nest.steps.is_empty());
    let cut = world.given.flaw == Flaw::Cut;
    let mut texts = vec![(world.tool.to_owned(), made::text(typed, &world.given, takes_url), cut)];
    for depth in 0..world.door.through {
        let (tool, arguments, cut) = &texts[depth];
        let outer = serde_json::json!({"tool": tool, "arguments": arguments, "cut": cut});
        texts.push(("outer.call".to_owned(), outer.to_string(), false));
    }
    if world.door.wire {
        for (name, ..) in &mut texts {
            *name = name.replace('.', "__");
        }
    }
    texts
}

fn made_call(world: &World, (name, arguments, cut): &(String, String, bool)) -> ToolCall<'static> {
    let call = ToolCall::new(name.clone(), arguments.clone());
    let call = if *cut { call.cut("length") } else { call };
    if world.door.twice { call.id("call_1") } else { call }
}

impl Stage {
    fn toolkit(&self, world: &World) -> &Toolkit {
        self.handles.called(world)
    }

    /// What is listed is what isn't invisible.
    fn catalog(&self, world: &World, by: Caller, past: &Past) -> Result<(), String> {
        let catalog = match world.door.read_only {
            true => self.toolkit(world).read_only().catalog(&self.cx),
            false => self.toolkit(world).catalog(&self.cx),
        };
        for name in tools::NAMES {
            let tool = past.sets.facts(world, name);
            let tool = tool.filter(|tool| seen::invisible(world, by, tool, past).is_empty());
            let risk = tool.map(|tool| {
                RiskSet::of(&tool.levels.into_iter().map(tools::risk).collect::<Vec<_>>())
            });
            let listed = catalog.find(name).map(|tool| tool.spec().risk());
            same!(listed, risk, "whether `{name}` is listed, and with what risk");
        }
        same!(catalog.find("no.such").is_some(), false, "whether an invented name is listed");
        Ok(())
    }

    /// What is explained is what then happens, and nothing happens.
    async fn explain(
        &self,
        world: &World,
        text: &(String, String, bool),
        fate: &Fate,
    ) -> Result<(), String> {
        let before = self.counts();
        let explained = self.explained(world, text).await;
        let would = match explained.would {
            Would::Refuse(code) => code.as_str(),
            Would::MakeDraft => "draft",
            other => other.as_str(),
        };
        let cancelled = world.caller.cancelled && would == "cancelled_before_start";
        let ok = if fate.code == "needs_confirmation" { "draft" } else { "run" };
        let want = match fate.code {
            _ if cancelled => would,
            _ if fate.asks => "ask",
            "ok" | "needs_confirmation" => ok,
            code => code,
        };
        if world.caller.cancelled && (want == "ask" || want == ok) {
            return Err(format!("it was explained to {would}, though it is cancelled"));
        }
        same!(would, want, "what is explained");
        // A person may decide otherwise than the rules.
        if !cancelled && !fate.asks {
            decides(&explained.decision, &fate.because)
                .map_err(|what| format!("explained: {what}"))?;
        }
        same!(self.ledger.take(), Vec::<Ran>::new(), "what an explanation ran");
        same!(self.counts(), before, "what was asked, recorded and heard of an explanation");
        Ok(())
    }

    /// How often a person was asked, and how much was recorded and heard.
    fn counts(&self) -> [usize; 3] {
        let heard = self.finished.lock().unwrap().len();
        [self.asked.load(Ordering::SeqCst), self.store.records().len(), heard]
    }

    /// The world's call, as often as it is made.
    async fn calls(
        &mut self,
        world: &World,
        by: Caller,
        text: &(String, String, bool),
        mut past: Past,
    ) -> Result<Fate, String> {
        let (door, cancelled) = (world.door, world.caller.cancelled);
        let cx = if door.twice { self.cx.clone().turn(1) } else { self.cx.clone() };
        let more = if door.twice { 1 } else { door.again };
        let (mut asked, mut recorded) = (0, Vec::<&str>::new());
        let mut last: Option<(Fate, Answer, Option<usize>)> = None;
        for call in 0..=if cancelled { 0 } else { more } {
            self.handles.before(call, world, &self.ledger, &mut past)?;
            let outermost = if door.through > 0 { "outer.call" } else { world.tool };
            let level = past.sets.facts(world, outermost).and_then(|tool| tool.own);
            let there = seen::is_there(world, by, &past);
            let kept = last
                .as_ref()
                .filter(|(fate, ..)| door.twice && world.caller.session.is_some() && fate.kept)
                // That of another child's tool is another call; the toolkit's own are one.
                .filter(|(.., of)| of.unwrap_or(0) == level.unwrap_or(0))
                // What isn't visible any more tells nothing of what it did before.
                .filter(|_| there);
            let fate = match kept {
                // The same once more, and nothing else.
                Some((fate, ..)) => {
                    Fate { runs: Vec::new(), asked: 0, recorded: Vec::new(), ..fate.clone() }
                }
                None => {
                    self.explain(world, text, &oracle::next(world, by, &mut past.clone())).await?;
                    // One that is cancelled leaves nothing behind.
                    let mut unchanged = past.clone();
                    oracle::next(world, by, if cancelled { &mut unchanged } else { &mut past })
                }
            };
            let is_kept = kept.is_some();
            let heard = self.finished.lock().unwrap().len();
            let Some(reply) = self.through(world, &cx, text).await? else {
                // A plan whose tool isn't there begins no call.
                same!(there, false, "whether the plan may start");
                same!(self.ledger.take(), Vec::<Ran>::new(), "what a plan ran that may not start");
                same!(self.finished.lock().unwrap().len(), heard, "what was heard of such a plan");
                continue;
            };
            if is_planned(world) {
                same!(there, true, "whether the plan may start");
            }
            same!(reply.replay, is_kept, "whether the reply is one that was kept");
            self.check(world, &reply, &fate)?;
            let none = Fate::default();
            let effects = if cancelled { &none } else { &fate };
            same!(self.ledger.take(), effects.runs, "what ran");
            asked += effects.asked;
            recorded.extend(&effects.recorded);
            same!(self.asked.load(Ordering::SeqCst), asked, "how often a person was asked");
            let records = self.store.records();
            let tools: Vec<&str> = records.iter().map(|record| &*record.intent.tool).collect();
            same!(tools, recorded, "what was recorded");
            let runs = if let Some((first, ..)) = last.filter(|_| is_kept) {
                first.runs
            } else {
                fate.runs.clone()
            };
            last = Some((Fate { runs, ..fate }, reply, level));
        }
        self.catalog(world, by, &past)?;
        // Of a plan that may not start there is nothing more to be said.
        let refused = Fate { code: "plan_refused", ..Fate::default() };
        let Some((fate, reply, _)) = last else { return Ok(refused) };
        if let Some(draft) = reply.draft.as_deref().filter(|_| door.confirm && door.through == 0) {
            self.confirm(world, draft, &fate, &past).await?;
        }
        Ok(fate)
    }

    async fn explained(&self, world: &World, text: &(String, String, bool)) -> Explanation {
        let call = made_call(world, text).id("explained");
        match world.door.read_only {
            true => self.toolkit(world).read_only().explain(&self.cx, call).await,
            false => self.toolkit(world).explain(&self.cx, call).await,
        }
    }

    async fn through(
        &self,
        world: &World,
        cx: &CallContext,
        text: &(String, String, bool),
    ) -> Result<Option<Answer>, String> {
        if is_planned(world) {
            return planned(self.toolkit(world), cx, (&text.0, &text.1)).await;
        }
        let call = made_call(world, text);
        let other = || ToolCall::new("no.such.tool", "{}");
        let toolkit = self.toolkit(world);
        let read_only = toolkit.read_only();
        let reply = match (world.door.turn, world.door.read_only) {
            (false, false) => toolkit.call(cx, call).await,
            (false, true) => read_only.call(cx, call).await,
            (true, false) => {
                let turn = toolkit.turn(cx, [other(), call, other()]).await;
                turn.into_replies().remove(1)
            }
            (true, true) => {
                let turn = read_only.turn(cx, [other(), call, other()]).await;
                turn.into_replies().remove(1)
            }
        };
        Ok(Some(reply.into()))
    }

    /// The reply, and what the event of the call says of it.
    fn check(&self, world: &World, reply: &Answer, fate: &Fate) -> Result<(), String> {
        let code = reply.code.as_str();
        let cancelled = world.caller.cancelled && code == "cancelled_before_start";
        if !cancelled {
            same!(code, fate.code, "the code of `{}`", reply.text);
        }
        let ran = code == "ok";
        same!(reply.executed == Executed::Yes, ran, "whether it took place");
        if world.caller.cancelled && (ran || code == "needs_confirmation") {
            return Err("it ran, though it was cancelled".to_owned());
        }
        let records = self.finished.lock().unwrap();
        // Of the call itself, the last that ended but for what stands beside it in its turn.
        let record = records.iter().rev().find(|record| &*record.tool != "no.such.tool");
        let record = record.ok_or("nobody heard of it")?;
        same!(record.code.as_str(), code, "the code that was heard");
        if cancelled || reply.replay {
            return Ok(());
        }
        decides(&record.decision, &fate.because)
    }

    /// A model can't confirm; a person can what they may.
    async fn confirm(
        &self,
        world: &World,
        draft: &str,
        fate: &Fate,
        past: &Past,
    ) -> Result<(), String> {
        for who in [Who::Model, Who::Plan] {
            let reply = self.toolkit(world).confirm(&context(world, who), draft).await;
            same!(reply.code(), Code::Denied, "whether {who:?} may confirm");
            same!(self.ledger.take(), Vec::<Ran>::new(), "what {who:?} sent");
        }
        let drafted = fate.runs.last().unwrap();
        let mut given = world.given.clone();
        given.name = crate::chance::NAMES.into_iter().find(|n| *n == drafted.name).unwrap();
        given.n = Some(drafted.n);
        let tool = past.sets.facts(world, world.tool);
        let may = tool.is_some_and(|tool| oracle::may_be_sent(world, &tool, &given, past));
        let reply = self.toolkit(world).confirm(&context(world, Who::Human), draft).await;
        let sent = self.ledger.take();
        let want =
            if may { vec![Ran { name: drafted.name.clone(), ..tools::sent() }] } else { vec![] };
        same!(sent, want, "what a person sent, who was told `{}`", reply.text());
        same!(reply.executed() == Executed::Yes, may, "whether it was sent");
        Ok(())
    }
}

/// Whether one of these decides.
fn decides(decision: &toolkit::Decision, because: &[Reason]) -> Result<(), String> {
    let Some(first) = because.first() else { return Ok(()) };
    let verdict = made::verdict(first.verdict);
    same!(decision.verdict(), verdict, "the verdict in `{decision}`");
    let found = decision.deciding().ok_or("nothing decides")?;
    let is = |reason: &Reason| {
        let ends = if reason.source.ends_with(' ') { "" } else { "$" };
        format!("{}$", found.source).starts_with(&format!("{}{ends}", reason.source))
            && found.reason.starts_with(reason.words.as_str())
    };
    if because.iter().any(is) {
        return Ok(());
    }
    Err(format!("`{}: {}` decides, and should be one of {because:?}", found.source, found.reason))
}
