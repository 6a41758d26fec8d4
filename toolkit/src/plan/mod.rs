//! Fixed chains of calls: each step's input comes from what came before, and every step passes the
//! same gates as any call, with origin plan.
//!
//! A plan is for what is always done in the same order, so that no model need decide it: fetch this,
//! take that of it, search, return. It is written in code, with closures over earlier outcomes, or as
//! data (JSON, TOML) with typed references; both can be mixed.
//!
//! ```
//! use serde_json::json;
//! use toolkit::plan::{Plan, Step};
//! use toolkit::prelude::*;
//!
//! /// Find the customers whose name holds a text.
//! #[tool(name = "crm.find")]
//! async fn find(
//!     /// Part of the name, e.g. `smi`.
//!     name: String,
//! ) -> Vec<u32> {
//!     if name == "smi" { vec![17, 42] } else { Vec::new() }
//! }
//!
//! /// Read what a customer wrote last.
//! #[tool(name = "crm.last_message")]
//! async fn last_message(
//!     /// Number of the customer, e.g. `17`.
//!     customer: u32,
//! ) -> String {
//!     format!("customer {customer} says hello")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plan = Plan::new("last message")
//!     .step(Step::of(find).with(json!({"name": {"$seed": "/name"}})))
//!     .stop_if(|found| found.value() == Some(&json!([])))
//!     .step(Step::of(last_message).input(|past| {
//!         let customer = past.of(find)?.value()?.get(0)?;
//!         Some(json!({ "customer": customer }))
//!     }));
//!
//! let toolkit = Toolkit::builder().only([id(find), id(last_message)]).build()?;
//! let cx = CallContext::human();
//! let report = plan.run(&toolkit, &cx, json!({"name": "smi"})).await?;
//! assert!(report.is_ok());
//! assert_eq!(report.steps()[1].value(), Some(&json!("customer 17 says hello")));
//!
//! let report = plan.run(&toolkit, &cx, json!({"name": "nobody"})).await?;
//! assert_eq!((report.is_ok(), report.stopped_at()), (true, Some(0)));
//! # Ok(()) }
//! ```
//!
//! A [`Report`] says what became of each step. It can be kept as JSON, and [`Plan::resume`] goes on from
//! it without repeating what is done.

mod check;
mod data;
mod error;
mod fit;
mod input;
mod past;
mod report;
mod run;
mod step;

use std::fmt;
use std::sync::Arc;

pub use error::{PlanError, PlanProblem};
pub use past::Past;
pub use report::{Ended, MAX_VALUE, Outcome, Report};
pub use step::Step;

use crate::call::Code;
use crate::context::CallContext;
use crate::event::{Event, PlanStepRecord};
use crate::registry::Entry;
use crate::toolkit::Toolkit;
use step::Input;

/// The most steps that a plan may have.
pub const MAX_STEPS: usize = 256;

/// What is handed each report; its error says why it couldn't be kept.
type Keep = Arc<dyn Fn(&Report) -> Result<(), BoxError> + Send + Sync>;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A fixed chain of steps: see the [module](self). Cheap to clone.
#[derive(Clone)]
pub struct Plan {
    name: String,
    steps: Vec<Step>,
    keep: Option<Keep>,
    /// A condition was given before there was a step.
    stray_stop: bool,
}

impl Plan {
    /// A plan without steps, of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), steps: Vec::new(), keep: None, stray_stop: false }
    }

    /// Adds a step after those that are there.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Ends the plan after the step that was added last where this says so of what became of it: as
    /// [`Step::stop_if`].
    #[must_use]
    pub fn stop_if(mut self, condition: impl Fn(&Outcome) -> bool + Send + Sync + 'static) -> Self {
        match self.steps.pop() {
            Some(step) => self.steps.push(step.stop_if(condition)),
            None => self.stray_stop = true,
        }
        self
    }

    /// Hands out the report so far, to keep it where a run can be continued from whose process died: after
    /// each step, at the end, and before each step that may have an effect. There the step is
    /// [begun](Outcome::is_begun), so that [`resume`](Self::resume) doesn't run it again, since nobody knows how
    /// far it came. A tool that only reads or is [`idempotent`](crate::ToolSpec::idempotent) may run again, and
    /// nothing is handed out before it.
    ///
    /// Where the report can't be kept before such a step, by an error or a panic, the step doesn't run and
    /// the plan ends as [broken](Ended::Broken); at any other time it is logged, and the plan goes on.
    ///
    /// ```
    /// use toolkit::plan::Plan;
    ///
    /// let plan = Plan::new("answer").on_report(|report| {
    ///     std::fs::write("answer.json", serde_json::to_string(report)?)?;
    ///     Ok(())
    /// });
    /// ```
    #[must_use]
    pub fn on_report(
        mut self,
        keep: impl Fn(&Report) -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.keep = Some(Arc::new(keep));
        self
    }

    /// The plan's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many steps it has.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no step; such a plan can't be run.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What a report belongs to: the plan as far as it is data, and its tools.
    fn fingerprint(&self, toolkit: &Toolkit, tools: &[Arc<Entry>]) -> String {
        let steps = self.steps.iter().zip(tools).map(|(step, entry)| {
            let input = match &step.input {
                Input::Data(node) => format!("{node:?}"),
                // Two closures can't be told apart.
                Input::Closure(_) => "closure".to_owned(),
            };
            (toolkit.engine().contract_hash(entry), input, &step.id, step.beside)
        });
        let parts = (&self.name, steps.collect::<Vec<_>>());
        // Texts, numbers and lists of them: there is nothing that JSON can't say.
        let parts = serde_json::to_string(&parts).unwrap_or_default();
        toolkit.engine().digest(&parts)
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("name", &self.name)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

/// What is told of a step.
struct PlanEvent<'a> {
    plan: &'a str,
    run: &'a str,
    step: usize,
    of: usize,
    state: &'static str,
    code: Option<Code>,
}

impl PlanEvent<'_> {
    fn tell(&self, toolkit: &Toolkit, cx: &CallContext, tool: &str) {
        toolkit.engine().tell_listeners(|| {
            Event::PlanStep(Arc::new(PlanStepRecord {
                plan: self.plan.into(),
                run: self.run.into(),
                step: self.step,
                steps: self.of,
                tool: tool.into(),
                session: cx.session_id().map(Into::into),
                state: self.state,
                code: self.code,
            }))
        });
    }
}
