#![forbid(unsafe_code)]
//! Turns ordinary Rust functions into tools that a language model can call, and stands guard over
//! every call: validate → gate → execute → render.
//!
//! One attribute, [`#[tool]`](macro@tool), states what a function does to the world. From it come
//! the spec, the JSON Schema, the wire name and the registration; from those come the catalog that a
//! model sees and the one governed path by which a call reaches the function.
//!
//! Of an error that wasn't written for a model ([`ToolError::expected`] is), and of a panic, the reply
//! says a reference and no more. The cause stands under it in the events ([`Toolkit::events`]) and in
//! those of `tracing`, target `toolkit`; while you develop, [`Builder::show_errors`] puts that of an
//! error into the reply.

mod address;
pub mod approval;
#[cfg(feature = "audit")]
pub mod audit;
#[cfg(feature = "openai-chat")]
pub mod dialect;
#[cfg(feature = "fs")]
pub mod fs;
pub mod hook;
pub mod name;
#[cfg(feature = "plans")]
pub mod plan;
pub mod policy;

mod call;
mod catalog;
mod contain;
mod context;
mod draft;
mod error;
mod event;
mod explanation;
mod hosts;
#[cfg(feature = "http")]
pub mod http;
mod json;
mod order;
mod output;
mod param;
mod paths;
mod pipeline;
#[doc(hidden)]
pub mod private;
mod problem;
#[cfg(feature = "process")]
pub mod process;
mod redact;
mod registry;
mod risk;
mod scene;
mod schema;
mod session;
mod spec;
#[cfg(feature = "starter")]
pub mod starter;
pub mod store;
mod text;
mod tool;
mod toolkit;
mod toolset;
mod verdict;

#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "testing")]
pub use testing::lint;

pub use address::AddressKind;
pub use call::{Code, Executed, ToolCall, ToolReply, Turn};
pub use catalog::{Catalog, CatalogTool, WireText};
pub use context::{CallContext, MAX_DEPTH, Origin, Progress};
pub use draft::{Confirmed, DEFAULT_DRAFT_TIME, Draft, MAX_DRAFT, Outbound};
pub use error::ToolError;
pub use event::{
    Approval, ApprovalRecord, CallRecord, Confirmer, DraftLink, DraftRecord, Event, Grant,
    GrantRecord, HookFault, HookKind, LateRecord, PlanStepRecord, ProgressRecord,
};
pub use explanation::{Explanation, Would};
pub use hook::{
    Around, BoxFuture, Change, FlagSource, Guard, HOOK_TIME, HookCall, HookError, Observer,
    Rewrite, Ruling, around, guard, rewrite,
};
pub use hosts::{HostError, Hosts};
pub use output::{Content, Output, OutputError, OutputReader, OutputWriter, Part, Secret};
pub use param::ToolParameter;
#[cfg(feature = "rates")]
pub use policy::Rate;
pub use policy::{Cell, DEFAULT_APPROVAL_TIME, DEFAULT_GRANT_TIME, Detail, Policy, Widest};
pub use problem::{Malformed, Problem, Repair};
#[cfg(feature = "jsonschema")]
pub use registry::SchemaTool;
pub use registry::{BuildError, BuildProblem, TypedTool};
pub use risk::{Risk, RiskSet, UnknownRisk};
pub use spec::{Blocking, DEFAULT_TIMEOUT, Errors, ParamSpec, Source, StateSpec, ToolSpec};
pub use tool::{ToolFailure, ToolId, ToolOutput, id};
pub use toolkit::{Builder, Loaded, ReadOnly, Registered, Session, Tool, ToolQuery, Toolkit};
pub use toolset::Toolset;
pub use verdict::{Decision, Finding, Verdict};

pub use tokio_util::sync::CancellationToken;
pub use toolkit_macros::{commit, tool, toolset};

/// What most hosts and tools need.
pub mod prelude {
    pub use crate::{
        CallContext, Change, Code, Confirmed, Draft, Origin, Outbound, Policy, Risk, Ruling,
        ToolCall, ToolError, ToolReply, Toolkit, TypedTool, Verdict, around, commit, guard, id,
        rewrite, tool, toolset,
    };
}

/// The README's example, so that it compiles and is so.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
