//! Other attributes, in any order, and the docs among them.

use toolkit::{id, tool};

/// Says who it is.
#[tool]
#[inline]
#[allow(clippy::needless_pass_by_value)]
fn first() {}

#[inline]
#[tool]
/// Says who it is.
#[must_use]
fn second() -> u8 {
    2
}

#[tool]
#[inline]
/// Says who
#[cold]
/// it is.
fn third() {}

#[tracing::instrument]
/// Says who it is.
#[tool]
async fn fourth(
    /// The number.
    #[arg(default = 4)]
    number: u8,
) -> u8 {
    number
}

#[tool]
/// Says who it is.
#[tracing::instrument(skip_all)]
async fn fifth(
    /// The number.
    #[arg(default = 5)]
    number: u8,
) -> Result<u8, String> {
    Ok(number)
}

#[toolkit::tool]
#[doc(hidden)]
/// Says who it is.
#[expect(unused_variables)]
fn sixth(
    /// The number.
    number: u8,
    /// The number.
    #[allow(unused)]
    #[arg(default)]
    other: u8,
) {
}

#[deprecated]
#[tool]
/// Says who it is.
fn seventh() {}

#[allow(deprecated)]
mod old {
    #[deprecated]
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(super) struct Old;
}

/// Says who it is.
#[tool]
#[expect(deprecated)]
fn eighth(
    /// An old thing.
    #[arg(alias = "older")]
    old: old::Old,
) {
    let _ = old;
}

#[tokio::test]
async fn tools_are_collected() {
    #[expect(deprecated)]
    let tools = [
        id(first),
        id(second),
        id(fourth),
        id(fifth),
        id(sixth),
        id(seventh),
        id(eighth),
    ];
    for tool in tools {
        assert_eq!(crate::spec(tool).description(), "Says who it is.");
    }
    assert_eq!(crate::spec(id(third)).description(), "Says who\nit is.");
    let toolkit = crate::only([id(fourth), id(fifth)]);
    assert_eq!(crate::call(&toolkit, "fourth", "{}").await, "4");
    assert_eq!(crate::call(&toolkit, "fifth", "{}").await, "5");
}
