//! The static facts of a tool: what its author wrote down, and where.

mod facts;

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub use facts::Facts;

use crate::name::{self, Name};
use crate::risk::RiskSet;

/// The default limit on one run of a body.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The static facts of one tool.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolSpec {
    pub(crate) name: Name,
    pub(crate) wire: Name,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) risk: RiskSet,
    pub(crate) flag: Option<Cow<'static, str>>,
    pub(crate) scopes: Cow<'static, [&'static str]>,
    pub(crate) hosts: Cow<'static, [&'static str]>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) parallel: bool,
    /// Whether only a context of a session sees the tool.
    pub(crate) session: bool,
    pub(crate) idempotent: bool,
    pub(crate) polling: bool,
    pub(crate) blocking: Option<Blocking>,
    pub(crate) risk_assumed: bool,
    pub(crate) in_place: bool,
    pub(crate) errors: Errors,
    pub(crate) parameters: Cow<'static, [ParamSpec]>,
    pub(crate) states: &'static [StateSpec],
    pub(crate) source: Source,
}

impl ToolSpec {
    /// Whether a call couldn't tell it from the other: one of their names or wire names is the same.
    pub(crate) fn clashes_with(&self, other: &Self) -> bool {
        [&other.name, &other.wire].into_iter().any(|name| *name == self.name || *name == self.wire)
    }

    /// The tool name, e.g. `kb.search`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name for providers that forbid dots, e.g. `kb__search`.
    pub fn wire_name(&self) -> &str {
        &self.wire
    }

    /// All of the name before its last dot.
    pub fn domain(&self) -> Option<&str> {
        name::domain(&self.name)
    }

    /// A short name for people, if the author gave one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What a model reads to decide whether to call the tool.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The declared levels of risk.
    pub fn risk(&self) -> RiskSet {
        self.risk
    }

    /// Whether its author stated a risk; else it is [`Risk::Read`](crate::Risk::Read).
    pub fn risk_is_stated(&self) -> bool {
        !self.risk_assumed
    }

    /// Whether the body is a plain `fn` that runs where the call is polled, so that no timeout can
    /// interrupt it.
    pub fn runs_in_place(&self) -> bool {
        self.in_place
    }

    /// The feature flag that must be on for the tool to be visible.
    pub fn flag(&self) -> Option<&str> {
        self.flag.as_deref()
    }

    /// The scopes in any one of which the tool is visible; empty: in all, and without one.
    pub fn scopes(&self) -> &[&'static str] {
        &self.scopes
    }

    /// The hosts that a network tool may reach, as its author listed them.
    pub fn hosts(&self) -> &[&'static str] {
        &self.hosts
    }

    /// How long one run of the body may take; `None`: without limit. Waiting for a permit or for a
    /// person doesn't count.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// How many calls of this tool may run at once, beside the limit for all tools.
    pub fn concurrency(&self) -> Option<usize> {
        self.concurrency
    }

    /// Whether neighbouring calls in one turn may run side by side: stated by the author, or true
    /// for a tool that only reads.
    pub fn parallel(&self) -> bool {
        self.parallel || self.risk.is_read()
    }

    /// Whether running a call twice under one key is as running it once: stated by the author, or true
    /// for a tool that only reads. Such a call may run again where its outcome isn't known.
    pub fn idempotent(&self) -> bool {
        self.idempotent || self.risk.is_read()
    }

    /// Whether calling it again and again is its use, e.g. to ask whether a job is done, so that the
    /// guard against loops takes no repeated failure of it for a loop.
    pub fn polling(&self) -> bool {
        self.polling
    }

    /// For a body that runs on a thread: what becomes of it when its time is up. `None` for one that
    /// runs on the caller's task.
    pub fn blocking(&self) -> Option<Blocking> {
        self.blocking
    }

    /// Who reads the errors of the body that aren't meant for the model.
    pub fn errors(&self) -> Errors {
        self.errors
    }

    /// The declared parameters, in order; of a closure's argument object only those that are marked
    /// as secret or as a URL.
    pub fn parameters(&self) -> &[ParamSpec] {
        &self.parameters
    }

    /// The shared states that the body borrows, in order.
    pub fn states(&self) -> &[StateSpec] {
        self.states
    }

    /// Where the tool was written.
    pub fn source(&self) -> Source {
        self.source
    }
}

impl fmt::Debug for ToolSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSpec")
            .field("name", &self.name)
            .field("risk", &self.risk)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// Who reads the text of an error that isn't a [`ToolError::expected`](crate::ToolError::expected).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Errors {
    /// The operator; the model gets a reference.
    #[default]
    Hide,
    /// The model as well, capped and redacted: `errors = "show"`.
    Show,
}

/// What becomes of a body on a thread, which nothing can stop, when its time is up or its call is
/// cancelled. Either way the token of its [`CallContext`](crate::CallContext) tells it to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blocking {
    /// The call waits until the body has ended, and then says `timed_out` or `cancelled`; nothing of
    /// it goes on unseen. For bodies that end soon once they are told to, and for those whose effect
    /// must be over before anything else is done. `blocking = "wait"`.
    Wait,
    /// The call is answered in time, and says that the body still runs. The body keeps its permits,
    /// [`Toolkit::abandoned`](crate::Toolkit::abandoned) counts it, and its late result goes to the
    /// observers alone. For bodies that may hang, where an answer is worth more than its being
    /// certain. `blocking = "abandon"`.
    Abandon,
}

/// A place in the author's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Source {
    /// Path of the file as the compiler saw it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Module path; its first segment is the crate.
    pub module: &'static str,
}

impl Source {
    pub(crate) const fn new(file: &'static str, line: u32, module: &'static str) -> Self {
        Self { file, line, module }
    }

    /// The crate that holds the place, with underscores.
    pub fn krate(&self) -> &'static str {
        self.module.split("::").next().unwrap_or(self.module)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A range of numbers, whatever their type: displays as Rust writes it.
pub(crate) trait Span: fmt::Display + fmt::Debug + Sync {}

impl<T: fmt::Display + fmt::Debug + Sync> Span for T {}

/// One declared parameter, without its type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParamSpec {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) pattern: Option<&'static str>,
    pub(crate) length: Option<(Option<u64>, Option<u64>)>,
    pub(crate) range: Option<&'static dyn Span>,
    pub(crate) secret: bool,
    pub(crate) url: bool,
}

impl ParamSpec {
    pub(crate) const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            aliases: &[],
            pattern: None,
            length: None,
            range: None,
            secret: false,
            url: false,
        }
    }

    /// The key of the argument in a call.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What to fill in.
    pub const fn description(&self) -> &'static str {
        self.description
    }

    /// Other keys that a call may use.
    pub const fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// The regular expression that a text must match somewhere.
    pub const fn pattern(&self) -> Option<&'static str> {
        self.pattern
    }

    /// The least and the greatest length, both inclusive: of a text in characters, of a sequence in
    /// elements.
    pub const fn length(&self) -> Option<(Option<u64>, Option<u64>)> {
        self.length
    }

    /// The range of a number, in Rust's words: `1..=20`, `..7`.
    pub fn range(&self) -> Option<String> {
        self.range.map(ToString::to_string)
    }

    /// Whether the argument is kept out of every sink.
    pub const fn secret(&self) -> bool {
        self.secret
    }

    /// Whether the argument is a URL whose host the gate checks.
    pub const fn url(&self) -> bool {
        self.url
    }
}

/// One shared state that a body borrows.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StateSpec {
    pub(crate) id: fn() -> TypeId,
    pub(crate) type_name: fn() -> &'static str,
}

impl StateSpec {
    /// The state's type, as `std::any::type_name` gives it.
    pub fn type_name(&self) -> &'static str {
        (self.type_name)()
    }
}
