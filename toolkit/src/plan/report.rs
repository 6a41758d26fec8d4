//! What became of a plan, step by step: kept as JSON, and continued from.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::call::{Code, Executed, ToolReply};

/// The longest value of a step that a plan goes on with, in bytes of its JSON.
pub const MAX_VALUE: u64 = 1 << 20;

/// What became of a plan: see [`Plan::run`](super::Plan::run).
///
/// It serialises, and is read back, as one JSON object; times are milliseconds since 1970 (`at`) and
/// microseconds (`took`):
///
/// ```json
/// {
///   "plan": "answer", "run": "…", "fingerprint": "…",
///   "ended": {"stopped": {"step": 1}},
///   "steps": [
///     {"tool": "desk.customer", "state": {"ran":
///         {"code": "ok", "executed": "yes", "value": {"name": "Ann"}, "at": 1764550800000, "took": 1200}}},
///     {"tool": "kb.search", "state": {"ran":
///         {"code": "ok", "executed": "yes", "value": [], "at": 1764550800001, "took": 900}}},
///     {"tool": "kb.read", "state": "not_reached"}
///   ]
/// }
/// ```
///
/// `ended` is one of `"completed"`, `{"stopped": {"step": 1}}`, `{"needs_confirmation": {"step": 1, "draft":
/// "…"}}`, `{"needs_secret": {"step": 1}}`, `{"cancelled": {"step": 1}}` and `{"broken": {"step": 1, "reason":
/// "…"}}`; the state of a step that wasn't called is `{"skipped": "why"}` or `"not_reached"`, and `"begun"` that of
/// one whose end nobody saw. What secrets were is redacted, as in every sink; what a step was called with and
/// the seed aren't kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    plan: String,
    run: String,
    pub(super) fingerprint: String,
    pub(super) ended: Ended,
    pub(super) steps: Vec<Outcome>,
}

/// How a plan came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Ended {
    /// Every step was reached.
    Completed,
    /// A step's condition ended it.
    Stopped {
        /// The step, counted from 0.
        step: usize,
    },
    /// A step left a draft, which waits for a person.
    NeedsConfirmation {
        /// The step.
        step: usize,
        /// The draft, for [`Toolkit::confirm`](crate::Toolkit::confirm).
        draft: String,
    },
    /// A step needs a secret that an earlier one returned, and nobody but that tool sees it.
    NeedsSecret {
        /// The step.
        step: usize,
    },
    /// The context was cancelled before this step, or during it.
    Cancelled {
        /// The step.
        step: usize,
    },
    /// A condition of the plan's own panicked, or the report couldn't be kept before a step that may have
    /// an effect.
    Broken {
        /// The step.
        step: usize,
        /// What it said.
        reason: String,
    },
}

/// What became of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    tool: String,
    pub(super) state: State,
}

/// How far a step came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    NotReached,
    Skipped(String),
    /// Its call was made, and nobody saw how it ended.
    Begun,
    Ran(Ran),
}

/// A step that ran, or was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ran {
    code: String,
    executed: String,
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// What a model would have read, where it isn't the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    draft: Option<String>,
    at: u64,
    took: u64,
}

/// A value that is there: null is one.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Report {
    pub(super) fn new(plan: &str, run: String, fingerprint: String, tools: Vec<String>) -> Self {
        let steps = tools.into_iter().map(|tool| Outcome { tool, state: State::NotReached });
        let (plan, steps) = (plan.to_owned(), steps.collect());
        Self { plan, run, fingerprint, ended: Ended::Completed, steps }
    }

    /// The name of the plan.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// What the run is called in events; a run that is continued keeps its name.
    pub fn run_id(&self) -> &str {
        &self.run
    }

    /// How the plan came to its end.
    pub fn ended(&self) -> &Ended {
        &self.ended
    }

    /// The step whose condition ended the plan.
    pub fn stopped_at(&self) -> Option<usize> {
        match self.ended {
            Ended::Stopped { step } => Some(step),
            _ => None,
        }
    }

    /// The steps, in the plan's order.
    pub fn steps(&self) -> &[Outcome] {
        &self.steps
    }

    /// Whether no step that ran failed or was refused, and the end of each was seen. A plan that stopped is
    /// so, one whose steps were all skipped, and one that waits for a person; one that was cancelled, that
    /// broke or that needs a secret isn't.
    pub fn is_ok(&self) -> bool {
        let ended = match self.ended {
            Ended::Completed | Ended::Stopped { .. } | Ended::NeedsConfirmation { .. } => true,
            Ended::NeedsSecret { .. } | Ended::Cancelled { .. } | Ended::Broken { .. } => false,
        };
        let passed = |outcome: &Outcome| {
            outcome.code().is_none_or(|code| matches!(code, Code::Ok | Code::NeedsConfirmation))
        };
        ended && self.steps.iter().all(|step| passed(step) && !step.is_begun())
    }
}

impl Outcome {
    /// The tool's name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What became of its call; `None` where there was none, or nobody saw its end.
    pub fn code(&self) -> Option<Code> {
        let ran = self.ran()?;
        Code::ALL.iter().copied().find(|code| code.as_str() == ran.code)
    }

    /// Whether the body had its effect; `None` where there was no call.
    pub fn executed(&self) -> Option<Executed> {
        if self.is_begun() {
            return Some(Executed::Unknown);
        }
        let ran = self.ran()?;
        let all = [Executed::Yes, Executed::No, Executed::Unknown];
        all.into_iter().find(|executed| executed.as_str() == ran.executed)
    }

    /// Whether its call was made and nobody saw how it ended: the process died meanwhile, or the run was
    /// dropped. See [`Plan::on_report`](super::Plan::on_report).
    pub fn is_begun(&self) -> bool {
        matches!(self.state, State::Begun)
    }

    /// Whether it ran and succeeded.
    pub fn is_ok(&self) -> bool {
        self.code() == Some(Code::Ok)
    }

    /// The value that the tool returned; `None` where it didn't succeed, or the value is longer than
    /// [`MAX_VALUE`].
    pub fn value(&self) -> Option<&Value> {
        self.ran()?.value.as_ref()
    }

    /// What a model would have read, where that isn't the value itself: of a failure, the reason.
    pub fn text(&self) -> Option<&str> {
        self.ran()?.text.as_deref()
    }

    /// Why there was no call, where the step was skipped.
    pub fn skipped(&self) -> Option<&str> {
        match &self.state {
            State::Skipped(reason) => Some(reason),
            _ => None,
        }
    }

    /// The draft that it left.
    pub fn draft_id(&self) -> Option<&str> {
        self.ran()?.draft.as_deref()
    }

    /// When its call began.
    pub fn at(&self) -> Option<SystemTime> {
        UNIX_EPOCH.checked_add(Duration::from_millis(self.ran()?.at))
    }

    /// How long its call took, queue and human included.
    pub fn took(&self) -> Option<Duration> {
        Some(Duration::from_micros(self.ran()?.took))
    }

    fn ran(&self) -> Option<&Ran> {
        match &self.state {
            State::Ran(ran) => Some(ran),
            _ => None,
        }
    }

    /// Whether the state says what a step can say.
    pub(super) fn is_sound(&self) -> bool {
        match &self.state {
            State::Ran(_) => self.code().is_some() && self.executed().is_some(),
            State::NotReached | State::Skipped(_) | State::Begun => true,
        }
    }
}

impl State {
    /// What a reply says.
    pub(super) fn of(reply: &ToolReply, at: SystemTime) -> Self {
        let output = reply.output().filter(|output| output.canonical().bytes() <= MAX_VALUE);
        let value = output.and_then(crate::Output::value).filter(|_| reply.is_ok());
        let text = (value.is_none() || output.is_some_and(|output| output.rendered().is_some()))
            .then(|| reply.text().to_owned());
        let at = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self::Ran(Ran {
            code: reply.code().as_str().to_owned(),
            executed: reply.executed().as_str().to_owned(),
            value,
            text,
            draft: reply.draft_id().map(str::to_owned),
            at: u64::try_from(at).unwrap_or(u64::MAX),
            took: u64::try_from(reply.took().as_micros()).unwrap_or(u64::MAX),
        })
    }
}
