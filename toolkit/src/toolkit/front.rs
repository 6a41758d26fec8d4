//! The handle: what a host calls, and how it changes the set while it runs.

use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::broadcast;

use super::Builder;
use crate::call::{ToolCall, ToolReply, Turn};
use crate::catalog::{Catalog, Catalogs};
use crate::context::CallContext;
use crate::event::Event;
use crate::pipeline::{Engine, Place};
use crate::registry::{self, BuildError, BuildProblem, Entry, TypedTool};
use crate::risk::Risk;
use crate::spec::ToolSpec;

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
    inner: Arc<Inner>,
}

struct Inner {
    engine: Arc<Engine>,
    catalogs: Catalogs,
    /// Held while the set is changed, so that no change is lost; never while it is read.
    change: Mutex<()>,
}

impl Toolkit {
    /// A builder with safe defaults.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(super) fn new(engine: Engine) -> Self {
        let engine = Arc::new(engine);
        Self {
            inner: Arc::new(Inner {
                engine,
                catalogs: Catalogs::default(),
                change: Mutex::new(()),
            }),
        }
    }

    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.inner.engine
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
        self.engine().call(context, call, Place::Alone)
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
        super::turn::run(self.engine(), context, calls.into_iter().collect()).await
    }

    /// What this caller may see.
    pub fn catalog(&self, context: &CallContext) -> Catalog {
        self.inner.catalogs.get(self.engine(), context)
    }

    /// A handle for loops of models: every call has origin model, and nothing above read is visible,
    /// whatever the policy.
    pub fn read_only(&self) -> ReadOnly {
        ReadOnly { toolkit: self.clone() }
    }

    /// The tools of the set, visible or not, in order of names.
    pub fn tools(&self) -> ToolQuery {
        ToolQuery { tools: self.engine().registry.load().entries().to_vec().into_iter() }
    }

    /// The tool that this function is, if it is one of the set.
    pub fn tool<F: 'static>(&self, _function: F) -> Option<Tool> {
        let id = TypeId::of::<F>();
        let registry = self.engine().registry.load();
        registry.entries().iter().find(|entry| entry.id() == Some(id)).cloned().map(Tool)
    }

    /// Adds an annotated function while the toolkit runs, for as long as the guard lives.
    ///
    /// # Errors
    /// [`BuildError`], as at the start: the function is no tool, a state is missing, the name is
    /// taken, a rule asks for an argument that it hasn't.
    pub fn register<F: 'static>(&self, _function: F) -> Result<Registered, BuildError> {
        let mut problems = Vec::new();
        let Engine { states, rules, .. } = &**self.engine();
        let attach = |entry: &_, problems: &mut _| rules.attach(entry, problems);
        let (id, name) = (TypeId::of::<F>(), type_name::<F>());
        let entry = registry::function(id, name, states, &attach, &mut problems);
        self.add(entry, problems)
    }

    /// Adds a tool from a closure while the toolkit runs, for as long as the guard lives.
    ///
    /// # Errors
    /// [`BuildError`], as at the start.
    pub fn register_typed(&self, tool: TypedTool) -> Result<Registered, BuildError> {
        let mut problems = Vec::new();
        let Engine { states, rules, .. } = &**self.engine();
        let attach = |entry: &_, problems: &mut _| rules.attach(entry, problems);
        let entry = registry::typed_entry(tool, states, &attach, &mut problems);
        self.add(Some(entry), problems)
    }

    fn add(
        &self,
        entry: Option<Arc<Entry>>,
        mut problems: Vec<BuildProblem>,
    ) -> Result<Registered, BuildError> {
        let entry = match entry {
            Some(entry) if problems.is_empty() => entry,
            _ => return Err(BuildError::new(problems)),
        };
        let changing = self.inner.change.lock().unwrap_or_else(PoisonError::into_inner);
        match self.engine().registry.load().with(Arc::clone(&entry)) {
            Ok(registry) => self.engine().registry.store(Arc::new(registry)),
            Err(taken) => {
                problems.push(BuildProblem::Duplicate {
                    name: entry.spec().name().to_owned(),
                    first: taken.spec().source(),
                    second: entry.spec().source(),
                });
                return Err(BuildError::new(problems));
            }
        }
        drop(changing);
        let tool = entry.spec().name().into();
        self.engine().registry_changed(&Event::Registered { tool, source: entry.spec().source() });
        Ok(Registered { toolkit: Arc::downgrade(&self.inner), entry })
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
        self.engine().running.abandoned()
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
        self.engine().running.close().await;
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
        let left = self.engine().running.close_within(time).await;
        self.engine().flush().await;
        left
    }
}

impl fmt::Debug for Toolkit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = self.engine().registry.load();
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

/// A tool of the set; derefs to its [`ToolSpec`].
#[derive(Clone)]
pub struct Tool(Arc<Entry>);

impl std::ops::Deref for Tool {
    type Target = ToolSpec;
    fn deref(&self) -> &ToolSpec {
        self.0.spec()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Tool {
    /// The JSON Schema of the arguments as text.
    ///
    /// # Errors
    /// The schema of a parameter's type uses a keyword that can't be checked.
    pub fn parameters_schema(&self) -> Result<&str, String> {
        self.0.contract().map(|contract| contract.text()).map_err(ToString::to_string)
    }

    /// The JSON Schema of the result, where its type has one.
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.contract().ok().and_then(|contract| contract.output())
    }
}

/// The tools of a set, in order of names, to be narrowed down.
#[derive(Clone)]
pub struct ToolQuery {
    tools: std::vec::IntoIter<Arc<Entry>>,
}

impl ToolQuery {
    fn keep(self, keep: impl Fn(&ToolSpec) -> bool) -> Self {
        let kept: Vec<_> = self.tools.filter(|entry| keep(entry.spec())).collect();
        Self { tools: kept.into_iter() }
    }

    /// Only those of this domain.
    #[must_use]
    pub fn domain(self, domain: &str) -> Self {
        self.keep(|spec| spec.domain() == Some(domain))
    }

    /// Only those that declare this level.
    #[must_use]
    pub fn risk(self, risk: Risk) -> Self {
        self.keep(|spec| spec.risk().contains(risk))
    }

    /// Only those that are visible in this scope, as far as scopes go.
    #[must_use]
    pub fn scope(self, scope: &str) -> Self {
        self.keep(|spec| spec.scopes().is_empty() || spec.scopes().contains(&scope))
    }
}

impl Iterator for ToolQuery {
    type Item = Tool;
    fn next(&mut self) -> Option<Tool> {
        self.tools.next().map(Tool)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.tools.size_hint()
    }
}

impl ExactSizeIterator for ToolQuery {}

impl fmt::Debug for ToolQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// A tool that was added at run time. Dropping it takes the tool out; calls under way finish.
#[must_use = "dropping the guard takes the tool out again"]
pub struct Registered {
    toolkit: Weak<Inner>,
    entry: Arc<Entry>,
}

impl Registered {
    /// The tool's static facts.
    pub fn spec(&self) -> &ToolSpec {
        self.entry.spec()
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registered").field(&self.entry.spec().name()).finish()
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let Some(inner) = self.toolkit.upgrade() else { return };
        let changing = inner.change.lock().unwrap_or_else(PoisonError::into_inner);
        let without = inner.engine.registry.load().without(&self.entry);
        inner.engine.registry.store(Arc::new(without));
        drop(changing);
        inner
            .engine
            .registry_changed(&Event::Unregistered { tool: self.entry.spec().name().into() });
    }
}
