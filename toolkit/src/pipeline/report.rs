//! What the operator hears: events to observers and to the broadcast, spans to `tracing`. Every text
//! here has passed the call's redaction.

use std::borrow::Cow;
use std::sync::Arc;

use tracing::field::Empty;

use super::blocking::Reached;
use super::hooks::{has_timers, heard, name_of};
use super::{Engine, Trail, hex_digest, now};
use crate::call::{Code, Executed, ToolReply};
use crate::contain::{Unwound, contain};
use crate::context::{About, Lent, Progress};
use crate::event::{
    CallRecord, Confirmer, DraftLink, Event, HookFault, HookKind, LateRecord, ProgressRecord,
};
use crate::hook::Observer;
use crate::policy::Detail;
use crate::registry::Entry;
use crate::text::excerpt;

/// The target of all spans and log events of the engine.
pub(super) const TARGET: &str = "toolkit";

/// The longest text of a hook's fault, in characters; one more says that it was cut.
const FAULT: usize = 1_999;

/// The same of the message of a body's progress.
const MESSAGE: usize = 499;

/// A call on its way. Where its future is dropped before it has a reply, its end is told all the
/// same, to those who needn't be waited for.
pub(super) struct Watched<'a> {
    engine: &'a Engine,
    pub(super) trail: Trail<'a>,
    /// Whether its end is told, or is being told.
    pub(super) told: bool,
}

impl<'a> Watched<'a> {
    pub(super) fn new(engine: &'a Engine, trail: Trail<'a>) -> Self {
        Self { engine, trail, told: false }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if self.told {
            return;
        }
        let begun = self.trail.has_entered();
        if self.trail.delivering.is_some()
            && let Some(delivering) = &mut self.trail.delivering
        {
            delivering.cut_off(begun);
        }
        if self.engine.has_listeners() {
            self.engine.abandoned(&mut self.trail);
        }
    }
}

/// An event on its way to the observers, one after another. Where nobody waits for that any more,
/// those who haven't heard of it hear at once.
struct Telling<'a> {
    engine: &'a Engine,
    event: &'a Event,
    /// Those who haven't heard yet.
    left: std::slice::Iter<'a, Box<dyn Observer>>,
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        for observer in self.left.by_ref() {
            self.engine.observe_now(&**observer, self.event);
        }
        self.engine.events.send(self.event);
    }
}

impl Engine {
    #[cold]
    fn abandoned(&self, trail: &mut Trail<'_>) {
        let reached = trail.thread.as_ref().map(|thread| thread.leave());
        let (code, executed) = match reached {
            Some(Reached::Runs) => (Code::Cancelled, Executed::Unknown),
            Some(Reached::Ended) => (Code::Cancelled, Executed::Yes),
            None if trail.has_entered() => (Code::Cancelled, Executed::Yes),
            None | Some(Reached::NotBegun) => (Code::CancelledBeforeStart, Executed::No),
        };
        // What only drafts has no effect yet.
        let drafts = trail.found.is_some_and(|entry| entry.commit().is_some());
        let executed = if drafts && trail.delivering.is_none() { Executed::No } else { executed };
        let mut reply = ToolReply::not_run(code, "");
        reply.executed = executed;
        reply.took = trail.started.elapsed();
        if !trail.repairs.is_empty() {
            reply.aside().repairs = std::mem::take(&mut trail.repairs);
        }
        trail.cause = Some(Cow::Borrowed("nobody waited for its end"));
        let record = self.record(trail, &reply);
        log(&record);
        self.tell(&Event::CallFinished(Arc::new(record)));
    }

    /// Tells of a finished call.
    pub(super) async fn report(&self, watched: &mut Watched<'_>, reply: &ToolReply) {
        let record = self.record(&mut watched.trail, reply);
        log(&record);
        // From here on the telling looks after itself.
        watched.told = true;
        self.emit(&Event::CallFinished(Arc::new(record))).await;
    }

    fn record(&self, trail: &mut Trail<'_>, reply: &ToolReply) -> CallRecord {
        let context = trail.context;
        if let Some(entry) = trail.found.filter(|_| trail.free) {
            self.policy_speaks(trail, entry, None);
        }
        let call = trail.id(&self.minter);
        // The operator hears of the tool, whether or not the caller may.
        let spec = trail.found.map(|entry| entry.spec());
        // Only arguments that passed validation have a canonical form worth keeping, and only of those
        // is it known what is secret in them.
        let arguments = trail.valid.then(|| trail.shown());
        let detail = spec.map(|spec| self.policy.detail_of(context.origin(), spec.risk()));
        let redacted = |text: &str| crate::redact::text(trail.redactor.as_ref(), text).into_owned();
        CallRecord {
            call,
            provider_id: context_text(trail.call.provider_id()),
            index: trail.place.index(),
            tool: spec
                .map_or_else(|| excerpt(trail.call.name(), 128), |s| s.name().to_owned())
                .into(),
            risk: spec.map(|spec| spec.risk()),
            origin: context.origin(),
            principal: context_text(context.principal_name()),
            session: context_text(context.session_id()),
            code: reply.code,
            executed: reply.executed,
            replay: reply.is_replay(),
            decision: trail.decision.clone(),
            digest: arguments.as_deref().map(|text| hex_digest(text.as_bytes()).into()),
            arguments: arguments.filter(|_| detail >= Some(Detail::Arguments)).map(Into::into),
            result: Some(reply.text())
                .filter(|text| detail >= Some(Detail::Results) && !text.is_empty())
                .map(Into::into),
            draft: trail.draft(reply),
            repairs: reply.repairs().to_vec(),
            approval: trail.consent.as_ref().map(|consent| consent.approval.clone()),
            cause: trail.cause.as_deref().map(|cause| Cow::Owned(redacted(cause))),
            reference: reply.reference().map(Into::into),
            at: now().checked_sub(reply.took).unwrap_or(std::time::UNIX_EPOCH),
            waited: trail.waited,
            took: reply.took,
        }
    }

    /// Lets listeners hear what this body will say of its progress.
    #[cold]
    pub(super) fn listen(&self, trail: &mut Trail<'_>, entry: &Entry, lent: &Lent) {
        lent.listen(About {
            call: trail.id(&self.minter),
            tool: entry.spec().name().into(),
            session: context_text(trail.context.session_id()),
            redactor: trail.redactor.clone(),
        });
    }

    pub(super) fn tell_progress(&self, about: &About, progress: Progress) {
        if !self.events.has_listeners() {
            return;
        }
        let said = |text: Cow<'static, str>| {
            let text = crate::redact::text(about.redactor.as_ref(), &text);
            excerpt(&text, MESSAGE).into()
        };
        self.events.send(&Event::Progress(Arc::new(ProgressRecord {
            call: Arc::clone(&about.call),
            tool: Arc::clone(&about.tool),
            session: about.session.clone(),
            done: progress.done,
            total: progress.total,
            message: progress.message.map(said),
        })));
    }

    /// Gives an event to every observer in turn, then to the broadcast.
    ///
    /// # Cancellation
    /// Those who haven't heard of it yet hear at once.
    pub(super) async fn emit(&self, event: &Event) {
        let mut telling = Telling { engine: self, event, left: self.observers.iter() };
        if !self.observers.is_empty() && !has_timers() {
            // Nobody could be waited for within a time, so that all hear at once.
            return;
        }
        for observer in telling.left.by_ref() {
            if let Err(what) = heard(async { observer.observe(event).await }).await {
                self.observer_failed(&**observer, event, &what);
            }
        }
    }

    /// Waits until every observer has kept what it took at once.
    pub(crate) async fn flush(&self) {
        for observer in &self.observers {
            if let Err(what) = heard(async { observer.flush().await }).await {
                let name = name_of(|| observer.name());
                self.hook_failed(HookKind::Observer, name, None, &what);
            }
        }
    }

    fn observe_now(&self, observer: &dyn Observer, event: &Event) {
        if let Err(Unwound(panic)) = contain(|| observer.observe_now(event)) {
            self.observer_failed(observer, event, &panic);
        }
    }

    #[cold]
    fn observer_failed(&self, observer: &dyn Observer, event: &Event, what: &str) {
        let name = name_of(|| observer.name());
        self.hook_failed(HookKind::Observer, name, event.call().cloned(), what);
    }

    /// Keeps what was wrong with a hook of this call as the cause of its end, and tells of it.
    #[cold]
    pub(super) fn at_fault(&self, trail: &mut Trail<'_>, kind: HookKind, hook: &str, what: &str) {
        let what = crate::redact::text(trail.redactor.as_ref(), what);
        trail.cause.get_or_insert_with(|| Cow::Owned(format!("{kind} {hook} {what}")));
        if trail.explained {
            return;
        }
        let call = trail.id(&self.minter);
        self.hook_failed(kind, hook, Some(call), &what);
    }

    /// Tells the log and the broadcast that a hook was at fault; observers don't hear of it, since
    /// one that fails would hear of its own failure for ever.
    #[cold]
    fn hook_failed(&self, kind: HookKind, hook: &str, call: Option<Arc<str>>, what: &str) {
        let what = excerpt(what, FAULT);
        let (kind_word, id) = (kind.as_str(), call.as_deref().unwrap_or_default());
        tracing::error!(target: TARGET, kind = kind_word, hook, call = id, what, "hook at fault");
        let fault = HookFault { kind, hook: hook.into(), call, what: what.into() };
        self.events.send(&Event::HookFailed(Arc::new(fault)));
    }

    /// Tells that a tool came or went.
    pub(crate) fn registry_changed(&self, event: &Event) {
        tracing::info!(target: TARGET, event = event.kind(), "registry changed");
        self.tell(event);
    }

    /// Tells of a body that ended after its call: the observers, and nobody else.
    pub(super) fn observe_late(&self, record: LateRecord) {
        let (call, tool, code) = (&*record.call, &*record.tool, record.code.as_str());
        let cause = record.cause.as_deref().unwrap_or_default();
        let took = record.took.as_secs_f64();
        tracing::info!(target: TARGET, call, tool, code, cause, took, "late result");
        let event = Event::LateResult(Arc::new(record));
        for observer in &self.observers {
            self.observe_now(&**observer, &event);
        }
    }

    /// Tells of what nothing can wait for.
    pub(super) fn tell(&self, event: &Event) {
        for observer in &self.observers {
            self.observe_now(&**observer, event);
        }
        self.events.send(event);
    }

    /// The span around a body, with the names of OpenTelemetry's GenAI conventions.
    #[inline]
    pub(super) fn span(&self, trail: &mut Trail<'_>, entry: &Entry) -> tracing::Span {
        if !tracing::enabled!(target: TARGET, tracing::Level::INFO) {
            return tracing::Span::none();
        }
        let spec = entry.spec();
        let call = trail.id(&self.minter);
        let span = tracing::info_span!(
            target: TARGET,
            "execute_tool",
            otel.name = format!("execute_tool {}", spec.name()),
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = spec.name(),
            gen_ai.tool.type = "function",
            gen_ai.tool.description = spec.description(),
            gen_ai.tool.call.id = trail.call.provider_id().unwrap_or(&call),
            gen_ai.tool.call.arguments = Empty,
            gen_ai.tool.call.result = Empty,
            toolkit.call = &*call,
            toolkit.origin = trail.context.origin().as_str(),
            toolkit.risk = %spec.risk(),
            error.type = Empty,
        );
        if self.limits.trace_content {
            span.record("gen_ai.tool.call.arguments", trail.shown());
        }
        span
    }

    /// Writes into the span what became of the body.
    #[inline]
    pub(super) fn close_span(&self, span: &tracing::Span, reply: &ToolReply) {
        if span.is_disabled() {
            return;
        }
        if reply.code != Code::Ok {
            span.record("error.type", reply.code.as_str());
        }
        if self.limits.trace_content {
            span.record("gen_ai.tool.call.result", reply.text());
        }
    }
}

impl Trail<'_> {
    /// The draft that the call made or delivered.
    fn draft(&self, reply: &ToolReply) -> Option<DraftLink> {
        match &self.delivering {
            None => reply.draft_id().map(|id| DraftLink { draft: id.into(), confirmed: None }),
            Some(delivering) => {
                let confirmation = &delivering.delivery.confirmation;
                let by = confirmation.by.clone();
                let confirmed = Some(Confirmer { by, edited: delivering.is_edited() });
                Some(DraftLink { draft: confirmation.draft.clone(), confirmed })
            }
        }
    }
}

fn context_text(text: Option<&str>) -> Option<Arc<str>> {
    text.map(Into::into)
}

fn log(record: &CallRecord) {
    let fields = (&*record.call, &*record.tool, record.code.as_str());
    let (call, tool, code) = fields;
    let cause = record.cause.as_deref().unwrap_or_default();
    let took = record.took.as_secs_f64();
    if matches!(record.code, Code::Defect) {
        tracing::error!(target: TARGET, call, tool, code, cause, took, "call finished");
    } else {
        tracing::info!(target: TARGET, call, tool, code, cause, took, "call finished");
    }
}
