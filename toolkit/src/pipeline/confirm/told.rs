//! What is said to whoever decides about a draft and delivers nothing by it.

use std::borrow::Cow;

use crate::call::{Code, ToolReply};
use crate::context::{CallContext, Origin};
use crate::pipeline::report::TARGET;
use crate::store::{DraftState, StoredDraft};
use crate::text::excerpt;

/// The refusal of whoever isn't a person.
pub(super) fn must_be_a_person(context: &CallContext, what: &str) -> Option<ToolReply> {
    let why: Cow<'static, str> = if context.depth() > 0 {
        Cow::Borrowed("a running tool can't decide for one")
    } else if context.origin() != Origin::Human {
        Cow::Owned(format!("a {} can't decide for one", context.origin()))
    } else {
        return None;
    };
    let text = format!("only a person may {what} a draft, and {why}");
    Some(ToolReply::not_run(Code::Denied, text))
}

/// The reply to a confirmation that isn't begun any more.
pub(super) fn shut() -> ToolReply {
    ToolReply::not_run(Code::Busy, "shutting down; nothing is sent any more")
}

/// How a draft stands, to whoever would decide about it.
pub(super) fn told(draft: &StoredDraft) -> ToolReply {
    let id = &draft.id;
    match &draft.state {
        DraftState::Pending => {
            ToolReply::not_run(Code::NeedsConfirmation, format!("{id} waits for a person"))
        }
        DraftState::Claimed(_) => {
            ToolReply::not_run(Code::Busy, format!("{id} is being sent; ask again later"))
        }
        DraftState::Done(end) | DraftState::Failed(end) | DraftState::Unknown(end) => {
            let mut reply = ToolReply::not_run(end.code, end.text.clone());
            reply.executed = end.executed;
            reply
        }
        DraftState::Expired => expired(id),
        DraftState::Withdrawn(_) => {
            ToolReply::not_run(Code::Withdrawn, format!("{id} was withdrawn; nothing was sent"))
        }
    }
}

pub(super) fn expired(id: &str) -> ToolReply {
    let text = format!("{id} was not confirmed in time; nothing was sent, so draft it again");
    ToolReply::not_run(Code::Expired, text)
}

pub(super) fn unknown(id: &str) -> ToolReply {
    let id = excerpt(&crate::text::visible(id, false), 64);
    ToolReply::not_run(Code::InvalidArguments, format!("there is no draft `{id}` in this session"))
}

pub(super) fn unreadable(id: &str, what: &str) -> ToolReply {
    tracing::error!(target: TARGET, draft = id, what, "the store of drafts failed");
    ToolReply::not_run(Code::Denied, "the drafts can't be reached now; try later")
}
