//! What a step sees of what came before it.

use std::any::TypeId;

use serde_json::Value;

use super::report::Outcome;
use super::step::{Named, Step};

/// What came before a step: the seed, and what became of earlier steps, failures too.
#[derive(Debug)]
pub struct Past<'a> {
    pub(super) seed: &'a Value,
    pub(super) steps: &'a [Step],
    /// Those that came before.
    pub(super) outcomes: &'a [Outcome],
}

impl<'a> Past<'a> {
    /// What the plan was started with.
    pub fn seed(&self) -> &'a Value {
        self.seed
    }

    /// What became of the step at this place, counted from 0; `None` where it doesn't come before.
    pub fn step(&self, index: usize) -> Option<&'a Outcome> {
        self.outcomes.get(index)
    }

    /// What became of the step of this id.
    pub fn id(&self, id: &str) -> Option<&'a Outcome> {
        self.last(|step| step.id.as_deref() == Some(id))
    }

    /// What became of the last step before whose tool is this function or method, however that step
    /// names it in a plan that a closure belongs to: by the function.
    pub fn of<F: 'static>(&self, _function: F) -> Option<&'a Outcome> {
        let wanted = TypeId::of::<F>();
        self.last(|step| matches!(step.tool, Named::Function(id, _) if id == wanted))
    }

    /// What became of the last step before with the tool of this name.
    pub fn tool(&self, name: &str) -> Option<&'a Outcome> {
        self.outcomes.iter().rev().find(|outcome| outcome.tool() == name)
    }

    fn last(&self, is_it: impl Fn(&Step) -> bool) -> Option<&'a Outcome> {
        let before = self.steps.iter().zip(self.outcomes);
        before.rev().find(|(step, _)| is_it(step)).map(|(_, outcome)| outcome)
    }
}
