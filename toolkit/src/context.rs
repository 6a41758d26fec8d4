//! What surrounds a call: who decided to make it, on whose behalf, where, and with what at hand.

use std::any::{Any, TypeId};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::call::{Code, ToolCall, ToolReply};
use crate::output::{OutputError, OutputWriter};
use crate::risk::Risk;

mod clock;
mod lent;
mod origin;
mod progress;

use clock::Clock;
pub(crate) use clock::Stopped;
pub(crate) use lent::Lent;
pub use origin::Origin;
pub(crate) use progress::About;
pub use progress::Progress;

/// What surrounds a call; cheap to clone, so that one value serves a whole session.
///
/// ```
/// use toolkit::CallContext;
/// let cx = CallContext::model().scope("chat").flag("knowledge_base").session("s-42");
/// assert_eq!(cx.session_id(), Some("s-42"));
/// ```
#[derive(Clone)]
pub struct CallContext {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    origin: Origin,
    principal: Option<Arc<str>>,
    scope: Option<Arc<str>>,
    flags: Vec<Arc<str>>,
    session: Option<Arc<str>>,
    turn: Option<u64>,
    ceiling: Option<Risk>,
    cancellation: Option<CancellationToken>,
    values: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
    nested: Option<Nested>,
}

/// The way from a body back into the engine; implemented by the front, above this floor.
pub(crate) trait Dispatch: Send + Sync {
    fn dispatch<'a>(
        self: Arc<Self>,
        context: &'a CallContext,
        call: ToolCall<'a>,
    ) -> Pin<Box<dyn Future<Output = ToolReply> + Send + 'a>>;

    /// Tells listeners how far a body has come.
    fn progress(&self, about: &About, progress: Progress);

    /// An id of a call that no other has.
    fn fresh_id(&self) -> Arc<str>;
}

/// What makes a context a body's own.
#[derive(Clone)]
struct Nested {
    dispatch: Arc<dyn Dispatch>,
    depth: usize,
    /// The outer body's permit: inner calls that waited for those of outer ones would wait for ever.
    lent: Arc<Lent>,
    clock: Arc<Clock>,
    /// The tools with a limit of their own that this body and those around it hold permits of.
    limited: Option<Arc<Limited>>,
    /// The longest output, in MiB.
    most: u32,
}

/// A tool with a limit of its own, one of whose permits is held by a body and by what it calls.
struct Limited {
    /// Any number that no other running tool has.
    tool: usize,
    outer: Option<Arc<Self>>,
}

/// How deep calls may nest: a call from a host is at depth 0.
pub const MAX_DEPTH: usize = 8;

impl CallContext {
    fn new(origin: Origin) -> Self {
        Self {
            inner: Arc::new(Inner {
                origin,
                principal: None,
                scope: None,
                flags: Vec::new(),
                session: None,
                turn: None,
                ceiling: None,
                cancellation: None,
                values: Vec::new(),
                nested: None,
            }),
        }
    }

    /// A call that a person decided to make.
    pub fn human() -> Self {
        Self::new(Origin::Human)
    }

    /// A call that a plan makes.
    pub fn plan() -> Self {
        Self::new(Origin::Plan)
    }

    /// A call that a model decided to make.
    pub fn model() -> Self {
        Self::new(Origin::Model)
    }

    fn edit(mut self, edit: impl FnOnce(&mut Inner)) -> Self {
        edit(Arc::make_mut(&mut self.inner));
        self
    }

    /// Sets where the call takes place, e.g. `chat`. A tool with scopes is visible only in one of
    /// them.
    #[must_use]
    pub fn scope(self, scope: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| inner.scope = Some(scope.into()))
    }

    /// Switches a feature flag on.
    #[must_use]
    pub fn flag(self, flag: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| {
            let flag = flag.into();
            if let Err(at) = inner.flags.binary_search(&flag) {
                inner.flags.insert(at, flag);
            }
        })
    }

    /// Names the session that the call belongs to.
    #[must_use]
    pub fn session(self, session: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| inner.session = Some(session.into()))
    }

    /// Names on whose behalf the call is made.
    #[must_use]
    pub fn principal(self, principal: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| inner.principal = Some(principal.into()))
    }

    /// Numbers the turn of the session that the call belongs to. A call that is then made again in
    /// that turn gives the reply that it gave, and runs nothing: one with the provider's id, or at the
    /// same place of [`Toolkit::turn`](crate::Toolkit::turn), of the same tool with the same arguments
    /// on behalf of the same principal. Another one under that id is refused with
    /// [`Code::CallIdReused`](crate::Code::CallIdReused).
    ///
    /// A reply is kept where the body was entered or a person said no, for as long as the store holds
    /// it (one in memory: up to 2 MiB each); whatever was refused before may be tried again. Where nobody waited for the end of a body
    /// the answer is [`Code::OutcomeUnknown`](crate::Code::OutcomeUnknown), unless the tool is
    /// [`idempotent`](crate::ToolSpec::idempotent), which runs again.
    #[must_use]
    pub fn turn(self, turn: u64) -> Self {
        self.edit(|inner| inner.turn = Some(turn))
    }

    /// Makes every tool above this risk invisible. A second ceiling only lowers the first.
    #[must_use]
    pub fn ceiling(self, ceiling: Risk) -> Self {
        self.edit(|inner| {
            inner.ceiling = Some(inner.ceiling.map_or(ceiling, |held| held.min(ceiling)));
        })
    }

    /// Lets this token cancel the calls made with the context.
    #[must_use]
    pub fn cancellation(self, token: CancellationToken) -> Self {
        self.edit(|inner| inner.cancellation = Some(token))
    }

    /// Puts in a value that a body may borrow with `#[context]`; a second of the same type replaces
    /// the first.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(self, value: T) -> Self {
        self.edit(|inner| {
            inner.values.retain(|(id, _)| *id != TypeId::of::<T>());
            inner.values.push((TypeId::of::<T>(), Arc::new(value)));
        })
    }

    /// Who decided to make the call.
    pub fn origin(&self) -> Origin {
        self.inner.origin
    }

    /// On whose behalf the call is made.
    pub fn principal_name(&self) -> Option<&str> {
        self.inner.principal.as_deref()
    }

    /// Where the call takes place.
    pub fn scope_name(&self) -> Option<&str> {
        self.inner.scope.as_deref()
    }

    /// The session that the call belongs to.
    pub fn session_id(&self) -> Option<&str> {
        self.inner.session.as_deref()
    }

    /// The number of the turn, where the host counts turns.
    pub fn turn_number(&self) -> Option<u64> {
        self.inner.turn
    }

    /// The highest risk that is visible, where there is a ceiling.
    pub fn ceiling_risk(&self) -> Option<Risk> {
        self.inner.ceiling
    }

    /// The flags that are on, in alphabetical order.
    pub fn flags(&self) -> impl Iterator<Item = &str> {
        self.inner.flags.iter().map(AsRef::as_ref)
    }

    /// Whether the context itself has this flag on.
    pub fn has_flag(&self, flag: &str) -> bool {
        self.inner.flags.binary_search_by(|held| held.as_ref().cmp(flag)).is_ok()
    }

    /// The value of this type that was put in.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.value(TypeId::of::<T>()).and_then(|value| value.downcast_ref())
    }

    /// Resolves when the call is cancelled or its time is up; never, where nothing can cancel it.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing half-done.
    pub async fn cancelled(&self) {
        match &self.inner.cancellation {
            Some(token) => token.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Whether the call is cancelled or its time is up.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancellation.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// Calls another tool from within a body: origin, principal and ceiling are inherited, the
    /// permit is lent, and the call passes the same gates. Calls that one body makes run one at a
    /// time, since it has one permit to lend. While a person decides on the call, the body's own clock
    /// stands as well; its permit stays with it.
    ///
    /// Works in the context that a body borrows with `#[context] cx: &CallContext`; in one of a
    /// host's own the reply is a `defect`, since no toolkit belongs to it.
    ///
    /// # Cancellation
    /// Dropping the future drops the inner body at its next await.
    pub async fn call(&self, call: ToolCall<'_>) -> ToolReply {
        match &self.inner.nested {
            Some(nested) => Arc::clone(&nested.dispatch).dispatch(self, call).await,
            None => ToolReply::not_run(Code::Defect, "this context belongs to no running call"),
        }
    }

    /// Writes the text of the body's output while it is made: what is longer than memory should be is
    /// put into a file on the way.
    ///
    /// What was written when the body has ended is what a model reads, redacted and cut like any
    /// output. Where the body returns nothing, it is the output's value as well, as a string; any other
    /// value that it returns stays the value, and has no text of its own. The text of a body that fails
    /// is dropped.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Count to a number, slowly.
    /// #[tool]
    /// async fn count(
    ///     /// How far to count, e.g. `3`.
    ///     to: u32,
    ///     #[context] cx: &CallContext,
    /// ) -> Result<(), ToolError> {
    ///     let mut out = cx.output()?;
    ///     for number in 1..=to {
    ///         out.append(format!("{number}\n")).await?;
    ///     }
    ///     Ok(())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let toolkit = Toolkit::builder().only([id(count)]).build().unwrap();
    /// let cx = CallContext::model();
    /// let reply = toolkit.call(&cx, ToolCall::new("count", r#"{"to": 3}"#)).await;
    /// assert_eq!(reply.text(), "1\n2\n3\n");
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`OutputError::NoBody`]: the context isn't one that a running body borrows.
    /// - [`OutputError::Taken`]: there is a writer already.
    pub fn output(&self) -> Result<OutputWriter, OutputError> {
        let nested = self.inner.nested.as_ref().ok_or(OutputError::NoBody)?;
        let most = u64::from(nested.most) << 20;
        let streamed = nested.lent.stream(most).ok_or(OutputError::NoBody)?;
        Arc::clone(streamed).writer(most)
    }

    pub(crate) fn value(&self, id: TypeId) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.inner.values.iter().find(|(held, _)| *held == id).map(|(_, value)| value)
    }

    pub(crate) fn token(&self) -> Option<&CancellationToken> {
        self.inner.cancellation.as_ref()
    }

    /// How many bodies stand above a call made with this context.
    pub(crate) fn depth(&self) -> usize {
        self.inner.nested.as_ref().map_or(0, |nested| nested.depth)
    }

    /// The permit that the outer body lends, where there is one.
    pub(crate) fn lent(&self) -> Option<&Arc<Lent>> {
        self.inner.nested.as_ref().map(|nested| &nested.lent)
    }

    /// Whether an outer body holds a permit of the tool that has this number.
    pub(crate) fn holds(&self, tool: usize) -> bool {
        let mut limited = self.inner.nested.as_ref().and_then(|nested| nested.limited.as_ref());
        while let Some(held) = limited {
            if held.tool == tool {
                return true;
            }
            limited = held.outer.as_ref();
        }
        false
    }

    /// Stops the clock of the body that this context is the own one of, until the guard is dropped.
    pub(crate) fn stop_clock(&self) -> Option<Stopped> {
        self.inner.nested.as_ref().map(|nested| nested.clock.stop())
    }

    /// How long that clock stood; `None` while it stands.
    pub(crate) fn stood(&self, waker: &Waker) -> Option<Duration> {
        self.inner.nested.as_ref().map_or(Some(Duration::ZERO), |nested| nested.clock.stood(waker))
    }

    /// Ends what a body's own context can do: calls under way are told to stop, and none begins.
    pub(crate) fn end(&self) {
        if let Some(token) = self.token() {
            token.cancel();
        }
        if let Some(lent) = self.lent() {
            lent.end();
        }
    }

    /// The same surroundings as seen by a read-only exit: a model, and nothing above read.
    pub(crate) fn read_only(&self) -> Self {
        self.clone().ceiling(Risk::Read).edit(|inner| inner.origin = Origin::Model)
    }

    /// The context that a body of a call made with this one borrows; `tool` is the number of a tool
    /// that has a limit of its own.
    pub(crate) fn nested(
        &self,
        dispatch: Arc<dyn Dispatch>,
        tool: Option<usize>,
        most: u32,
    ) -> Self {
        let depth = self.depth() + 1;
        let token =
            self.token().map_or_else(CancellationToken::new, CancellationToken::child_token);
        self.clone().edit(|inner| {
            inner.cancellation = Some(token);
            let clock = Clock::inside(inner.nested.as_ref().map(|nested| &nested.clock));
            let outer = inner.nested.take().and_then(|nested| nested.limited);
            let limited = match tool {
                Some(tool) => Some(Arc::new(Limited { tool, outer })),
                None => outer,
            };
            let lent = Arc::default();
            inner.nested = Some(Nested { dispatch, depth, lent, clock, limited, most });
        })
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("origin", &self.inner.origin)
            .field("principal", &self.inner.principal)
            .field("scope", &self.inner.scope)
            .field("flags", &self.inner.flags)
            .field("session", &self.inner.session)
            .field("turn", &self.inner.turn)
            .field("ceiling", &self.inner.ceiling)
            .finish_non_exhaustive()
    }
}
