//! A call, its one reply, and the code that says what became of it.

mod code;
mod kept;

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

pub use code::{Code, Executed};

use crate::name::Name;
use crate::output::{Output, Part};
use crate::problem::Repair;

/// One call of a tool, as it came in. Borrowed text costs no allocation.
///
/// The arguments are JSON text: an object, or nothing (`""` and `null` mean `{}`).
///
/// ```
/// use toolkit::ToolCall;
/// let call = ToolCall::new("kb.search", r#"{"query": "refund"}"#).id("call_1");
/// assert_eq!(call.name(), "kb.search");
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) arguments: Cow<'a, str>,
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) cut: Option<Cow<'static, str>>,
}

impl<'a> ToolCall<'a> {
    /// A call by tool name or wire name, with its arguments as JSON text.
    pub fn new(name: impl Into<Cow<'a, str>>, arguments: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), arguments: arguments.into(), id: None, cut: None }
    }

    /// A call with its arguments from a value.
    ///
    /// # Errors
    /// The value can't be written as JSON; the caller mends it.
    pub fn json<T: Serialize + ?Sized>(
        name: impl Into<Cow<'a, str>>,
        arguments: &T,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self::new(name, serde_json::to_string(arguments)?))
    }

    /// Sets the id that the provider gave the call; the reply carries it back.
    #[must_use]
    pub fn id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Marks the call as cut: the response that held it ended early, for this reason, so nothing
    /// of it runs and its reply has [`Code::IncompleteCall`].
    #[must_use]
    pub fn cut(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.cut = Some(reason.into());
        self
    }

    /// The name as it was called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments as they came.
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// The provider's id of the call.
    pub fn provider_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The same call with all its text owned.
    pub fn into_owned(self) -> ToolCall<'static> {
        ToolCall {
            name: Cow::Owned(self.name.into_owned()),
            arguments: Cow::Owned(self.arguments.into_owned()),
            id: self.id.map(|id| Cow::Owned(id.into_owned())),
            cut: self.cut,
        }
    }
}

/// The one reply to a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolReply {
    pub(crate) tool: Option<Name>,
    pub(crate) id: Option<Box<str>>,
    pub(crate) code: Code,
    pub(crate) executed: Executed,
    pub(crate) text: Text,
    pub(crate) took: Duration,
    /// Apart, since the common reply has none of it and is moved from stage to stage.
    pub(crate) aside: Option<Box<Aside>>,
}

/// What few replies have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aside {
    pub(crate) called: Option<Box<str>>,
    pub(crate) reference: Option<Box<str>>,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) edited: Option<Box<str>>,
    pub(crate) draft: Option<Box<str>>,
    pub(crate) replay: bool,
    pub(crate) wait: Option<Duration>,
}

/// The text of a reply, and the output that it came from.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// Written by the engine.
    Engine(Cow<'static, str>),
    /// The output's own text.
    Whole(Output),
    /// A shortened text, and the whole output.
    Cut(Box<Cut>),
}

/// An output that is shown in part.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    pub(crate) shown: String,
    pub(crate) output: Output,
}

impl ToolReply {
    /// A reply of the engine's own, about a call whose body did not run.
    pub(crate) fn not_run(code: Code, text: impl Into<Cow<'static, str>>) -> Self {
        Self::of(code, Executed::No, Text::Engine(text.into()))
    }

    #[inline]
    pub(crate) fn of(code: Code, executed: Executed, text: Text) -> Self {
        Self { tool: None, id: None, code, executed, text, took: Duration::ZERO, aside: None }
    }

    /// What few replies have, made if it isn't there.
    pub(crate) fn aside(&mut self) -> &mut Aside {
        self.aside.get_or_insert_default()
    }

    /// The tool that was found, by its tool name; `None` where none was.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// The name to answer under: the tool's, or the unknown one that was called.
    pub fn name(&self) -> &str {
        let called = || self.aside.as_ref()?.called.as_deref();
        self.tool.as_deref().or_else(called).unwrap_or_default()
    }

    /// The provider's id of the call.
    pub fn provider_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// What became of the call.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Whether the body had its effect.
    pub fn executed(&self) -> Executed {
        self.executed
    }

    /// What the model reads.
    pub fn text(&self) -> &str {
        match &self.text {
            Text::Engine(text) => text,
            // What isn't short is cut.
            Text::Whole(output) => output.text().unwrap_or_default(),
            Text::Cut(cut) => &cut.shown,
        }
    }

    /// What the model reads, without a copy.
    pub fn into_text(self) -> String {
        match self.text {
            Text::Engine(text) => text.into_owned(),
            Text::Whole(output) => output.into_shown().into_text(),
            Text::Cut(cut) => cut.shown,
        }
    }

    /// The canonical value, untouched by truncation; `None` where the body did not succeed.
    pub fn value(&self) -> Option<Value> {
        self.output().and_then(Output::value)
    }

    /// The whole output, untouched by truncation; `None` where the body did not succeed.
    pub fn output(&self) -> Option<&Output> {
        match &self.text {
            Text::Engine(_) => None,
            Text::Whole(output) => Some(output),
            Text::Cut(cut) => Some(&cut.output),
        }
    }

    /// The images and files of the result, which the text only names.
    pub fn parts(&self) -> &[Part] {
        self.output().map_or(&[], Output::parts)
    }

    /// The reference under which the operator finds what the text withholds.
    pub fn reference(&self) -> Option<&str> {
        self.aside.as_ref()?.reference.as_deref()
    }

    /// The draft that the reply is about: what a person confirms by
    /// [`Toolkit::confirm`](crate::Toolkit::confirm).
    pub fn draft_id(&self) -> Option<&str> {
        self.aside.as_ref()?.draft.as_deref()
    }

    /// How long to wait until the same call may run, where a rate holds it back
    /// ([`Code::RateLimited`]). Others may be first.
    pub fn retry_after(&self) -> Option<Duration> {
        self.aside.as_ref()?.wait
    }

    /// What was repaired in the arguments before they ran.
    pub fn repairs(&self) -> &[Repair] {
        self.aside.as_ref().map_or(&[], |aside| &aside.repairs)
    }

    /// The arguments as canonical JSON, secrets redacted, where a person changed them; those of the
    /// call then never ran.
    pub fn edited(&self) -> Option<&str> {
        self.aside.as_ref()?.edited.as_deref()
    }

    /// From the call's arrival to its reply, queue and human included.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Whether the body ran and succeeded.
    pub fn is_ok(&self) -> bool {
        self.code == Code::Ok
    }
}

/// The replies of one turn: one for each call, in the order of the calls.
#[derive(Debug)]
pub struct Turn {
    pub(crate) replies: Vec<ToolReply>,
}

impl Turn {
    /// The replies, in call order.
    pub fn replies(&self) -> &[ToolReply] {
        &self.replies
    }

    /// Whether something of the turn waits for a person, so that the model can't go on with it: the loop
    /// ends here, or the model is told to say so.
    pub fn must_stop(&self) -> bool {
        self.replies.iter().any(|reply| reply.code == Code::NeedsConfirmation)
    }

    /// The replies, by value.
    pub fn into_replies(self) -> Vec<ToolReply> {
        self.replies
    }
}
