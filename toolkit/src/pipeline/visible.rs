//! Who may see which tool, and what one hears who calls another. The catalog and the dispatch ask
//! the same question here, so that what is hidden is also refused.

use std::sync::Arc;

use super::taint::taint_finding;
use super::{Engine, Set, Trail};
use crate::call::{Code, ToolReply};
use crate::contain::{Unwound, contain, said};
use crate::context::{CallContext, Origin};
use crate::policy::ToolRules;
use crate::registry::Entry;
use crate::risk::Risk;
use crate::session::Bound;
use crate::spec::ToolSpec;
use crate::text::{excerpt, listed, nearest, visible};
use crate::verdict::{Finding, Verdict};

/// How a tool stands to a context, before any argument is seen.
pub(crate) enum Standing {
    /// Listed and callable, as far as the arguments allow.
    Visible,
    /// Neither.
    Invisible {
        /// The true code.
        code: Code,
        /// The rule that says so.
        finding: Finding,
    },
}

/// The longest list of names in a reply, in bytes.
const LIST: usize = 700;

impl Engine {
    /// Whether the flag is on; a source that fails or panics switches it off.
    pub(crate) fn flag_is_on(&self, flag: &str, context: &CallContext) -> bool {
        if context.has_flag(flag) {
            return true;
        }
        let Some(source) = &self.flags else { return false };
        let what = match contain(|| source.is_on(flag, context)) {
            Ok(Ok(on)) => return on,
            Ok(Err(error)) => said(&*error),
            Err(Unwound(what)) => what,
        };
        tracing::error!(target: super::report::TARGET, flag, what, "flag source failed");
        false
    }

    /// How this tool stands to this context.
    #[inline]
    pub(crate) fn standing(&self, set: &Set, entry: &Entry, context: &CallContext) -> Standing {
        let flag = |flag: &str| self.flag_is_on(flag, context);
        self.standing_with(entry, context, self.bound(set, context), flag)
    }

    /// The same, with the flags already known, and what bounds the context.
    pub(crate) fn standing_with(
        &self,
        entry: &Entry,
        context: &CallContext,
        bound: Bound,
        flag_is_on: impl Fn(&str) -> bool,
    ) -> Standing {
        let spec = entry.spec();
        if bound.ended {
            return invisible(Code::OutOfScope, ended_finding());
        }
        if let Some(flag) = spec.flag()
            && !flag_is_on(flag)
        {
            let reason = format!("its feature flag `{flag}` is off");
            return invisible(Code::FlagOff, Finding::new(Verdict::Hide, "flag", reason));
        }
        if is_out_of_scope(spec, context) {
            return invisible(Code::OutOfScope, scope_finding(spec, context));
        }
        if let Some(finding) = self.scenes.hides(spec, context) {
            return invisible(Code::OutOfScope, finding);
        }
        if spec.session && context.session_id().is_none() {
            let reason = "it reads what a session keeps, and there is none";
            let finding = Finding::new(Verdict::Hide, "session", reason);
            return invisible(Code::OutOfScope, finding);
        }
        if is_above_ceiling(spec, bound) {
            return invisible(Code::AboveCeiling, ceiling_finding(spec, bound));
        }
        let verdict = self.table.verdict(context.origin(), spec.risk());
        let tainted = match bound.tainted {
            true => self.table.tainted(context.origin(), spec.risk()),
            false => verdict,
        };
        if tainted >= Verdict::Deny {
            let what = format!("{} for {}", spec.risk(), context.origin());
            // Of the two that may speak the stricter decides how it is invisible.
            let finding = if tainted > verdict {
                taint_finding(tainted, &what, None)
            } else {
                Finding::new(verdict, "policy", format!("the policy: {what}"))
            };
            return invisible(Code::Denied, finding);
        }
        if let Some(finding) = ToolRules::of(entry).and_then(|rules| rules.standing(context)) {
            return invisible(Code::Denied, finding);
        }
        if has_no_host(entry) {
            return invisible(Code::Denied, host_finding());
        }
        Standing::Visible
    }

    /// The reply to a call of an invisible tool; `None` where it is visible.
    #[inline]
    pub(super) fn standing_reply(
        &self,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
    ) -> Option<Box<ToolReply>> {
        let context = trail.context;
        // Most tools ask for nothing but the policy.
        if entry.is_open()
            && context.ceiling_risk().is_none()
            && !self.sessions.any()
            && self.table.verdict(context.origin(), entry.spec().risk()) < Verdict::Deny
        {
            return None;
        }
        match self.standing(trail.set, entry, context) {
            Standing::Visible => None,
            Standing::Invisible { code, finding } => {
                Some(Box::new(self.invisible_reply(trail, entry, code, finding)))
            }
        }
    }

    #[cold]
    fn invisible_reply(
        &self,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        code: Code,
        finding: Finding,
    ) -> ToolReply {
        let hidden = finding.verdict == Some(Verdict::Hide);
        let reply = if hidden && trail.context.origin() == Origin::Model {
            // For the operator the event names the rule; the reply is that of an invented name.
            self.unknown(trail)
        } else {
            let text = denied_text(entry.spec(), &finding.reason);
            trail.known = true;
            ToolReply::not_run(code, text)
        };
        trail.cause = Some(finding.reason.clone());
        if trail.explained || self.has_listeners() {
            self.all_speak(trail, entry, code, finding);
        }
        reply
    }

    /// What each rule says of an invisible tool, for the operator: the first that spoke against it,
    /// and those that weren't asked any more since it had.
    #[cold]
    fn all_speak(&self, trail: &mut Trail<'_>, entry: &Arc<Entry>, code: Code, first: Finding) {
        let (spec, context) = (entry.spec(), trail.context);
        // The table speaks below, level by level.
        let by_rule = ToolRules::of(entry).and_then(|rules| rules.standing(context));
        if by_rule.as_ref() != Some(&first) {
            by_rule.into_iter().for_each(|finding| trail.find(finding));
        }
        if first.source != "policy" && first.source != "taint" {
            trail.find(first);
        }
        if code == Code::FlagOff && is_out_of_scope(spec, context) {
            trail.find(scope_finding(spec, context));
        }
        if let (Code::FlagOff | Code::OutOfScope, Some(finding)) =
            (code, self.scenes.hides(spec, context))
            && !trail.decision.findings().contains(&finding)
        {
            trail.find(finding);
        }
        let bound = self.bound(trail.set, context);
        if matches!(code, Code::FlagOff | Code::OutOfScope) && is_above_ceiling(spec, bound) {
            trail.find(ceiling_finding(spec, bound));
        }
        self.policy_speaks(trail, entry, None);
        self.taint_speaks(trail, entry);
        let told = trail.decision.findings().iter().any(|finding| finding.source == "host");
        if has_no_host(entry) && !told {
            trail.find(host_finding());
        }
        self.guards_are_not_asked(trail);
    }

    /// The reply to a name that nobody here has.
    pub(super) fn unknown(&self, trail: &Trail<'_>) -> ToolReply {
        let called = trail.call.name();
        let registry = trail.set.load();
        let bound = self.bound(trail.set, trail.context);
        let flag = |flag: &str| self.flag_is_on(flag, trail.context);
        let sees = |entry: &Entry| {
            matches!(self.standing_with(entry, trail.context, bound, flag), Standing::Visible)
        };
        let visible_here = registry.entries().iter().filter(|entry| sees(entry));
        let names: Vec<&str> = visible_here.map(|entry| entry.spec().name()).collect();
        let mut text = format!("unknown tool `{}`", visible(&excerpt(called, 128), false));
        let near = near_names(called, &names);
        if !near.is_empty() {
            text.push_str("; did you mean ");
            text.push_str(&listed(near.into_iter()).replace(" and ", " or "));
            text.push('?');
        } else if names.is_empty() {
            text.push_str("; there is no tool here");
        } else {
            text.push_str("; there are ");
            text.push_str(&fitting(&names));
        }
        ToolReply::not_run(Code::UnknownTool, text)
    }
}

fn invisible(code: Code, finding: Finding) -> Standing {
    Standing::Invisible { code, finding }
}

#[inline]
fn is_out_of_scope(spec: &ToolSpec, context: &CallContext) -> bool {
    let scopes = spec.scopes();
    !scopes.is_empty() && !context.scope_name().is_some_and(|s| scopes.contains(&s))
}

fn scope_finding(spec: &ToolSpec, context: &CallContext) -> Finding {
    let here = context.scope_name().map_or("no scope".to_owned(), |s| format!("`{s}`"));
    let reason = format!("it belongs to {}, not to {here}", listed(spec.scopes().iter().copied()));
    Finding::new(Verdict::Hide, "scope", reason)
}

#[inline]
pub(super) fn is_above_ceiling(spec: &ToolSpec, bound: Bound) -> bool {
    bound.ceiling.is_some_and(|ceiling| spec.risk().highest() > ceiling)
}

pub(super) fn ceiling_finding(spec: &ToolSpec, bound: Bound) -> Finding {
    let ceiling = bound.ceiling.map_or("", Risk::as_str);
    let reason = format!("its risk {} is above the ceiling {ceiling}", spec.risk());
    Finding::new(Verdict::Hide, "ceiling", reason)
}

pub(super) fn ended_finding() -> Finding {
    Finding::new(Verdict::Hide, "session", "its session has ended")
}

#[inline]
fn has_no_host(entry: &Entry) -> bool {
    entry.spec().risk().contains(Risk::Network) && entry.hosts().is_empty()
}

fn host_finding() -> Finding {
    Finding::new(Verdict::Deny, "host", "no host is listed for it")
}

pub(super) fn denied_text(spec: &ToolSpec, reason: &str) -> String {
    format!("`{}` was not run: {}", spec.name(), excerpt(reason, 500))
}

/// Up to three names near to this one, nearest first. A called wire name is near to its own.
fn near_names<'n>(called: &str, names: &[&'n str]) -> Vec<&'n str> {
    let mut left = names.to_vec();
    let mut near = Vec::new();
    while near.len() < 3 {
        let wires: Vec<String> = left.iter().map(|name| crate::name::wire_name(name)).collect();
        let both = left.iter().copied().chain(wires.iter().map(String::as_str));
        let Some(found) = nearest(called, both) else { break };
        let at = left.iter().zip(&wires).position(|(name, wire)| *name == found || wire == found);
        let Some(at) = at else { break };
        near.push(left.remove(at));
    }
    near
}

/// As many names as fit.
fn fitting(names: &[&str]) -> String {
    let mut text = String::new();
    for (i, name) in names.iter().enumerate() {
        if text.len() + name.len() + 4 > LIST {
            text.push_str(&format!(" and {} more", names.len() - i));
            break;
        }
        text.push_str(if i == 0 { "`" } else { ", `" });
        text.push_str(name);
        text.push('`');
    }
    text
}
