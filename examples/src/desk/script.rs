//! A recorded conversation: read whole and checked before anything of it runs.

use toolkit::Catalog;
use toolkit::dialect::{IntakeError, openai_chat};
use toolkit::testing::{HumanDecision, ScriptError, ScriptedModel, Step};
use toolkit::{Origin, Policy, Risk, Verdict};

/// The conversation that is played where no other is named.
pub const RECORDED: &str = include_str!("../../scripts/desk.jsonl");

/// A script that can be played.
#[derive(Debug)]
pub struct Script {
    model: ScriptedModel,
    lines: Vec<usize>,
    human: bool,
}

/// A call that will ask, and what the script's human decides on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: serde_json::Value,
    /// The decision; `None` where no line makes one.
    pub decision: Option<HumanDecision>,
}

/// What is wrong with a script; its author mends it.
#[derive(Debug, thiserror::Error)]
pub enum BadScript {
    /// A line is no step.
    #[error(transparent)]
    Line(#[from] ScriptError),
    /// A response isn't one.
    #[error("line {line} of the script is no response in OpenAI's wire format")]
    Response {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: IntakeError,
    },
    /// A `human` line confirms or withdraws where nothing was drafted.
    #[error(
        "line {line} of the script decides on no draft: no call before it drafts, or each is decided \
         on already"
    )]
    NoDraft {
        /// The line, from 1.
        line: usize,
    },
    /// A `human` line stands where no call asks.
    #[error(
        "line {line} of the script decides on nothing: no call before it asks a person, or each is \
         decided on already"
    )]
    Undecidable {
        /// The line, from 1.
        line: usize,
    },
}

impl Script {
    /// Reads a script and each response in it.
    ///
    /// # Errors
    /// [`BadScript`] with the line.
    pub fn read(text: &str) -> Result<Self, BadScript> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let model = ScriptedModel::from_jsonl(text)?;
        // A step is a line that isn't empty.
        let lines: Vec<usize> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, _)| at + 1)
            .collect();
        let mut human = false;
        for (step, &line) in model.clone().zip(&lines) {
            match step {
                Step::Response(response) => {
                    openai_chat::calls(&response)
                        .map_err(|source| BadScript::Response { line, source })?;
                }
                Step::Human(decision) => human |= answers(decision),
                _ => {}
            }
        }
        Ok(Self { model, lines, human })
    }

    /// Whether the script has a human of its own who then answers all questions.
    pub fn has_human(&self) -> bool {
        self.human
    }

    /// What each response's calls will ask, and how the human decides: a `human` line on the last
    /// call before it that asks and isn't decided yet; of several lines in a row, the last line on
    /// the last such call, the one before on the one before.
    ///
    /// # Errors
    /// [`BadScript::Undecidable`]: more decisions than calls that ask. [`BadScript::NoDraft`]: more
    /// confirmations than calls that draft.
    pub fn expected(
        &self,
        catalog: &Catalog,
        policy: &Policy,
    ) -> Result<Vec<Vec<Expected>>, BadScript> {
        let mut responses: Vec<Vec<Expected>> = Vec::new();
        let mut drafts = 0_usize;
        let mut steps = self.model.clone().zip(&self.lines).peekable();
        while let Some((step, &line)) = steps.next() {
            match step {
                Step::Response(response) => {
                    drafts += drafting(&response, catalog);
                    responses.push(asking(&response, catalog, policy));
                }
                Step::Human(decision) if !answers(decision) => {
                    drafts = drafts.checked_sub(1).ok_or(BadScript::NoDraft { line })?;
                }
                Step::Human(decision) => {
                    let mut decisions = vec![(decision, line)];
                    while let Some((Step::Human(decision), line)) = steps.peek()
                        && answers(*decision)
                    {
                        decisions.push((*decision, **line));
                        steps.next();
                    }
                    let mut open = responses
                        .iter_mut()
                        .flatten()
                        .filter(|expected| expected.decision.is_none())
                        .rev();
                    for (decision, line) in decisions.into_iter().rev() {
                        let expected = open.next().ok_or(BadScript::Undecidable { line })?;
                        expected.decision = Some(decision);
                    }
                }
                _ => {}
            }
        }
        Ok(responses)
    }

    /// The model that answers from the script.
    pub fn into_model(self) -> ScriptedModel {
        self.model
    }
}

/// Whether a decision answers a question, rather than deciding on a draft.
fn answers(decision: HumanDecision) -> bool {
    matches!(decision, HumanDecision::Approve | HumanDecision::Deny)
}

/// How many calls of a response draft, should they get so far.
fn drafting(response: &str, catalog: &Catalog) -> usize {
    let calls = openai_chat::calls(response).unwrap_or_default();
    let drafts = |call: &&toolkit::ToolCall<'_>| {
        catalog.find(call.name()).is_some_and(|tool| tool.spec().risk().contains(Risk::Send))
    };
    calls.iter().filter(drafts).count()
}

/// The calls of a response that a person is asked about, should they get so far.
fn asking(response: &str, catalog: &Catalog, policy: &Policy) -> Vec<Expected> {
    let calls = openai_chat::calls(response).unwrap_or_default();
    let expected = |call: &toolkit::ToolCall<'_>| {
        let spec = catalog.find(call.name())?.spec();
        let arguments = serde_json::from_str(call.arguments()).ok()?;
        let asks = policy.verdict(Origin::Model, spec.risk()) == Verdict::Ask;
        asks.then(|| Expected { tool: spec.name().to_owned(), arguments, decision: None })
    };
    calls.iter().filter_map(expected).collect()
}
