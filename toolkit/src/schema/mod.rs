//! The contract of one tool's arguments: their JSON Schema, as a model sees it and as a call is
//! held to it.

mod bare;
mod blame;
mod bounds;
mod build;
mod check;
mod compose;
mod explain;
mod follow;
#[cfg(feature = "jsonschema")]
mod given;
mod meant;
mod mend;
mod node;
mod parse;
mod pattern;
mod plain;
mod quick;
mod reach;
mod settle;
#[cfg(test)]
mod tests;
mod text;
mod tidy;

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

pub(crate) use follow::{Astray, Spot, Stride};
pub(crate) use pattern::Pattern;
pub(crate) use reach::Reach;
pub(crate) use settle::{Rejection, Settled, settle};

use crate::param::Check;
use node::Node;

/// Why a tool has no schema; its author mends it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ContractError(String);

/// Reads a text into a type for nothing but its error.
type Probe = fn(&str) -> Result<(), serde_json::Error>;

impl ContractError {
    /// The author's own code gave way.
    pub(crate) fn panicked() -> Self {
        Self("a default, an example or the schema of a type panicked".to_owned())
    }
}

/// The schema of one tool's arguments, and of its result.
pub(crate) struct Contract {
    root: Node,
    definitions: Vec<(String, Node)>,
    text: String,
    value: OnceLock<Value>,
    output_of: fn(&mut SchemaGenerator) -> Option<Schema>,
    output: OnceLock<Option<Value>>,
    /// Reads the whole object into its type, where one type is the whole.
    probe: Option<Probe>,
    /// Whether a decoder that tries alternatives may have to try them within each other to any depth.
    /// It then takes twice as long for each level, or longer, and nothing stops it.
    backtracks: bool,
    /// What holds arguments to a schema of somebody else's.
    #[cfg(feature = "jsonschema")]
    given: Option<Box<given::Given>>,
}

impl Contract {
    /// The same contract that never quotes these arguments.
    pub(crate) fn withholding(mut self, secret: &[&str]) -> Self {
        let mut refers = Vec::new();
        withhold(&mut self.root, secret, &mut refers);
        let mut done = vec![false; self.definitions.len()];
        while let Some(at) = refers.pop() {
            if let (Some(false), Some((_, node))) = (done.get(at), self.definitions.get_mut(at)) {
                done[at] = true;
                withhold(node, secret, &mut refers);
            }
        }
        self.write();
        self
    }

    /// The text of a schema that our own form can't say all of.
    #[cfg(feature = "jsonschema")]
    fn given_text(&self) -> Option<String> {
        let given = self.given.as_ref()?;
        given.text(&|| bare::names(&self.root, &self.definitions))
    }

    #[cfg(not(feature = "jsonschema"))]
    fn given_text(&self) -> Option<String> {
        None
    }

    /// What is wrong with the name of an argument, if none can have it.
    pub(crate) fn lacks(&self, name: &str) -> Option<String> {
        let objects = self.root.objects.as_ref()?;
        if objects.find(name, 0).is_some() || self.follow(&[Stride::Key(name.into())]).is_ok() {
            return None;
        }
        let names = objects.properties.iter().map(|property| property.name.as_ref());
        let near = crate::text::nearest(name, names);
        let whole = name.split('.').next().filter(|first| objects.find(first, 0).is_some());
        let near = match (near, whole) {
            (Some(near), _) => format!("; did you mean `{near}`?"),
            (None, Some(whole)) => {
                format!("; a mark is on an argument with all that is in it: `{whole}`")
            }
            (None, None) => String::new(),
        };
        Some(format!("`{name}`{near}"))
    }

    /// What stands for an argument that is left out, as JSON, where the schema says it.
    pub(crate) fn default_of(&self, name: &str) -> Option<&str> {
        let objects = self.root.objects.as_ref()?;
        objects.properties[objects.find(name, 0)?].node.default.as_deref()
    }

    /// Whether a text is a value that fits, and that its decoder reads in good time.
    #[inline]
    fn takes(&self, node: &Node, required: bool, text: &str, depth: usize) -> bool {
        quick::plainly_fits(node, &self.definitions, text, depth)
            || if self.backtracks {
                self.is_easy(node, required, text, depth)
            } else {
                check::fits(node, required, &self.definitions, text, depth)
            }
    }

    /// The same, where the decoder may take for ever.
    #[cold]
    fn is_easy(&self, node: &Node, required: bool, text: &str, depth: usize) -> bool {
        (!required && text == "null")
            || check::work(node, &self.definitions, text, depth)
                .is_some_and(|work| work <= u64::from(check::fuel(text)))
    }

    /// The JSON text of the arguments' schema: an object, its keywords and its properties in an
    /// order that is always the same.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The arguments' schema.
    pub(crate) fn value(&self) -> &Value {
        // The text is our own, and JSON.
        self.value.get_or_init(|| serde_json::from_str(&self.text).unwrap_or_default())
    }

    /// The schema of the result, where its type has one that can be told.
    pub(crate) fn output(&self) -> Option<&Value> {
        self.output
            .get_or_init(|| {
                let mut generator = settings().for_serialize().into_generator();
                let schema = (self.output_of)(&mut generator)?;
                if schema.get("type").is_some_and(|of| of == "null") {
                    // Nothing comes back, so there is nothing to tell of it.
                    return None;
                }
                let text = build::output(schema, &mut generator).ok()?;
                serde_json::from_str(&text).ok()
            })
            .as_ref()
    }
}

/// Marks the secret arguments in a schema, and in all that look at the same object with it.
fn withhold(node: &mut Node, secret: &[&str], refers: &mut Vec<usize>) {
    for property in node.properties_mut() {
        property.secret |= secret.contains(&property.name.as_ref());
    }
    refers.extend(node.refers.as_ref().map(|to| to.at));
    let joined = node.unions.iter_mut().flat_map(|union| &mut union.branches);
    joined.for_each(|branch| withhold(branch, secret, refers));
}

fn settings() -> SchemaSettings {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings
}

/// Whether a pattern is a regular expression that can be held to.
///
/// # Errors
/// What is wrong with it; the author mends it.
pub(crate) fn check_pattern(pattern: &str) -> Result<(), String> {
    pattern::Pattern::read(pattern).map(drop)
}

/// The contract is made when it is first asked for; a tool without one takes nothing that needs it.
impl<'c, F, E> Check for F
where
    F: Fn() -> Result<&'c Contract, E>,
{
    fn argument(&self, index: usize, text: &str) -> bool {
        let Ok(contract) = self() else { return false };
        let properties = contract.root.objects.as_ref().map(|objects| &objects.properties);
        properties.and_then(|properties| properties.get(index)).is_some_and(|property| {
            // The arguments' own object is one level.
            contract.takes(&property.node, property.required, text, 1)
        })
    }

    fn whole(&self, text: &str) -> bool {
        self().is_ok_and(|contract| contract.takes(&contract.root, true, text, 0))
    }

    fn comes_first(&self) -> bool {
        self().is_ok_and(|contract| contract.backtracks)
    }

    #[cfg(feature = "jsonschema")]
    fn given(&self, text: &str) -> Option<Value> {
        self().ok()?.read_given(text)
    }
}
