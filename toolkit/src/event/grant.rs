//! Grants for a session: what a person allowed beyond one call.

use std::sync::Arc;
use std::time::SystemTime;

use serde::ser::SerializeMap;

use super::json::Risks;
use super::moment::Moment;
use crate::context::Origin;
use crate::risk::RiskSet;

/// A standing answer of a person: calls of one tool in one session that aren't asked about again.
///
/// It was built from the arguments of one question. It answers a call of the same tool (same source,
/// name, description, schema and risks), origin, principal and session, as far as its rung goes, if
/// nothing asks for a person but what asked then. A tool of a toolset or from a closure that holds something
/// is the same until it is taken out: loaded again, it may have something else behind it. A verdict of deny
/// stands whatever was granted, and a draft is confirmed by a person each time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grant {
    /// Its id.
    pub id: Arc<str>,
    /// Our own id of the call that was asked about.
    pub call: Arc<str>,
    /// The session.
    pub session: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The levels that it covers.
    pub risk: RiskSet,
    /// `exact`, `arguments` or `tool`.
    pub rung: &'static str,
    /// What it covers, in words and without secrets.
    pub covers: Arc<str>,
    /// Whose calls it answers.
    pub origin: Origin,
    /// On whose behalf they are made.
    pub principal: Option<Arc<str>>,
    /// Who gave it, where the approver says so.
    pub by: Option<Arc<str>>,
    /// When it was given.
    pub made: SystemTime,
    /// When it ends by itself.
    pub expires: SystemTime,
}

/// What became of a grant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrantRecord {
    /// The grant.
    pub grant: Grant,
    /// Why it is over before its time: `revoked`, or `session_ended`; `None` where it was just made.
    pub ended: Option<&'static str>,
    /// When it happened.
    pub at: SystemTime,
}

impl GrantRecord {
    /// All but the time.
    pub(super) fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { grant, ended, at: _ } = self;
        let Grant {
            id,
            call,
            session,
            tool,
            risk,
            rung,
            covers,
            origin,
            principal,
            by,
            made: _,
            expires,
        } = grant;
        map.serialize_entry("grant", &**id)?;
        map.serialize_entry("call", &**call)?;
        map.serialize_entry("session", &**session)?;
        map.serialize_entry("tool", &**tool)?;
        map.serialize_entry("risk", &Risks(*risk))?;
        map.serialize_entry("rung", rung)?;
        map.serialize_entry("covers", &**covers)?;
        map.serialize_entry("origin", origin.as_str())?;
        map.serialize_entry("principal", &principal.as_deref())?;
        map.serialize_entry("by", &by.as_deref())?;
        map.serialize_entry("expires", &Moment(*expires))?;
        map.serialize_entry("ended", ended)
    }
}
