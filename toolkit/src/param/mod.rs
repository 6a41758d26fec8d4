//! A declared parameter with its type: how its argument is read, whether it may be left out, and
//! what its schema is. Knows nothing of tools as a whole.

mod lend;
mod read;

use std::any::{Any, TypeId};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use lend::{Lend, lend};
pub use read::{Args, AnySlot, Slot};

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
