//! Tools of many kinds under the strictest lints: what `#[tool]` writes must not be heard of.
#![deny(warnings, missing_docs, unreachable_pub, clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(unused_qualifications, missing_debug_implementations, single_use_lifetimes)]
#![deny(unused_lifetimes, elided_lifetimes_in_paths, let_underscore_drop, trivial_casts)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::use_self)]
#![forbid(unsafe_code)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{CallContext, ToolError, tool};

/// What is shared by tools.
#[derive(Debug)]
pub struct Desk {
    open: u32,
}

impl Desk {
    /// A desk with this many open tickets.
    #[must_use]
    pub const fn new(open: u32) -> Self {
        Self { open }
    }
}

/// One condition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Filter {
    /// The field that is looked at.
    pub field: String,
}

/// Answers at once, to show that tools can be called.
#[tool]
pub const fn ping() {}

/// Waits for nothing and answers with a number.
#[tool]
pub async fn pong() -> u8 {
    tokio::task::yield_now().await;
    1
}

/// Answers at once, and nobody in this crate calls it.
#[tool]
const fn unused() {}

/// Answers later, and nobody in this crate calls it.
#[tool(risk = "write")]
async fn unused_later(
    /// A number.
    number: u8,
) -> u8 {
    tokio::task::yield_now().await;
    number
}

/// Counts the tickets that are open, and those that match.
///
/// # Errors
/// The desk is closed.
#[tool(name = "ticket.count", risk = ["read", "network"], hosts = ["example.com"], timeout = "5s")]
pub async fn count(
    /// What to look for, e.g. `refund`.
    #[arg(length = 1..=80, pattern = "^.+$")]
    text: &str,
    /// How many to count at most.
    #[arg(default = 5, range = 1..=20, alias = "max", example = 7)]
    limit: u8,
    /// Only tickets that match all of these.
    #[arg(default)]
    filters: &[Filter],
    /// Only tickets of this person.
    person: Option<&str>,
    #[state] desk: &Desk,
    #[context] cx: &CallContext,
) -> Result<u32, ToolError> {
    tokio::task::yield_now().await;
    if cx.session_id().is_none() {
        return Err(ToolError::expected("the desk is closed"));
    }
    let texts = text.len() + filters.len() + person.map_or(0, str::len);
    Ok(desk.open + u32::from(limit) + u32::try_from(texts).unwrap_or_default())
}

/// Changes its own argument and gives it back.
#[tool(title = "Louder", flag = "loud", scopes = ["chat"], parallel, concurrency = 2)]
#[must_use]
pub fn louder(
    /// A text.
    #[arg(default = "hello")]
    mut text: String,
) -> String {
    text.push('!');
    text
}

/// Gives back a filter, or the one that is always used.
#[tool(errors = "show")]
#[inline]
#[must_use]
pub fn filter(
    /// A filter.
    #[arg(default = Filter { field: String::from("title") })]
    filter: Filter,
    /// A token.
    #[arg(secret)]
    token: Option<String>,
) -> Option<Filter> {
    if token.is_some_and(|token| token.is_empty()) {
        return None;
    }
    Some(filter)
}

/// Is no longer to be used.
#[deprecated]
#[tool]
pub const fn old() {}

/// Has a name that Rust reserves.
#[tool]
#[must_use]
pub const fn r#type(
    /// A number.
    r#match: u8,
) -> u8 {
    r#match
}

#[cfg(test)]
mod tests {
    use toolkit::{ToolCall, Toolkit};

    use super::*;

    #[tokio::test]
    async fn every_tool_is_collected() {
        let built = Toolkit::builder().crates(["tests"]).state(Desk::new(3)).build();
        let toolkit = match built {
            Ok(toolkit) => toolkit,
            Err(error) => return assert_eq!(error.to_string(), ""),
        };
        let names: Vec<String> = toolkit.tools().map(|tool| tool.name().to_owned()).collect();
        let expected = [
            "filter",
            "louder",
            "old",
            "ping",
            "pong",
            "ticket.count",
            "type",
            "unused",
            "unused_later",
        ];
        assert_eq!(names, expected);
        let call = ToolCall::new("ticket.count", r#"{"text": "a", "person": "b"}"#);
        let reply = toolkit.call(&CallContext::human().session("s"), call).await;
        // Within the marks of what comes from outside.
        assert!(reply.text().contains("]\n10\n["), "{}", reply.text());
    }
}
