//! A declared parameter with its type: how its argument is read, whether it may be left out, and
//! what its schema is. Knows nothing of tools as a whole.

mod absent;
mod args;
mod bound;
mod cursor;
mod fast;
mod kind;
mod lend;
mod slot;
#[cfg(test)]
mod tests;

use std::any::TypeId;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use absent::absent;
pub use args::{Args, Unfit};
pub(crate) use args::{Check, MAX_LEN, whole};
pub use bound::{Bound, HasLength, Range, Textual};
pub(crate) use bound::{Ends, RangeOf, Read};
pub(crate) use kind::{Form, Kind, Scalar, kind};
pub use lend::{Lend, lend};
pub use slot::{AnySlot, Slot, Taken, slot};

use crate::spec::ParamSpec;

/// What a type must be to stand as a tool's parameter.
///
/// Implemented for every `T: DeserializeOwned + JsonSchema + Send + 'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool parameter",
    label = "a model's argument can't be read into this type",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for `{Self}`"
)]
pub trait ToolParameter: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolParameter for T {}

/// What a type must be for its parameter to have a default or an example.
///
/// Implemented for every `T: Serialize`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` in `#[arg]` can't be written into the schema",
    label = "a default or example is shown to the model as JSON",
    note = "derive `serde::Serialize` for `{Self}`"
)]
pub trait Shown: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> Shown for T {}

/// One declared parameter with its type. No bounds: only [`param`] has one, so that a wrong type
/// gives one error.
pub struct Param<T: 'static> {
    facts: Facts,
    read: slot::Read<T>,
    absent: fn() -> Option<T>,
    default: Option<fn() -> T>,
    example: Option<fn() -> T>,
    range: Option<&'static dyn RangeOf<T>>,
    length: Option<fn(&T) -> Option<u64>>,
    show: Option<Show<T>>,
}

/// Writes a default or an example as JSON text.
type Show<T> = fn(fn() -> T) -> JsonText;

/// A default or an example as JSON text.
type JsonText = Result<String, serde_json::Error>;

/// The part of a [`Param`] that doesn't mention its type.
#[derive(Clone, Copy)]
pub struct Facts {
    pub(crate) spec: ParamSpec,
    pub(crate) type_id: fn() -> TypeId,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the decoder itself takes an absent argument.
    pub(crate) absent: fn() -> bool,
    /// Reads the value at the start of the text for nothing but its error.
    pub(crate) probe: fn(&str) -> Result<(), serde_json::Error>,
}

impl<T: 'static> Clone for Param<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: 'static> Copy for Param<T> {}

impl<T: 'static> Param<T> {
    /// What the spec says of the parameter.
    pub const fn spec(self) -> ParamSpec {
        self.facts.spec
    }
}

/// A [`Param`] whatever its type.
pub trait Parameter: Sync {
    /// The part that doesn't mention the type.
    fn facts(&self) -> &Facts;
    /// The default, as JSON.
    fn default_text(&self) -> Option<Result<String, serde_json::Error>>;
    /// The example, as JSON.
    fn example_text(&self) -> Option<Result<String, serde_json::Error>>;
    /// The ends of the range.
    fn ends(&self) -> Option<Ends>;
}

impl<T: 'static> Parameter for Param<T> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn default_text(&self) -> Option<JsonText> {
        Some(self.show?(self.default?))
    }

    fn example_text(&self) -> Option<JsonText> {
        Some(self.show?(self.example?))
    }

    fn ends(&self) -> Option<Ends> {
        self.range.map(RangeOf::ends)
    }
}

impl dyn Parameter + '_ {
    /// Whether an argument may be left out.
    pub(crate) fn is_optional(&self) -> bool {
        self.default_text().is_some() || (self.facts().absent)()
    }
}

/// A parameter of this type, with its key in the arguments and what to fill in.
///
/// Keys are compared with the text as it stands, which is right only for keys without escapes. The
/// attribute takes no others, and a check here would be paid for each time a tool is compiled.
pub const fn param<T: ToolParameter>(name: &'static str, description: &'static str) -> Param<T> {
    Param {
        facts: Facts {
            spec: ParamSpec::new(name, description),
            type_id: TypeId::of::<T>,
            schema: SchemaGenerator::subschema_for::<T>,
            absent: || absent::<T>().is_some(),
            probe: slot::probe::<T>,
        },
        read: slot::read::<T>,
        absent: absent::<T>,
        default: None,
        example: None,
        range: None,
        length: None,
        show: None,
    }
}

fn show<T: Serialize>(value: fn() -> T) -> JsonText {
    let mut text = Vec::new();
    crate::json::write(&value(), &mut text)?;
    String::from_utf8(text).map_err(<serde_json::Error as serde::ser::Error>::custom)
}

/// Gives a value to an argument that is left out.
pub const fn with_default<T: Shown + 'static>(param: Param<T>, default: fn() -> T) -> Param<T> {
    Param { default: Some(default), show: Some(show::<T>), ..param }
}

/// Shows the model an example.
pub const fn with_example<T: Shown + 'static>(param: Param<T>, example: fn() -> T) -> Param<T> {
    Param { example: Some(example), show: Some(show::<T>), ..param }
}

/// Bounds a number.
pub const fn with_range<T: 'static, B: Bound<T>>(
    mut param: Param<T>,
    range: &'static Range<B>,
) -> Param<T> {
    param.facts.spec.range = Some(range);
    Param { range: Some(range), ..param }
}

/// Bounds the characters of a text or the elements of a sequence; both ends are inclusive.
pub const fn with_length<T: HasLength + 'static>(
    mut param: Param<T>,
    min: Option<u64>,
    max: Option<u64>,
) -> Param<T> {
    param.facts.spec.length = Some((min, max));
    param.length = Some(T::length);
    param
}

/// Asks a text to match a regular expression somewhere.
pub const fn with_pattern<T: Textual + 'static>(
    mut param: Param<T>,
    pattern: &'static str,
) -> Param<T> {
    param.facts.spec.pattern = Some(pattern);
    param
}

/// Takes the argument under these keys as well.
pub const fn with_alias<T: 'static>(
    mut param: Param<T>,
    aliases: &'static [&'static str],
) -> Param<T> {
    param.facts.spec.aliases = aliases;
    param
}

/// Keeps the argument out of every sink.
pub const fn with_secret<T: 'static>(mut param: Param<T>) -> Param<T> {
    param.facts.spec.secret = true;
    param
}

/// Marks the argument as a URL whose host the gate checks.
pub const fn with_url<T: Textual + 'static>(mut param: Param<T>) -> Param<T> {
    param.facts.spec.url = true;
    param
}
