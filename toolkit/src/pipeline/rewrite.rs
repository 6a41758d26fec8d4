//! The end of the first stage: rewrite hooks have their say, and what they leave is validated again.
//! Nothing after it changes the arguments.

use std::sync::Arc;

use super::execute::{cancelled_before_start, unless_cancelled};
use super::hooks::{FAILED, denied, heard, name_of};
use super::validate::{Broken, Ready};
use super::{Engine, Trail};
use crate::call::ToolReply;
use crate::event::HookKind;
use crate::hook::{Change, HookCall};
use crate::registry::Entry;

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
                    return Err(denied(trail, entry, format!("rewrite {name}"), &reason));
                }
                Some(Err(what)) => {
                    self.at_fault(trail, HookKind::Rewrite, name, &what);
                    return Err(denied(trail, entry, format!("rewrite {name}"), FAILED));
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
                Err(denied(trail, entry, format!("rewrite {names}"), FAILED))
            }
            Err(Broken::Tool(stop)) => Err(Box::new(self.stopped(trail, stop))),
        }
    }
}
