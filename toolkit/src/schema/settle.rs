//! The cold pass over arguments that didn't fit: everything wrong at once, or a text that does fit.

use serde_json::value::RawValue;

use super::Contract;
use crate::json::echo;
use crate::param::Parameter;
use crate::problem::{Malformed, Problem, Repair};

/// Arguments that can be read now, and what was repaired in them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) text: String,
    pub(crate) repairs: Vec<Repair>,
}

/// Why arguments can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// They are no object.
    Malformed(Malformed),
    /// They don't fit the schema.
    Invalid(Vec<Problem>),
}

/// Explains or mends arguments that didn't fit.
pub(crate) fn settle(
    contract: &Contract,
    parameters: &[&dyn Parameter],
    text: &str,
    _repair: bool,
) -> Result<Settled, Rejection> {
    let members: std::collections::BTreeMap<String, &RawValue> = serde_json::from_str(text)
        .map_err(|e| {
            Rejection::Malformed(Malformed::syntax(e.column(), "a JSON object", e.to_string()))
        })?;
    let mut problems = Vec::new();
    for parameter in parameters {
        let facts = parameter.facts();
        let name = facts.spec.name;
        match members.get(name) {
            Some(raw) => {
                if let Err(e) = (facts.probe)(raw.get()) {
                    problems.push(Problem::unfit(name.to_owned(), e.to_string(), echo(raw.get())));
                }
            }
            None if parameter.is_optional() => {}
            None => problems.push(Problem::missing(name.to_owned(), None)),
        }
    }
    for key in members.keys() {
        if !parameters.iter().any(|p| p.facts().spec.name == key) {
            problems.push(Problem::unknown(key.clone(), None));
        }
    }
    if let Some(Err(e)) = contract.probe.map(|probe| probe(text)) {
        problems.push(Problem::other(String::new(), e.to_string()));
    }
    if problems.is_empty() {
        Ok(Settled { text: text.to_owned(), repairs: Vec::new() })
    } else {
        Err(Rejection::Invalid(problems))
    }
}
