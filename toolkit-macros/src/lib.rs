//! The `#[tool]` attribute of `toolkit`; depend on `toolkit`, not on this crate.
