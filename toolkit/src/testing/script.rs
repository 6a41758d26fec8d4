//! A model that answers from a script, in a provider's own wire format.

use std::collections::VecDeque;
use std::path::Path;

use serde_json::{Map, Value};

/// Replays a recorded conversation: what the person says, what the model answers, what the human
/// decides. It also remembers what the model was shown.
///
/// A script is JSONL: one object a line, empty lines apart.
///
/// | line | step |
/// |---|---|
/// | `{"user": "Where is my refund?"}` | [`Step::User`] |
/// | `{"human": {"approve": "last"}}`, or `deny`, `confirm` or `withdraw` for `approve` | [`Step::Human`] |
/// | any other object: a response in the provider's wire format | [`Step::Response`] |
///
/// A response is handed on as its line stands, so the dialect's own reading is what a test runs.
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
#[derive(Clone, Debug, Default)]
pub struct ScriptedModel {
    steps: VecDeque<Step>,
    requests: Vec<Value>,
}

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The person at the conversation says this.
    User(String),
    /// The model answers with this response body.
    Response(String),
    /// The human decides so about the last question, or the last draft.
    Human(HumanDecision),
}

/// What the human of a script decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HumanDecision {
    /// Yes.
    Approve,
    /// No.
    Deny,
    /// The draft is to be sent.
    Confirm,
    /// The draft is not to be sent.
    Withdraw,
}

/// Why a script can't be played; its author mends it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The file can't be read.
    #[error("the script can't be read")]
    Io(#[from] std::io::Error),
    /// A line is no JSON.
    #[error("line {line} of the script is not JSON")]
    Json {
        /// The line, from 1.
        line: usize,
        /// Where the parser gave up.
        #[source]
        source: serde_json::Error,
    },
    /// A line is JSON, and no step.
    #[error("line {line} of the script {problem}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl ScriptedModel {
    /// Reads a script.
    ///
    /// # Errors
    /// A line is no JSON object, or a `user` or `human` line of another shape; the text names the
    /// line.
    pub fn from_jsonl(script: &str) -> Result<Self, ScriptError> {
        let lines = script.lines().enumerate().map(|(at, text)| (at + 1, text.trim()));
        let steps = lines
            .filter(|(_, text)| !text.is_empty())
            .map(|(line, text)| step(line, text))
            .collect::<Result<_, _>>()?;
        Ok(Self { steps, requests: Vec::new() })
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// As for [`ScriptedModel::from_jsonl`], and where the file can't be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        Self::from_jsonl(&std::fs::read_to_string(path)?)
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

    /// What the model was shown so far, oldest first.
    pub fn requests(&self) -> &[Value] {
        &self.requests
    }
}

/// Goes through the steps without showing the model anything.
impl Iterator for ScriptedModel {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }
}

fn step(line: usize, text: &str) -> Result<Step, ScriptError> {
    let wrong = |problem| ScriptError::Line { line, problem };
    let value = serde_json::from_str(text).map_err(|source| ScriptError::Json { line, source })?;
    let Value::Object(map) = value else { return Err(wrong("is no object")) };
    match (map.get("user"), map.get("human")) {
        (None, None) => Ok(Step::Response(text.to_owned())),
        (Some(Value::String(said)), None) if map.len() == 1 => Ok(Step::User(said.clone())),
        (Some(_), _) => Err(wrong("is not of the form `{\"user\": \"text\"}`")),
        (None, Some(Value::Object(human))) if map.len() == 1 => {
            decision(human).ok_or_else(|| wrong(HUMAN))
        }
        (None, Some(_)) => Err(wrong(HUMAN)),
    }
}

const HUMAN: &str = "is not of the form `{\"human\": {\"approve\": \"last\"}}`, with approve, deny, \
                     confirm or withdraw";

fn decision(human: &Map<String, Value>) -> Option<Step> {
    let mut members = human.iter();
    let (Some((word, target)), None) = (members.next(), members.next()) else { return None };
    let decision = match word.as_str() {
        "approve" => HumanDecision::Approve,
        "deny" => HumanDecision::Deny,
        "confirm" => HumanDecision::Confirm,
        "withdraw" => HumanDecision::Withdraw,
        _ => return None,
    };
    (target == "last").then_some(Step::Human(decision))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_line_is_a_step() {
        let script = "\n{\"user\": \"Hi\\nthere\"}\n\n  {\"human\":{\"approve\":\"last\"}}\n{\"human\":{\"deny\":\"last\"}}\r\n{\"choices\": [ ]}\n{\"error\":{\"message\":\"x\"}}";
        let model = ScriptedModel::from_jsonl(script).unwrap();
        assert_eq!(model.remaining(), 5);
        let steps: Vec<Step> = model.collect();
        assert_eq!(
            steps,
            [
                Step::User("Hi\nthere".to_owned()),
                Step::Human(HumanDecision::Approve),
                Step::Human(HumanDecision::Deny),
                Step::Response("{\"choices\": [ ]}".to_owned()),
                Step::Response("{\"error\":{\"message\":\"x\"}}".to_owned()),
            ]
        );
        assert_eq!(ScriptedModel::from_jsonl("").unwrap().next(), None);
    }

    #[test]
    fn a_line_that_is_no_step_is_named() {
        for (bad, problem) in [
            ("{\"user\": 1}", "line 2 of the script is not of the form `{\"user\": \"text\"}`"),
            (
                "{\"user\": \"a\", \"x\": 1}",
                "line 2 of the script is not of the form `{\"user\": \"text\"}`",
            ),
            ("{\"human\": \"approve\"}", &format!("line 2 of the script {HUMAN}")),
            ("{\"human\": {\"approve\": \"first\"}}", &format!("line 2 of the script {HUMAN}")),
            (
                "{\"human\": {\"approve\": \"last\", \"deny\": \"last\"}}",
                &format!("line 2 of the script {HUMAN}"),
            ),
            ("[1]", "line 2 of the script is no object"),
            ("{\"choices\": [", "line 2 of the script is not JSON"),
        ] {
            let script = format!("{{\"user\": \"ok\"}}\n{bad}\n");
            assert_eq!(ScriptedModel::from_jsonl(&script).unwrap_err().to_string(), problem);
        }
        assert!(matches!(ScriptedModel::from_file("/no/such/script"), Err(ScriptError::Io(_))));
    }

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
