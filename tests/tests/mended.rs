//! The mended twins of the compile-fail fixtures compile. `build.rs` writes them.
#![allow(missing_docs, unused, clippy::all, clippy::unwrap_used, clippy::needless_pass_by_value)]

include!(concat!(env!("OUT_DIR"), "/mended.rs"));

#[test]
fn every_fixture_has_a_twin_that_compiles() {
    // That this file compiled is the test; the number guards against an empty list.
    assert!(FIXTURES.len() >= 65, "{FIXTURES:?}");
}
