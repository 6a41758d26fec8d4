//! The last stage: from how a body ended to the one reply, within the budget.

use std::borrow::Cow;
use std::time::Duration;

use super::execute::Ended;
use super::{Engine, Trail, defect};
use crate::call::{Code, Executed, Text, ToolReply};
use crate::output::{Failure, Output};
use crate::registry::Entry;
use crate::spec::Errors;
use crate::text::excerpt;

/// The longest text of an error, in characters.
const ERROR: usize = 2_000;

impl Engine {
    /// The reply of a body that was entered.
    pub(super) fn reply(&self, trail: &mut Trail<'_>, entry: &Entry, ended: Ended) -> ToolReply {
        let name = entry.spec().name();
        let (code, text) = match ended {
            Ended::Done(outcome) => match outcome.0 {
                Ok(output) => return self.success(trail, entry, output),
                // Nothing at all is what a success may say.
                Err(Failure::Expected(text)) if text.trim().is_empty() => {
                    (Code::Failed, format!("`{name}` failed"))
                }
                Err(Failure::Expected(text)) => (Code::Failed, shown(trail, &text)),
                Err(Failure::Internal(cause)) => return self.failure(trail, entry, cause),
                Err(Failure::NotBegun(cause)) => return defect(self, trail, Executed::No, cause),
                Err(failure @ (Failure::BadOutput(_) | Failure::Panicked(_))) => {
                    return defect(self, trail, Executed::Yes, failure.to_string());
                }
            },
            Ended::Panicked(cause) => return defect(self, trail, Executed::Yes, cause),
            Ended::Fault(cause) => return defect(self, trail, Executed::Yes, cause),
            Ended::TimedOut(limit) => {
                let limit = seconds(limit);
                (
                    Code::TimedOut,
                    format!(
                        "`{name}` took longer than {limit} and was stopped; what it did before that may stand"
                    ),
                )
            }
            Ended::Cancelled => (
                Code::Cancelled,
                format!(
                    "`{name}` was stopped: the call was cancelled; what it did before that may stand"
                ),
            ),
        };
        let mut reply = ToolReply::not_run(code, text);
        reply.executed = Executed::Yes;
        reply
    }

    #[inline]
    pub(super) fn success(&self, trail: &Trail<'_>, entry: &Entry, output: Output) -> ToolReply {
        entry.set_hint(output.canonical().bytes());
        let output = match &trail.redactor {
            Some(redactor) => output.redacted(redactor),
            None => output,
        };
        ToolReply::of(Code::Ok, Executed::Yes, Text::Whole(output))
    }

    fn failure(&self, trail: &mut Trail<'_>, entry: &Entry, cause: String) -> ToolReply {
        let spec = entry.spec();
        let reference = trail.id(&self.minter);
        let text = if self.limits.show_errors || spec.errors == Errors::Show {
            shown(trail, &format!("`{}` failed: {cause}", spec.name()))
        } else {
            format!(
                "`{}` failed; the operator finds the cause under reference {reference}",
                spec.name()
            )
        };
        trail.cause = Some(Cow::Owned(cause));
        let mut reply = ToolReply::not_run(Code::Failed, text);
        reply.executed = Executed::Yes;
        reply.aside().reference = Some(reference.as_ref().into());
        reply
    }
}

/// An error's text as a model may read it.
fn shown(trail: &Trail<'_>, text: &str) -> String {
    excerpt(&crate::redact::text(trail.redactor.as_ref(), text), ERROR)
}

/// A duration for people: `30 s`, `1.5 s`, `250 ms`.
pub(super) fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{} s", time.as_secs_f64())
    }
}
