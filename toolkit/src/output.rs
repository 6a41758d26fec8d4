//! What a body gives back: the canonical value as JSON text, and the text that a model reads.

use std::borrow::Cow;

use serde_json::Value;

use crate::redact::Redactor;

/// What a body came to, before the reply is made.
#[derive(Debug)]
pub struct Outcome(pub(crate) Result<Output, Failure>);

/// The result of a body that succeeded.
///
/// The JSON text is the only stored form: a [`Value`] costs only the one who asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    text: String,
    form: Form,
}

/// How the text of an [`Output`] is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Compact JSON.
    Json,
    /// The bare content of a JSON string.
    Text,
    /// Nothing: the value is `null`, the text is `done`.
    Unit,
}

impl Output {
    pub(crate) fn new(text: String, form: Form) -> Self {
        Self { text, form }
    }

    /// What a model reads, before truncation: a string bare, nothing as `done`, else compact JSON.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same output without these secrets.
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        let clean = match self.form {
            Form::Json => redactor.json(&self.text),
            Form::Text => redactor.text(&self.text),
            Form::Unit => Cow::Borrowed(self.text.as_str()),
        };
        match clean {
            Cow::Borrowed(_) => self,
            Cow::Owned(text) => Self { text, form: self.form },
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// The canonical value.
    pub fn value(&self) -> Value {
        match self.form {
            // The text came from a serialiser; if a hand-written `Serialize` made it odd, it is text.
            Form::Json => serde_json::from_str(&self.text)
                .unwrap_or_else(|_| Value::String(self.text.clone())),
            Form::Text => Value::String(self.text.clone()),
            Form::Unit => Value::Null,
        }
    }
}

/// Why a body did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error that the author wrote for the model.
    Expected(String),
    /// Any other error: its whole chain, for the operator.
    Internal(String),
    /// A result that can't be JSON, such as NaN.
    BadOutput(String),
}
