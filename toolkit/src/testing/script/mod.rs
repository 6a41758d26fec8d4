//! A model that answers from a script, in a provider's own wire format.

mod lines;
mod openai_chat;
mod played;
mod says;
mod shown;
mod wire;

use std::collections::VecDeque;
use std::path::Path;

use serde_json::Value;

pub use lines::{HumanDecision, ScriptError, Step};
pub use played::{Ended, Played};
pub use says::Says;
pub use shown::{Asked, Message, Offer, Request, Shown};

use super::Recorder;
use crate::approval::Answer;
use crate::context::CallContext;
use crate::toolkit::Toolkit;
use wire::Wire;

/// A model that says what its script has it say, and remembers what it was shown: for tests of tools and
/// of hosts, without a provider.
///
/// What it says is made into the body that a provider would send, so that the dialect's own reading is
/// what a test runs. [`ScriptedModel::run`] plays a whole script against a toolkit; a host that has a loop
/// of its own asks [`ScriptedModel::respond`], and a server of a test [`ScriptedModel::respond_to`].
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
/// use toolkit::testing::{Says, ScriptedModel};
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
/// let played = ScriptedModel::openai_chat()
///     .user("What is 2 + 3?")
///     .says(Says::new().call("add", json!({"a": 2, "b": "many"})).call("divide", json!({})))
///     .says(Says::new().call("add", json!({"a": 2, "b": 3})))
///     .says(Says::new().text("It is 5."))
///     .run(&toolkit, &CallContext::model())
///     .await;
///
/// played.assert_over();
/// played.assert_codes([Code::InvalidArguments, Code::UnknownTool, Code::Ok]);
/// played.shown().assert_answered().assert_showed("unknown tool `divide`");
/// played.shown().requests()[0].assert_offers(["add"]);
/// # }
/// ```
///
/// # Scripts as files
///
/// A script is JSONL: one object a line, empty lines apart.
///
/// | line | step |
/// |---|---|
/// | `{"user": "Where is my refund?"}` | [`Step::User`] |
/// | `{"human": {"approve": "last"}}`, or `deny`, `confirm` or `withdraw` for `approve` | [`Step::Human`] |
/// | any other object: a response in the provider's wire format | [`Step::Response`] |
///
/// A response is handed on as its line stands.
///
/// ```
/// use toolkit::testing::{ScriptedModel, Step};
///
/// let mut model = ScriptedModel::from_jsonl(r#"
///     {"user": "Hello?"}
///     {"choices": [{"message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}]}
/// "#)?;
/// assert_eq!(model.next(), Some(Step::User("Hello?".to_owned())));
/// let response = model.respond(serde_json::json!({"messages": [{"role": "user", "content": "Hello?"}]}));
/// assert!(response.is_some_and(|text| text.contains("Hi.")));
/// assert_eq!(model.requests().len(), 1);
/// # Ok::<(), toolkit::testing::ScriptError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    wire: &'static dyn Wire,
    steps: VecDeque<Step>,
    requests: Vec<Value>,
    person: Option<CallContext>,
    /// How many responses there were, played ones included.
    responses: usize,
}

/// An empty script of [`ScriptedModel::openai_chat`].
impl Default for ScriptedModel {
    fn default() -> Self {
        Self::openai_chat()
    }
}

impl ScriptedModel {
    fn of(wire: &'static dyn Wire) -> Self {
        Self { wire, steps: VecDeque::new(), requests: Vec::new(), person: None, responses: 0 }
    }

    /// Reads a script of [`ScriptedModel::openai_chat`].
    ///
    /// # Errors
    /// A line is no JSON object, or a `user` or `human` line of another shape; the text names the
    /// line.
    pub fn from_jsonl(script: &str) -> Result<Self, ScriptError> {
        Self::openai_chat().lines(script)
    }

    /// Reads a script of [`ScriptedModel::openai_chat`] from a file.
    ///
    /// # Errors
    /// As for [`ScriptedModel::from_jsonl`], and where the file can't be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        Self::from_jsonl(&std::fs::read_to_string(path)?)
    }

    /// Goes on with these lines, whose responses are of this model's provider.
    ///
    /// # Errors
    /// As for [`ScriptedModel::from_jsonl`].
    pub fn lines(mut self, script: &str) -> Result<Self, ScriptError> {
        let lines = script.lines().enumerate().map(|(at, text)| (at + 1, text.trim()));
        for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
            self.push(lines::step(line, text)?);
        }
        Ok(self)
    }

    /// Then the user says this.
    #[must_use]
    pub fn user(mut self, text: impl Into<String>) -> Self {
        self.push(Step::User(text.into()));
        self
    }

    /// Then the model answers with this.
    #[must_use]
    pub fn says(mut self, says: Says) -> Self {
        let body = self.wire.response(says, self.responses + 1);
        self.push(Step::Response(body));
        self
    }

    /// Then the model's provider sends this body, word for word: what it says where it fails, or what a
    /// test has recorded.
    #[must_use]
    pub fn sends(mut self, body: impl Into<String>) -> Self {
        self.push(Step::Response(body.into()));
        self
    }

    /// Then the human decides so.
    #[must_use]
    pub fn human(mut self, decision: HumanDecision) -> Self {
        self.push(Step::Human(decision));
        self
    }

    /// Names the context of the person who confirms and withdraws drafts when the script is
    /// [run](Self::run), e.g. `CallContext::human()` with the session of the conversation.
    #[must_use]
    pub fn person(mut self, context: CallContext) -> Self {
        self.person = Some(context);
        self
    }

    fn push(&mut self, step: Step) {
        self.responses += usize::from(matches!(step, Step::Response(_)));
        self.steps.push_back(step);
    }

    /// The script's human as an approver for the toolkit's builder: gives the script's approvals and
    /// denials in order, one a question, and fails what is asked beyond them, which denies.
    pub fn approver(&self) -> Recorder {
        let answer = |step: &Step| match step {
            Step::Human(HumanDecision::Approve) => Some(Answer::Approve),
            Step::Human(HumanDecision::Deny) => Some(Answer::Deny(None)),
            _ => None,
        };
        Recorder::only(self.steps.iter().filter_map(answer))
    }

    /// Plays the script against a toolkit, as a host's loop does: each answer of the model is read by the
    /// dialect, its calls run as one [turn](Toolkit::turn), and the next request shows it the replies,
    /// and what the catalog then is. Turns are counted from 1. It needs no runtime of its own.
    ///
    /// A `confirm` or `withdraw` is done by [`ScriptedModel::person`] on the last draft that waits. What
    /// is approved or denied is the toolkit's approver's to say, when it is asked: see
    /// [`ScriptedModel::approver`].
    ///
    /// # Cancellation
    /// As for [`Toolkit::turn`].
    pub async fn run(self, toolkit: &Toolkit, context: &CallContext) -> Played {
        played::run(self, toolkit, context).await
    }

    /// The next step, without taking it.
    pub fn peek(&self) -> Option<&Step> {
        self.steps.front()
    }

    /// How many steps are left.
    pub fn remaining(&self) -> usize {
        self.steps.len()
    }

    /// Shows the model a request and gives its answer, a response body; `None` where the script
    /// goes on with something else, or is over. The request is remembered either way.
    pub fn respond(&mut self, request: Value) -> Option<String> {
        self.requests.push(request);
        match self.steps.pop_front() {
            Some(Step::Response(text)) => Some(text),
            Some(other) => {
                self.steps.push_front(other);
                None
            }
            None => None,
        }
    }

    /// The same for a server in a test: the body of a request in, that of the response out.
    ///
    /// ```
    /// use toolkit::testing::{Says, ScriptError, ScriptedModel};
    ///
    /// let mut model = ScriptedModel::openai_chat().says(Says::new().text("Hi."));
    /// let request = r#"{"model": "any", "messages": [{"role": "user", "content": "Hello?"}]}"#;
    /// assert!(model.respond_to(request)?.contains("Hi."));
    /// assert!(matches!(model.respond_to(request), Err(ScriptError::NoAnswer { request: 2 })));
    /// model.shown().assert_showed("Hello?");
    /// # Ok::<(), ScriptError>(())
    /// ```
    ///
    /// # Errors
    /// The body is no JSON, or the script has no answer here; the test's server answers with a failure
    /// of its own.
    pub fn respond_to(&mut self, body: &str) -> Result<String, ScriptError> {
        let request = serde_json::from_str(body).map_err(ScriptError::Request)?;
        self.respond(request).ok_or(ScriptError::NoAnswer { request: self.requests.len() })
    }

    /// What the model was sent so far, oldest first, word for word.
    pub fn requests(&self) -> &[Value] {
        &self.requests
    }

    /// What the model was shown so far, as it reads it.
    pub fn shown(&self) -> Shown {
        let read = |raw: &Value| Request::new(self.wire, raw.clone());
        Shown { requests: self.requests.iter().map(read).collect() }
    }
}

/// Goes through the steps without showing the model anything.
impl Iterator for ScriptedModel {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_model_answers_only_where_the_script_has_an_answer() {
        let mut model = ScriptedModel::from_jsonl("{\"choices\":[]}\n{\"user\":\"a\"}").unwrap();
        assert_eq!(model.respond(json!({"n": 1})), Some("{\"choices\":[]}".to_owned()));
        assert_eq!(model.respond(json!({"n": 2})), None);
        assert_eq!(model.peek(), Some(&Step::User("a".to_owned())));
        assert_eq!(model.next(), Some(Step::User("a".to_owned())));
        assert_eq!(model.respond(json!({"n": 3})), None);
        assert_eq!(model.requests(), [json!({"n": 1}), json!({"n": 2}), json!({"n": 3})]);
    }
}
