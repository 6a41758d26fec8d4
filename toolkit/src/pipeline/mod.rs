//! The one path of a call: validate → gate → execute → render. Everything that runs a tool comes
//! through [`Engine::call`].

mod approval;
mod around;
mod blocking;
mod bound;
mod broadcast;
mod confirm;
mod cut;
mod digest;
mod dispatch;
mod draft;
mod edit;
mod execute;
mod explain;
mod fit;
mod gate;
mod grants;
mod hooks;
mod loops;
mod meters;
mod mint;
mod permits;
#[cfg(feature = "plans")]
mod plans;
mod render;
mod replay;
mod report;
mod rewrite;
mod run;
mod running;
mod set;
mod taint;
mod trail;
mod validate;
mod visible;
mod written;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::sync::Semaphore;

use crate::approval::Approver;
use crate::call::{Code, Executed, ToolCall, ToolReply};
use crate::context::{CallContext, MAX_DEPTH};
use crate::draft::DEFAULT_DRAFT_TIME;
use crate::hook::{Around, FlagSource, Guard, Observer, Rewrite};
use crate::policy::{Policy, Rules, Table};
use crate::registry::{BuildProblem, Entry, Hostings, States};
use crate::scene::Scenes;
use crate::session::Sessions;
use crate::store::Store;
use crate::verdict::{Finding, Verdict};

pub(crate) use broadcast::Broadcast;
pub(crate) use cut::PAGES;
use digest::hex_digest;
use dispatch::way_back;
pub(crate) use draft::Clock;
pub(crate) use loops::Loops;
#[cfg(feature = "rates")]
pub(crate) use meters::RateOf;
pub(crate) use meters::{Metering, Meters};
pub(crate) use mint::{Minter, Place};
pub(crate) use replay::Flights;
use report::Watched;
use running::shut;
pub(crate) use set::Set;
pub(crate) use taint::MARKS;
use trail::Trail;
use validate::Ready;
pub(crate) use visible::Standing;

/// Everything that calls share.
pub(crate) struct Engine {
    /// The toolkit's own set of tools; those of its children stand above it.
    pub(crate) root: Arc<Set>,
    pub(crate) states: States,
    pub(crate) policy: Policy,
    pub(crate) table: Table,
    /// For tools that come later; those of the ones that are there are kept with them.
    pub(crate) rules: Rules,
    pub(crate) scenes: Scenes,
    pub(crate) rewrites: Vec<Box<dyn Rewrite>>,
    pub(crate) guards: Vec<Arc<dyn Guard>>,
    pub(crate) arounds: Vec<Box<dyn Around>>,
    /// Whether there is any of these three.
    pub(crate) hooked: bool,
    pub(crate) approver: Option<Box<dyn Approver>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) observers: Vec<Box<dyn Observer>>,
    pub(crate) events: Broadcast,
    pub(crate) flags: Option<Box<dyn FlagSource>>,
    pub(crate) permits: Semaphore,
    pub(crate) limits: Limits,
    pub(crate) minter: Minter,
    pub(crate) flights: Flights,
    pub(crate) loops: Loops,
    pub(crate) meters: Option<Box<Meters>>,
    /// Whether there are guards or meters.
    pub(crate) watched: bool,
    pub(crate) clock: Clock,
    pub(crate) sessions: Sessions,
    /// Tools whose output is untrusted, beside those that reach the network.
    pub(crate) untrusted: Vec<String>,
    /// Lists of targets, by tool.
    pub(crate) targets: Vec<(String, Vec<String>)>,
    /// For tools that come later; those of the ones that are there are kept with them.
    pub(crate) hosts: Hostings,
}

/// The host's numbers and switches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) concurrency: usize,
    pub(crate) queue: Duration,
    /// How long a draft may wait for a person.
    pub(crate) drafts: Duration,
    pub(crate) output: usize,
    /// The longest output, in MiB.
    pub(crate) output_most: u32,
    pub(crate) show_errors: bool,
    pub(crate) repair_all: bool,
    pub(crate) trace_content: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            concurrency: 4,
            queue: Duration::from_secs(30),
            drafts: DEFAULT_DRAFT_TIME,
            output: 20_000,
            output_most: 256,
            show_errors: false,
            repair_all: false,
            trace_content: false,
        }
    }
}

/// Keeps with a new tool what the rules and the scenes say of it.
pub(crate) fn take_in(
    rules: &Rules,
    scenes: &Scenes,
    entry: &mut Entry,
    problems: &mut Vec<BuildProblem>,
) {
    if scenes.name(entry.spec()) {
        entry.note_scenes();
    }
    if let Some(attached) = rules.attach(entry, problems) {
        entry.attach(attached);
    }
}

impl Engine {
    /// The only way in; the tools are those of the set.
    pub(crate) async fn call(
        self: &Arc<Self>,
        set: &Arc<Set>,
        context: &CallContext,
        call: ToolCall<'_>,
        place: Place,
    ) -> ToolReply {
        // Held to the end: what is taken out of the set meanwhile stays for the calls under way.
        let registry = set.load();
        // Held until the report is made, the future dropped or not, so that a shutdown waits for that
        // as well.
        let _entered = set.running.enter();
        let trail = Trail::new(set, context, &call, place, registry.find(call.name()));
        let mut watched = Watched::new(self, trail);
        let trail = &mut watched.trail;
        let mut reply = match self.admit(trail) {
            Err(reply) => self.refused(trail, reply),
            // Boxed, as all that few calls go through.
            Ok(entry)
                if self.hooked
                    || self.loops.on_record()
                    || trail.place.is_counted(context, trail.call) =>
            {
                Box::pin(self.rewritten(trail, entry)).await
            }
            Ok(entry) => match self.validate(trail, entry) {
                Err(reply) => *reply,
                Ok(ready) if self.gate_is_open(trail, entry) => {
                    trail.free = true;
                    self.execute(trail, entry, ready, false).await
                }
                Ok(ready) => Box::pin(self.judge(trail, entry, ready)).await,
            },
        };
        if reply.code.counts_as_failure() || self.loops.on_record() {
            self.note_end(trail, &mut reply);
        }
        if trail.once.is_some() {
            Box::pin(self.finish(trail, &reply)).await;
        }
        self.address(trail, &mut reply);
        if self.has_listeners() {
            Box::pin(self.report(&mut watched, &reply)).await;
        }
        watched.told = true;
        reply
    }

    /// Says in the reply what it answers.
    #[inline]
    fn address(&self, trail: &mut Trail<'_>, reply: &mut ToolReply) {
        let call = trail.call;
        reply.id = call.provider_id().map(Into::into);
        match trail.entry() {
            Some(entry) => reply.tool = Some(entry.spec().name.clone()),
            None => {
                reply.aside().called = Some(crate::text::excerpt(call.name(), 128).into());
            }
        }
        if !trail.repairs.is_empty() {
            reply.aside().repairs = std::mem::take(&mut trail.repairs);
        }
        reply.took = trail.started.elapsed();
    }

    /// What comes before the arguments, and waits for nothing; the error is the reply.
    #[inline]
    fn admit<'a>(
        self: &Arc<Self>,
        trail: &mut Trail<'a>,
    ) -> Result<&'a Arc<Entry>, Box<ToolReply>> {
        if trail.set.running.refuses(trail.context) {
            return Err(Box::new(shut()));
        }
        let Some(entry) = trail.found else { return Err(Box::new(self.unknown(trail))) };
        if let Some(reply) = self.standing_reply(trail, entry) {
            return Err(reply);
        }
        trail.known = true;

        if let Some(reason) = &trail.call.cut {
            let text = cut_text(entry.spec().name(), reason);
            return Err(Box::new(ToolReply::not_run(Code::IncompleteCall, text)));
        }
        if trail.context.depth() > MAX_DEPTH {
            let reason = format!("calls nest at most {MAX_DEPTH} deep");
            let text = format!("`{}` is denied: {reason}", entry.spec().name());
            trail.find(Finding::new(Verdict::Deny, "depth", reason));
            return Err(Box::new(ToolReply::not_run(Code::Denied, text)));
        }
        Ok(entry)
    }

    /// What is said of a call that was refused before its arguments were looked at.
    #[cold]
    fn refused(&self, trail: &mut Trail<'_>, reply: Box<ToolReply>) -> ToolReply {
        let stopped = reply.code.counts_as_failure().then(|| self.looped(trail)).flatten();
        *stopped.unwrap_or(reply)
    }

    /// Looks whether the call was made before or too often, validates, lets the hooks rewrite, and goes on.
    async fn rewritten(self: &Arc<Self>, trail: &mut Trail<'_>, entry: &Arc<Entry>) -> ToolReply {
        if trail.place.is_counted(trail.context, trail.call) {
            match self.once(trail, entry).await {
                // Whatever waited may have waited beyond the toolkit's end.
                Ok(()) if trail.set.running.refuses(trail.context) => return shut(),
                Ok(()) => {}
                Err(reply) => {
                    // What a person refused was never read by anybody.
                    let was_read = reply.is_replay() && reply.code != Code::Rejected;
                    if was_read && self.is_untrusted(entry, None) {
                        // Perhaps it was read in another process.
                        self.taint_by(trail, entry);
                    }
                    return *reply;
                }
            }
        }
        if self.loops.on_record()
            && let Some(stopped) = self.looped(trail)
        {
            return *stopped;
        }
        let mut ready = match self.validate(trail, entry) {
            Ok(ready) => ready,
            Err(reply) => return *reply,
        };
        if !self.rewrites.is_empty() {
            ready = match self.rewrite(trail, entry, ready).await {
                Ok(_) if trail.set.running.refuses(trail.context) => return shut(),
                Ok(ready) => ready,
                Err(reply) => return *reply,
            };
        }
        self.judge(trail, entry, ready).await
    }

    /// Asks the gate, and runs the body if it opens.
    async fn judge(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        mut ready: Ready,
    ) -> ToolReply {
        let verdict = if self.gate_is_open(trail, entry) {
            if self.has_listeners() {
                self.policy_speaks(trail, entry, None);
            }
            Verdict::Allow
        } else {
            match self.gate(trail, entry, &mut ready).await {
                Ok(_) if trail.set.running.refuses(trail.context) => return shut(),
                Ok(verdict) => verdict,
                Err(mut reply) => {
                    self.tell_edit(trail, &mut reply);
                    return *reply;
                }
            }
        };
        let mut reply = self.execute(trail, entry, ready, verdict >= Verdict::Record).await;
        if trail.consent.is_some() {
            self.tell_edit(trail, &mut reply);
        }
        reply
    }

    #[inline]
    fn has_listeners(&self) -> bool {
        !self.observers.is_empty()
            || self.events.has_listeners()
            || tracing::enabled!(target: report::TARGET, tracing::Level::INFO)
    }
}

fn cut_text(tool: &str, reason: &str) -> String {
    format!(
        "the call of `{tool}` was not run: the response ended early ({}); \
         send the whole call again, with shorter arguments if need be",
        crate::text::excerpt(reason, 60)
    )
}

/// A reply for the tool's or the engine's own fault: the model gets a reference and nothing else.
fn defect(
    engine: &Engine,
    trail: &mut Trail<'_>,
    executed: Executed,
    cause: impl Into<Cow<'static, str>>,
) -> ToolReply {
    let reference = trail.id(&engine.minter);
    trail.cause = Some(cause.into());
    let text = format!("internal error, reference {reference}; not your mistake, don't retry");
    let mut reply = ToolReply::not_run(Code::Defect, text);
    reply.executed = executed;
    reply.aside().reference = Some(reference.as_ref().into());
    reply
}

/// Arguments in their one canonical spelling, by which two calls are the same or not.
fn canonical(arguments: &str) -> String {
    match arguments.trim() {
        "" | "null" => "{}".to_owned(),
        text => crate::json::canonical(text),
    }
}

/// The moment, for records.
fn now() -> SystemTime {
    SystemTime::now()
}

/// Counts upwards from 0.
#[derive(Default)]
struct Counter(AtomicU64);

impl Counter {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
