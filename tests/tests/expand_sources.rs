//! The sources whose whole expansions `expand.rs` compares.
#![allow(missing_docs)]

#[path = "../expand/ping.rs"]
pub mod ping;
#[path = "../expand/search.rs"]
pub mod search;
