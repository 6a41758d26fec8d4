//! The contract of one tool's arguments: their JSON Schema, as a model sees it and as a call is
//! held to it.

mod settle;

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(crate) use settle::{Rejection, Settled, settle};

use crate::param::{Check, Parameter};

/// Why a tool has no schema; its author mends it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ContractError(String);

/// The schema of one tool's arguments, and of its result.
pub(crate) struct Contract {
    text: String,
    value: Value,
    output: OnceLock<Option<Value>>,
    output_of: fn(&mut SchemaGenerator) -> Option<Schema>,
    probe: Option<fn(&str) -> Result<(), serde_json::Error>>,
}

impl Contract {
    /// The contract of declared parameters.
    pub(crate) fn of_parameters(
        parameters: &[&dyn Parameter],
        output: fn(&mut SchemaGenerator) -> Option<Schema>,
    ) -> Result<Self, ContractError> {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for parameter in parameters {
            let facts = parameter.facts();
            let mut schema = (facts.schema)(&mut generator);
            schema.insert("description".to_owned(), facts.spec.description.into());
            properties.insert(facts.spec.name.to_owned(), schema.to_value());
            if !parameter.is_optional() {
                required.push(facts.spec.name);
            }
        }
        let mut value =
            json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !required.is_empty() {
            value["required"] = json!(required);
        }
        let definitions = generator.take_definitions(true);
        if !definitions.is_empty() {
            value["$defs"] = Value::Object(definitions);
        }
        Ok(Self {
            text: value.to_string(),
            value,
            output: OnceLock::new(),
            output_of: output,
            probe: None,
        })
    }

    /// The contract of a type that is the whole argument object.
    pub(crate) fn of_type<T: JsonSchema + DeserializeOwned>() -> Result<Self, ContractError> {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let value = generator.root_schema_for::<T>().to_value();
        if value["type"] != "object" {
            return Err(ContractError("the arguments of a tool are an object".to_owned()));
        }
        Ok(Self {
            text: value.to_string(),
            value,
            output: OnceLock::new(),
            output_of: |_| None,
            probe: Some(|text| serde_json::from_str::<T>(text).map(drop)),
        })
    }

    /// The JSON text of the arguments' schema.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The arguments' schema.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The schema of the result, where its type has one.
    pub(crate) fn output(&self) -> Option<&Value> {
        self.output
            .get_or_init(|| {
                let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
                (self.output_of)(&mut generator).map(Schema::to_value)
            })
            .as_ref()
    }
}

/// Whether a pattern is a regular expression that can be held to.
///
/// # Errors
/// What is wrong with it; the author mends it.
pub(crate) fn check_pattern(pattern: &str) -> Result<(), String> {
    regex::Regex::new(pattern).map(drop).map_err(|e| e.to_string())
}

impl<'c, F, E> Check for F
where
    F: Fn() -> Result<&'c Contract, E>,
{
    fn argument(&self, _: usize, _: &str) -> bool {
        self().is_ok()
    }

    fn whole(&self, _: &str) -> bool {
        self().is_ok()
    }
}
