//! Schemas that somebody else wrote: what becomes of them, and what they hold.

mod bounds;
mod forms;
mod properties;
mod words;

use serde_json::{Value, json};

use super::super::{Contract, Rejection, settle};

fn given(schema: &Value) -> Contract {
    Contract::of_given(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn refused(schema: &Value) -> String {
    Contract::of_given(schema).err().unwrap_or_else(|| panic!("taken: {schema}")).to_string()
}

/// The arguments that the body gets, or what the model reads.
fn told(contract: &Contract, text: &str) -> String {
    match settle(contract, &[], text, true) {
        Ok(settled) => match contract.read_given(&settled.text) {
            Some(value) => value.to_string(),
            None => panic!("settled, and not read: {}", settled.text),
        },
        Err(Rejection::Malformed(malformed)) => {
            assert!(contract.read_given(text).is_none(), "{text}");
            malformed.to_string()
        }
        Err(Rejection::Invalid(problems)) => {
            assert!(!problems.is_empty() && contract.read_given(text).is_none(), "{text}");
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
    }
}
