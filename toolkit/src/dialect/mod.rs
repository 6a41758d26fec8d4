//! Providers' wire formats: the catalog out, calls in, results out.
//!
//! A dialect is a module of pure functions over text and a method of
//! [`Catalog`](crate::Catalog). It sends nothing itself: the host's own client does.

mod body;
mod error;
mod loss;
pub mod openai_chat;
mod openai_schema;

pub use error::IntakeError;
pub use loss::{Loss, LossKind};
