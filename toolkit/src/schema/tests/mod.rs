//! The contract as a whole: schema text, checking, explaining and mending.

mod differential;
mod plain;
mod properties;
mod settling;
mod text;
mod unions;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;
use crate::param::{
    Param, Parameter, Range, param, with_alias, with_default, with_example, with_length,
    with_pattern, with_range, with_secret,
};

pub(super) fn contract(parameters: &[&dyn Parameter]) -> Contract {
    Contract::of_parameters(parameters, |_| None).unwrap()
}

/// What the model reads for these arguments, or the text that is read and its repairs.
pub(super) fn told(parameters: &[&dyn Parameter], text: &str, repair: bool) -> String {
    match settle(&contract(parameters), parameters, text, repair) {
        Ok(settled) => {
            let repairs: Vec<_> = settled.repairs.iter().map(|r| format!("\n~ {r}")).collect();
            format!("{}{}", settled.text, repairs.concat())
        }
        Err(Rejection::Malformed(malformed)) => malformed.to_string(),
        Err(Rejection::Invalid(problems)) => {
            assert!(!problems.is_empty());
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Op {
    /// Equal.
    Eq,
    /// Greater.
    Gt,
    Contains,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Filter {
    /// Which field.
    pub(super) field: String,
    pub(super) op: Op,
    pub(super) value: String,
    #[serde(default)]
    pub(super) negate: bool,
    pub(super) note: Option<String>,
}
