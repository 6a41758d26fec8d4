//! Helpers for tests of tools and hosts.

mod approver;
pub mod lint;
mod probe;
mod script;
mod selection;
mod words;

pub use approver::Recorder;
pub use probe::Probe;
pub use script::{HumanDecision, ScriptError, ScriptedModel, Step};
pub use selection::{
    Choice, Chosen, Lexical, OpenAiChat, Outcome, Ranked, Selection, Selector, Task, select,
};
