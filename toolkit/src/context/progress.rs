//! How far a body has come, as it says itself: for user interfaces, and for nothing that decides.

use std::borrow::Cow;
use std::sync::Arc;

use super::CallContext;
use crate::redact::Redactor;

/// How far a body has come: see [`CallContext::progress`](crate::CallContext::progress).
///
/// ```
/// use toolkit::Progress;
///
/// let progress = Progress::done(3).of(10).message("third page read");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub(crate) done: Option<u64>,
    pub(crate) total: Option<u64>,
    pub(crate) message: Option<Cow<'static, str>>,
}

impl Progress {
    /// So much is done, in any unit that the tool likes.
    pub fn done(done: u64) -> Self {
        Self { done: Some(done), ..Self::default() }
    }

    /// Says how much there is to do, in the same unit.
    #[must_use]
    pub fn of(self, total: u64) -> Self {
        Self { total: Some(total), ..self }
    }

    /// Says in words what goes on; 500 characters at most are told.
    #[must_use]
    pub fn message(self, message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: Some(message.into()), ..self }
    }
}

impl From<&'static str> for Progress {
    fn from(message: &'static str) -> Self {
        Self::default().message(message)
    }
}

impl From<String> for Progress {
    fn from(message: String) -> Self {
        Self::default().message(message)
    }
}

/// The call that a body belongs to, as its progress names it.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) call: Arc<str>,
    pub(crate) tool: Arc<str>,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) redactor: Option<Redactor>,
}

impl CallContext {
    /// Tells listeners of [`Toolkit::events`](crate::Toolkit::events) at once how far the body has
    /// come, as [`Event::Progress`](crate::Event::Progress): for a person who watches. Nothing waits
    /// for it and nothing decides by it; the model and the audit don't hear of it. A few times a second
    /// are enough: a listener that falls behind loses events.
    ///
    /// Heard from the context that a body borrows with `#[context] cx: &CallContext`, until the body
    /// ends, and if somebody listened when it began; else it does nothing.
    ///
    /// ```
    /// use toolkit::prelude::*;
    /// use toolkit::{Event, Progress};
    ///
    /// /// Read all pages of the manual.
    /// #[tool]
    /// async fn read(#[context] cx: &CallContext) -> &'static str {
    ///     for page in 1..=3 {
    ///         cx.progress(Progress::done(page).of(3));
    ///     }
    ///     "all read"
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let toolkit = Toolkit::builder().only([id(read)]).build().unwrap();
    /// let mut events = toolkit.events();
    /// toolkit.call(&CallContext::model(), ToolCall::new("read", "")).await;
    /// let Ok(Event::Progress(first)) = events.try_recv() else { panic!() };
    /// assert_eq!((first.done, first.total), (Some(1), Some(3)));
    /// # }
    /// ```
    pub fn progress(&self, progress: impl Into<Progress>) {
        if let Some(nested) = &self.inner.nested
            && let Some(about) = nested.lent.about()
        {
            nested.dispatch.progress(about, progress.into());
        }
    }
}
