//! What the stages do alike with every hook: ask it within its time, and survive it.

use std::future::Future;

use tokio::runtime::Handle;

use super::Trail;
use super::visible::denied_text;
use crate::call::{Code, ToolReply};
use crate::contain::{Unwound, contain, contained, said};
use crate::hook::{HOOK_TIME, HookError};
use crate::redact;
use crate::registry::Entry;
use crate::verdict::{Finding, Verdict};

/// What the caller hears of a hook that is at fault.
pub(super) const FAILED: &str = "a hook failed";

/// What a hook said, or what was wrong with it: it failed, panicked, or took too long. The future must
/// make the hook's own inside itself, since making that may panic as well.
///
/// A timer can't be made outside a Tokio runtime, so it is made where that is contained.
pub(super) async fn heard<T: Send>(
    hook: impl Future<Output = Result<T, HookError>> + Send,
) -> Result<T, String> {
    match contained(Box::pin(async { tokio::time::timeout(HOOK_TIME, hook).await })).await {
        Ok(Ok(Ok(said))) => Ok(said),
        Ok(Ok(Err(error))) => Err(failed(&error)),
        Ok(Err(_)) => Err(late()),
        Err(Unwound(panic)) => Err(panic),
    }
}

/// Whether a hook can be bounded here: only a Tokio runtime with its timers on can.
pub(super) fn has_timers() -> bool {
    Handle::try_current().is_ok() && contain(|| drop(tokio::time::sleep(HOOK_TIME))).is_ok()
}

/// What is said of a hook that returned an error.
pub(super) fn failed(error: &HookError) -> String {
    format!("failed: {}", said(&**error))
}

/// What is said of a hook that didn't answer.
pub(super) fn late() -> String {
    format!("took longer than {}", super::render::seconds(HOOK_TIME))
}

/// The hook's name; a hook that panics over it is heard all the same.
pub(super) fn name_of<'a>(name: impl FnOnce() -> &'a str) -> &'a str {
    contain(name).unwrap_or("without a name")
}

/// The reply to a call that a hook didn't let run, which the decision names.
pub(super) fn denied(
    trail: &mut Trail<'_>,
    entry: &Entry,
    source: String,
    reason: &str,
) -> Box<ToolReply> {
    // Before it is cut, since a part of a secret would no longer be known as one.
    let reason = redact::text(trail.redactor.as_ref(), reason).into_owned();
    let text = denied_text(entry.spec(), &reason);
    trail.find(Finding::new(Verdict::Deny, source, reason));
    Box::new(ToolReply::not_run(Code::Denied, text))
}
