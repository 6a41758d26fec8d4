//! The second stage: every rule speaks, the strictest decides, and a person is asked where it says
//! so.

use std::borrow::Cow;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use serde_json::Value;

use super::execute::{cancelled_before_start, unless_cancelled};
use super::visible::denied_text;
use super::{Engine, Trail};
use crate::call::{Code, ToolReply};
use crate::contain::{Unwound, contain, contained, poll_contained, said};
use crate::hook::{BoxFuture, Guard, HOOK_TIME, HookCall, HookError, Ruling};
use crate::redact::{self, Redactor};
use crate::registry::Entry;
use crate::risk::Risk;
use crate::verdict::{Finding, Verdict};

impl Engine {
    /// Whether nothing can speak against the call: the common case, which costs one look-up.
    #[inline]
    pub(super) fn gate_is_open(&self, trail: &Trail<'_>, entry: &Entry) -> bool {
        let risk = entry.spec().risk();
        self.guards.is_empty()
            && !risk.contains(Risk::Network)
            && self.table.verdict(trail.context.origin(), risk) == Verdict::Allow
    }

    /// Decides; the error is the reply.
    pub(super) async fn gate(
        &self,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
    ) -> Result<Verdict, Box<ToolReply>> {
        let spec = entry.spec();
        self.policy_speaks(trail, entry);
        if spec.risk().contains(Risk::Network) {
            let finding = host_finding(entry, trail.text(), trail.redactor.as_ref());
            trail.find(finding);
        }
        if trail.decision.verdict() >= Verdict::Deny {
            for guard in &self.guards {
                trail.find(Finding::not_asked(guard_source(name_of(&**guard))));
            }
        } else {
            let Some(findings) = self.judged(trail, entry).await else {
                return Err(Box::new(cancelled_before_start(entry)));
            };
            findings.into_iter().for_each(|finding| trail.find(finding));
        }
        match trail.decision.verdict() {
            Verdict::Allow => Ok(Verdict::Allow),
            Verdict::Record => Ok(Verdict::Record),
            Verdict::Ask => self.approval(trail, entry).await.map(|()| Verdict::Ask),
            Verdict::Deny | Verdict::Hide => {
                let reason = trail.decision.deciding().map_or("", |finding| &finding.reason);
                let text = denied_text(spec, reason);
                let text = redact::text(trail.redactor.as_ref(), &text).into_owned();
                Err(Box::new(ToolReply::not_run(Code::Denied, text)))
            }
        }
    }

    /// What the table says of each declared level.
    pub(super) fn policy_speaks(&self, trail: &mut Trail<'_>, entry: &Entry) {
        let origin = trail.context.origin();
        for risk in entry.spec().risk().iter() {
            let verdict = self.policy.cell(origin, risk).verdict;
            trail.find(Finding::new(verdict, "policy", format!("{risk} for {origin}")));
        }
    }

    /// All guards at the same time, until the first no; `None` where the call was cancelled first.
    async fn judged(&self, trail: &Trail<'_>, entry: &Arc<Entry>) -> Option<Vec<Finding>> {
        if self.guards.is_empty() {
            return Some(Vec::new());
        }
        let (context, redactor) = (trail.context, trail.redactor.as_ref());
        let call = HookCall::new(entry.spec(), trail.text(), context);
        let mut asked: Vec<Asked<'_>> = self
            .guards
            .iter()
            .map(|guard| Asked {
                name: name_of(&**guard),
                // Inside a future of its own, since making the guard's may panic as well.
                future: Some(Box::pin(async move { guard.judge(call).await })),
                ruling: None,
            })
            .collect();
        let all = poll_fn(|cx| {
            for guard in &mut asked {
                let Some(future) = &mut guard.future else { continue };
                let ruling = match poll_contained(future, cx) {
                    Poll::Pending => continue,
                    Poll::Ready(Ok(Ok(ruling))) => ruling,
                    Poll::Ready(Ok(Err(error))) => {
                        let what = format!("failed: {}", said(&*error));
                        guard.fault(&redact::text(redactor, &what));
                        return Poll::Ready(());
                    }
                    Poll::Ready(Err(Unwound(panic))) => {
                        guard.fault(&redact::text(redactor, &panic));
                        return Poll::Ready(());
                    }
                };
                guard.future = None;
                let denied = matches!(ruling, Ruling::Deny(_));
                guard.ruling = Some(ruling);
                if denied {
                    return Poll::Ready(());
                }
            }
            if asked.iter().all(|guard| guard.future.is_none()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        let in_time = contained(Box::pin(tokio::time::timeout(HOOK_TIME, all)));
        let late = !matches!(unless_cancelled(context, in_time).await?, Ok(Ok(())));
        Some(asked.into_iter().map(|guard| guard.into_finding(late)).collect())
    }
}

/// One guard under way.
struct Asked<'a> {
    name: &'a str,
    future: Option<BoxFuture<'a, Result<Ruling, HookError>>>,
    ruling: Option<Ruling>,
}

impl Asked<'_> {
    /// A guard that fails denies, and its text is for the operator, not for the reason.
    fn fault(&mut self, what: &str) {
        tracing::error!(target: super::report::TARGET, guard = self.name, what, "guard at fault");
        self.future = None;
        self.ruling = Some(Ruling::Deny(Cow::Borrowed("a guard could not decide")));
    }

    fn into_finding(self, late: bool) -> Finding {
        let source = guard_source(self.name);
        match self.ruling {
            Some(Ruling::Pass) => Finding::new(Verdict::Allow, source, "passed"),
            Some(Ruling::Ask(reason)) => Finding::new(Verdict::Ask, source, reason),
            Some(Ruling::Deny(reason)) => Finding::new(Verdict::Deny, source, reason),
            None if late => Finding::new(Verdict::Deny, source, "a guard did not decide in time"),
            None => Finding::not_asked(source),
        }
    }
}

/// The guard's name; a guard that panics over it is heard all the same.
fn name_of(guard: &dyn Guard) -> &str {
    contain(|| guard.name()).unwrap_or("without a name")
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
