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

/// A text that the macro couldn't read, such as `include_str!`, without the space around it.
///
/// # Panics
/// Where it has fewer than `min` characters, while the tool's crate is compiled.
#[track_caller]
pub const fn text(text: &'static str, min: usize) -> &'static str {
    let text = text.trim_ascii();
    let bytes = text.as_bytes();
    let (mut at, mut characters) = (0, 0);
    while at < bytes.len() {
        // A continuation byte starts no character.
        if bytes[at] & 0b1100_0000 != 0b1000_0000 {
            characters += 1;
        }
        at += 1;
    }
    assert!(
        characters >= min,
        "a tool's description has at least 10 characters, and a parameter's isn't blank"
    );
    text
}
