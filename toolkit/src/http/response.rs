//! An answer, whose body is read within bounds.

use std::fmt;
use std::ops::Deref;

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName};
use reqwest::{StatusCode, Url};
use serde::de::DeserializeOwned;

use super::{HttpError, HttpFailure, Within};
use crate::context::CallContext;

/// An answer. Its body is read by one of [`Response::text`], [`Response::json`], [`Response::bytes`],
/// [`Response::text_up_to`], [`Response::into_output`], or piece by piece by [`Response::chunk`]; dropped,
/// it closes the connection.
pub struct Response {
    answer: reqwest::Response,
    url: Url,
    limit: u64,
    read: u64,
    within: Within,
}

impl Response {
    pub(super) fn new(answer: reqwest::Response, url: Url, limit: u64, within: Within) -> Self {
        Self { answer, url, limit, read: 0, within }
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.answer.status()
    }

    /// Its headers.
    pub fn headers(&self) -> &HeaderMap {
        self.answer.headers()
    }

    /// The URL that it came from, behind all redirects.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Its media type without parameters, in lower case, e.g. `text/html`.
    pub fn media_type(&self) -> Option<String> {
        let value = self.text_of(&CONTENT_TYPE)?;
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        // No type has a longer name, and the tool may show it.
        (1..=255).contains(&essence.len()).then_some(essence)
    }

    fn text_of(&self, name: &HeaderName) -> Option<&str> {
        self.answer.headers().get(name)?.to_str().ok()
    }

    /// The answer, if its status is one of success (2xx).
    ///
    /// # Errors
    /// [`HttpError::Status`]: the model reads which, and mends what it asked for.
    pub fn success(self) -> Result<Self, HttpFailure> {
        let status = self.status();
        if status.is_success() { Ok(self) } else { Err(HttpError::Status(status).into()) }
    }

    /// The body as text: what isn't UTF-8 becomes `U+FFFD`.
    ///
    /// # Errors
    /// - [`HttpError::TooLong`]: it is longer than the request's limit.
    /// - [`HttpError::Encoded`]: the host has compressed it, unasked.
    /// - [`HttpError::Broken`], [`HttpError::Stopped`]: it isn't all there.
    ///
    /// # Cancellation
    /// Dropping the future closes the connection; so for all that read a body.
    pub async fn text(self) -> Result<String, HttpFailure> {
        self.plain()?;
        let bytes = self.bytes().await?;
        Ok(lossy(bytes))
    }

    /// The start of the body as text, at most so many bytes of it and no more than the limit, and
    /// whether there is more.
    ///
    /// # Errors
    /// As [`Response::text`], but for its length.
    pub async fn text_up_to(mut self, bytes: usize) -> Result<(String, bool), HttpFailure> {
        self.plain()?;
        let most = bytes.min(usize::try_from(self.limit).unwrap_or(usize::MAX));
        self.limit = u64::MAX;
        let mut held = Vec::new();
        let mut cut = false;
        while let Some(chunk) = self.next().await? {
            let room = most - held.len();
            cut = chunk.len() > room;
            held.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if cut {
                break;
            }
        }
        if cut {
            held.truncate(whole_characters(&held));
        }
        Ok((lossy(held), cut))
    }

    /// The body as a value.
    ///
    /// # Errors
    /// As [`Response::text`], and [`HttpError::Json`]: it isn't the JSON of this type; for the operator.
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, HttpFailure> {
        self.plain()?;
        let bytes = self.bytes().await?;
        Ok(serde_json::from_slice(&bytes).map_err(HttpError::Json)?)
    }

    /// The body as it is.
    ///
    /// # Errors
    /// As [`Response::text`], but for its encoding.
    pub async fn bytes(mut self) -> Result<Vec<u8>, HttpFailure> {
        if self.answer.content_length().is_some_and(|length| length > self.limit) {
            return Err(HttpError::TooLong(self.limit).into());
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = self.next().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// The next piece of the body as it is; `None` at its end.
    ///
    /// # Errors
    /// [`HttpError::TooLong`] at the first piece beyond the limit, [`HttpError::Broken`],
    /// [`HttpError::Stopped`].
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpFailure> {
        Ok(self.next().await?.map(|chunk| chunk.to_vec()))
    }

    /// Writes the body as text into the output of the tool whose body borrows this context, while it
    /// arrives; so the tool returns nothing else. Gives the length that was read, in bytes. A long one
    /// needs a [`limit`](super::Request::limit) of its own.
    ///
    /// ```
    /// use toolkit::http::Http;
    /// use toolkit::prelude::*;
    ///
    /// /// Fetch the log of a build, however long it is. Read on with `output.read`.
    /// #[tool(name = "build.log", risk = "network", hosts = ["ci.example.com"])]
    /// async fn log(
    ///     /// Number of the build, e.g. `4711`.
    ///     build: u64,
    ///     #[state] http: &Http,
    ///     #[context] cx: &CallContext,
    /// ) -> Result<(), ToolError> {
    ///     let request = http.get(cx, format!("https://ci.example.com/builds/{build}/log"));
    ///     let log = request.limit(64 << 20).send().await?.success()?;
    ///     log.into_output(cx).await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`Response::text`], and [`HttpError::Output`]: the output doesn't take it. What was written
    /// before stays written.
    pub async fn into_output(mut self, cx: &CallContext) -> Result<u64, HttpFailure> {
        self.plain()?;
        let mut output = cx.output().map_err(HttpError::Output)?;
        let mut begun = Vec::new();
        while let Some(chunk) = self.next().await? {
            begun.extend_from_slice(&chunk);
            let whole = whole_characters(&begun);
            let text = String::from_utf8_lossy(&begun[..whole]);
            output.append(text).await.map_err(HttpError::Output)?;
            begun.drain(..whole);
        }
        output.append(String::from_utf8_lossy(&begun)).await.map_err(HttpError::Output)?;
        Ok(self.read)
    }

    /// That the body is as the host has it.
    fn plain(&self) -> Result<(), HttpError> {
        let mut encodings = self.answer.headers().get_all(CONTENT_ENCODING).iter();
        let other =
            encodings.find(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"));
        match other {
            None => Ok(()),
            Some(encoding) => {
                let name = encoding.to_str().unwrap_or("?");
                Err(HttpError::Encoded(crate::text::excerpt(name, 40)))
            }
        }
    }

    async fn next(&mut self) -> Result<Option<impl Deref<Target = [u8]> + use<>>, HttpError> {
        let chunk = self.within.run(self.answer.chunk()).await?;
        let chunk = chunk.map_err(|error| HttpError::Broken(error.without_url().into()))?;
        if let Some(chunk) = &chunk {
            self.read = self.read.saturating_add(chunk.len() as u64);
            if self.read > self.limit {
                return Err(HttpError::TooLong(self.limit));
            }
        }
        Ok(chunk)
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// How much of it is whole characters; the start of one may be left for the next piece.
fn whole_characters(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    for start in (from..bytes.len()).rev() {
        let longer = match bytes[start] {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => 1,
        };
        return if start + longer > bytes.len() { start } else { bytes.len() };
    }
    bytes.len()
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL may hold keys.
        f.debug_struct("Response").field("status", &self.status()).finish_non_exhaustive()
    }
}
