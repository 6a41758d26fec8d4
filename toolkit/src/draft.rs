//! What a tool that sends returns, what a person's confirmation makes of it, and what opens to nothing
//! else. Nothing here can be made, copied or read from JSON into a confirmation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The longest draft, in bytes of its JSON.
pub const MAX_DRAFT: usize = 1 << 20;

/// How long a draft may wait for a person, unless
/// [`Builder::draft_time`](crate::Builder::draft_time) says otherwise: a day.
pub const DEFAULT_DRAFT_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// What a tool with `risk = "send"` returns: something to be sent, once a person has confirmed it.
///
/// The toolkit keeps it and answers [`Code::NeedsConfirmation`](crate::Code::NeedsConfirmation). Of the
/// type, a function with [`#[commit]`](macro@crate::commit) delivers it; it is written as JSON and read
/// back for that, so it holds what is to be sent and nothing that is open or borrowed.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use toolkit::prelude::*;
///
/// #[derive(Serialize, Deserialize)]
/// struct Reply {
///     body: String,
/// }
///
/// /// Draft a reply to a customer. A person reads it before it is sent.
/// #[tool(name = "ticket.reply", risk = "send")]
/// fn reply(
///     /// Text of the reply, in the customer's language.
///     body: String,
/// ) -> Draft<Reply> {
///     Draft::new(Reply { body })
/// }
///
/// #[commit]
/// fn deliver(reply: Confirmed<Reply>) -> String {
///     format!("sent {} characters", reply.get().body.len())
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let toolkit = Toolkit::builder().only([id(reply)]).build().unwrap();
/// let cx = CallContext::human().principal("ada");
/// let drafted = toolkit.call(&cx, ToolCall::new("ticket.reply", r#"{"body": "Hello"}"#)).await;
/// assert_eq!(drafted.code(), Code::NeedsConfirmation);
///
/// let sent = toolkit.confirm(&cx, drafted.draft_id().unwrap()).await;
/// assert_eq!(sent.text(), "sent 5 characters");
/// # }
/// ```
#[must_use = "a draft that the tool doesn't return is kept nowhere"]
pub struct Draft<T>(T);

impl<T> Draft<T> {
    /// A draft of this.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// What is to be sent.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What was to be sent, and is now no draft any more.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Draft<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Draft").field(&self.0).finish()
    }
}

/// A draft that a person has confirmed: what a function with [`#[commit]`](macro@crate::commit) takes.
///
/// Only [`Toolkit::confirm`](crate::Toolkit::confirm) makes one. It can't be built, cloned, defaulted
/// or read from JSON, so whoever holds one was called for a person's decision.
pub struct Confirmed<T> {
    value: T,
    by: Confirmation,
}

/// Which draft was confirmed, and by whom.
#[derive(Clone, Debug)]
pub(crate) struct Confirmation {
    /// The draft.
    pub(crate) draft: Arc<str>,
    /// The principal of whoever confirmed it.
    pub(crate) by: Option<Arc<str>>,
}

/// A draft on its way to the function that delivers it.
pub(crate) struct Delivery {
    /// What is to be sent, as JSON.
    pub(crate) value: String,
    pub(crate) confirmation: Confirmation,
}

impl<T> Confirmed<T> {
    pub(crate) fn new(value: T, by: Confirmation) -> Self {
        Self { value, by }
    }

    /// What is to be sent: as it was drafted, or as the person edited it.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// What is to be sent, by value. The confirmation is used up: nothing opens to a bare value.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The id of the draft: the same for every try to deliver it, so a key for whoever must not take it
    /// twice.
    pub fn id(&self) -> &str {
        &self.by.draft
    }

    /// The principal of whoever confirmed it, where the host named one.
    pub fn by(&self) -> Option<&str> {
        self.by.by.as_deref()
    }
}

impl<T: fmt::Debug> fmt::Debug for Confirmed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confirmed")
            .field("value", &self.value)
            .field("draft", &self.by.draft)
            .field("by", &self.by.by)
            .finish()
    }
}

/// A client that sends, locked away: it opens to a [`Confirmed`] and to nothing else. Kept as a state
/// in place of the client itself, it makes that a body which drafts can't send, even by mistake.
///
/// ```
/// use toolkit::{Confirmed, Outbound};
/// # struct Mailer; impl Mailer { fn send(&self, _: &str) {} }
/// fn deliver(reply: Confirmed<String>, mail: &Outbound<Mailer>) {
///     mail.open(&reply).send(reply.get());
/// }
/// # let _ = deliver; let _ = Outbound::new(Mailer);
/// ```
pub struct Outbound<M>(M);

impl<M> Outbound<M> {
    /// Locks a client away; there is no way to have it back.
    pub fn new(client: M) -> Self {
        Self(client)
    }

    /// The client, for as long as the confirmation is at hand.
    pub fn open<'a, T>(&'a self, confirmed: &'a Confirmed<T>) -> &'a M {
        let _ = confirmed;
        &self.0
    }
}

impl<M> fmt::Debug for Outbound<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outbound(..)")
    }
}
