//! The lowering against recorded facts, and against rules of its own.
#![allow(clippy::needless_pass_by_value, reason = "a `json!` in place reads better than a borrow")]

mod oracle;
mod properties;
mod rules;
mod vectors;

use serde_json::Value;

use super::read::read;
use super::{Fields, Loss};
use crate::catalog::WireText;

/// A lowered schema that outlives the text that it was made from.
struct Lowered {
    strict: bool,
    parameters: WireText,
    losses: Vec<Loss>,
}

/// Lowers a schema whose properties were declared in this order; in none that is known, if it is
/// empty.
fn in_order(schema: &Value, order: &[&str]) -> Lowered {
    let text = schema.to_string();
    let root = read(&text).unwrap();
    let order: Fields<'_> = order.iter().map(|key| ((*key).into(), true.into())).collect();
    let lowered = super::lower_root(&root, Some(&order), text.len());
    let mut text = String::new();
    lowered.write(&mut text);
    let super::Lowered { strict, losses, .. } = lowered;
    Lowered { strict, parameters: WireText::of(text), losses }
}

/// The lowered schema as a value, whose order no longer counts.
fn sent(lowered: &Lowered) -> Value {
    serde_json::from_str(&serde_json::to_string(&lowered.parameters).unwrap()).unwrap()
}

/// Lowers, and holds the result to what the API takes in the mode that it claims.
fn lower(schema: &Value) -> Lowered {
    let lowered = in_order(schema, &[]);
    let sent = sent(&lowered);
    if lowered.strict {
        oracle::strict(&sent).unwrap_or_else(|why| panic!("{why}\n{schema}\nas\n{sent}"));
    } else {
        assert!(!lowered.losses.is_empty(), "no reason given for {schema}");
    }
    oracle::any_mode(&sent).unwrap_or_else(|why| panic!("{why}\n{schema}\nas\n{sent}"));
    lowered
}

fn strict(schema: &Value) -> Value {
    let lowered = lower(schema);
    assert!(lowered.strict, "{schema} isn't strict: {:?}", lowered.losses);
    sent(&lowered)
}

fn reasons(schema: &Value) -> Vec<String> {
    let lowered = lower(schema);
    assert!(!lowered.strict, "{schema} is strict");
    lowered.losses.iter().map(ToString::to_string).collect()
}
