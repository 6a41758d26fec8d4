//! What its session leaves of a call: looked at when the call comes, and once more where it has waited
//! since then.

use super::visible::{ceiling_finding, denied_text, ended_finding, is_above_ceiling};
use super::{Engine, Set, Trail};
use crate::call::{Code, ToolReply};
use crate::context::CallContext;
use crate::registry::Entry;
use crate::session::Bound;

impl Engine {
    /// What bounds the context: its own ceiling, that of the set, and its session.
    #[inline]
    pub(crate) fn bound(&self, set: &Set, context: &CallContext) -> Bound {
        if self.sessions.any() {
            self.bound_by_session(set, context)
        } else {
            Bound { ceiling: context.ceiling_risk(), ..Bound::default() }
        }
    }

    #[cold]
    fn bound_by_session(&self, set: &Set, context: &CallContext) -> Bound {
        let mut bound =
            context.session_id().map_or_else(Bound::default, |id| self.sessions.bound(id));
        let ceilings = [bound.ceiling, context.ceiling_risk(), set.ceiling()];
        bound.ceiling = ceilings.into_iter().flatten().min();
        bound.tainted |= context.mark_of().is_some();
        // Where it changes nothing, catalogs needn't differ in it.
        bound.tainted &= self.table.tightens();
        bound
    }

    /// Whether a call that has waited may still run; the error is the reply. It was visible when it
    /// came, so that the reason may be told.
    #[inline]
    pub(super) fn still_stands(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        if self.sessions.any() { self.stands_by_session(trail, entry) } else { Ok(()) }
    }

    #[cold]
    fn stands_by_session(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let (spec, bound) = (entry.spec(), self.bound(trail.set, trail.context));
        let (code, finding) = if bound.ended {
            (Code::OutOfScope, ended_finding())
        } else if is_above_ceiling(spec, bound) {
            (Code::AboveCeiling, ceiling_finding(spec, bound))
        } else {
            return self.still_granted(trail, entry);
        };
        let text = denied_text(spec, &finding.reason);
        trail.cause = Some(finding.reason.clone());
        trail.find(finding);
        Err(Box::new(ToolReply::not_run(code, text)))
    }
}
