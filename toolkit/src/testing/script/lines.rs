//! A script as lines of JSON.

use serde_json::{Map, Value};

/// One step of a script.
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
    /// What the model was sent is no JSON.
    #[error("what the model was sent is not JSON")]
    Request(#[source] serde_json::Error),
    /// The model is asked, and the script has no answer there: it goes on with something else, or is
    /// over.
    #[error("the script has no answer to request {request}")]
    NoAnswer {
        /// The request, from 1.
        request: usize,
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

pub(super) fn step(line: usize, text: &str) -> Result<Step, ScriptError> {
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
    use super::super::ScriptedModel;
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
}
