//! Contracts from a JSON Schema that somebody else wrote: put into one form, held by the crate
//! `jsonschema`, and before it by our own checker as far as that knows its keywords, so that one mistake
//! has one text whoever wrote the schema.

mod amiss;
mod draft;
mod formats;
mod identity;
mod names;
mod normal;
mod place;
mod root;
mod sound;
#[cfg(test)]
mod tests;
mod value;
mod weigh;
mod withheld;
mod write;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::node::{Node, Objects, Rest, Types};
use super::parse::Parser;
use super::tidy::{self, Definitions};
use super::{Contract, ContractError, check};
use crate::json::Scanner;
use crate::problem::Problem;

/// The longest regular expression, compiled, in bytes, and all of them together.
const MAX_PATTERN: usize = 1 << 20;
const MAX_PATTERNS: usize = 64 << 20;

/// What holds calls to a schema of somebody else's.
pub(super) struct Given {
    /// The schema as it is held: of the draft 2020-12, each reference to one of its `$defs`.
    doc: Value,
    validator: Validator,
    /// Whether our own checker knows less than all of it.
    partly: bool,
    /// Whether several schemas may look at one value, so that a check may take long.
    composed: bool,
}

impl Contract {
    /// The contract of a schema.
    ///
    /// # Errors
    /// All that is wrong with the schema, each with its place in it; whoever wrote it mends it.
    pub(crate) fn of_given(schema: &Value) -> Result<Self, ContractError> {
        let doc =
            normal::normal(schema).and_then(root::of_arguments).map_err(|faults| wrong(&faults))?;
        let composed = weigh::weigh(&doc).map_err(|faults| wrong(&faults))?;
        let validator = compile(&doc).map_err(|faults| wrong(&faults))?;
        let sound::Sound { doc: sound, partly } = sound::sound(&doc);
        let (mut root, mut definitions) = parse(sound)?;
        tidy::simplify(&mut root);
        if root.never {
            return Err(ContractError("at `#`: there are no arguments that fit".to_owned()));
        }
        definitions.iter_mut().for_each(|(_, node)| tidy::simplify(node));
        tidy::inline_scalars(&mut root, &mut definitions);
        root.types = Types::OBJECT;
        root.description = None;
        let is_composed = root.is_composed();
        close(root.objects.get_or_insert_default(), is_composed);
        let mut contract = Self::finish(root, definitions, |_| None, None)?;
        contract.given = Some(Box::new(Given { doc, validator, partly, composed }));
        contract.write();
        Ok(contract)
    }

    /// The arguments, if they fit. The text is one JSON object, read strictly.
    pub(super) fn read_given(&self, text: &str) -> Option<Value> {
        let given = self.given.as_ref()?;
        let mut scan = Scanner::new(text);
        scan.skip().and_then(|()| scan.end()).ok()?;
        if !self.takes(&self.root, true, text, 0) {
            return None;
        }
        let value = value::read(text).ok()?;
        let fits = given.is_easy(&value, text) && given.validator.is_valid(&value);
        fits.then_some(value)
    }
}

impl Given {
    /// What is wrong with arguments in which our own checker found nothing.
    pub(super) fn problems(&self, contract: &Contract, text: &str) -> Vec<Problem> {
        match value::read(text) {
            Ok(value) if !self.is_easy(&value, text) => vec![super::settle::too_intricate()],
            Ok(value) => amiss::problems(self, contract, &value),
            Err(lost) => value::problems(contract, text, &lost),
        }
    }

    /// The schema as a model is shown it, where our own form can't say all of it.
    pub(super) fn text(&self, secret: &dyn Fn() -> Vec<String>) -> Option<String> {
        self.partly.then(|| write::write(&withheld::withheld(&self.doc, &secret())))
    }

    /// Whether the check ends in good time: alternatives within each other multiply.
    fn is_easy(&self, value: &Value, text: &str) -> bool {
        !self.composed || weigh::is_easy(&self.doc, value, check::fuel(text))
    }
}

fn wrong(faults: &[String]) -> ContractError {
    ContractError(faults.join("; "))
}

fn parse(sound: Value) -> Result<(Node, Definitions), ContractError> {
    let mut parser = Parser::default();
    let mut sound = sound;
    let defs = sound.as_object_mut().and_then(|root| root.remove("$defs"));
    let root = parser.node(sound);
    let mut definitions = Definitions::new();
    if let Some(Value::Object(defs)) = defs {
        definitions.extend(defs.into_iter().map(|(name, value)| (name, parser.node(value))));
    }
    crate::order::sort_by(&mut definitions, |(a, _), (b, _)| a.cmp(b));
    if parser.errors.is_empty() {
        Ok((root, definitions))
    } else {
        Err(ContractError(parser.errors.join("; ")))
    }
}

/// Only what the schema speaks of is an argument, unless it says that others are.
fn close(root: &mut Objects, composed: bool) {
    if root.unevaluated.is_none() && matches!(root.rest, Rest::Unsaid | Rest::Implied) {
        // Of several that look at the object, each would refuse the keys of the others.
        root.rest = if composed { Rest::Implied } else { Rest::Closed };
    }
}

/// Every pattern is read by an engine that never steps back, and nothing is fetched.
fn compile(doc: &Value) -> Result<Validator, Vec<String>> {
    let most = MAX_PATTERN.min(MAX_PATTERNS / place::count_patterns(doc).max(1));
    let patterns = PatternOptions::regex().size_limit(most);
    let options = jsonschema::options()
        .offline()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(patterns);
    let bad = place::patterns(doc, &|source| {
        let alone = serde_json::json!({ "pattern": source });
        options.build(&alone).map(drop).map_err(|_| match super::check_pattern(source) {
            Err(why) => why,
            Ok(()) => format!(
                "it is no regular expression without look-around and back-references, or one of more \
                 than {} KiB, which is the limit for each of so many",
                most >> 10
            ),
        })
    });
    if !bad.is_empty() {
        return Err(bad);
    }
    let meta = jsonschema::draft202012::meta::validator();
    let faults: Vec<_> = meta
        .iter_errors(doc)
        .take(20)
        .map(|error| {
            let place = place::shown(error.instance_path().as_str());
            format!("at `{place}`: {}", crate::json::line(&error.to_string()))
        })
        .collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    options.build(doc).map_err(|error| {
        let place = place::shown(error.schema_path().as_str());
        vec![format!("at `{place}`: {}", crate::json::line(&error.to_string()))]
    })
}
