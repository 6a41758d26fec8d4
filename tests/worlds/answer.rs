//! What a caller hears of a call, whichever way it was made: alone, in a turn, or as the step of a plan.

use serde_json::{Value, json};
use toolkit::plan::{Outcome, Plan, Step};
use toolkit::prelude::*;
use toolkit::{Executed, Toolkit};

use crate::world::{Flaw, Who, World};

/// What a caller hears.
pub(crate) struct Answer {
    pub(crate) code: Code,
    pub(crate) executed: Executed,
    pub(crate) text: String,
    pub(crate) draft: Option<String>,
    pub(crate) replay: bool,
}

impl From<ToolReply> for Answer {
    fn from(reply: ToolReply) -> Self {
        Self {
            code: reply.code(),
            executed: reply.executed(),
            draft: reply.draft_id().map(str::to_owned),
            replay: reply.is_replay(),
            text: reply.into_text(),
        }
    }
}

impl Answer {
    fn of(outcome: &Outcome) -> Option<Self> {
        Some(Self {
            code: outcome.code()?,
            executed: outcome.executed()?,
            text: outcome.text().unwrap_or_default().to_owned(),
            draft: outcome.draft_id().map(str::to_owned),
            replay: false,
        })
    }
}

/// Whether the call is made as the step of a plan. What is no JSON object can't be a step's input.
pub(crate) fn is_planned(world: &World) -> bool {
    let door = world.door;
    let unwritten = [Flaw::NoJson, Flaw::NoObject, Flaw::DuplicateKey, Flaw::Cut];
    door.plan
        && world.caller.who == Who::Plan
        && !(door.turn || door.read_only || door.twice || world.caller.cancelled)
        && !unwritten.contains(&world.given.flaw)
}

/// The call as the only step of a plan, whose input isn't known before; `None` where the plan may not
/// start.
///
/// # Errors
/// The plan took another course than one with one step can.
pub(crate) async fn planned(
    toolkit: &Toolkit,
    cx: &CallContext,
    (name, arguments): (&str, &str),
) -> Result<Option<Answer>, String> {
    let plan = Plan::new("world").step(Step::named(name).with(json!({"$seed": ""})));
    let seed: Value = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    let Ok(report) = plan.run(toolkit, cx, seed).await else { return Ok(None) };
    match report.steps() {
        [step] => Answer::of(step).map(Some).ok_or_else(|| format!("no call was made: {report:?}")),
        steps => Err(format!("one step became {}", steps.len())),
    }
}
