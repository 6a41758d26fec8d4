//! A complete text, and how it is to be read.

use std::borrow::Cow;

use serde::de::Error as _;
use serde_json::Value;

use crate::redact::Redactor;

/// A complete text, and how it is to be read.
#[derive(Clone, Debug)]
pub(crate) enum Whole {
    /// Nothing: the value is `null`, the text is `done`.
    Unit,
    /// Compact JSON.
    Json(String),
    /// The bare content of a JSON string.
    Text(String),
}

impl Whole {
    /// What a serialiser wrote.
    ///
    /// # Errors
    /// A hand-written `Serialize` wrote something that isn't JSON.
    pub(crate) fn of_json(json: Vec<u8>, zero_sized: bool) -> Result<Self, serde_json::Error> {
        let mut text = String::from_utf8(json).map_err(serde_json::Error::custom)?;
        Ok(if zero_sized && text == "null" {
            Self::Unit
        } else if text.starts_with('"') {
            // Nothing is escaped in most.
            if text.contains('\\') || text.len() < 2 || !text.ends_with('"') {
                Self::Text(serde_json::from_str(&text)?)
            } else {
                text.pop();
                text.remove(0);
                Self::Text(text)
            }
        } else {
            Self::Json(text)
        })
    }

    /// The text.
    #[inline]
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Unit => Some("done"),
            Self::Json(text) | Self::Text(text) => Some(text),
        }
    }

    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Unit => "done".to_owned(),
            Self::Json(text) | Self::Text(text) => text,
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        matches!(self, Self::Json(_))
    }

    /// The value that the text says.
    pub(crate) fn value(&self) -> Option<Value> {
        Some(match self {
            Self::Unit => Value::Null,
            // If a hand-written `Serialize` made it odd, it is text.
            Self::Json(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
            }
            Self::Text(text) => Value::String(text.clone()),
        })
    }

    /// The same without these secrets.
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        let clean = match &self {
            Self::Unit => return self,
            Self::Json(text) => redactor.json(text),
            Self::Text(text) => redactor.text(text),
        };
        match (clean, &self) {
            (Cow::Borrowed(_), _) => self,
            (Cow::Owned(text), Self::Json(_)) => Self::Json(text),
            (Cow::Owned(text), _) => Self::Text(text),
        }
    }
}
