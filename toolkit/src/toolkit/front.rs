//! The handle: what a host calls.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;

use super::Builder;
use super::query::{Tool, ToolQuery};
use crate::call::{ToolCall, ToolReply, Turn};
use crate::catalog::{Catalog, Catalogs};
use crate::context::CallContext;
use crate::event::Event;
use crate::pipeline::{Engine, Place, Set};

/// The tools of a program under guard. Cheap to clone; all clones are one.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Add two whole numbers and return their sum.
/// #[tool]
/// async fn add(
///     /// The first number, e.g. `2`.
///     a: i64,
///     /// The second number, e.g. `3`.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let toolkit = Toolkit::builder().only([id(add)]).build().unwrap();
/// let cx = CallContext::model();
/// let reply = toolkit.call(&cx, ToolCall::new("add", r#"{"a": 2, "b": 3}"#)).await;
/// assert_eq!(reply.text(), "5");
///
/// let reply = toolkit.call(&cx, ToolCall::new("add", r#"{"a": 2, "b": "many"}"#)).await;
/// assert_eq!(reply.code(), Code::InvalidArguments);
/// # }
/// ```
#[derive(Clone)]
pub struct Toolkit {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) engine: Arc<Engine>,
    /// Whose tools are called.
    pub(super) set: Arc<Set>,
    catalogs: Catalogs,
}

impl Toolkit {
    /// A builder with safe defaults.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(super) fn new(engine: Engine) -> Self {
        let set = Arc::clone(&engine.root);
        Self::of(Arc::new(engine), set)
    }

    pub(super) fn of(engine: Arc<Engine>, set: Arc<Set>) -> Self {
        Self { inner: Arc::new(Inner { engine, set, catalogs: Catalogs::default() }) }
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.inner.engine
    }

    pub(crate) fn set(&self) -> &Arc<Set> {
        &self.inner.set
    }

    /// Runs one call through the whole path. There is always exactly one reply, and nothing unwinds.
    ///
    /// # Cancellation
    /// Dropping the future drops the body at its next await; a recorded call then has an intent
    /// without an outcome, and observers hear of its end by
    /// [`observe_now`](crate::Observer::observe_now). To cancel with a reply, use
    /// [`CallContext::cancellation`](crate::CallContext::cancellation).
    pub fn call<'a>(
        &'a self,
        context: &'a CallContext,
        call: ToolCall<'a>,
    ) -> impl Future<Output = ToolReply> + Send + 'a {
        // The engine's future itself: one around it would move the reply once more.
        self.engine().call(self.set(), context, call, Place::Alone)
    }

    /// Runs the calls of one model turn: neighbours that may run side by side do, any other waits
    /// for all before it and holds back all after it. One reply for each call, in call order; a
    /// failure cancels nothing else.
    ///
    /// # Cancellation
    /// As for [`Toolkit::call`].
    pub async fn turn<'a>(
        &self,
        context: &CallContext,
        calls: impl IntoIterator<Item = ToolCall<'a>>,
    ) -> Turn {
        super::turn::run(self.engine(), self.set(), context, calls.into_iter().collect()).await
    }

    /// What this caller may see.
    pub fn catalog(&self, context: &CallContext) -> Catalog {
        self.inner.catalogs.get(self.engine(), self.set(), context)
    }

    /// A handle for loops of models: every call has origin model, and nothing above read is visible,
    /// whatever the policy.
    pub fn read_only(&self) -> ReadOnly {
        ReadOnly { toolkit: self.clone() }
    }

    /// The tools of the set, visible or not, in order of names.
    pub fn tools(&self) -> ToolQuery {
        ToolQuery::of(self.set().load().entries().to_vec())
    }

    /// The tool that this function is, if it is one of the set.
    pub fn tool<F: 'static>(&self, _function: F) -> Option<Tool> {
        let id = TypeId::of::<F>();
        let registry = self.set().load();
        registry.entries().iter().find(|entry| entry.id() == Some(id)).cloned().map(Tool::new)
    }

    /// A listener to all events from now on. One that falls more than 1,024 events behind is told how
    /// many it missed.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.engine().events.subscribe()
    }

    /// How many bodies go on though nobody waits for them any more: those of blocking tools whose call
    /// was answered before they ended, or whose call's future was dropped. Each keeps its permits until
    /// it ends, and its late result goes to the observers alone.
    pub fn abandoned(&self) -> usize {
        self.engine().root.running.abandoned()
    }

    /// Refuses every further call with `busy`, those too that wait for their turn or for a person, and
    /// waits until all under way have their replies and observers have kept what they heard. What a
    /// running body calls belongs to it and runs. It doesn't wait for bodies that are
    /// [abandoned](Self::abandoned), which may never end.
    ///
    /// A Tokio runtime that is dropped does wait for them; `Runtime::shutdown_timeout` and
    /// `shutdown_background` don't.
    ///
    /// # Cancellation
    /// Dropping the future stops the waiting; calls stay refused.
    pub async fn shutdown(&self) {
        self.set().close().await;
        self.engine().flush().await;
    }

    /// As [`shutdown`](Self::shutdown), but bodies that still run after this time are cancelled: they
    /// are told to stop, and their calls answer `cancelled`. Returns at most a second later, with the
    /// number of bodies that go on all the same, on threads that nothing can stop; 0 means that all is
    /// at rest.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let toolkit = toolkit::Toolkit::builder().only([]).build().unwrap();
    /// let left = toolkit.shutdown_within(Duration::from_secs(10)).await;
    /// assert_eq!(left, 0);
    /// # }
    /// ```
    ///
    /// # Cancellation
    /// Dropping the future stops the waiting; calls stay refused.
    pub async fn shutdown_within(&self, time: Duration) -> usize {
        let left = self.set().close_within(time).await;
        self.engine().flush().await;
        left + self.abandoned()
    }
}

impl fmt::Debug for Toolkit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = self.set().load();
        let names: Vec<&str> = registry.entries().iter().map(|entry| entry.spec().name()).collect();
        f.debug_struct("Toolkit").field("tools", &names).finish_non_exhaustive()
    }
}

/// A [`Toolkit`] through which only reading tools can be seen or called, with origin model.
#[derive(Clone, Debug)]
pub struct ReadOnly {
    pub(super) toolkit: Toolkit,
}

impl ReadOnly {
    /// As [`Toolkit::call`].
    ///
    /// # Cancellation
    /// As for [`Toolkit::call`].
    pub async fn call(&self, context: &CallContext, call: ToolCall<'_>) -> ToolReply {
        self.toolkit.call(&context.read_only(), call).await
    }

    /// As [`Toolkit::turn`].
    ///
    /// # Cancellation
    /// As for [`Toolkit::call`].
    pub async fn turn<'a>(
        &self,
        context: &CallContext,
        calls: impl IntoIterator<Item = ToolCall<'a>>,
    ) -> Turn {
        self.toolkit.turn(&context.read_only(), calls).await
    }

    /// Those of [`Toolkit::tools`] that do nothing but read.
    pub fn tools(&self) -> ToolQuery {
        self.toolkit.tools().keep(|spec| spec.risk().is_read())
    }

    /// As [`Toolkit::catalog`].
    pub fn catalog(&self, context: &CallContext) -> Catalog {
        self.toolkit.catalog(&context.read_only())
    }
}
