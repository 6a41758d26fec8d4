//! The end of the first stage: rewrite hooks have their say, and what they leave is validated again.
//! Nothing after it changes the arguments.

use std::borrow::Cow;
use std::sync::Arc;

use super::execute::{cancelled_before_start, unless_cancelled};
use super::hooks::{heard, name_of};
use super::validate::{Broken, Ready};
use super::visible::denied_text;
use super::{Engine, Trail};
use crate::call::{Code, ToolReply};
use crate::event::HookKind;
use crate::hook::{Change, HookCall};
use crate::redact;
use crate::registry::Entry;
use crate::verdict::{Finding, Verdict};

/// What the caller hears of a hook that is at fault.
const FAILED: &str = "a hook failed";

impl Engine {
    /// The body on what the rewrite hooks leave of the arguments; the error is the reply.
    pub(super) async fn rewrite(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        ready: Ready,
    ) -> Result<Ready, Box<ToolReply>> {
        let (spec, context) = (entry.spec(), trail.context);
        let mut by: Vec<&str> = Vec::new();
        let mut text: Option<String> = None;
        for hook in &self.rewrites {
            let name = name_of(|| hook.name());
            let call = HookCall::new(spec, text.as_deref().unwrap_or(trail.text()), context);
            // Boxed: a hook that never ends is dropped with all that it borrows.
            let change = heard(async { hook.rewrite(call).await });
            match unless_cancelled(context, change).await {
                None => return Err(Box::new(cancelled_before_start(entry))),
                Some(Ok(Change::Keep)) => {}
                Some(Ok(Change::Replace(new))) => {
                    if let Some(redactor) = &mut trail.redactor {
                        redactor.learn(&new);
                    }
                    by.push(name);
                    text = Some(new);
                }
                Some(Ok(Change::Refuse(reason))) => {
                    return Err(self.refused(trail, entry, name, reason));
                }
                Some(Err(what)) => {
                    self.at_fault(trail, HookKind::Rewrite, name, &what);
                    return Err(self.refused(trail, entry, name, Cow::Borrowed(FAILED)));
                }
            }
        }
        let Some(text) = text else { return Ok(ready) };
        // The body on the old arguments ends here.
        drop(ready);
        match self.reread(trail, entry, text) {
            Ok(ready) => Ok(ready),
            Err(Broken::Arguments(what)) => {
                let names = by.join(", ");
                let what = format!("left arguments that don't fit: {what}");
                self.at_fault(trail, HookKind::Rewrite, &names, &what);
                Err(self.refused(trail, entry, &names, Cow::Borrowed(FAILED)))
            }
            Err(Broken::Tool(stop)) => Err(Box::new(self.stopped(trail, stop))),
        }
    }

    fn refused(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        hook: &str,
        reason: Cow<'static, str>,
    ) -> Box<ToolReply> {
        let text = denied_text(entry.spec(), &reason);
        let text = redact::text(trail.redactor.as_ref(), &text).into_owned();
        trail.find(Finding::new(Verdict::Deny, format!("rewrite {hook}"), reason));
        Box::new(ToolReply::not_run(Code::Denied, text))
    }
}
