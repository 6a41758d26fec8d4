//! What a person does with drafts: look, confirm, edit, withdraw.

use serde::Serialize;

use super::Toolkit;
use crate::call::{Code, ToolReply};
use crate::contain::{Unwound, contain};
use crate::context::CallContext;
use crate::store::{StoreError, StoredDraft};

impl Toolkit {
    /// Delivers a draft that a person confirms. The context is that person's: its origin is human and
    /// it isn't a running tool's, its session is that of the draft, its principal is written down, and
    /// a `#[context]` of the function that delivers comes from it.
    ///
    /// Flag, scope, ceiling, policy, hosts and guards are asked again; that a rule would ask a person is
    /// answered by this one. The draft is delivered once: of any number of confirmations one delivers
    /// it, and any other gets what came of that, or [`Code::Busy`] while it lasts.
    ///
    /// The reply is that of the `#[commit]` function. Nothing was sent where the code is
    /// [`Code::Denied`] (not a person, or a rule says no), [`Code::Expired`], [`Code::Withdrawn`],
    /// [`Code::InvalidArguments`] (no such draft in this session) or any other with
    /// [`Executed::No`](crate::Executed::No).
    ///
    /// # Cancellation
    /// Dropping the future drops what delivers at its next await; whether it had sent can't be known
    /// then, and every later confirmation is told so with [`Code::OutcomeUnknown`].
    pub async fn confirm(&self, context: &CallContext, draft: &str) -> ToolReply {
        self.engine().confirm(self.set(), context, draft, None).await
    }

    /// As [`Toolkit::confirm`], but delivers this in the place of what was drafted: JSON that the draft's
    /// type must be able to read. Where it can't, the code is [`Code::InvalidArguments`], and the
    /// draft waits on as it was.
    ///
    /// # Cancellation
    /// As for [`Toolkit::confirm`].
    pub async fn confirm_edited<T: Serialize + ?Sized>(
        &self,
        context: &CallContext,
        draft: &str,
        edited: &T,
    ) -> ToolReply {
        let mut value = Vec::new();
        // As what is drafted is written: what isn't JSON is refused, not made `null`.
        let what = match contain(|| crate::json::write(edited, &mut value)) {
            Ok(Ok(())) => match String::from_utf8(value) {
                Ok(edited) => {
                    return self.engine().confirm(self.set(), context, draft, Some(edited)).await;
                }
                Err(error) => error.to_string(),
            },
            Ok(Err(error)) => error.to_string(),
            Err(Unwound(panic)) => panic,
        };
        let text = format!("{draft} was not confirmed: the edit is no JSON: {what}");
        ToolReply::not_run(Code::InvalidArguments, text)
    }

    /// Takes a draft back: it is never delivered. The context is a person's, as for
    /// [`Toolkit::confirm`]. The code is [`Code::Withdrawn`], or tells what became of the draft before.
    ///
    /// # Cancellation
    /// Dropping the future leaves the draft either waiting or withdrawn.
    pub async fn withdraw(&self, context: &CallContext, draft: &str) -> ToolReply {
        self.engine().withdraw(self.set(), context, draft).await
    }

    /// A draft of the context's session, for a user interface.
    ///
    /// # Errors
    /// The store can't be read; the host mends that.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing half-done.
    pub async fn draft(
        &self,
        context: &CallContext,
        draft: &str,
    ) -> Result<Option<StoredDraft>, StoreError> {
        self.engine().draft(self.set(), context, draft).await
    }

    /// The drafts of the context's session, oldest first: those that wait, and those that came to an end
    /// as far as the store keeps them.
    ///
    /// # Errors
    /// The store can't be read; the host mends that.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing half-done.
    pub async fn drafts(&self, context: &CallContext) -> Result<Vec<StoredDraft>, StoreError> {
        self.engine().drafts(self.set(), context).await
    }
}
