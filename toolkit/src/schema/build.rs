//! Makes the contract of a tool from its parameters, or from the type of its arguments.

use std::borrow::Cow;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::bounds::End;
use super::node::{Node, Objects, Property, Rest, Strings, Types};
use super::parse::Parser;
use super::pattern::Pattern;
use super::tidy::{self, Definitions};
use super::{Contract, ContractError, Probe, check, compose, explain, settings, text};
use crate::json::echo;
use crate::order;
use crate::param::{Parameter, Read, kind};

impl Contract {
    /// The contract of declared parameters.
    ///
    /// # Errors
    /// A type's schema uses a keyword that calls can't be held to, a pattern is no regular expression,
    /// or a default or example doesn't fit its own parameter; the tool's author mends it.
    pub(crate) fn of_parameters(
        parameters: &[&dyn Parameter],
        output: fn(&mut SchemaGenerator) -> Option<Schema>,
    ) -> Result<Self, ContractError> {
        let mut parser = Parser::default();
        let mut generator = None;
        let mut objects = Objects {
            rest: Rest::Closed,
            properties: Vec::with_capacity(parameters.len()),
            required: Vec::with_capacity(parameters.len()),
            ..Objects::default()
        };
        for parameter in parameters {
            let name = parameter.facts().spec.name;
            let errors = parser.errors.len();
            let property = property(*parameter, &mut generator, &mut parser);
            parser.errors[errors..].iter_mut().for_each(|error| {
                *error = format!("parameter `{name}`: {error}");
            });
            if property.required {
                objects.required.push(name.to_owned());
            }
            objects.properties.push(property);
        }
        let mut definitions = Definitions::new();
        if let Some(generator) = &mut generator {
            definitions = take_definitions(generator, &mut parser);
        }
        if !parser.errors.is_empty() {
            return Err(ContractError(parser.errors.join("; ")));
        }
        let mut root = Node { objects: Some(Box::new(objects)), ..Node::of(Types::OBJECT) };
        if generator.is_some() {
            tidy(&mut root, &mut definitions);
        }
        // The parameters' own nulls: absence may have another default, which only the decoder knows.
        for (property, parameter) in root.properties_mut().iter_mut().zip(parameters) {
            constrain(*parameter, property).map_err(|error| {
                ContractError(format!("parameter `{}`: {error}", property.name))
            })?;
        }
        let mut contract = Self::finish(root, definitions, output, None)?;
        contract.own_values_fit()?;
        contract.write();
        Ok(contract)
    }

    /// The contract of a type that is the whole argument object.
    ///
    /// # Errors
    /// As for parameters; and the type isn't a plain object: not a struct or a map, or a struct that
    /// has an enum flattened into it. The tool's author mends it.
    pub(crate) fn of_type<T: JsonSchema + DeserializeOwned>() -> Result<Self, ContractError> {
        Self::of_schema::<T>(SchemaGenerator::subschema_for::<T>)
    }

    /// The same, by a schema that is written in one piece. For the library's own types: it compiles
    /// nothing of schemars.
    pub(crate) fn of_schema<T: DeserializeOwned>(
        schema: fn(&mut SchemaGenerator) -> Schema,
    ) -> Result<Self, ContractError> {
        Self::of_arguments(schema, std::any::type_name::<T>(), size_of::<T>(), probe::<T>)
    }

    fn of_arguments(
        schema: fn(&mut SchemaGenerator) -> Schema,
        type_name: &str,
        size: usize,
        probe: Probe,
    ) -> Result<Self, ContractError> {
        let mut parser = Parser::default();
        let mut generator = settings().into_generator();
        let mut root = parser.node(schema(&mut generator).to_value());
        let mut definitions = take_definitions(&mut generator, &mut parser);
        if !parser.errors.is_empty() {
            return Err(ContractError(parser.errors.join("; ")));
        }
        put_in_place(&mut root, &definitions);
        if root.types == Types::NULL {
            // `()`: no arguments.
            let objects = Objects { rest: Rest::Closed, ..Objects::default() };
            root = Node { objects: Some(Box::new(objects)), ..Node::of(Types::OBJECT) };
        }
        tidy(&mut root, &mut definitions);
        tidy::strip_optional_nulls(&mut root);
        if root.types != Types::OBJECT || root.is_composed() || root.values.is_some() {
            return Err(ContractError(format!(
                "the arguments `{type_name}` are not a plain object: put them into a field of a struct",
            )));
        }
        root.description = None;
        let objects = root.objects.get_or_insert_default();
        // schemars says of a struct without fields only that it is an object; but a type without size
        // can hold no key, so that each would be lost in silence.
        let holds_nothing = objects.rest == Rest::Unsaid && size == 0;
        if objects.rest == Rest::Implied || holds_nothing {
            objects.rest = Rest::Closed;
        }
        let mut contract = Self::finish(root, definitions, |_| None, Some(probe))?;
        contract.write();
        Ok(contract)
    }

    pub(super) fn finish(
        mut root: Node,
        mut definitions: Definitions,
        output_of: fn(&mut SchemaGenerator) -> Option<Schema>,
        probe: Option<Probe>,
    ) -> Result<Self, ContractError> {
        tidy::close_objects(&mut root, &mut definitions);
        let definitions = tidy::settle_references(&mut root, definitions).map_err(ContractError)?;
        let backtracks = compose::backtracks(&definitions);
        Ok(Self {
            root,
            definitions,
            text: String::new(),
            value: OnceLock::new(),
            output_of,
            output: OnceLock::new(),
            probe,
            backtracks,
            #[cfg(feature = "jsonschema")]
            given: None,
        })
    }

    pub(super) fn write(&mut self) {
        self.text = self.given_text().unwrap_or_else(|| {
            match super::bare::bared(&self.root, &self.definitions) {
                Some((root, definitions)) => text::render(&root, &definitions),
                None => text::render(&self.root, &self.definitions),
            }
        });
        self.text.shrink_to_fit();
        self.value = OnceLock::new();
    }

    /// A default that its own schema refuses would make the model repeat what can't work.
    fn own_values_fit(&self) -> Result<(), ContractError> {
        for Property { name, node, required, secret, .. } in self.root.properties() {
            let shown = |text: &str| if *secret { "a secret".to_owned() } else { echo(text) };
            for (what, text) in node
                .default
                .iter()
                .map(|t| ("default", t))
                .chain(node.examples.iter().map(|t| ("example", t)))
            {
                if !check::fits(node, *required, &self.definitions, text, 1) {
                    return Err(ContractError(format!(
                        "parameter `{name}`: its {what} {} doesn't fit it: expected {}",
                        shown(text),
                        explain::expected(node, &self.definitions, None),
                    )));
                }
            }
        }
        Ok(())
    }
}

fn probe<T: DeserializeOwned>(text: &str) -> Result<(), serde_json::Error> {
    crate::param::whole::<T>(text).map(drop)
}

/// One parameter as a property, before the definitions are known.
fn property(
    parameter: &dyn Parameter,
    generator: &mut Option<SchemaGenerator>,
    parser: &mut Parser,
) -> Property {
    let facts = parameter.facts();
    let mut node = match kind((facts.type_id)()) {
        Some(kind) => super::plain::plain(kind),
        None => {
            let generator = generator.get_or_insert_with(|| settings().into_generator());
            parser.node((facts.schema)(generator).to_value())
        }
    };
    node.description = Some(Cow::Borrowed(facts.spec.description));
    Property {
        aliases: facts.spec.aliases,
        secret: facts.spec.secret,
        required: !parameter.is_optional(),
        ..Property::new(Cow::Borrowed(facts.spec.name), node)
    }
}

fn take_definitions(generator: &mut SchemaGenerator, parser: &mut Parser) -> Definitions {
    let mut definitions: Definitions = generator
        .take_definitions(true)
        .into_iter()
        .map(|(name, value)| {
            let errors = parser.errors.len();
            let node = parser.node(value);
            parser.errors[errors..]
                .iter_mut()
                .for_each(|error| *error = format!("type `{name}`: {error}"));
            (name, node)
        })
        .collect();
    order::sort_by(&mut definitions, |(a, _), (b, _)| a.cmp(b));
    definitions
}

fn tidy(root: &mut Node, definitions: &mut Definitions) {
    tidy::simplify(root);
    definitions.iter_mut().for_each(|(_, node)| tidy::simplify(node));
    tidy::inline_scalars(root, definitions);
    // The root's own properties come last, if they are parameters.
    root.each_below(&mut tidy::strip_optional_nulls);
    definitions.iter_mut().for_each(|(_, node)| tidy::strip_optional_nulls(node));
}

/// Adds what `#[arg]` says.
fn constrain(parameter: &dyn Parameter, property: &mut Property) -> Result<(), String> {
    let spec = parameter.facts().spec;
    let node = &mut property.node;
    let show = |text: Option<Result<String, serde_json::Error>>, what: &str| {
        text.transpose().map_err(|error| format!("its {what} can't be written: {error}"))
    };
    node.default = show(parameter.default_text(), "default")?.filter(|text| text != "null");
    if let Some(example) = show(parameter.example_text(), "example")? {
        node.examples = vec![example];
    }
    if !property.required && node.default.is_none() {
        tidy::strip_null(node);
    }
    if let Some(ends) = parameter.ends() {
        let numbers = node.numbers.get_or_insert_default();
        let whole = ends.read == Read::Whole;
        numbers.read = ends.read;
        ends.min
            .map(|min| end(min, false, whole))
            .transpose()?
            .into_iter()
            .for_each(|e| numbers.raise(e));
        let max = ends.max.map(|max| last(max, ends.inclusive, whole)).transpose()?;
        max.into_iter().for_each(|e| numbers.lower(e));
    }
    if let Some((min, max)) = spec.length {
        let (held_min, held_max) = if node.types.has(Types::ARRAY) {
            let arrays = node.arrays.get_or_insert_default();
            (&mut arrays.min, &mut arrays.max)
        } else {
            let strings = node.strings.get_or_insert_default();
            (&mut strings.min, &mut strings.max)
        };
        *held_min = (*held_min).max(min);
        *held_max = [*held_max, max].into_iter().flatten().min();
    }
    if let Some(source) = spec.pattern {
        let pattern = Pattern::new(source)?;
        let strings = node.strings.get_or_insert_default();
        if strings.pattern.is_none() {
            strings.pattern = Some(pattern);
        } else {
            let strings = Box::new(Strings { pattern: Some(pattern), ..Strings::default() });
            node.join(Node { strings: Some(strings), ..Node::default() });
        }
    }
    Ok(())
}

fn end(text: String, exclusive: bool, whole: bool) -> Result<End, String> {
    if whole || text.parse::<f64>().is_ok_and(f64::is_finite) {
        Ok(End::new(text, exclusive, true))
    } else {
        Err(format!("its range can't end at {text}"))
    }
}

/// The upper end of a range; of whole numbers always the last that belongs to it.
fn last(text: String, inclusive: bool, whole: bool) -> Result<End, String> {
    if inclusive || !whole {
        return end(text, !inclusive, whole);
    }
    let before = match text.parse::<i128>() {
        Ok(beyond) => beyond.saturating_sub(1).to_string(),
        // Beyond an i128 only a u128 goes.
        Err(_) => text.parse::<u128>().map_or(text, |beyond| (beyond - 1).to_string()),
    };
    end(before, false, true)
}

/// A root stands in place, an object with its properties; only what is below refers.
fn put_in_place(root: &mut Node, definitions: &[(String, Node)]) {
    // As often as there are definitions: a type that is nothing but itself refers in a circle.
    for _ in 0..definitions.len() {
        let place = root.refers.as_ref().and_then(|to| tidy::place(definitions, &to.name));
        let Some(place) = place else { return };
        *root = definitions[place].1.clone();
    }
}

/// The schema of a result as JSON text.
pub(super) fn output(
    schema: Schema,
    generator: &mut SchemaGenerator,
) -> Result<String, ContractError> {
    let mut parser = Parser::default();
    let mut root = parser.node(schema.to_value());
    let mut definitions = take_definitions(generator, &mut parser);
    if !parser.errors.is_empty() {
        return Err(ContractError(parser.errors.join("; ")));
    }
    put_in_place(&mut root, &definitions);
    tidy::simplify(&mut root);
    definitions.iter_mut().for_each(|(_, node)| tidy::simplify(node));
    tidy::inline_scalars(&mut root, &mut definitions);
    let definitions = tidy::settle_references(&mut root, definitions).map_err(ContractError)?;
    Ok(text::render(&root, &definitions))
}
