//! Helpers for tests of tools and hosts.

mod approver;
pub mod lint;
mod probe;
mod script;
mod selection;
mod snapshot;
mod words;

pub use approver::Recorder;
pub use probe::Probe;
pub use script::{
    Asked, Ended, HumanDecision, Message, Offer, Played, Request, Says, ScriptError, ScriptedModel,
    Shown, Step,
};
pub use selection::{
    Choice, Chosen, Lexical, OpenAiChat, Outcome, Ranked, Selection, Selector, Task, select,
};
pub use snapshot::{Change, Difference, SnapshotError, Snapshots, UPDATE};

use crate::pipeline::PAGES;
use crate::toolkit::Tool;

/// Whether it is `output.read`, whose wording isn't the host's.
fn is_ours(tool: &Tool) -> bool {
    tool.name() == PAGES
}
