//! The mended twins of the compile-fail fixtures compile. `build.rs` writes them.
#![allow(dead_code, unused, clippy::all, missing_docs)]

include!(concat!(env!("OUT_DIR"), "/mended.rs"));

#[test]
fn every_fixture_has_a_twin_that_compiles() {
    // That this file compiled is the test; the number guards against an empty list.
    assert!(FIXTURES.len() >= 65, "{FIXTURES:?}");
}
