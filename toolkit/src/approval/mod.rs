//! Asking a person: what they are shown, how they answer, and who asks them.

mod channel;
mod ladder;
mod offer;
mod queue;
mod terminal;

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

pub use channel::{Channel, Pending, channel};
pub use offer::{Offer, OfferedArgument, Rung};
pub use terminal::Terminal;

use crate::context::Origin;
use crate::hook::{BoxFuture, HookError};
use crate::problem::Repair;
use crate::risk::RiskSet;
use crate::text::visible;

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Run exactly what was shown, once.
    Approve,
    /// Don't; the reason, if any, is told to whoever made the call.
    Deny(Option<Cow<'static, str>>),
    /// Run the same tool with these arguments instead, once: one JSON object, as text.
    ///
    /// They are validated, as they stand and without repairs, and judged by hosts and guards like
    /// those of any call, but not rewritten: what runs is what the person wrote. A rule that asks
    /// is content with the answer; one that denies stands. Arguments that don't fit are asked about
    /// again, with [`ApprovalRequest::problem`]; the third such answer is the last.
    ///
    /// An argument that is left as it was shown stands for what it showed: `{"token":"[redacted]"}`
    /// keeps the secret. Anywhere else the mark is refused, since it would run as it stands.
    Edit(String),
    /// Run exactly what was shown, and don't ask again about what this rung covers, until the session
    /// ends, for at most this time; `None` for as long as is offered.
    ///
    /// Only what [`ApprovalRequest::for_session`] offers may be answered: anything else is refused,
    /// and nothing runs. What the grant covers is taken from the arguments that were shown.
    ApproveForSession(Rung, Option<Duration>),
}

impl Answer {
    /// To run the same tool with these arguments instead; see [`Answer::Edit`].
    ///
    /// # Errors
    /// The value can't be written as JSON; the approver's author mends it.
    pub fn edit<T: Serialize + ?Sized>(arguments: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(arguments).map(Self::Edit)
    }
}

/// An answer with the name of the person, where the approver knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answered {
    /// What was answered.
    pub answer: Answer,
    /// Who answered, for events and records.
    pub by: Option<Arc<str>>,
}

impl Answered {
    /// What this person answered.
    pub fn by(person: impl Into<Arc<str>>, answer: Answer) -> Self {
        Self { answer, by: Some(person.into()) }
    }
}

impl From<Answer> for Answered {
    fn from(answer: Answer) -> Self {
        Self { answer, by: None }
    }
}

/// What a person is asked. The arguments are final: what is shown is what would run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Our own id of the call.
    pub call: String,
    /// The tool's name.
    pub tool: String,
    /// The tool's title, where it has one.
    pub title: Option<String>,
    /// What the tool does, as a model reads it.
    pub description: String,
    /// The declared levels.
    pub risk: RiskSet,
    /// Who decided to make the call.
    pub origin: Origin,
    /// On whose behalf.
    pub principal: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The final arguments as canonical JSON, secrets redacted.
    pub arguments: String,
    /// SHA-256 of the canonical final arguments without their secrets, in hexadecimal.
    pub digest: String,
    /// What was repaired in them.
    pub repairs: Vec<Repair>,
    /// The rule that asked, and why.
    pub rule: String,
    /// The other rules that asked, where there are several.
    pub also: Vec<String>,
    /// What of the call's targets isn't granted yet, where the rest of them is: `paths: "b", "c"`.
    pub not_granted: Vec<String>,
    /// What may be answered for the rest of the session; `None` where nothing may: without an open
    /// [`Session`](crate::Session), where the policy has no grants, and for a question that the
    /// approver doesn't show whole, see [`Approver::room`].
    pub for_session: Option<Offer>,
    /// What is wrong with the arguments that the person last wrote, where they are asked again.
    pub problem: Option<String>,
    /// How long there is to answer.
    pub time: Duration,
}

impl ApprovalRequest {
    /// The whole question as lines of text, with every invisible or misleading character written as
    /// its escape.
    pub fn rendering(&self) -> String {
        let mut text = String::new();
        let mut line = |label: &str, content: &str| {
            // Writing to a `String` can't fail.
            let _ = writeln!(text, "{label:<10}{}", visible(content, false));
        };
        line("tool", &self.tool);
        if let Some(title) = &self.title {
            line("title", title);
        }
        line("risk", &self.risk.to_string());
        line("origin", self.origin.as_str());
        if let Some(principal) = &self.principal {
            line("for", principal);
        }
        if let Some(session) = &self.session {
            line("session", session);
        }
        line("arguments", &self.arguments);
        for repair in &self.repairs {
            line("repaired", &repair.to_string());
        }
        line("because", &self.rule);
        for rule in &self.also {
            line("and", rule);
        }
        for targets in &self.not_granted {
            line("new", targets);
        }
        for problem in self.problem.iter().flat_map(|problem| problem.lines()) {
            line("refused", problem);
        }
        text
    }
}

/// Asks a person. Whatever goes wrong means no: an approver that returns an error or panics denies;
/// one that doesn't answer in time gives `expired`.
///
/// # Cancellation
/// The future is dropped when the time is up or the call is cancelled; a late answer must go
/// nowhere.
pub trait Approver: Send + Sync {
    /// Whether there is anybody to ask; where not, the reply is `no_approver`.
    fn available(&self) -> bool {
        true
    }

    /// How many characters of a question a person is sure to see. Of a longer one, nothing is offered
    /// for the rest of the session: nobody should allow again and again what they saw in part.
    fn room(&self) -> usize {
        10_000
    }

    /// Asks.
    ///
    /// # Errors
    /// Any error denies; its text goes to the operator.
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>>;

    /// Asks, and says who answered: what the engine calls. An approver that knows its people
    /// overrides it; else nobody is named.
    ///
    /// # Errors
    /// As for [`Approver::ask`].
    fn ask_whom<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<Answered, HookError>> {
        Box::pin(async move { self.ask(request).await.map(Answered::from) })
    }
}

impl<A: Approver + ?Sized> Approver for Box<A> {
    fn available(&self) -> bool {
        (**self).available()
    }

    fn room(&self) -> usize {
        (**self).room()
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        (**self).ask(request)
    }

    fn ask_whom<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<Answered, HookError>> {
        (**self).ask_whom(request)
    }
}

impl<A: Approver + ?Sized> Approver for Arc<A> {
    fn available(&self) -> bool {
        (**self).available()
    }

    fn room(&self) -> usize {
        (**self).room()
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        (**self).ask(request)
    }

    fn ask_whom<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<Answered, HookError>> {
        (**self).ask_whom(request)
    }
}
