//! Reading the policy back: what would become of a call.

use super::{ReadOnly, Toolkit};
use crate::call::ToolCall;
use crate::context::CallContext;
use crate::explanation::Explanation;

impl Toolkit {
    /// What would become of this call, and why: every verdict with where it came from. No body runs,
    /// nobody is asked, nothing is written to the store, and no event tells of it.
    ///
    /// The call goes through the stages of [`Toolkit::call`] up to where a person is asked or the body
    /// begins: the arguments are read and checked, rewrite hooks rewrite them, guards judge them. So hooks
    /// of the host's run as they do in a call, and one that counts calls counts this one.
    /// What shows only when it runs isn't foreseen: what a person answers, whether a permit is free or
    /// the store writes, what the body does. Of a call in a turn it is told what becomes of it alone.
    ///
    /// The text of an [`Explanation`] is for the operator, since it is true of tools as well that the
    /// caller may not know of. In a test it says why a rule is as it is:
    ///
    /// ```
    /// use toolkit::prelude::*;
    /// use toolkit::Would;
    ///
    /// /// Delete a ticket with its whole history.
    /// #[tool(name = "ticket.delete", risk = "destructive")]
    /// fn delete(
    ///     /// Number of the ticket, e.g. `1042`.
    ///     ticket: u32,
    /// ) -> String {
    ///     format!("ticket {ticket} is gone")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let policy = Policy::default().set(Origin::Human, Risk::Destructive, Verdict::Record);
    /// let toolkit = Toolkit::builder().only([id(delete)]).policy(policy).build().unwrap();
    /// let call = || ToolCall::new("ticket.delete", r#"{"ticket": 1042}"#);
    ///
    /// let explained = toolkit.explain(&CallContext::human(), call()).await;
    /// assert_eq!((explained.would, explained.recorded), (Would::Run, true));
    ///
    /// let explained = toolkit.explain(&CallContext::model(), call()).await;
    /// assert_eq!(explained.would, Would::Refuse(Code::NoApprover));
    /// assert_eq!(explained.deciding().unwrap().reason, "destructive for model");
    /// println!("{explained}");
    /// # }
    /// ```
    ///
    /// # Cancellation
    /// Dropping the future drops the hooks that are being asked; nothing else is left half-done.
    pub async fn explain(&self, context: &CallContext, call: ToolCall<'_>) -> Explanation {
        Box::pin(self.engine().explain(self.set(), context, call)).await
    }
}

impl ReadOnly {
    /// As [`Toolkit::explain`].
    ///
    /// # Cancellation
    /// As for [`Toolkit::explain`].
    pub async fn explain(&self, context: &CallContext, call: ToolCall<'_>) -> Explanation {
        self.toolkit.explain(&context.read_only(), call).await
    }
}
