//! What the examples share; each example is a thin `main` over a module here.

pub mod ask;
pub mod desk;
mod front;
pub mod workbench;
