//! The schemas that OpenAI's APIs take, from a tool's own.
//!
//! A pure function of the schema: it knows no tool, no catalog and no wire format.

mod defs;
mod notes;
mod ordered;
mod plain;
mod strict;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(super) use ordered::Fields;

use super::loss::Loss;

/// A schema as it is sent.
pub(super) struct Lowered {
    /// Whether strict mode takes it.
    pub(super) strict: bool,
    pub(super) parameters: Fields,
    /// What isn't as declared; without the tool's name.
    pub(super) losses: Vec<Loss>,
}

/// Lowers the schema of a tool's parameters, whose properties stand in this order.
///
/// Strict where the whole of it fits strict mode; otherwise as declared, with the reasons.
pub(super) fn lower(schema: &Value, order: &[&str]) -> Lowered {
    match strict::lower(schema, order) {
        Ok((parameters, losses)) => Lowered { strict: true, parameters, losses },
        Err(losses) => Lowered { strict: false, parameters: plain::lower(schema, order), losses },
    }
}
