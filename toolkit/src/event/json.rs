//! The JSON of events: one object each, the same in an audit and in a user interface. Each record is
//! taken apart by name, so that a new fact can't be forgotten here.

use std::time::{Duration, SystemTime};

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

use super::moment::Moment;
use super::{
    Approval, ApprovalRecord, CallRecord, DraftLink, DraftRecord, Event, HookFault, LateRecord,
    ProgressRecord,
};
use crate::json::{Failed, Scanner};
use crate::problem::Repair;
use crate::risk::RiskSet;
use crate::verdict::{Decision, Finding, Verdict};

/// An object whose first member is its `kind`. Each kind always has the same members; `null` stands
/// where there is nothing. Times are RFC 3339 in UTC with microseconds, spans of time whole
/// microseconds.
///
/// ```json
/// {
///   "kind": "call_finished", "at": "2026-11-30T19:46:11.123456Z",
///   "call": "01c9…", "provider_id": "call_1", "index": 0, "tool": "ticket.delete",
///   "risk": ["destructive"], "origin": "model", "principal": "ada", "session": "s-42",
///   "code": "ok", "executed": "yes", "replay": false,
///   "decision": {"verdict": "ask", "findings": [
///     {"verdict": "ask", "source": "policy", "reason": "destructive for model"},
///     {"verdict": null, "source": "guard office_hours", "reason": "not asked"}
///   ]},
///   "digest": "8f43…", "arguments": {"ticket": 1042}, "result": null, "draft": null,
///   "repairs": [{"path": "ticket", "from": "\"1042\"", "to": "1042"}],
///   "approval": {"answer": "approved", "by": "grace", "digest": "8f43…", "grant": null},
///   "cause": null, "reference": null, "waited_us": 2400000, "took_us": 2412345
/// }
/// ```
///
/// `risk` is `null` where no tool was found, `decision` where no rule spoke, `approval` where no
/// person was asked, `digest` and `arguments` where the arguments weren't valid. `arguments` is a string with the JSON text where
/// common readers would take it for something else: a number that no float reaches. `draft` is `{"id"}`
/// of the draft that the call made, or `{"id", "confirmed_by", "edited"}` of the one that it delivered.
///
/// ```json
/// {"kind": "approval_requested", "call": "01c9…", "tool": "ticket.delete", "digest": "8f43…",
///  "rule": "policy: destructive for model", "answer": null, "by": null, "edited": null, "grant": null}
/// {"kind": "approval_decided", …, "answer": "edited", "by": "grace", "edited": "77a0…", "grant": null}
/// {"kind": "granted", "at": …, "grant": "grant-1f…", "call": "01c9…", "session": "s-42",
///  "tool": "ticket.close", "risk": ["write"], "rung": "arguments",
///  "covers": "`ticket.close` whenever `reason` is \"spam\"", "origin": "model", "principal": "ada",
///  "by": "grace", "expires": …, "ended": null}
/// {"kind": "grant_ended", …, "ended": "revoked"}
/// {"kind": "late_result", "at": "2026-11-30T19:46:41.123456Z", "call": "01c9…", "tool": "disk.scan",
///  "code": "ok", "cause": null, "took_us": 35412345}
/// {"kind": "drafted", "at": …, "draft": "draft-1f…", "call": "01c9…", "tool": "ticket.reply",
///  "session": "s-42", "principal": "ada", "digest": "77ab…", "by": null, "edited": false}
/// {"kind": "draft_confirmed", …, "by": "grace", "edited": true}
/// {"kind": "draft_withdrawn", …, "by": "grace", "edited": false}
/// {"kind": "plan_step", "plan": "answer", "run": "01c9…", "step": 0, "steps": 3, "tool": "kb.search",
///  "session": "s-42", "state": "ended", "code": "ok"}
/// {"kind": "draft_expired", …, "by": null, "edited": false}
/// {"kind": "hook_failed", "hook_kind": "guard", "hook": "office_hours", "call": "01c9…", "what": "panicked: …"}
/// {"kind": "registered", "tool": "kb.search", "source": "src/kb.rs:12"}
/// {"kind": "unregistered", "tool": "kb.search"}
/// ```
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind())?;
        if let Some(at) = self.at() {
            map.serialize_entry("at", &Moment(at))?;
        }
        self.members(&mut map)?;
        map.end()
    }
}

impl Event {
    /// When it happened, as far as the event itself says so.
    pub(crate) fn at(&self) -> Option<SystemTime> {
        match self {
            Self::CallFinished(record) => Some(record.at),
            Self::LateResult(record) => Some(record.at),
            Self::Granted(record) | Self::GrantEnded(record) => Some(record.at),
            Self::Drafted(record)
            | Self::DraftConfirmed(record)
            | Self::DraftWithdrawn(record)
            | Self::DraftExpired(record) => Some(record.at),
            Self::ApprovalRequested(_)
            | Self::ApprovalDecided(_)
            | Self::Progress(_)
            | Self::PlanStep(_)
            | Self::HookFailed(_)
            | Self::Registered { .. }
            | Self::Unregistered { .. } => None,
        }
    }

    /// All but the kind and the time.
    pub(crate) fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match self {
            Self::CallFinished(record) => call(record, map),
            Self::LateResult(record) => late(record, map),
            Self::ApprovalRequested(record) | Self::ApprovalDecided(record) => {
                approval(record, map)
            }
            Self::Granted(record) | Self::GrantEnded(record) => record.members(map),
            Self::Drafted(record)
            | Self::DraftConfirmed(record)
            | Self::DraftWithdrawn(record)
            | Self::DraftExpired(record) => draft(record, map),
            Self::Progress(record) => progress(record, map),
            Self::PlanStep(record) => record.members(map),
            Self::HookFailed(fault) => hook_failed(fault, map),
            Self::Registered { tool, source } => {
                map.serialize_entry("tool", &**tool)?;
                map.serialize_entry("source", &source.to_string())
            }
            Self::Unregistered { tool } => map.serialize_entry("tool", &**tool),
        }
    }
}

fn call<M: SerializeMap>(record: &CallRecord, map: &mut M) -> Result<(), M::Error> {
    let CallRecord {
        call,
        provider_id,
        index,
        tool,
        risk,
        origin,
        principal,
        session,
        code,
        executed,
        replay,
        decision,
        digest,
        arguments,
        result,
        draft,
        repairs,
        approval,
        cause,
        reference,
        at: _,
        waited,
        took,
    } = record;
    map.serialize_entry("call", &**call)?;
    map.serialize_entry("provider_id", &provider_id.as_deref())?;
    map.serialize_entry("index", index)?;
    map.serialize_entry("tool", &**tool)?;
    map.serialize_entry("risk", &risk.map(Risks))?;
    map.serialize_entry("origin", origin.as_str())?;
    map.serialize_entry("principal", &principal.as_deref())?;
    map.serialize_entry("session", &session.as_deref())?;
    map.serialize_entry("code", code.as_str())?;
    map.serialize_entry("executed", executed.as_str())?;
    map.serialize_entry("replay", replay)?;
    map.serialize_entry("decision", &Some(Decided(decision)).filter(Decided::spoke))?;
    map.serialize_entry("digest", &digest.as_deref())?;
    map.serialize_entry("arguments", &arguments.as_deref().map(Arguments))?;
    map.serialize_entry("result", &result.as_deref())?;
    map.serialize_entry("draft", &draft.as_ref().map(Link))?;
    map.serialize_entry("repairs", &Repairs(repairs))?;
    map.serialize_entry("approval", &approval.as_ref().map(Approved))?;
    map.serialize_entry("cause", &cause.as_deref())?;
    map.serialize_entry("reference", &reference.as_deref())?;
    map.serialize_entry("waited_us", &micros(*waited))?;
    map.serialize_entry("took_us", &micros(*took))
}

fn late<M: SerializeMap>(record: &LateRecord, map: &mut M) -> Result<(), M::Error> {
    let LateRecord { call, tool, code, cause, at: _, took } = record;
    map.serialize_entry("call", &**call)?;
    map.serialize_entry("tool", &**tool)?;
    map.serialize_entry("code", code.as_str())?;
    map.serialize_entry("cause", &cause.as_deref())?;
    map.serialize_entry("took_us", &micros(*took))
}

fn approval<M: SerializeMap>(record: &ApprovalRecord, map: &mut M) -> Result<(), M::Error> {
    let ApprovalRecord { call, tool, digest, rule, answer, by, edited, grant } = record;
    map.serialize_entry("call", &**call)?;
    map.serialize_entry("tool", &**tool)?;
    map.serialize_entry("digest", &**digest)?;
    map.serialize_entry("rule", &**rule)?;
    map.serialize_entry("answer", &answer.as_deref())?;
    map.serialize_entry("by", &by.as_deref())?;
    map.serialize_entry("edited", &edited.as_deref())?;
    map.serialize_entry("grant", &grant.as_deref())
}

struct Approved<'a>(&'a Approval);

impl Serialize for Approved<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Approval { answer, by, digest, grant } = self.0;
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("answer", &**answer)?;
        map.serialize_entry("by", &by.as_deref())?;
        map.serialize_entry("digest", &**digest)?;
        map.serialize_entry("grant", &grant.as_deref())?;
        map.end()
    }
}

fn draft<M: SerializeMap>(record: &DraftRecord, map: &mut M) -> Result<(), M::Error> {
    let DraftRecord { draft, call, tool, session, principal, digest, by, edited, at: _ } = record;
    map.serialize_entry("draft", &**draft)?;
    map.serialize_entry("call", &**call)?;
    map.serialize_entry("tool", &**tool)?;
    map.serialize_entry("session", &session.as_deref())?;
    map.serialize_entry("principal", &principal.as_deref())?;
    map.serialize_entry("digest", &**digest)?;
    map.serialize_entry("by", &by.as_deref())?;
    map.serialize_entry("edited", edited)
}

/// A draft that a call made has the id alone; one that it delivered, who confirmed it as well.
struct Link<'a>(&'a DraftLink);

impl Serialize for Link<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DraftLink { draft, confirmed } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &**draft)?;
        if let Some(confirmed) = confirmed {
            map.serialize_entry("confirmed_by", &confirmed.by.as_deref())?;
            map.serialize_entry("edited", &confirmed.edited)?;
        }
        map.end()
    }
}

fn progress<M: SerializeMap>(record: &ProgressRecord, map: &mut M) -> Result<(), M::Error> {
    let ProgressRecord { call, tool, session, done, total, message } = record;
    map.serialize_entry("call", &**call)?;
    map.serialize_entry("tool", &**tool)?;
    map.serialize_entry("session", &session.as_deref())?;
    map.serialize_entry("done", done)?;
    map.serialize_entry("total", total)?;
    map.serialize_entry("message", &message.as_deref())
}

fn hook_failed<M: SerializeMap>(fault: &HookFault, map: &mut M) -> Result<(), M::Error> {
    let HookFault { kind, hook, call, what } = fault;
    map.serialize_entry("hook_kind", kind.as_str())?;
    map.serialize_entry("hook", &**hook)?;
    map.serialize_entry("call", &call.as_deref())?;
    map.serialize_entry("what", &**what)
}

pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

pub(crate) struct Risks(pub(crate) RiskSet);

impl Serialize for Risks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|risk| risk.as_str()))
    }
}

pub(crate) struct Decided<'a>(pub(crate) &'a Decision);

impl Decided<'_> {
    pub(crate) fn spoke(&self) -> bool {
        !self.0.findings().is_empty()
    }
}

impl Serialize for Decided<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Findings<'a>(&'a [Finding]);
        impl Serialize for Findings<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.iter().map(Found))
            }
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("verdict", self.0.verdict().as_str())?;
        map.serialize_entry("findings", &Findings(self.0.findings()))?;
        map.end()
    }
}

struct Found<'a>(&'a Finding);

impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Finding { verdict, source, reason } = self.0;
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("verdict", &verdict.map(Verdict::as_str))?;
        map.serialize_entry("source", &**source)?;
        map.serialize_entry("reason", &**reason)?;
        map.end()
    }
}

pub(crate) struct Repairs<'a>(pub(crate) &'a [Repair]);

impl Serialize for Repairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct One<'a>(&'a Repair);
        impl Serialize for One<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("path", self.0.path())?;
                map.serialize_entry("from", self.0.from())?;
                map.serialize_entry("to", self.0.to())?;
                map.end()
            }
        }
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for repair in self.0 {
            seq.serialize_element(&One(repair))?;
        }
        seq.end()
    }
}

/// Canonical JSON text, embedded as it is: by its digest one can tell that it is the same.
pub(crate) struct Arguments<'a>(pub(crate) &'a str);

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut scanner = Scanner::new(self.0);
        let plain = is_plain(&mut scanner).unwrap_or(false) && scanner.end().is_ok();
        match serde_json::from_str::<&RawValue>(self.0) {
            Ok(raw) if plain => raw.serialize(serializer),
            _ => serializer.serialize_str(self.0),
        }
    }
}

/// Whether common readers take the value for what it is: most keep a number as a float. Keys that are
/// signs to `serde_json` the scanner refuses itself.
fn is_plain(scanner: &mut Scanner<'_>) -> Result<bool, Failed> {
    let mut plain = true;
    match scanner.peek() {
        Some(b'"') => drop(scanner.string()?),
        Some(b'-' | b'0'..=b'9') => {
            plain = scanner.number()?.parse::<f64>().is_ok_and(f64::is_finite);
        }
        Some(b'[') => {
            let mut more = scanner.open_array()?;
            while more {
                plain &= is_plain(scanner)?;
                more = scanner.next_element()?;
            }
        }
        Some(b'{') => {
            let mut more = scanner.open_object()?;
            while more {
                scanner.key()?;
                plain &= is_plain(scanner)?;
                more = scanner.next_member()?;
            }
        }
        _ => drop(scanner.literal()?),
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: impl Serialize) -> String {
        serde_json::to_string(&value).unwrap()
    }

    #[test]
    fn arguments_are_embedded_unless_they_would_be_misread() {
        let plain = r#"{"a":18446744073709551616,"b":[1.50,null]}"#;
        assert_eq!(text(Arguments(plain)), plain);
        for odd in [
            r#"{"a":1e400}"#,
            r#"{"a":[{"b":[-1e400]}]}"#,
            r#"{"$serde_json::private::RawValue":"1"}"#,
            r#"{"a":{"$serde_json::private::Number":"x"}}"#,
            "no JSON",
        ] {
            assert_eq!(text(Arguments(odd)), text(odd), "{odd}");
        }
    }
}
