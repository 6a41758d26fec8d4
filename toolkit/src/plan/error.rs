//! What is wrong with a plan, for whoever wrote it.

use std::fmt;

/// Everything that keeps a plan from starting; nothing of it has run. As `Debug` it says the same.
#[derive(thiserror::Error)]
#[error("{}", render(.plan, .problems))]
pub struct PlanError {
    plan: String,
    problems: Vec<PlanProblem>,
}

/// One thing that keeps a plan from starting.
///
/// Its text is one line: ``step 1 (`kb.search`), limit: expected integer from 1 to 20, got "many"``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProblem {
    step: Option<usize>,
    tool: String,
    path: String,
    what: String,
}

impl PlanError {
    pub(super) fn new(plan: &str, problems: Vec<PlanProblem>) -> Self {
        Self { plan: plan.to_owned(), problems }
    }

    /// One problem of the whole.
    pub(super) fn of(plan: &str, what: String) -> Self {
        let problem = PlanProblem { step: None, tool: String::new(), path: String::new(), what };
        Self::new(plan, vec![problem])
    }

    /// The problems, in the order of the steps.
    pub fn problems(&self) -> &[PlanProblem] {
        &self.problems
    }
}

impl PlanProblem {
    pub(super) fn new(step: usize, tool: &str, path: String, what: String) -> Self {
        Self { step: Some(step), tool: tool.to_owned(), path, what }
    }

    pub(super) fn whole(what: String) -> Self {
        Self { step: None, tool: String::new(), path: String::new(), what }
    }

    /// The step, counted from 0; `None` for the whole plan.
    pub fn step(&self) -> Option<usize> {
        self.step
    }

    /// Where in the step's input: `filters[1].op`; empty for the step itself.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong, and what to do.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Debug for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = self.step {
            write!(f, "step {step} (`{}`)", self.tool)?;
            if !self.path.is_empty() {
                write!(f, ", {}", self.path)?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.what)
    }
}

fn render(plan: &str, problems: &[PlanProblem]) -> String {
    let plural = if problems.len() == 1 { "problem" } else { "problems" };
    let mut text = format!("the plan `{plan}` has {} {plural}:", problems.len());
    for problem in problems {
        text.push_str("\n- ");
        text.push_str(&problem.to_string());
    }
    text
}
