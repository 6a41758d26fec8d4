//! Results of several parts: texts, images, files.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Failure, Output};
use crate::redact::Redactor;

/// A result with images and files beside its text.
///
/// A model reads the texts, and a line in the place of each image and file, such as
/// `[image image/png, 1234 bytes; not shown here]`. The bytes are in
/// [`ToolReply::parts`](crate::ToolReply::parts) alone: neither in the text nor in the value, which is
///
/// ```json
/// [{"type": "text", "text": "…"}, {"type": "image", "mime": "image/png", "bytes": 1234},
///  {"type": "file", "name": "plan.pdf", "mime": "application/pdf", "bytes": 99}]
/// ```
///
/// Its parts have at most [`Content::MAX_BYTES`] together; more is a defect of the tool.
///
/// ```
/// use toolkit::Content;
/// use toolkit::prelude::*;
///
/// /// Draw the floor plan of a building.
/// #[tool(name = "plan.draw")]
/// async fn draw() -> Result<Content, ToolError> {
///     Ok(Content::new().text("The third floor.").image("image/png", [0x89, b'P', b'N', b'G']))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let toolkit = Toolkit::builder().only([id(draw)]).build().unwrap();
/// let reply = toolkit.call(&CallContext::model(), ToolCall::new("plan.draw", "")).await;
/// assert_eq!(reply.text(), "The third floor.\n[image image/png, 4 bytes; not shown here]");
/// assert_eq!(reply.parts()[0].bytes(), [0x89, b'P', b'N', b'G']);
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Content {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Part(Part),
}

/// An image or a file of a result.
#[derive(Clone, PartialEq, Eq)]
pub struct Part {
    /// Of a file; an image has none.
    name: Option<String>,
    mime: String,
    bytes: Arc<[u8]>,
}

impl Content {
    /// How many bytes images and files may have together: 20 MiB.
    pub const MAX_BYTES: usize = 20 << 20;

    /// A result without any part.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text; a model reads it on a line of its own.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    /// Adds an image, of a type such as `image/png`.
    pub fn image(self, mime: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.part(Part { name: None, mime: mime.into(), bytes: bytes.into() })
    }

    /// Adds a file, of a type such as `application/pdf`.
    pub fn file(
        self,
        name: impl Into<String>,
        mime: impl Into<String>,
        bytes: impl Into<Arc<[u8]>>,
    ) -> Self {
        self.part(Part { name: Some(name.into()), mime: mime.into(), bytes: bytes.into() })
    }

    fn part(mut self, part: Part) -> Self {
        self.pieces.push(Piece::Part(part));
        self
    }

    pub(crate) fn output(&self) -> Result<Output, Failure> {
        let (mut lines, mut values, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => {
                    lines.push(text.clone());
                    values.push(json!({"type": "text", "text": text}));
                }
                Piece::Part(part) => {
                    lines.push(part.line());
                    values.push(part.value());
                    parts.push(part.clone());
                }
            }
        }
        let bytes: usize = parts.iter().map(|part| part.bytes.len()).sum();
        if bytes > Self::MAX_BYTES {
            let most = Self::MAX_BYTES;
            let what = format!("its parts have {bytes} bytes, more than the {most} of a result");
            return Err(Failure::BadOutput(what));
        }
        let value = Output::of(&Value::Array(values));
        let value = value.map_err(|error| Failure::BadOutput(error.to_string()))?;
        Ok(value.with_text(lines.join("\n")).with_parts(parts))
    }
}

impl Part {
    /// The file's name; `None` for an image.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether it is an image.
    pub fn is_image(&self) -> bool {
        self.name.is_none()
    }

    /// The type, such as `image/png`.
    pub fn mime(&self) -> &str {
        &self.mime
    }

    /// What it holds.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn line(&self) -> String {
        let (mime, bytes) = (&self.mime, self.bytes.len());
        match &self.name {
            Some(name) => format!("[file {name}, {mime}, {bytes} bytes; not shown here]"),
            None => format!("[image {mime}, {bytes} bytes; not shown here]"),
        }
    }

    fn value(&self) -> Value {
        let mut value = Map::new();
        let mut put = |key: &str, member: Value| drop(value.insert(key.to_owned(), member));
        put("type", if self.is_image() { "image" } else { "file" }.into());
        if let Some(name) = &self.name {
            put("name", name.as_str().into());
        }
        put("mime", self.mime.as_str().into());
        put("bytes", self.bytes.len().into());
        Value::Object(value)
    }

    /// The same without these secrets.
    pub(super) fn redacted(self, redactor: &Redactor) -> Self {
        let clean = |text: &str| redactor.text(text).into_owned();
        let bytes = match redactor.bytes(&self.bytes) {
            Some(clean) => clean.into(),
            None => self.bytes,
        };
        Self { name: self.name.as_deref().map(clean), mime: clean(&self.mime), bytes }
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}
