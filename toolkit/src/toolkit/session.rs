//! The handle of a session: what a host allows in it, for as long as it lives.

use std::fmt;
use std::sync::Arc;

use super::front::Toolkit;
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
/// It ends with [`end`](Self::end), or when its last handle is dropped. With it go its ceiling and
/// those within it. A call that names a session that has ended sees no tool and runs none, whoever
/// makes it, and so does one that waits to be run; [`Toolkit::session`] with the same name opens it
/// anew, without what it had. Whoever never opens a session may name it all the same: it is a name
/// then, to which nothing is bound.
///
/// All is kept in this process alone. Of sessions that have ended 262,144 names are remembered; after
/// that a session that isn't open counts as ended.
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

    /// Ends it for all who hold it, and those within it.
    pub fn end(&self) {
        self.engine.sessions.end(&self.state);
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
        self.engine.sessions.release(&self.state);
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
