//! The schemas that OpenAI's APIs take, from a tool's own.
//!
//! A pure function of the schema's text: it knows no tool, no catalog and no wire format.

mod defs;
mod keyword;
mod notes;
mod ordered;
mod plain;
mod read;
mod strict;
#[cfg(test)]
mod tests;

use ordered::{Fields, Node};

use super::loss::Loss;

/// A schema as it is sent.
pub(super) struct Lowered<'t> {
    /// Whether strict mode takes it.
    pub(super) strict: bool,
    parameters: Fields<'t>,
    /// What isn't as declared; without the tool's name.
    pub(super) losses: Vec<Loss>,
}

impl Lowered<'_> {
    /// Appends the schema as compact JSON.
    pub(super) fn write(&self, out: &mut String) {
        self.parameters.write(out);
    }
}

/// Lowers the schema of a tool's parameters, given as JSON text; its properties keep their order.
///
/// Strict where the whole of it fits strict mode; otherwise as declared, with the reasons.
pub(super) fn lower(schema: &str) -> Lowered<'_> {
    // A text that isn't JSON has no schema to lower, as `null` has none.
    let root = read::read(schema).unwrap_or_else(|_| Node::Word("null".into()));
    let order = root.as_object().and_then(|root| root.get("properties")?.as_object());
    lower_root(&root, order, schema.len())
}

/// `order` gives the order of the properties, where it is that of declaration; `length` is that of the
/// text that was read.
fn lower_root<'t>(root: &Node<'t>, order: Option<&Fields<'t>>, length: usize) -> Lowered<'t> {
    match strict::lower(root, order, length) {
        Ok((parameters, losses)) => Lowered { strict: true, parameters, losses },
        Err(losses) => Lowered { strict: false, parameters: plain::lower(root, order), losses },
    }
}
