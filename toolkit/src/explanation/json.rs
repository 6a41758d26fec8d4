//! The JSON of an explanation, with the same words and shapes as that of events.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Explanation;
use crate::call::Code;
use crate::event::json::{Arguments, Decided, Repairs, Risks, micros};

/// One object, always with the same members; `null` stands where there is nothing.
///
/// ```json
/// {
///   "tool": "ticket.delete", "called": "ticket__delete", "risk": ["destructive"], "visible": true,
///   "origin": "model", "principal": "ada", "session": "s-42", "scope": "chat",
///   "scene": null, "would": "ask", "code": null, "recorded": true, "approval_time_us": 300000000,
///   "decision": {"verdict": "ask", "findings": [
///     {"verdict": "ask", "source": "policy", "reason": "destructive for model"},
///     {"verdict": "allow", "source": "guard office_hours", "reason": "passed"}
///   ]},
///   "arguments": {"ticket": 1042}, "rewritten": false,
///   "repairs": [{"path": "ticket", "from": "\"1042\"", "to": "1042"}],
///   "reply": null, "cause": null,
///   "advice": ["let the policy say something else: `Policy::set(Origin::Model, Risk::Destructive, …)`"]
/// }
/// ```
///
/// `would` is `run`, `draft`, `ask`, `repeat` or `refuse`, `code` what the caller of the last two gets.
/// `tool` and `risk` are `null` where no tool has that name, `decision` where no rule spoke, `arguments`
/// where they weren't valid; `arguments` is a string with the JSON text where common readers would take
/// it for something else. `approval_time_us` is whole microseconds.
impl Serialize for Explanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self {
            called,
            tool,
            risk,
            visible,
            origin,
            principal,
            session,
            scope,
            scene,
            would,
            recorded,
            approval_time,
            decision,
            arguments,
            rewritten,
            repairs,
            reply,
            cause,
            advice,
        } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tool", tool)?;
        map.serialize_entry("called", called)?;
        map.serialize_entry("risk", &risk.map(Risks))?;
        map.serialize_entry("visible", visible)?;
        map.serialize_entry("origin", origin.as_str())?;
        map.serialize_entry("principal", principal)?;
        map.serialize_entry("session", session)?;
        map.serialize_entry("scope", scope)?;
        map.serialize_entry("scene", scene)?;
        map.serialize_entry("would", would.as_str())?;
        map.serialize_entry("code", &would.code().map(Code::as_str))?;
        map.serialize_entry("recorded", recorded)?;
        map.serialize_entry("approval_time_us", &approval_time.map(micros))?;
        map.serialize_entry("decision", &Some(Decided(decision)).filter(Decided::spoke))?;
        map.serialize_entry("arguments", &arguments.as_deref().map(Arguments))?;
        map.serialize_entry("rewritten", rewritten)?;
        map.serialize_entry("repairs", &Repairs(repairs))?;
        map.serialize_entry("reply", reply)?;
        map.serialize_entry("cause", cause)?;
        map.serialize_entry("advice", advice)?;
        map.end()
    }
}
