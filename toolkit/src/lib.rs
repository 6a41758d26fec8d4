#![forbid(unsafe_code)]
#![doc = "Turns ordinary Rust functions into tools that a language model can call."]

pub mod name;

mod call;
mod context;
mod error;
mod json;
mod output;
mod param;
#[doc(hidden)]
pub mod private;
mod problem;
mod risk;
mod schema;
mod spec;
mod tool;
mod verdict;

pub use call::{Code, Executed, ToolCall, ToolReply, Turn};
pub use context::{CallContext, Origin};
pub use error::ToolError;
pub use problem::{Malformed, Problem, Repair};
pub use risk::{Risk, RiskSet, UnknownRisk};
pub use spec::{ParamSpec, Source, StateSpec, ToolSpec};
pub use verdict::{Decision, Finding, Verdict};
