//! How well tools are described, and what holds that.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

mod bfcl;
mod given;
mod lints;
mod selection;
mod snapshots;
mod starter;
mod sweeps;
