//! What expansions of `#[tool]` and `#[commit]` name. No semver: nothing else may use it.

pub use std::option::Option::{None, Some};
pub use std::string::String;
pub use std::vec::Vec;

pub use inventory;

pub use crate::param::{
    Args, Param, Parameter, Range, lend, param, slot, with_alias, with_default, with_example,
    with_length, with_pattern, with_range, with_secret, with_url,
};
pub use crate::risk::Risk;
pub use crate::spec::{Blocking, Facts, ToolSpec};
pub use crate::tool::{
    Call, Commit, CommitFacts, CommitOf, Committer, NO_SCHEMA, OutputSchema, Prepare, Registration,
    blocking, body, commit, identity, plain, probe, registration, run, sending, state,
};
pub use crate::toolset::Toolset;

/// What the signatures above mention and no expansion names.
pub mod signatures {
    pub use crate::param::{AnySlot, Bound, HasLength, Lend, Shown, Slot, Taken, Textual, Unfit};
    pub use crate::tool::{
        Body, CommitSpec, DraftValue, Held, Job, Outlet, Prepared, Refused, Running, SendOutput,
    };
}

/// The spec of a tool, from what its author stated.
pub const fn spec(facts: Facts) -> ToolSpec {
    facts.into_spec()
}

/// A type that a string literal can be a default or an example of.
///
/// Implemented for every `T: From<&'static str>`.
#[diagnostic::on_unimplemented(
    message = "a string literal is no `{Self}`",
    label = "this is the default or example of a `{Self}`"
)]
pub trait FromText: From<&'static str> {}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromText for T {}

/// The default or example that is written as a string literal.
pub fn from_text<T: FromText>(text: &'static str) -> T {
    T::from(text)
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
    assert!(characters > 0, "a text for the model is blank");
    assert!(characters >= min, "a tool's description has at least 10 characters");
    text
}
