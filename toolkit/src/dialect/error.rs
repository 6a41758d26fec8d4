//! Why a provider's response could not be read.

/// Why a provider's response is no answer of a model, told to the operator. Nothing of the
/// response has run, and nothing of it belongs into the history.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The text is no JSON: a proxy's page, a body that was cut, an event stream. The provider, or
    /// what stands before it, is at fault.
    #[error("the response is not JSON; it begins `{start}`")]
    NotJson {
        /// How the text begins.
        start: String,
        /// Where the parser gave up.
        #[source]
        source: serde_json::Error,
    },
    /// An object has one key twice, so that two readers may see two different calls.
    #[error("the response has the key `{key}` twice in one object")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// The provider answered with an error of its own, e.g. a rate limit or a refused schema.
    #[error("the provider answered with an error: {message}")]
    Provider {
        /// The provider's text.
        message: String,
        /// The provider's code or type, where it gave one, e.g. `rate_limit_exceeded`.
        code: Option<String>,
    },
    /// There is no choice to read.
    #[error("the response holds no choice")]
    NoChoice,
    /// A part of the response has a shape that no known server gives it.
    #[error("in the response, `{path}` is {got}, not {expected}")]
    Shape {
        /// The place, e.g. `choices[0].message.tool_calls[1].function`.
        path: String,
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        got: &'static str,
    },
}
