//! The front: what a host holds.

mod bounds;
mod builder;
mod declared;
mod drafts;
mod explain;
mod front;
mod group;
mod pages;
mod session;
mod turn;

pub use builder::Builder;
pub use front::{ReadOnly, Registered, Tool, ToolQuery, Toolkit};
pub use session::Session;
