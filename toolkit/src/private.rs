//! What expansions of `#[tool]` name. No semver: nothing else may use it.

pub use std::string::String;
pub use std::vec::Vec;

pub use inventory;
pub use schemars::{Schema, SchemaGenerator};

pub use crate::param::{
    Args, Param, Parameter, Range, lend, param, slot, with_alias, with_default, with_example,
    with_length, with_pattern, with_range, with_secret, with_url,
};
pub use crate::risk::Risk;
pub use crate::spec::{Facts, ToolSpec};
pub use crate::tool::{Call, Prepared, body, id, probe, registration, state};

use crate::spec::Source;

/// The spec of a tool, from what its author stated and where.
pub const fn spec(facts: Facts, file: &'static str, line: u32, module: &'static str) -> ToolSpec {
    facts.into_spec(Source::new(file, line, module))
}

/// Checks at compile time a description that the macro couldn't read, such as `include_str!`.
///
/// # Panics
/// Where it has under 10 characters, while the tool's crate is compiled.
#[track_caller]
pub const fn assert_description(text: &str) {
    assert!(text.len() >= 10, "a tool's description has at least 10 characters");
}
