//! Helpers for tests of tools and hosts: what a host tests of its tools, and by what.
//!
//! | question | by |
//! |---|---|
//! | Does my loop hold when a model calls wrongly, twice, or is cut off? | [`ScriptedModel`] |
//! | Was the model shown these tools, each reply, and never that secret? | [`Shown`] |
//! | Can each tool be called with what its schema allows, and with nothing else? | [`Sweep`] |
//! | Was a body entered? | [`Probe`] |
//! | What was a person asked? | [`Recorder`] |
//! | Do the descriptions lead to the right tool? | [`select`], by [`Lexical`] or a model |
//! | What do the descriptions leave open? | [`lint`] |
//! | Has a contract changed unseen? | [`Snapshots`] |
//!
//! Each has an example on its page. None has a runtime of its own, and each takes a
//! [`Toolkit`](crate::Toolkit) however it was made.

mod approver;
pub mod lint;
mod probe;
mod script;
mod selection;
mod snapshot;
mod sweep;
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
pub use sweep::{Sweep, SweepFault, Swept, SweptTool};

use std::fmt;

use crate::pipeline::PAGES;
use crate::toolkit::Tool;

/// Whether it is `output.read`, whose wording isn't the host's.
fn is_ours(tool: &Tool) -> bool {
    tool.name() == PAGES
}

/// Fails a test.
#[track_caller]
#[expect(clippy::panic, reason = "an assertion that doesn't hold fails the test that makes it")]
fn fail(what: &str, shown: &dyn fmt::Display) -> ! {
    panic!("{what}\n\n{shown}")
}
