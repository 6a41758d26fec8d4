//! JSON as text: what is written, and how a text is compared. Knows nothing of tools.

mod canonical;
mod echo;
mod write;

pub(crate) use canonical::canonical;
pub(crate) use echo::{echo, kind_of};
pub(crate) use write::write;
