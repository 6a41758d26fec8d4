//! Helpers for tests of tools and hosts.

mod approver;
mod probe;
mod script;

pub use approver::Recorder;
pub use probe::Probe;
pub use script::{HumanDecision, ScriptError, ScriptedModel, Step};
