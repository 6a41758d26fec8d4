//! Whole-system tests: every one goes through the front door.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

mod approvals;
mod arguments;
mod arounds;
mod audit;
mod blocking;
mod bound;
mod broken;
mod catalogs;
mod children;
mod clocks;
mod constraints;
mod crashes;
mod drafts;
mod edits;
mod entry_points;
mod events;
mod execute;
mod faults;
mod gate;
mod hidden;
mod hook_times;
mod hooks;
mod keys;
mod later;
mod leaks;
mod lending;
mod levels;
mod names;
mod nested;
mod outcomes;
mod outputs;
mod pages;
#[cfg(target_os = "linux")]
mod process;
mod questions;
mod quirks;
mod readings;
mod records;
mod registry;
mod replays;
mod results;
mod rewrites;
mod room;
mod scenes;
mod schemas;
mod shutdown;
mod support;
mod terminal;
mod threads;
mod toolsets;
mod turns;
