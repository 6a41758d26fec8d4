//! The JSON of events: one object each, the same in an audit and in a user interface. Each record is
//! taken apart by name, so that a new fact can't be forgotten here.

use std::time::{Duration, SystemTime};

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

use super::{
    Approval, ApprovalRecord, CallRecord, DraftLink, DraftRecord, Event, HookFault, LateRecord,
    ProgressRecord,
};
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
///   "approval": {"answer": "approved", "by": "grace", "digest": "8f43…"},
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
///  "rule": "policy: destructive for model", "answer": null, "by": null, "edited": null}
/// {"kind": "approval_decided", …, "answer": "edited", "by": "grace", "edited": "77a0…"}
/// {"kind": "late_result", "at": "2026-11-30T19:46:41.123456Z", "call": "01c9…", "tool": "disk.scan",
///  "code": "ok", "cause": null, "took_us": 35412345}
/// {"kind": "drafted", "at": …, "draft": "draft-1f…", "call": "01c9…", "tool": "ticket.reply",
///  "session": "s-42", "principal": "ada", "digest": "77ab…", "by": null, "edited": false}
/// {"kind": "draft_confirmed", …, "by": "grace", "edited": true}
/// {"kind": "draft_withdrawn", …, "by": "grace", "edited": false}
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
            Self::Drafted(record)
            | Self::DraftConfirmed(record)
            | Self::DraftWithdrawn(record)
            | Self::DraftExpired(record) => Some(record.at),
            Self::ApprovalRequested(_)
            | Self::ApprovalDecided(_)
            | Self::Progress(_)
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
            Self::Drafted(record)
            | Self::DraftConfirmed(record)
            | Self::DraftWithdrawn(record)
            | Self::DraftExpired(record) => draft(record, map),
            Self::Progress(record) => progress(record, map),
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
    let ApprovalRecord { call, tool, digest, rule, answer, by, edited } = record;
    map.serialize_entry("call", &**call)?;
    map.serialize_entry("tool", &**tool)?;
    map.serialize_entry("digest", &**digest)?;
    map.serialize_entry("rule", &**rule)?;
    map.serialize_entry("answer", &answer.as_deref())?;
    map.serialize_entry("by", &by.as_deref())?;
    map.serialize_entry("edited", &edited.as_deref())
}

struct Approved<'a>(&'a Approval);

impl Serialize for Approved<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Approval { answer, by, digest } = self.0;
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("answer", &**answer)?;
        map.serialize_entry("by", &by.as_deref())?;
        map.serialize_entry("digest", &**digest)?;
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

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

struct Risks(RiskSet);

impl Serialize for Risks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|risk| risk.as_str()))
    }
}

struct Decided<'a>(&'a Decision);

impl Decided<'_> {
    fn spoke(&self) -> bool {
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

struct Repairs<'a>(&'a [Repair]);

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
struct Arguments<'a>(&'a str);

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // What serde_json itself reads as something else stays a text.
        let plain = !self.0.contains("$serde_json::private::")
            && serde_json::from_str::<serde_json::Value>(self.0).is_ok();
        match serde_json::from_str::<&RawValue>(self.0) {
            Ok(raw) if plain => raw.serialize(serializer),
            _ => serializer.serialize_str(self.0),
        }
    }
}

/// A moment in RFC 3339, in UTC and with microseconds; what is before 1970 is its beginning.
pub(crate) struct Moment(pub(crate) SystemTime);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let since = self.0.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let micros = since.subsec_micros();
        serializer.collect_str(&format_args!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"
        ))
    }
}

/// The Gregorian date of a day, counted from 1970-01-01.
fn civil(days: u64) -> (u64, u64, u64) {
    // Years begin in March, so that the leap day is the last of its year; eras of 400 years are alike.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: impl Serialize) -> String {
        serde_json::to_string(&value).unwrap()
    }

    #[test]
    fn a_moment_is_a_date_of_the_calendar() {
        let at = |seconds: u64, micros| {
            text(Moment(
                SystemTime::UNIX_EPOCH
                    + Duration::from_secs(seconds)
                    + Duration::from_micros(micros),
            ))
        };
        assert_eq!(at(0, 0), r#""1970-01-01T00:00:00.000000Z""#);
        assert_eq!(at(951_827_696, 7), r#""2000-02-29T12:34:56.000007Z""#);
        assert_eq!(at(1_796_067_971, 123_456), r#""2026-11-30T19:46:11.123456Z""#);
        assert_eq!(at(4_107_542_399, 999_999), r#""2100-02-28T23:59:59.999999Z""#);
        assert_eq!(at(4_107_542_400, 0), r#""2100-03-01T00:00:00.000000Z""#);
        assert_eq!(at(253_402_300_799, 0), r#""9999-12-31T23:59:59.000000Z""#);
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(text(Moment(before)), r#""1970-01-01T00:00:00.000000Z""#);
    }

    #[test]
    fn every_day_follows_the_one_before_it() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..200_000 {
            assert_eq!(civil(days), (year, month, day));
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + u64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }

    #[test]
    fn arguments_are_embedded_unless_they_would_be_misread() {
        let plain = r#"{"a":18446744073709551616,"b":[1.50,null]}"#;
        assert_eq!(text(Arguments(plain)), plain);
        // No float reaches it; a `serde_json` that keeps the digits reads it all the same.
        let far = r#"{"a":1e400}"#;
        let read = serde_json::from_str::<serde_json::Value>(far).is_ok();
        assert_eq!(text(Arguments(far)), if read { far.to_owned() } else { text(far) });
        for odd in [
            r#"{"$serde_json::private::RawValue":"1"}"#,
            r#"{"a":{"$serde_json::private::Number":"x"}}"#,
            "no JSON",
        ] {
            assert_eq!(text(Arguments(odd)), text(odd), "{odd}");
        }
    }
}
