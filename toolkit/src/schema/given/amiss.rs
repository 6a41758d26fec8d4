//! Puts what the crate `jsonschema` finds amiss into the words of our own checker.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::super::parse::Parser;
use super::super::{Contract, explain, settle, tidy};
use super::{Given, sound};
use crate::json::{Step, echo, kind_of};
use crate::problem::Problem;

/// More problems than anybody reads aren't told.
const MAX_PROBLEMS: usize = 50;

/// How deep alternatives within alternatives are explained.
const MAX_EXPLAINED: usize = 4;

/// What is said of a schema that says nothing.
const ANYTHING: &str = "a value of another kind";

/// A place in the arguments, as a model reads it; what stands in a secret is withheld.
pub(super) struct Spot<'c> {
    contract: &'c Contract,
    text: String,
    is_secret: bool,
}

impl<'c> Spot<'c> {
    /// The arguments themselves.
    pub(super) fn of(contract: &'c Contract) -> Self {
        Self { contract, text: String::new(), is_secret: false }
    }

    pub(super) fn push(&mut self, step: Step<'_>) {
        match step {
            Step::Key(_) if self.is_secret => self.text.push_str("[…]"),
            step => {
                let first = self.text.is_empty();
                self.is_secret |=
                    matches!(&step, Step::Key(k) if first && settle::is_secret(self.contract, k));
                step.push_to(&mut self.text);
            }
        }
    }

    pub(super) fn echo(&self, json: &str) -> String {
        if self.is_secret { kind_of(json).to_owned() } else { echo(json) }
    }

    pub(super) fn text(self) -> String {
        self.text
    }
}

/// What is wrong with arguments that don't fit; at least one problem.
pub(super) fn problems(given: &Given, contract: &Contract, value: &Value) -> Vec<Problem> {
    let mut amiss = Amiss { given, contract, value, problems: Vec::new() };
    for error in given.validator.iter_errors(value).take(MAX_PROBLEMS) {
        amiss.explain(&error, 0);
    }
    amiss.problems
}

struct Amiss<'a> {
    given: &'a Given,
    contract: &'a Contract,
    value: &'a Value,
    problems: Vec<Problem>,
}

impl<'a> Amiss<'a> {
    fn note(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn explain(&mut self, error: &ValidationError<'_>, depth: usize) {
        let spot = self.spot(error);
        match error.kind() {
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let problem = Problem::missing(self.member(error, name));
                self.note(problem);
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    let near = self.near(error, name);
                    let problem = Problem::unknown(self.member(error, name), near);
                    self.note(problem);
                }
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                match meant(error, context).filter(|_| depth < MAX_EXPLAINED) {
                    Some(branch) => {
                        branch.iter().for_each(|error| self.explain(error, depth + 1));
                    }
                    None => self.unfit(spot, error, ANYTHING, ""),
                }
            }
            Kind::OneOfMultipleValid { .. } => {
                let got = self.got(&spot, error);
                let expected = "a value that fits one alternative only".to_owned();
                self.note(Problem::unfit(spot.text(), expected, got));
            }
            Kind::MultipleOf { multiple_of } => {
                let more = format!(" that is a multiple of {multiple_of}");
                self.unfit(spot, error, "number", &more);
            }
            Kind::Contains => {
                let wanted = self.words(error, Some("contains"), None);
                let often = self.often(error);
                self.unfit(spot, error, "array", &format!(" that contains {wanted}{often}"));
            }
            Kind::PropertyNames { error: inner } => {
                let wanted = self.words(error, Some("propertyNames"), None);
                let key = &inner.instance().to_string();
                let got = if spot.is_secret { "another".to_owned() } else { echo(key) };
                let text = spot.text();
                self.note(Problem::unfit(text, format!("keys that are {wanted}"), got));
            }
            Kind::FalseSchema => {
                let got = self.got(&spot, error);
                self.note(Problem::unfit(spot.text(), "nothing here".to_owned(), got));
            }
            Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => {
                self.unfit(spot, error, "array", " without further items");
            }
            Kind::Format { format } => {
                let like = super::formats::example(format).map(|like| format!(", e.g. `{like}`"));
                self.unfit(spot, error, "string", &like.unwrap_or_default());
            }
            Kind::Pattern { pattern } => {
                // Of those that our own reader can't read, the words don't speak.
                let said = format!(" that matches `{pattern}`");
                let words = self.words(error, None, None);
                let more = if words.ends_with(&said) { "" } else { &said };
                self.unfit(spot, error, "string", more);
            }
            _ => self.unfit(spot, error, ANYTHING, ""),
        }
    }

    /// `what` stands where the schema says nothing that our own checker knows.
    fn unfit(&mut self, spot: Spot<'_>, error: &ValidationError<'_>, what: &str, more: &str) {
        let got = self.got(&spot, error);
        let mut expected = self.words(error, None, Some(&got));
        if expected == ANYTHING {
            what.clone_into(&mut expected);
        }
        expected.push_str(more);
        self.note(Problem::unfit(spot.text(), expected, got));
    }

    fn got(&self, spot: &Spot<'_>, error: &ValidationError<'_>) -> String {
        spot.echo(&error.instance().to_string())
    }

    fn spot(&self, error: &ValidationError<'_>) -> Spot<'a> {
        let mut spot = Spot::of(self.contract);
        let mut here = Some(self.value);
        for name in error.instance_path().as_str().split('/').skip(1) {
            let name = name.replace("~1", "/").replace("~0", "~");
            let inside =
                here.and_then(|here| here.pointer(&format!("/{}", super::place::escaped(&name))));
            spot.push(match (here, name.parse()) {
                (Some(Value::Array(_)), Ok(at)) => Step::Index(at),
                _ => Step::Key(name.into()),
            });
            here = inside;
        }
        spot
    }

    fn member(&self, error: &ValidationError<'_>, name: &str) -> String {
        let mut spot = self.spot(error);
        spot.push(Step::Key(name.into()));
        spot.text()
    }

    /// The schema whose keyword refused.
    fn schema(&self, error: &ValidationError<'_>) -> &Value {
        let path = error.schema_path().as_str();
        let mut path = path;
        while let Some((outer, _)) = path.rsplit_once('/') {
            // A keyword's value may be refused at a place within it.
            match self.given.doc.pointer(outer) {
                Some(schema) if schema.is_object() && !is_list(outer) => return schema,
                _ => path = outer,
            }
        }
        &self.given.doc
    }

    fn words(&self, error: &ValidationError<'_>, of: Option<&str>, got: Option<&str>) -> String {
        let schema = self.schema(error);
        let schema = of.and_then(|keyword| schema.get(keyword)).unwrap_or(schema);
        let mut node = Parser::default().node(sound::part(&self.given.doc, schema));
        tidy::refer(&mut node, &self.contract.definitions);
        tidy::simplify(&mut node);
        explain::expected(&node, &self.contract.definitions, got)
    }

    /// How often a list must contain what it must contain, if that isn't just once.
    fn often(&self, error: &ValidationError<'_>) -> String {
        let schema = self.schema(error);
        let count = |key: &str| schema.get(key).and_then(Value::as_u64);
        match (count("minContains").unwrap_or(1), count("maxContains")) {
            (1, None) => String::new(),
            (least, None) => format!(" at least {least} times"),
            (least, Some(most)) if least == most => format!(" {least} times"),
            (least, Some(most)) => format!(" {least} to {most} times"),
        }
    }

    fn near(&self, error: &ValidationError<'_>, name: &str) -> Option<String> {
        let properties = self.schema(error).get("properties").and_then(Value::as_object);
        let names = properties.into_iter().flat_map(|named| named.keys()).map(String::as_str);
        explain::nearest(name, names)
    }
}

/// Whether a place holds schemas by name, and is none.
fn is_list(place: &str) -> bool {
    let (outer, last) = place.rsplit_once('/').unwrap_or(("", place));
    super::place::BY_NAME.contains(&last) && !outer.ends_with("/properties")
}

/// What is wrong with the alternative that was meant, if it can be told which: the only one of the
/// value's own kind, or the only one whose tag it has.
fn meant<'e>(
    error: &ValidationError<'_>,
    branches: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e [ValidationError<'static>]> {
    let here = error.instance_path().as_str();
    let of_kind = |branch: &&Vec<ValidationError<'static>>| {
        branch.iter().all(|error| match error.kind() {
            Kind::Type { .. } | Kind::FalseSchema | Kind::Constant { .. } | Kind::Enum { .. } => {
                error.instance_path().as_str() != here
            }
            _ => true,
        })
    };
    let of_tag = |branch: &&Vec<ValidationError<'static>>| {
        branch.iter().all(|error| !matches!(error.kind(), Kind::Constant { .. }))
    };
    let mut near: Vec<_> = branches.iter().filter(of_kind).collect();
    if near.len() > 1 {
        near.retain(|branch| of_tag(branch));
    }
    match near.as_slice() {
        [branch] => Some(branch),
        _ => None,
    }
}
