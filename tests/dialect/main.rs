//! The OpenAI Chat dialect on real tools: the catalog that a model sees, and whole turns.

mod catalog;
mod interop;
mod scripts;
mod strict;
mod tools;
mod turns;
