//! `#[cfg]` before and after `#[tool]`, and `cfg_attr(…, tool)`.
#![allow(unexpected_cfgs)]

use toolkit::{id, tool};

/// Never there, since the condition comes first.
#[cfg(any())]
#[tool]
fn gone_before(
    /// A type that isn't there either.
    value: Missing,
) {
}

/// Never there, since the condition comes last.
#[tool]
#[cfg(any())]
fn gone_after(
    /// A type that isn't there either.
    value: Missing,
) {
}

/// Never there, by a condition inside a condition.
#[tool]
#[cfg_attr(all(), cfg(any()))]
fn gone_inside() {}

/// There, since the condition holds.
#[tool]
#[cfg(test)]
fn there() {}

/// Two versions of one tool, of which this is there.
#[tool]
#[cfg(test)]
fn version() -> u8 {
    1
}

/// Two versions of one tool, of which this isn't there.
#[tool]
#[cfg(not(test))]
fn version() -> u8 {
    2
}

/// A tool where a condition holds.
#[cfg_attr(all(), tool)]
fn by_attribute() {}

/// A plain function where a condition doesn't hold.
#[cfg_attr(any(), tool)]
fn plain() {}

/// Takes a lint that depends on a condition.
#[tool]
fn lint(
    /// Not looked at.
    #[cfg_attr(all(), allow(unused_variables))]
    value: u8,
) {
}

#[tokio::test]
async fn only_what_is_there_is_collected() {
    for tool in [id(there), id(version), id(by_attribute), id(lint)] {
        crate::spec(tool);
    }
    let toolkit = crate::only([id(version)]);
    assert_eq!(crate::call(&toolkit, "version", "{}").await, "1");
    plain();
    assert!(crate::only([id(there)]).tool(plain).is_none());
}
