//! What a host writes down and reads back: rules, paths and hosts, sessions, rates. Through the front
//! door, as in `system`.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

mod budgets;
mod grants;
mod loops;
mod rates;
mod sessions;
#[allow(dead_code)]
#[path = "../system/support.rs"]
mod support;
mod taint;

mod effects;
mod explain;
mod hosts;
mod http;
mod local;
mod mistakes;
#[cfg(unix)]
mod paths;
mod rules;
mod toml;
