//! Makes the call of a world, and holds what came of it against what should.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::{CallRecord, CancellationToken, Event, Executed, Explanation, ToolReply, Would};

use crate::made;
use crate::oracle::{self, Caller, Fate, Inner, Reason};
use crate::tools::{self, Ledger, Ran};
use crate::world::{Flaw, Who, World};

/// How it is said that there is no such world.
pub(crate) const SENSELESS: &str = "it can't be built: ";

/// What was seen of a world.
struct Stage {
    toolkit: Toolkit,
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
    let toolkit = made::builder(world, &ledger, &asked)
        .store(store.clone())
        .observer(move |event: &Event| {
            if let Event::CallFinished(record) = event {
                heard.lock().unwrap().push(Arc::clone(record));
            }
        })
        .build()
        .map_err(|error| format!("{SENSELESS}{error}"))?;
    let mut sessions = Vec::new();
    let held = world.held;
    for (held, name, ceiling) in
        [(held.outer, "s", held.outer_ceiling), (held.inner, "s/in", held.inner_ceiling)]
    {
        if held {
            let session = toolkit.session(name);
            if let Some(ceiling) = ceiling {
                session.ceiling(tools::risk(ceiling));
            }
            sessions.push(session);
        }
    }
    if world.held.ended && world.held.outer {
        sessions[0].end();
    }
    let cx = context(world, world.caller.who);
    let stage = Stage { toolkit, ledger, asked, store, finished, cx };
    let by = oracle::caller(world);

    stage.catalog(world, by)?;
    // From the inside out: what each body calls.
    let (name, given) = (world.tool, &world.given);
    let mut fates = vec![oracle::call(world, by, name, given, Inner::None)];
    for _ in 0..world.door.through {
        let inner = fates.last().unwrap();
        fates.push(oracle::call(world, by, "outer.call", given, Inner::Call(inner)));
    }
    let texts = texts(world);
    for (depth, fate) in fates.iter().enumerate() {
        stage.explain(world, &texts[depth], fate).await?;
    }
    let fate = fates.pop().unwrap();
    stage.call(world, &texts[world.door.through], &fate).await?;
    Ok(fate)
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
    let takes_url = tools::facts(world.tool, &world.typed).is_some_and(|t| oracle::takes_url(&t));
    let cut = world.given.flaw == Flaw::Cut;
    let mut texts =
        vec![(world.tool.to_owned(), made::text(world.tool, &world.given, takes_url), cut)];
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
    /// What is listed is what isn't invisible.
    fn catalog(&self, world: &World, by: Caller) -> Result<(), String> {
        let catalog = match world.door.read_only {
            true => self.toolkit.read_only().catalog(&self.cx),
            false => self.toolkit.catalog(&self.cx),
        };
        for name in tools::NAMES {
            let tool = tools::facts(name, &world.typed).unwrap();
            let visible = oracle::invisible(world, by, &tool).is_empty();
            same!(catalog.find(name).is_some(), visible, "whether `{name}` is listed");
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
        same!(self.asked.load(Ordering::SeqCst), 0, "how often an explanation asked");
        same!(self.store.records().len(), 0, "what an explanation recorded");
        same!(self.finished.lock().unwrap().len(), 0, "what was heard of an explanation");
        Ok(())
    }

    async fn call(
        &self,
        world: &World,
        text: &(String, String, bool),
        fate: &Fate,
    ) -> Result<(), String> {
        let cx = if world.door.twice { self.cx.clone().turn(1) } else { self.cx.clone() };
        let mut reply = self.through(world, &cx, text).await;
        self.check(world, &reply, fate)?;
        if world.door.twice && !world.caller.cancelled {
            let runs = self.ledger.take();
            same!(runs, fate.runs, "what ran at first");
            reply = self.through(world, &cx, text).await;
            let kept = world.caller.session.is_some() && fate.kept;
            same!(reply.is_replay(), kept, "whether the second reply is the first one's");
            self.check(world, &reply, fate)?;
            let runs = self.ledger.take();
            let expected = if kept { Vec::new() } else { fate.runs.clone() };
            same!(runs, expected, "what ran the second time");
            let times = if kept { 1 } else { 2 };
            self.effects(fate, times)?;
        } else if world.caller.cancelled {
            same!(self.ledger.take(), Vec::<Ran>::new(), "what ran");
            self.effects(&Fate::default(), 1)?;
        } else {
            same!(self.ledger.take(), fate.runs, "what ran");
            self.effects(fate, 1)?;
            reply = self.again(world, text, fate, reply).await?;
        }
        match reply.draft_id() {
            Some(draft) if world.door.confirm && world.door.through == 0 => {
                self.confirm(world, draft, fate).await
            }
            _ => Ok(()),
        }
    }

    /// The same call once more, and again.
    async fn again(
        &self,
        world: &World,
        text: &(String, String, bool),
        fate: &Fate,
        mut reply: ToolReply,
    ) -> Result<ToolReply, String> {
        let (mut asked, mut recorded) = (self.asked.load(Ordering::SeqCst), fate.recorded.len());
        for before in 1..=world.door.again {
            let fate = oracle::again(oracle::caller(world), fate, before);
            let would = self.explained(world, text).await.would;
            let stopped = would == Would::Refuse(Code::LoopStopped);
            same!(stopped, fate.code == "loop_stopped", "whether it is explained to be stopped");
            reply = self.through(world, &self.cx, text).await;
            self.check(world, &reply, &fate)?;
            same!(self.ledger.take(), fate.runs, "what ran again");
            asked += fate.asked;
            recorded += fate.recorded.len();
            same!(self.asked.load(Ordering::SeqCst), asked, "how often a person was asked");
            same!(self.store.records().len(), recorded, "how much was recorded");
        }
        Ok(reply)
    }

    async fn explained(&self, world: &World, text: &(String, String, bool)) -> Explanation {
        let call = made_call(world, text).id("explained");
        match world.door.read_only {
            true => self.toolkit.read_only().explain(&self.cx, call).await,
            false => self.toolkit.explain(&self.cx, call).await,
        }
    }

    async fn through(
        &self,
        world: &World,
        cx: &CallContext,
        text: &(String, String, bool),
    ) -> ToolReply {
        let call = made_call(world, text);
        let other = || ToolCall::new("no.such.tool", "{}");
        let (read_only, toolkit) = (self.toolkit.read_only(), &self.toolkit);
        match (world.door.turn, world.door.read_only) {
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
        }
    }

    /// The reply, and what the event of the call says of it.
    fn check(&self, world: &World, reply: &ToolReply, fate: &Fate) -> Result<(), String> {
        let code = reply.code().as_str();
        let cancelled = world.caller.cancelled && code == "cancelled_before_start";
        if !cancelled {
            same!(code, fate.code, "the code of `{}`", reply.text());
        }
        let ran = code == "ok";
        same!(reply.executed() == Executed::Yes, ran, "whether it took place");
        if world.caller.cancelled && (ran || code == "needs_confirmation") {
            return Err("it ran, though it was cancelled".to_owned());
        }
        let records = self.finished.lock().unwrap();
        // Of the call itself, the last that ended but for what stands beside it in its turn.
        let record = records.iter().rev().find(|record| &*record.tool != "no.such.tool");
        let record = record.ok_or("nobody heard of it")?;
        same!(record.code.as_str(), code, "the code that was heard");
        if cancelled || reply.is_replay() {
            return Ok(());
        }
        decides(&record.decision, &fate.because)
    }

    fn effects(&self, fate: &Fate, times: usize) -> Result<(), String> {
        same!(
            self.asked.load(Ordering::SeqCst),
            fate.asked * times,
            "how often a person was asked"
        );
        let recorded: Vec<String> =
            self.store.records().iter().map(|record| record.intent.tool.clone()).collect();
        let want: Vec<&str> = (0..times).flat_map(|_| fate.recorded.iter().copied()).collect();
        same!(recorded, want, "what was recorded");
        Ok(())
    }

    /// A model can't confirm; a person can what they may.
    async fn confirm(&self, world: &World, draft: &str, fate: &Fate) -> Result<(), String> {
        for who in [Who::Model, Who::Plan] {
            let reply = self.toolkit.confirm(&context(world, who), draft).await;
            same!(reply.code(), Code::Denied, "whether {who:?} may confirm");
            same!(self.ledger.take(), Vec::<Ran>::new(), "what {who:?} sent");
        }
        let drafted = fate.runs.last().unwrap();
        let mut given = world.given.clone();
        given.name = crate::chance::NAMES.into_iter().find(|n| *n == drafted.name).unwrap();
        given.n = Some(drafted.n);
        let tool = tools::facts(world.tool, &world.typed).unwrap();
        let may = oracle::may_be_sent(world, &tool, &given);
        let reply = self.toolkit.confirm(&context(world, Who::Human), draft).await;
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
