//! From what a host says to a toolkit, or to everything that is wrong with it.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::declared::Declared;
use super::front::Toolkit;
use super::pages;
use crate::approval::Approver;
use crate::hook::{Around, FlagSource, Guard, Observer, Rewrite};
use crate::pipeline::{
    Broadcast, Clock, Engine, Flights, Limits, Loops, Metering, Meters, Minter, PAGES, Set, take_in,
};
use crate::policy::{Policy, Rules, Table};
use crate::registry::{
    BuildError, BuildProblem, Known, Loading, Selection, States, TypedTool, collect,
};
use crate::session::Sessions;
use crate::store::{Memory, Store};
use crate::toolset::Toolset;

/// Puts a [`Toolkit`] together. Everything has a default that is safe; [`Builder::build`] reports
/// every problem at once.
#[must_use]
pub struct Builder {
    states: States,
    selection: Selection,
    policy: Policy,
    rewrites: Vec<Box<dyn Rewrite>>,
    guards: Vec<Arc<dyn Guard>>,
    arounds: Vec<Box<dyn Around>>,
    approver: Option<Box<dyn Approver>>,
    store: Arc<dyn Store>,
    observers: Vec<Box<dyn Observer>>,
    flags: Option<Box<dyn FlagSource>>,
    limits: Limits,
    /// How often a failing call is advised against; `None`: no guard.
    pub(super) loop_guard: Option<u32>,
    pub(super) metering: Metering,
    /// What the host says of single tools.
    pub(super) declared: Declared,
    /// Whether outputs are read by pages, where the host says so.
    pages: Option<bool>,
    pub(super) problems: Vec<BuildProblem>,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            states: States::new(),
            selection: Selection::default(),
            policy: Policy::default(),
            rewrites: Vec::new(),
            guards: Vec::new(),
            arounds: Vec::new(),
            approver: None,
            store: Arc::new(Memory::default()),
            observers: Vec::new(),
            flags: None,
            limits: Limits::default(),
            loop_guard: Loops::usual(),
            declared: Declared::default(),
            metering: Metering::default(),
            pages: None,
            problems: Vec::new(),
        }
    }

    /// Gives a shared state for `#[state]` parameters of its type; a second of one type replaces the
    /// first.
    pub fn state<T: Any + Send + Sync>(mut self, state: T) -> Self {
        self.states.insert(TypeId::of::<T>(), Arc::new(state));
        self
    }

    /// Sets the policy; [`Policy::default`] unless set.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Adds a hook that rewrites arguments before they are judged; all run in the order in which they
    /// were added.
    pub fn rewrite(mut self, rewrite: impl Rewrite + 'static) -> Self {
        self.rewrites.push(Box::new(rewrite));
        self
    }

    /// Adds a guard. Of several that refuse, the first added is quoted.
    pub fn guard(mut self, guard: impl Guard + 'static) -> Self {
        self.guards.push(Arc::new(guard));
        self
    }

    /// Adds a hook around the body; the first added is the outermost.
    pub fn around(mut self, around: impl Around + 'static) -> Self {
        self.arounds.push(Box::new(around));
        self
    }

    /// Sets who is asked for approval; nobody unless set.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Box::new(approver));
        self
    }

    /// Sets where intents and outcomes are kept, and drafts; [`Memory::default`] unless set.
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Adds an observer; all are awaited in the order in which they were added.
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Sets a source of feature flags beside those of a call's context.
    pub fn flags(mut self, source: impl FlagSource + 'static) -> Self {
        self.flags = Some(Box::new(source));
        self
    }

    /// Lists hosts that a network tool may reach, beside those that its author listed: exact names
    /// or addresses, any port unless one is given (`example.com`, `127.0.0.1:8080`, `[::1]:80`).
    ///
    /// The gate holds URLs in arguments against them; where a body goes from there is its own client's
    /// matter, which `toolkit::http` (feature `http`) looks after: see also [`CallContext::hosts`].
    ///
    /// [`CallContext::hosts`]: crate::CallContext::hosts
    pub fn hosts<H: Into<String>>(
        mut self,
        tool: impl Into<String>,
        hosts: impl IntoIterator<Item = H>,
    ) -> Self {
        let hosts = hosts.into_iter().map(Into::into).collect();
        self.selection.hosts.push((tool.into(), hosts));
        self
    }

    /// Takes only tools of these crates. Duplicate names are judged afterwards.
    pub fn crates<N: Into<String>>(mut self, crates: impl IntoIterator<Item = N>) -> Self {
        self.selection.crates.get_or_insert_default().extend(crates.into_iter().map(Into::into));
        self
    }

    /// Takes only these annotated functions, by [`id`](crate::id).
    ///
    /// ```
    /// # use toolkit::{Toolkit, id, tool};
    /// /// Say hello to the caller.
    /// #[tool]
    /// fn hello() -> &'static str {
    ///     "hello"
    /// }
    /// let toolkit = Toolkit::builder().only([id(hello)]).build().unwrap();
    /// assert_eq!(toolkit.tools().count(), 1);
    /// ```
    pub fn only(mut self, functions: impl IntoIterator<Item = crate::ToolId>) -> Self {
        let only = self.selection.only.get_or_insert_default();
        only.extend(functions.into_iter().map(|id| (id.id, id.name)));
        self.selection.allow_empty |= only.is_empty();
        self
    }

    /// Leaves out the tools of these names.
    pub fn without<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.selection.without.extend(names.into_iter().map(Into::into));
        self
    }

    /// Names tools that must be there: a crate that no code names is dropped by the linker in
    /// silence, and this turns the silence into a start-up error.
    pub fn expect<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.selection.expect.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds a tool from a closure: a [`TypedTool`], or with the feature `jsonschema` a
    /// `SchemaTool`.
    pub fn tool(mut self, tool: impl Into<TypedTool>) -> Self {
        self.selection.typed.push(tool.into());
        self
    }

    /// Adds the tools of a [`#[toolset]`](macro@crate::toolset), which share this value. They are there as
    /// long as the toolkit is; [`Toolkit::load`] adds some that go again.
    pub fn toolset<T: Toolset>(mut self, value: T) -> Self {
        self.selection.toolsets.push(Loading::new(value));
        self
    }

    /// Allows a toolkit without any tool.
    pub fn allow_empty(mut self) -> Self {
        self.selection.allow_empty = true;
        self
    }

    /// Sets how many bodies may run at once, over all tools; 4 unless set, at least 1.
    pub fn concurrency(mut self, calls: usize) -> Self {
        if calls == 0 || calls > Semaphore::MAX_PERMITS {
            self.problems.push(BuildProblem::BadLimit {
                what: "concurrency",
                allowed: "from 1 to `tokio::sync::Semaphore::MAX_PERMITS`",
            });
        } else {
            self.limits.concurrency = calls;
        }
        self
    }

    /// Sets how long a call may wait for its turn; 30 s unless set.
    pub fn queue_time(mut self, time: Duration) -> Self {
        self.limits.queue = time;
        self
    }

    /// Sets how long a draft may wait for a person; [`DEFAULT_DRAFT_TIME`](crate::DEFAULT_DRAFT_TIME)
    /// unless set.
    pub fn draft_time(mut self, time: Duration) -> Self {
        self.limits.drafts = time;
        self
    }

    /// Sets how many characters of an output a model is shown; 20,000 unless set, at least 200.
    pub fn output_budget(mut self, characters: usize) -> Self {
        if characters < 200 {
            self.problems
                .push(BuildProblem::BadLimit { what: "output_budget", allowed: "at least 200" });
        } else {
            self.limits.output = characters;
        }
        self
    }

    /// Sets how long one output may be, in bytes, rounded up to whole MiB; 256 MiB unless set, at least
    /// 1 MiB and less than 4 PiB. A longer one is a defect of its tool. What is longer than 1 MiB lies in
    /// a file without a name in the system's directory for such (`TMPDIR`).
    pub fn output_limit(mut self, bytes: u64) -> Self {
        match u32::try_from(bytes.div_ceil(1 << 20)) {
            Ok(most) if bytes >= 1 << 20 => self.limits.output_most = most,
            _ => self.problems.push(BuildProblem::BadLimit {
                what: "output_limit",
                allowed: "at least 1 MiB, and less than 4 PiB",
            }),
        }
        self
    }

    /// Sets whether `output.read` is there: the tool by which a model reads on in an output that was
    /// cut. A context sees it in a session alone, since outputs are kept for sessions.
    ///
    /// Unless set, it is there where the host named neither crates nor functions, with
    /// [`Builder::crates`] or [`Builder::only`]: who names what may be there gets that. Without it
    /// nothing is kept, and the notice of a cut says that the rest can't be read back. It counts as a
    /// tool: [`Builder::without`] leaves it out as well, and another tool of its name is a problem.
    pub fn output_pages(mut self, on: bool) -> Self {
        self.pages = Some(on);
        self
    }

    /// Shows a model the text of every error, redacted; for development.
    pub fn show_errors(mut self) -> Self {
        self.limits.show_errors = true;
        self
    }

    /// Repairs arguments of tools of every risk, not only of those that read.
    pub fn repair_all(mut self) -> Self {
        self.limits.repair_all = true;
        self
    }

    /// Writes arguments and results into `tracing` spans, redacted.
    pub fn trace_content(mut self) -> Self {
        self.limits.trace_content = true;
        self
    }

    /// Makes the toolkit.
    ///
    /// # Errors
    /// [`BuildError`] lists every problem, each with its place: duplicate names, missing states,
    /// tools that are expected but not linked, functions that are no tools, bad hosts, patterns and
    /// limits, rules that name what isn't there. The host's author mends them, or the tool's.
    pub fn build(mut self) -> Result<Toolkit, BuildError> {
        let mut problems = self.problems;
        let mut selection = self.selection;
        if self.pages.unwrap_or(selection.only.is_none() && selection.crates.is_none()) {
            let tool = pages::tool(Arc::clone(&self.store), self.limits.output);
            selection.built_in.push((PAGES, tool));
        }
        let mut wrong = Vec::new();
        let rules = Rules::new(self.policy.rules(), &mut wrong);
        let faults = RefCell::new(wrong);
        let scenes = std::mem::take(&mut self.declared.scenes);
        let attach = |entry: &mut _, _: &mut _| {
            take_in(&rules, &scenes, entry, &mut faults.borrow_mut());
        };
        let hosts = selection.hosts.clone();
        selection.later.clone_from(&self.declared.later);
        let registry = collect(selection, &self.states, &attach, &mut problems);
        let mut wrong = faults.into_inner();
        rules.look_for_idle(registry.entries(), &mut wrong);
        Rules::in_order(&mut wrong);
        problems.extend(wrong);
        let known = Known { entries: registry.entries(), later: &self.declared.later };
        self.declared.check(known, &mut problems);
        scenes.check(registry.entries(), &mut problems);
        #[cfg(feature = "rates")]
        let metering = self.metering.with_levels(self.policy.rates());
        #[cfg(not(feature = "rates"))]
        let metering = self.metering;
        let meters = Meters::new(&metering, known, &mut problems);
        if !problems.is_empty() {
            return Err(BuildError::new(problems));
        }
        let table = Table::new(&self.policy);
        let tightens = table.tightens();
        Ok(Toolkit::new(Engine {
            root: Set::new(registry),
            states: self.states,
            table,
            policy: self.policy,
            rules,
            scenes,
            watched: meters.is_some() || !self.guards.is_empty(),
            hooked: !(self.rewrites.is_empty()
                && self.guards.is_empty()
                && self.arounds.is_empty()),
            rewrites: self.rewrites,
            guards: self.guards,
            arounds: self.arounds,
            approver: self.approver,
            store: self.store,
            observers: self.observers,
            events: Broadcast::default(),
            flags: self.flags,
            permits: Semaphore::new(self.limits.concurrency),
            limits: self.limits,
            minter: Minter::new(),
            flights: Flights::default(),
            loops: Loops::new(self.loop_guard),
            meters,
            clock: Clock::new(),
            sessions: Sessions::new(tightens),
            untrusted: self.declared.untrusted,
            targets: self.declared.targets,
            hosts,
        }))
    }
}
