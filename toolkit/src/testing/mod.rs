//! Helpers for tests of tools and hosts.

mod approver;
mod probe;

pub use approver::Recorder;
pub use probe::Probe;
