//! The front: what a host holds.

mod added;
mod bounds;
mod builder;
mod child;
mod declared;
mod drafts;
mod explain;
mod front;
mod group;
mod pages;
mod query;
mod session;
mod turn;

pub use added::{Loaded, Registered};
pub use builder::Builder;
pub use front::{ReadOnly, Toolkit};
#[cfg(feature = "plans")]
pub(crate) use group::side_by_side;
pub use query::{Tool, ToolQuery};
pub use session::Session;
