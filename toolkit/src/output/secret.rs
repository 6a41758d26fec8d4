//! A value in a result that nobody but the body sees.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, Serializer};

use crate::redact::REDACTED;

/// A field of a result that is secret: it is written as `"[redacted]"`, for the model, for
/// [`ToolReply::value`](crate::ToolReply::value) and for every sink, whatever it holds.
///
/// Only the value's owner sees it, by [`Secret::expose`]: the body, and a renderer
/// (`#[tool(render = …)]`), whose text is the author's word. It can't be a parameter, since it can't be
/// read back; an argument is marked with `#[arg(secret)]`. A field whose type can't be changed is
/// written the same way with `#[serde(serialize_with = "toolkit::Secret::redact")]`.
///
/// In the schema of the result it is the string `"[redacted]"`.
///
/// ```
/// use toolkit::{Output, Secret};
///
/// #[derive(serde::Serialize)]
/// struct Account {
///     name: String,
///     token: Secret<String>,
///     #[serde(serialize_with = "toolkit::Secret::redact")]
///     pin: u16,
/// }
///
/// let (name, token) = ("ada".to_owned(), Secret::new("hunter2".to_owned()));
/// let account = Account { name, token, pin: 1234 };
/// assert_eq!(account.token.expose(), "hunter2");
/// let output = Output::of(&account)?;
/// let written = r#"{"name":"ada","token":"[redacted]","pin":"[redacted]"}"#;
/// assert_eq!(output.text(), Some(written));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Secret<T = ()>(T);

impl<T> Secret<T> {
    /// Keeps the value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// The value itself, by value.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl Secret {
    /// Writes any value as a secret, for serde's `serialize_with`.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn redact<T: ?Sized, S: Serializer>(_value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<T> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

impl<T> JsonSchema for Secret<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Secret")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "const": REDACTED})
    }
}
