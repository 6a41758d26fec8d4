//! One step of a plan: which tool, with what, and whether the plan ends there.

use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::input::{Misread, Node};
use super::past::Past;
use super::report::Outcome;

/// One step of a [`Plan`](super::Plan): a call of a tool whose arguments are known before, or come from
/// what came before.
#[derive(Clone)]
pub struct Step {
    pub(super) tool: Named,
    pub(super) id: Option<String>,
    pub(super) input: Input,
    pub(super) stop: Option<Stop>,
    pub(super) beside: bool,
    pub(super) misread: Vec<Misread>,
}

/// How a step names its tool.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// By its function.
    Function(TypeId, &'static str),
    /// By its name or wire name.
    Name(String),
}

type Closure = Arc<dyn Fn(&Past<'_>) -> Option<Value> + Send + Sync>;
type Condition = Arc<dyn Fn(&Outcome) -> bool + Send + Sync>;

/// What a step is called with.
#[derive(Clone)]
pub(super) enum Input {
    Data(Node),
    Closure(Closure),
}

/// What ends a plan after a step.
#[derive(Clone)]
pub(super) enum Stop {
    Closure(Condition),
    /// Nothing is at this place of the value: absent, null, or an empty text, list or object.
    Empty(String),
    /// This is at this place of the value.
    Equals(String, Value),
    /// The step failed or was refused.
    Failed,
}

impl Step {
    /// A step of the tool that this function or method is.
    pub fn of<F: 'static>(_function: F) -> Self {
        Self::new(Named::Function(TypeId::of::<F>(), type_name::<F>()))
    }

    /// A step of the tool of this name, or wire name.
    pub fn named(tool: impl Into<String>) -> Self {
        Self::new(Named::Name(tool.into()))
    }

    fn new(tool: Named) -> Self {
        let input = Input::Data(Node::Literal(Value::Object(serde_json::Map::new())));
        Self { tool, id: None, input, stop: None, beside: false, misread: Vec::new() }
    }

    /// Names the step, so that others can refer to it.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Calls the tool with what this gives of what came before; with `None` the step is skipped. A
    /// closure that panics is a failure of its step, [`Code::Defect`](crate::Code::Defect).
    ///
    /// A step without an input is called without arguments.
    #[must_use]
    pub fn input(
        mut self,
        input: impl Fn(&Past<'_>) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.input = Input::Closure(Arc::new(input));
        self.misread.clear();
        self
    }

    /// Calls the tool with this value, whose references are replaced by what they refer to:
    ///
    /// - `{"$seed": "/customer"}`: a place in the seed, as a JSON pointer; `""` for the whole;
    /// - `{"$step": 0, "at": "/0/id"}`: a place in the value of an earlier step, counted from 0 or by its
    ///   id; without `at` the whole;
    /// - `{"$tool": "kb.search", "at": "/0/id"}`: in that of the last step before with this tool;
    /// - `{"$literal": {"$step": 0}}`: this value as it stands, not read for references.
    ///
    /// A reference is a value of its own at any depth, never part of a text, and what is put in its place
    /// isn't read again. Where one of them leads to nothing (the step was skipped or failed, the place
    /// isn't there or is null) the step is skipped.
    #[must_use]
    pub fn with(mut self, input: impl Into<Value>) -> Self {
        self.misread.clear();
        self.input = Input::Data(Node::read(input.into(), &mut self.misread));
        self
    }

    /// Ends the plan after the step where this says so of what became of it; it isn't asked of a step
    /// that was skipped.
    #[must_use]
    pub fn stop_if(mut self, condition: impl Fn(&Outcome) -> bool + Send + Sync + 'static) -> Self {
        self.stop = Some(Stop::Closure(Arc::new(condition)));
        self
    }

    /// Lets the step run side by side with the one before it, and with those that that one runs beside.
    /// It sees what came before all of them. How many run at once is bounded as ever.
    #[must_use]
    pub fn beside_last(mut self) -> Self {
        self.beside = true;
        self
    }
}

impl Stop {
    /// Whether the plan ends here; a closure may panic.
    pub(super) fn holds(&self, outcome: &Outcome) -> bool {
        let at = |pointer: &str| outcome.value().and_then(|value| value.pointer(pointer));
        match self {
            Self::Closure(condition) => condition(outcome),
            Self::Empty(pointer) => at(pointer).is_none_or(|value| match value {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                Value::Bool(_) | Value::Number(_) => false,
            }),
            Self::Equals(pointer, value) => at(pointer) == Some(value),
            Self::Failed => !outcome.is_ok(),
        }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Step");
        debug.field("tool", &self.tool).field("id", &self.id);
        if let Input::Data(node) = &self.input {
            debug.field("input", node);
        }
        debug.field("beside_last", &self.beside).finish_non_exhaustive()
    }
}
