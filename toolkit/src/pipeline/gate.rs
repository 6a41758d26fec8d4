//! The second stage: every rule speaks, the strictest decides, and a person is asked where it says
//! so.

use std::borrow::Cow;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use serde_json::Value;

use super::execute::{cancelled_before_start, unless_cancelled};
use super::hooks::{failed, late, name_of};
use super::validate::Ready;
use super::visible::denied_text;
use super::{Engine, Trail};
use crate::call::{Code, ToolReply};
use crate::contain::{Unwound, contain, contained};
use crate::event::HookKind;
use crate::hook::{BoxFuture, HOOK_TIME, Ruling};
use crate::policy::ToolRules;
use crate::redact::{self, Redactor};
use crate::registry::Entry;
use crate::risk::Risk;
use crate::verdict::{Finding, Verdict};

impl Engine {
    /// Whether nothing can speak against the call: the common case, which costs one look-up.
    #[inline]
    pub(super) fn gate_is_open(&self, trail: &Trail<'_>, entry: &Entry) -> bool {
        let risk = entry.spec().risk();
        !self.watched
            && !risk.contains(Risk::Network)
            // What is allowed even after untrusted data is allowed before.
            && (self.table.tainted(trail.context.origin(), risk) == Verdict::Allow
                || self.allows_before_taint(trail, entry))
            && (entry.attached().is_none() || rules_are_silent(trail, entry))
    }

    #[cold]
    fn allows_before_taint(&self, trail: &Trail<'_>, entry: &Entry) -> bool {
        self.table.verdict(trail.context.origin(), entry.spec().risk()) == Verdict::Allow
            && !self.bound(trail.set, trail.context).tainted
    }

    /// Decides; the error is the reply.
    pub(super) async fn gate(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        ready: &mut Ready,
    ) -> Result<Verdict, Box<ToolReply>> {
        let verdict = self.judgement(trail, entry).await?;
        // Before a person is asked, so that a flood of calls is none of questions.
        self.metered(trail, entry)?;
        if verdict == Verdict::Ask {
            self.approval(trail, entry, ready).await?;
        }
        Ok(verdict)
    }

    /// What all rules say of the arguments as they are; the error is the reply where one denies.
    pub(super) async fn judgement(
        &self,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
    ) -> Result<Verdict, Box<ToolReply>> {
        let spec = entry.spec();
        match ToolRules::of(entry) {
            None => self.policy_speaks(trail, entry, None),
            Some(rules) => self.rules_speak(trail, entry, rules),
        }
        self.taint_speaks(trail, entry);
        if spec.risk().contains(Risk::Network) {
            let finding = host_finding(entry, trail.text(), trail.redactor.as_ref());
            trail.find(finding);
            if let Some(delivering) = &trail.delivering {
                // What the draft was made from, beside what it holds now.
                let arguments = &delivering.draft.exact.arguments;
                let finding = host_finding(entry, arguments, trail.redactor.as_ref());
                trail.find(finding);
            }
        }
        if trail.decision.verdict() >= Verdict::Deny {
            self.guards_are_not_asked(trail);
        } else {
            let Some(asked) = self.judged(trail, entry).await else {
                return Err(Box::new(cancelled_before_start(entry)));
            };
            for guard in asked {
                if let Some(what) = &guard.fault {
                    self.at_fault(trail, HookKind::Guard, guard.name, what);
                }
                trail.find(guard.into_finding());
            }
        }
        match trail.decision.verdict() {
            verdict @ (Verdict::Allow | Verdict::Record | Verdict::Ask) => Ok(verdict),
            Verdict::Deny | Verdict::Hide => {
                let reason = trail.decision.deciding().map_or("", |finding| &finding.reason);
                let text = denied_text(spec, reason);
                let text = redact::text(trail.redactor.as_ref(), &text).into_owned();
                Err(Box::new(ToolReply::not_run(Code::Denied, text)))
            }
        }
    }

    /// What the table says of each declared level; a rule may waive that it asks.
    pub(super) fn policy_speaks(&self, trail: &mut Trail<'_>, entry: &Entry, waiver: Option<&str>) {
        let origin = trail.context.origin();
        for risk in entry.spec().risk().iter() {
            let verdict = self.policy.cell(origin, risk).verdict;
            trail.find(match waiver {
                Some(rule) if verdict == Verdict::Ask && risk != Risk::Send => {
                    let reason = format!("{risk} for {origin}; {rule} waives that it asks");
                    Finding::new(Verdict::Record, "policy", reason)
                }
                _ => Finding::new(verdict, "policy", format!("{risk} for {origin}")),
            });
        }
    }

    /// What the rules on this tool say, and the table. The rules come first: of two that ask, the one
    /// that says more is quoted.
    fn rules_speak(&self, trail: &mut Trail<'_>, entry: &Entry, rules: &ToolRules) {
        let context = trail.context;
        // Of a draft the rules judge what it was made from: they know of arguments alone.
        let arguments = match &trail.delivering {
            Some(delivering) => &delivering.draft.exact.arguments,
            None => trail.text(),
        };
        let mut found = Vec::new();
        let mut spoke = contain(|| rules.speak(context, arguments, &mut |said| found.push(said)));
        if let Err(Unwound(what)) = &mut spoke {
            let what = std::mem::take(what);
            found.push(Finding::new(Verdict::Deny, "rules", "a rule could not decide"));
            tracing::error!(target: super::report::TARGET, what, "a rule failed");
        }
        for finding in found {
            trail.find(finding);
        }
        self.policy_speaks(trail, entry, spoke.unwrap_or_default());
    }

    /// The guards, where a rule has said no already.
    pub(super) fn guards_are_not_asked(&self, trail: &mut Trail<'_>) {
        for guard in &self.guards {
            trail.find(Finding::not_asked(guard_source(name_of(|| guard.name()))));
        }
    }

    /// All guards at the same time, until the first no; `None` where the call was cancelled first.
    async fn judged(&self, trail: &Trail<'_>, entry: &Entry) -> Option<Vec<Asked<'_>>> {
        if self.guards.is_empty() {
            return Some(Vec::new());
        }
        let call = trail.hook_call(entry);
        let mut asked: Vec<Asked<'_>> = Vec::with_capacity(self.guards.len());
        let mut futures: Vec<Option<BoxFuture<'_, _>>> = Vec::with_capacity(self.guards.len());
        for guard in &self.guards {
            asked.push(Asked { name: name_of(|| guard.name()), ruling: None, fault: None });
            // Inside a future of its own, since making the guard's may panic as well; and dropped as
            // carefully, since nobody may wait for its end.
            let judged = contained(Box::pin(async move { guard.judge(call).await }));
            futures.push(Some(Box::pin(judged)));
        }
        let all = poll_fn(|cx| {
            for (guard, future) in asked.iter_mut().zip(&mut futures) {
                let Some(running) = future else { continue };
                match running.as_mut().poll(cx) {
                    Poll::Pending => continue,
                    Poll::Ready(Ok(Ok(ruling))) => guard.ruling = Some(ruling),
                    Poll::Ready(Ok(Err(error))) => guard.fault = Some(failed(&error)),
                    Poll::Ready(Err(Unwound(panic))) => guard.fault = Some(panic),
                }
                *future = None;
                if guard.fault.is_some() || matches!(guard.ruling, Some(Ruling::Deny(_))) {
                    return Poll::Ready(());
                }
            }
            if futures.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
        });
        let in_time = contained(Box::pin(async { tokio::time::timeout(HOOK_TIME, all).await }));
        let in_time = unless_cancelled(trail.context, in_time).await;
        let unanswered: Vec<bool> = futures.iter().map(Option::is_some).collect();
        drop(futures);
        let wrong = match in_time? {
            Ok(Ok(())) => return Some(asked),
            Ok(Err(_)) => late(),
            Err(Unwound(panic)) => panic,
        };
        for (guard, _) in asked.iter_mut().zip(unanswered).filter(|(_, unanswered)| *unanswered) {
            guard.fault = Some(wrong.clone());
        }
        Some(asked)
    }
}

/// Whether the rules on the tool neither refuse the call nor ask about it. They only tighten, so that
/// what the table allows then stays allowed.
#[cold]
fn rules_are_silent(trail: &Trail<'_>, entry: &Entry) -> bool {
    ToolRules::of(entry).is_none_or(|rules| {
        trail.delivering.is_none()
            && contain(|| rules.are_silent(trail.context, trail.text())).unwrap_or_default()
    })
}

/// One guard, and what came of asking it.
struct Asked<'a> {
    name: &'a str,
    ruling: Option<Ruling>,
    /// What was wrong with it, for the operator.
    fault: Option<String>,
}

impl Asked<'_> {
    fn into_finding(self) -> Finding {
        let source = guard_source(self.name);
        if self.fault.is_some() {
            return Finding::new(Verdict::Deny, source, "a guard could not decide");
        }
        match self.ruling {
            Some(Ruling::Pass) => Finding::new(Verdict::Allow, source, "passed"),
            Some(Ruling::Ask(reason)) => Finding::new(Verdict::Ask, source, reason),
            Some(Ruling::Deny(reason)) => Finding::new(Verdict::Deny, source, reason),
            None => Finding::not_asked(source),
        }
    }
}

fn guard_source(name: &str) -> String {
    format!("guard {name}")
}

/// What the tool's list of hosts says of its URL arguments.
fn host_finding(entry: &Entry, arguments: &str, redactor: Option<&Redactor>) -> Finding {
    let spec = entry.spec();
    let hosts = entry.hosts();
    if hosts.is_empty() {
        return Finding::new(Verdict::Deny, "host", "no host is listed for it");
    }
    // A refusal quotes the start of the URL, where a part of a secret would no longer be known as one.
    let refused = |url: &str| {
        let error = hosts.allow(url).err()?;
        Some(error.quoting(&redact::text(redactor, url)).to_string())
    };
    let Ok(arguments) = serde_json::from_str::<Value>(arguments_or_empty(arguments)) else {
        return Finding::new(Verdict::Deny, "host", "its arguments can't be read");
    };
    for parameter in spec.parameters().iter().filter(|parameter| parameter.url) {
        let keys = parameter.aliases.iter().copied().chain([parameter.name]);
        let mut given: Vec<_> =
            keys.filter_map(|key| arguments.get(key)).map(Cow::Borrowed).collect();
        if given.is_empty() {
            // A body that isn't given a URL may go to one all the same.
            given.extend(default_of(entry, parameter.name).map(Cow::Owned));
        }
        for value in &given {
            let what = match &**value {
                Value::Null => None,
                Value::String(url) => refused(url),
                Value::Array(urls) => urls.iter().find_map(|url| match url.as_str() {
                    Some(url) => refused(url),
                    None => Some("it is no text".to_owned()),
                }),
                _ => Some("it is no text".to_owned()),
            };
            if let Some(what) = what {
                let what =
                    if parameter.secret { "it is on no listed host".to_owned() } else { what };
                let reason = format!("`{}`: {what}", parameter.name);
                return Finding::new(Verdict::Deny, "host", reason);
            }
        }
    }
    Finding::new(Verdict::Allow, "host", "listed")
}

/// What the body gets for an argument that is left out, as far as its schema says. One that can't be
/// told is no text, and so on no host.
fn default_of(entry: &Entry, name: &str) -> Option<Value> {
    let unknown = || Value::Bool(false);
    match entry.contract() {
        Ok(contract) => {
            let text = contract.default_of(name)?;
            Some(serde_json::from_str(text).unwrap_or_else(|_| unknown()))
        }
        Err(_) => Some(unknown()),
    }
}

/// Nothing stands for no arguments.
fn arguments_or_empty(arguments: &str) -> &str {
    if arguments.trim().is_empty() { "{}" } else { arguments }
}
