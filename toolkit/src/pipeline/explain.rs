//! A call's decision without the call: the stages before the body, on a trail that nobody hears of. The
//! rules are those of the stages; none is told here a second time.

use std::sync::Arc;

use super::approval::nobody;
use super::execute::cancelled_before_start;
use super::grants::grant_finding;
use super::visible::Standing;
use super::{Engine, Place, Set, Trail};
use crate::call::{Code, ToolCall, ToolReply};
use crate::context::{CallContext, Origin};
use crate::explanation::{Explanation, Would};
use crate::redact;
use crate::registry::Entry;
use crate::risk::Risk;
use crate::text::excerpt;
use crate::verdict::{Finding, Verdict};

impl Engine {
    /// What would become of the call. Nothing runs, nobody is asked, nothing is written or told.
    pub(crate) async fn explain(
        self: &Arc<Self>,
        set: &Arc<Set>,
        context: &CallContext,
        call: ToolCall<'_>,
    ) -> Explanation {
        let registry = set.load();
        let mut trail = Trail::new(set, context, &call, Place::Alone, registry.find(call.name()));
        trail.explained = true;
        let mut rewritten = false;
        let end = self.foreseen(&mut trail, &mut rewritten).await;
        let visible = trail
            .found
            .is_some_and(|entry| matches!(self.standing(set, entry, context), Standing::Visible));
        self.explanation(trail, &end, visible, rewritten)
    }

    /// The stages of a call, in their order, up to the question to a person; the error is the reply.
    async fn foreseen(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        rewritten: &mut bool,
    ) -> Result<Verdict, Box<ToolReply>> {
        let entry = match self.admit(trail) {
            Ok(entry) => entry,
            Err(reply) => return Err(Box::new(self.refused(trail, reply))),
        };
        if trail.place.is_counted(trail.context, trail.call) {
            self.made_before(trail, entry).await?;
        }
        if self.loops.on_record()
            && let Some(stopped) = self.looped(trail)
        {
            return Err(stopped);
        }
        let mut ready = self.validate(trail, entry)?;
        if !self.rewrites.is_empty() {
            let before = trail.shown();
            ready = self.rewrite(trail, entry, ready).await?;
            *rewritten = trail.shown() != before;
        }
        drop(ready);
        let mut verdict = self.judgement(trail, entry).await?;
        self.metered(trail, entry)?;
        if verdict == Verdict::Ask {
            let watch = self.watch(trail, entry);
            if let Some(covering) = watch.as_ref().and_then(|watch| self.covering(watch)) {
                // What a grant answers is recorded like what a person does.
                trail.find(grant_finding(&covering.grant));
                verdict = Verdict::Record;
            } else if self.somebody().is_none() {
                return Err(nobody(entry));
            }
        }
        if trail.context.is_cancelled() {
            return Err(Box::new(cancelled_before_start(entry)));
        }
        Ok(verdict)
    }

    fn explanation(
        &self,
        mut trail: Trail<'_>,
        end: &Result<Verdict, Box<ToolReply>>,
        visible: bool,
        rewritten: bool,
    ) -> Explanation {
        let (context, entry) = (trail.context, trail.found);
        let risk = entry.map(|entry| entry.spec().risk());
        let would = match end {
            Err(reply) if reply.is_replay() => Would::Repeat(reply.code),
            Err(reply) => Would::Refuse(reply.code),
            Ok(Verdict::Ask) => Would::Ask,
            Ok(_) if entry.is_some_and(|entry| entry.commit().is_some()) => Would::MakeDraft,
            Ok(_) => Would::Run,
        };
        let cause = trail.cause.as_deref();
        let cause = cause.map(|cause| redact::text(trail.redactor.as_ref(), cause).into_owned());
        // Of what isn't visible the decision says it all.
        let cause = cause.filter(|cause| {
            visible && trail.decision.findings().iter().all(|finding| finding.reason != *cause)
        });
        let text = |text: Option<&str>| text.map(str::to_owned);
        Explanation {
            called: excerpt(trail.call.name(), 128),
            tool: entry.map(|entry| entry.spec().name().to_owned()),
            risk,
            visible,
            origin: context.origin(),
            principal: text(context.principal_name()),
            session: text(context.session_id()),
            scope: text(context.scope_name()),
            scene: text(context.scene_name()),
            would,
            recorded: end.as_ref().is_ok_and(|verdict| *verdict >= Verdict::Record),
            approval_time: risk
                .filter(|_| would == Would::Ask)
                .map(|risk| self.policy.approval_time_of(context.origin(), risk)),
            arguments: trail.valid.then(|| trail.shown()),
            rewritten,
            reply: end.as_ref().err().map(|reply| reply.text().to_owned()),
            cause,
            advice: self.advice(&trail, would),
            repairs: std::mem::take(&mut trail.repairs),
            decision: std::mem::take(&mut trail.decision),
        }
    }

    /// What could be changed, one for each verdict that stands in the way.
    fn advice(&self, trail: &Trail<'_>, would: Would) -> Vec<String> {
        let Some(entry) = trail.found else {
            return vec![
                "call a tool by its name or its wire name; one whose crate no code names isn't \
                 linked: `use its_crate as _;`"
                    .to_owned(),
            ];
        };
        let hinders = |finding: &&Finding| match would {
            Would::Ask | Would::Refuse(Code::NoApprover) => finding.verdict == Some(Verdict::Ask),
            Would::Refuse(_) => finding.verdict >= Some(Verdict::Deny),
            _ => false,
        };
        let mut advice: Vec<String> = Vec::new();
        if would == Would::Refuse(Code::NoApprover) {
            advice.push("give the builder somebody to ask: `.approver(…)`".to_owned());
        }
        let findings = trail.decision.findings().iter().filter(hinders);
        let mut cells = findings.clone().filter(|finding| finding.source == "policy").peekable();
        if cells.peek().is_some() {
            self.advice_on_cells(trail, entry, cells.filter_map(|cell| cell.verdict), &mut advice);
        }
        for finding in findings.filter(|finding| finding.source != "policy") {
            advice.push(advice_on(finding, trail, entry));
        }
        advice.extend(advice_on_code(would));
        advice.dedup();
        advice
    }

    /// For each level whose cell says one of these.
    fn advice_on_cells(
        &self,
        trail: &Trail<'_>,
        entry: &Entry,
        verdicts: impl Iterator<Item = Verdict>,
        advice: &mut Vec<String>,
    ) {
        let verdicts: Vec<Verdict> = verdicts.collect();
        let origin = trail.context.origin();
        for risk in entry.spec().risk().iter() {
            if !verdicts.contains(&self.policy.cell(origin, risk).verdict) {
                continue;
            }
            advice.push(match (origin, risk) {
                (Origin::Plan | Origin::Model, Risk::Send) => {
                    "let the policy have plans and models draft: `.drafts()`".to_owned()
                }
                (Origin::Model, Risk::Write) => {
                    "let the policy have a model write under record: `Policy::trusting()`"
                        .to_owned()
                }
                _ => format!(
                    "let the policy say something else: `Policy::set(Origin::{origin:?}, \
                     Risk::{risk:?}, …)`"
                ),
            });
        }
    }
}

/// What to do about one verdict.
fn advice_on(finding: &Finding, trail: &Trail<'_>, entry: &Entry) -> String {
    let spec = entry.spec();
    let (source, name) = (&*finding.source, spec.name());
    match source {
        "flag" => {
            let flag = spec.flag().unwrap_or_default();
            format!("switch its flag on, by `CallContext::flag(\"{flag}\")` or a source of flags")
        }
        "scope" => {
            let scope = spec.scopes().first().copied().unwrap_or_default();
            format!("call it where it belongs, by `CallContext::scope(\"{scope}\")`")
        }
        "scene" => "call it in a scene that has its domain, by `CallContext::scene(…)`".to_owned(),
        "session" if trail.context.session_id().is_some() => {
            "open the session anew by `toolkit.session(…)`, or name another".to_owned()
        }
        "session" => "name a session, by `CallContext::session(…)`".to_owned(),
        "ceiling" => {
            let highest = spec.risk().highest();
            format!("raise the context's ceiling to {highest}, or call outside of what lowered it")
        }
        "host" if entry.hosts().is_empty() => {
            format!("list the hosts that it may reach: `builder.hosts(\"{name}\", […])`")
        }
        "host" => format!(
            "call it with a host that is listed, or list this one: `builder.hosts(\"{name}\", […])`"
        ),
        "loop guard" => {
            "make another call than the one that failed, or declare the tool `polling`".to_owned()
        }
        "rate" => "wait as long as the reply says, or give a higher rate".to_owned(),
        "budget" => "begin a new session or turn, or give a greater budget".to_owned(),
        "depth" => format!("call it from a body that is less deep than {}", trail.context.depth()),
        "taint" => {
            "let a person decide, begin a new session, or set `Policy::tainted(…)`".to_owned()
        }
        _ => match source.split_once(' ') {
            Some(("rule", place)) => format!("change the rule at {place}"),
            Some((kind, hook)) => {
                format!("ask whoever wrote the {kind} `{hook}`: its word is code")
            }
            None => format!("change what `{source}` says"),
        },
    }
}

/// What to do about a refusal that isn't a rule's.
fn advice_on_code(would: Would) -> Option<String> {
    let Would::Refuse(code) = would else { return None };
    let advice = match code {
        Code::InvalidArguments | Code::MalformedArguments => {
            "mend the arguments as the reply says: no rule has looked at them yet"
        }
        Code::IncompleteCall => "send the whole call again",
        Code::CallIdReused => "give the call an id of its own",
        Code::CancelledBeforeStart => "call with a context that isn't cancelled",
        Code::Busy => "make another toolkit: this one is shut down",
        Code::Defect => "mend the tool or the host: no caller can",
        _ => return None,
    };
    Some(advice.to_owned())
}
