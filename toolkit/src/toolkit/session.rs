//! The handle of a session: what a host allows in it, for as long as it lives.

use std::fmt;
use std::sync::Arc;

use super::front::Toolkit;
use crate::event::Grant;
use crate::pipeline::Engine;
use crate::risk::Risk;
use crate::session::State;

impl Toolkit {
    /// Opens the session of this name, or gives another handle of the one that is open. A call belongs
    /// to it by [`CallContext::session`](crate::CallContext::session).
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Delete a ticket with its whole history.
    /// #[tool(name = "ticket.delete", risk = "destructive")]
    /// async fn delete(
    ///     /// Number of the ticket, e.g. `1042`.
    ///     ticket: u32,
    /// ) {
    /// }
    ///
    /// let toolkit = Toolkit::builder().only([id(delete)]).build().unwrap();
    /// let cx = CallContext::model().session("s-42");
    /// assert!(!toolkit.catalog(&cx).is_empty());
    ///
    /// let session = toolkit.session("s-42");
    /// session.ceiling(Risk::Write);
    /// assert!(toolkit.catalog(&cx).is_empty());
    /// ```
    pub fn session(&self, id: impl Into<Arc<str>>) -> Session {
        let engine = Arc::clone(self.engine());
        let state = engine.sessions.open(id.into());
        Session { engine, state }
    }
}

/// A session of a toolkit: what its calls may do beyond or short of the policy, until it ends. Cheap
/// to clone.
///
/// It ends with [`end`](Self::end), or when its last handle is dropped. With it go its ceiling, its
/// grants and the sessions within it. A call that names a session that has ended sees no tool and runs none, whoever
/// makes it, and so does one that waits to be run; [`Toolkit::session`] with the same name opens it
/// anew, without what it had. Whoever never opens a session may name it all the same: it is a name
/// then, to which nothing is bound.
///
/// All is kept in this process alone. Of sessions that have ended 262,144 names are remembered; after
/// that a session that isn't open counts as ended.
///
/// # Grants
///
/// A person who is asked about a call of an open session may allow more than that call, as far as the
/// [policy](crate::Policy::grants) goes: [`Answer::ApproveForSession`](crate::approval::Answer). The
/// [`Grant`] then answers calls of this session by itself, without those within it, until it is
/// revoked, its time is up, or the session ends. A question that waits already is answered as well. The
/// record of each call that it answers names it. A session has at most 256; then no more are offered.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use toolkit::approval::{Answer, Rung, channel};
/// use toolkit::prelude::*;
///
/// /// Close a ticket.
/// #[tool(name = "ticket.close", risk = "write")]
/// async fn close(
///     /// Number of the ticket, e.g. `1042`.
///     ticket: u32,
///     /// Why it is closed, e.g. `spam`.
///     reason: String,
/// ) {
/// }
///
/// let (approver, mut questions) = channel(16);
/// let toolkit = Toolkit::builder().only([id(close)]).approver(approver).build().unwrap();
/// let session = toolkit.session("s-42");
/// let cx = CallContext::model().session("s-42");
///
/// tokio::spawn(async move {
///     // Asked once: whatever the ticket, as long as it is spam.
///     let pending = questions.recv().await.unwrap();
///     assert!(pending.request().for_session.as_ref().unwrap().tool);
///     let rung = Rung::Arguments(vec!["reason".to_owned()]);
///     pending.answer_as("grace", Answer::ApproveForSession(rung, None));
/// });
/// for ticket in [1, 2, 3] {
///     let arguments = format!(r#"{{"ticket": {ticket}, "reason": "spam"}}"#);
///     assert!(toolkit.call(&cx, ToolCall::new("ticket.close", arguments)).await.is_ok());
/// }
/// let grant = &session.grants()[0];
/// assert_eq!(&*grant.covers, "`ticket.close` whenever `reason` is \"spam\"");
/// assert!(session.revoke(&grant.id));
/// # }
/// ```
///
/// # Sessions within sessions
///
/// `s-42/research` lies within `s-42`: at every moment it may do no more than that, and it ends with
/// it. [`child`](Self::child) opens such a session; one of that name that is opened by itself, or only
/// named, lies within it as well.
#[must_use = "a session ends when its last handle is dropped"]
pub struct Session {
    engine: Arc<Engine>,
    state: Arc<State>,
}

impl Session {
    /// Its name, as contexts give it.
    pub fn id(&self) -> &str {
        self.state.id()
    }

    /// Opens the session of this name within this one: `research` within `s-42` is `s-42/research`.
    /// It can only narrow what this one may.
    ///
    /// ```
    /// # let toolkit = toolkit::Toolkit::builder().only([]).build().unwrap();
    /// use toolkit::{CallContext, Risk};
    ///
    /// let session = toolkit.session("s-42");
    /// let research = session.child("research");
    /// research.ceiling(Risk::Read);
    /// let cx = CallContext::model().session(research.id());
    /// assert_eq!(cx.session_id(), Some("s-42/research"));
    /// ```
    pub fn child(&self, name: &str) -> Self {
        let engine = Arc::clone(&self.engine);
        let state = engine.sessions.open_within(&self.state, name);
        Self { engine, state }
    }

    /// Makes every tool above this risk invisible in the session and in those within it. A second
    /// ceiling only lowers the first.
    pub fn ceiling(&self, ceiling: Risk) -> &Self {
        self.state.lower(ceiling);
        self
    }

    /// The highest risk that is visible, where there is a ceiling: the lowest of its own and those
    /// of the sessions that it lies within.
    pub fn ceiling_risk(&self) -> Option<Risk> {
        self.engine.sessions.bound(self.id()).ceiling
    }

    /// Says that untrusted data has reached the session, and from where: a page that a person pasted,
    /// say. It counts as if a tool had returned it, see [`Policy::tainted`](crate::Policy::tainted).
    pub fn taint(&self, source: &str) -> &Self {
        let source = crate::text::excerpt(source, 200).into();
        self.engine.sessions.taint(self.id(), &source);
        self
    }

    /// Whether untrusted data has reached it, or one that it lies within.
    pub fn is_tainted(&self) -> bool {
        self.engine.sessions.bound(self.id()).tainted
    }

    /// Ends it for all who hold it, and those within it.
    pub fn end(&self) {
        let ended = self.engine.sessions.end(&self.state);
        self.tell_ended(&ended);
    }

    fn tell_ended(&self, ended: &[Arc<State>]) {
        for state in ended {
            for grant in self.engine.grants_of(state) {
                self.engine.grant_ended(&grant, "session_ended");
            }
        }
    }

    /// The grants that answer calls of this session now, in the order in which they were given.
    pub fn grants(&self) -> Vec<Grant> {
        if self.is_ended() {
            return Vec::new();
        }
        self.engine.grants_of(&self.state).iter().map(|grant| Grant::clone(grant)).collect()
    }

    /// Takes a grant back; false if it is over already. A call that it has answered and that waits
    /// for its turn doesn't run; one whose body has begun does.
    pub fn revoke(&self, grant: &str) -> bool {
        let revoked = self.engine.revoke(&self.state, grant);
        if let Some(grant) = &revoked {
            self.engine.grant_ended(grant, "revoked");
        }
        revoked.is_some()
    }

    /// Whether it has ended.
    pub fn is_ended(&self) -> bool {
        self.state.is_ended() || self.engine.sessions.bound(self.id()).ended
    }
}

impl Clone for Session {
    fn clone(&self) -> Self {
        self.engine.sessions.hold(&self.state);
        Self { engine: Arc::clone(&self.engine), state: Arc::clone(&self.state) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let ended = self.engine.sessions.release(&self.state);
        self.tell_ended(&ended);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id())
            .field("ceiling", &self.ceiling_risk())
            .field("ended", &self.is_ended())
            .finish_non_exhaustive()
    }
}
