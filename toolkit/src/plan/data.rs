//! A plan as data: JSON, and TOML with the feature `policy-toml`.

use serde::Deserialize;
use serde_json::Value;

use super::step::{Step, Stop};
use super::{Plan, PlanError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    steps: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    tool: String,
    id: Option<String>,
    input: Option<Value>,
    #[serde(default)]
    beside_last: bool,
    stop_if: Option<Condition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Condition {
    Empty(String),
    Equals(Equals),
    Failed(bool),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Equals {
    #[serde(default)]
    at: String,
    value: Value,
}

impl Plan {
    /// The plan in a JSON text. `input` is what [`Step::with`] takes; `stop_if` is one of
    /// `{"empty": "/0"}` (nothing is at this place of the value: absent, null, or an empty text, list or
    /// object), `{"equals": {"at": "/found", "value": 0}}` and `{"failed": true}`. All keys but `name`,
    /// `steps` and `tool` are optional.
    ///
    /// ```
    /// use toolkit::plan::Plan;
    ///
    /// let plan = Plan::from_json(r#"{
    ///     "name": "answer",
    ///     "steps": [
    ///         {"id": "find", "tool": "kb.search", "input": {"query": {"$seed": "/question"}},
    ///          "stop_if": {"empty": ""}},
    ///         {"tool": "kb.read", "input": {"article": {"$step": "find", "at": "/0/id"}}}
    ///     ]
    /// }"#)?;
    /// assert_eq!(plan.name(), "answer");
    /// # Ok::<(), toolkit::plan::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`]: the text isn't JSON of this form, at a line that is told; whoever wrote it mends it.
    /// What is wrong with the steps themselves [`Plan::check`] says.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        let file: File = serde_json::from_str(text)
            .map_err(|error| PlanError::of("plan", format!("can't be read: {error}")))?;
        Ok(file.into())
    }

    /// The same from a TOML text: `name = "answer"`, and a `[[steps]]` for each.
    ///
    /// # Errors
    /// As for [`Plan::from_json`].
    #[cfg(feature = "policy-toml")]
    pub fn from_toml(text: &str) -> Result<Self, PlanError> {
        let file: File = toml::from_str(text)
            .map_err(|error| PlanError::of("plan", format!("can't be read: {error}")))?;
        Ok(file.into())
    }
}

impl From<File> for Plan {
    fn from(File { name, steps }: File) -> Self {
        steps.into_iter().fold(Self::new(name), |plan, entry| plan.step(entry.into()))
    }
}

impl From<Entry> for Step {
    fn from(Entry { tool, id, input, beside_last, stop_if }: Entry) -> Self {
        let mut step = Self::named(tool);
        if let Some(input) = input {
            step = step.with(input);
        }
        step.id = id;
        step.beside = beside_last;
        step.stop = stop_if.and_then(|condition| match condition {
            Condition::Empty(at) => Some(Stop::Empty(at)),
            Condition::Equals(Equals { at, value }) => Some(Stop::Equals(at, value)),
            Condition::Failed(failed) => failed.then_some(Stop::Failed),
        });
        step
    }
}
