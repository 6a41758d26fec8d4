//! JSON as text: how it is scanned, written, compared and shown. Knows nothing of tools.

mod canonical;
mod echo;
mod keys;
mod number;
mod path;
mod plain;
mod scan;
#[cfg(test)]
mod scan_tests;
mod unquote;
mod write;

pub(crate) use canonical::{canonical, string};
pub(crate) use echo::{echo, kind_of, line};
pub(crate) use keys::Keys;
pub(crate) use number::Decimal;
pub(crate) use path::{Step, locate, members};
pub(crate) use plain::plain;
pub(crate) use scan::{Failed, Fault, MAX_DEPTH, Quoted, Scanner, Why};
pub(crate) use unquote::Unquote;
pub(crate) use write::write;
