//! Why a request has no answer, or none that can be read: for the model, where it can act on it.

use std::error::Error as StdError;
use std::fmt;

use reqwest::StatusCode;

use crate::error::ToolError;
use crate::hosts::HostError;
use crate::output::OutputError;

/// Why a request has no answer, or none that can be read. The texts name no address that a name led to,
/// and nothing of a body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The URL may not be reached; whoever chose it takes another.
    #[error(transparent)]
    Refused(HostError),
    /// The name leads to an address that may not be reached; the operator lists the address, if it is
    /// meant to be.
    #[error("`{host}` leads to an address that this tool may not reach")]
    Address {
        /// The name.
        host: String,
    },
    /// A redirect leads where the tool may not go.
    #[error("the host redirects to {to}, {why}")]
    Redirect {
        /// Where it leads, as far as that may be told: the origin.
        to: String,
        /// Why it isn't followed.
        why: &'static str,
    },
    /// There were more redirects than are followed, or they go in a circle.
    #[error("the host redirects in a circle, or more than {0} times")]
    TooManyRedirects(usize),
    /// The name isn't known, or nobody could be asked.
    #[error("no host `{host}` is known; check the address, or try again later")]
    Unknown {
        /// The name.
        host: String,
    },
    /// Nobody answers, or not in HTTP.
    #[error("`{host}` doesn't answer; try again later or go on without it")]
    Unreachable {
        /// The host.
        host: String,
        /// What was wrong, for the operator.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The host can't show that it is the one.
    #[error("`{host}` has no certificate that is trusted; go on without it")]
    Untrusted {
        /// The host.
        host: String,
        /// What was wrong, for the operator.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The connection broke before the end of the body.
    #[error("the connection broke before the answer's end; try again")]
    Broken(#[source] Box<dyn StdError + Send + Sync>),
    /// By [`Response::success`](super::Response::success): the host says no.
    #[error("the host answered {0}; check the address and the arguments")]
    Status(StatusCode),
    /// The body is longer than it may be.
    #[error("the answer is longer than the {0} bytes that are read")]
    TooLong(u64),
    /// The host has compressed the body, unasked.
    #[error("the host answers in the encoding `{0}`, which isn't read")]
    Encoded(String),
    /// The body isn't the JSON that the tool's author expects.
    #[error("the answer isn't the JSON that is expected")]
    Json(#[source] serde_json::Error),
    /// The call is cancelled, its time is up, or its body has ended.
    #[error("the request was stopped with its call")]
    Stopped,
    /// The context isn't one that a running body borrows; the tool's author takes the one that the body
    /// borrows with `#[context]`.
    #[error("this context belongs to no running body")]
    NoCall,
    /// The request can't be made as it is; the tool's author mends it.
    #[error("the request is malformed: {0}")]
    Request(String),
    /// The output doesn't take the body.
    #[error(transparent)]
    Output(OutputError),
    /// The client can't be set up; the operator looks into it.
    #[error("the client can't be set up")]
    Setup(#[source] Box<dyn StdError + Send + Sync>),
}

impl HttpError {
    /// Whether a model can do something about it: choose another URL, try again, go on without it. The
    /// others are faults of the tool or of the host's set-up.
    pub fn is_for_model(&self) -> bool {
        match self {
            Self::Refused(_)
            | Self::Address { .. }
            | Self::Redirect { .. }
            | Self::TooManyRedirects(_)
            | Self::Unknown { .. }
            | Self::Unreachable { .. }
            | Self::Untrusted { .. }
            | Self::Broken(_)
            | Self::Status(_)
            | Self::TooLong(_)
            | Self::Encoded(_)
            | Self::Stopped => true,
            Self::Json(_) | Self::NoCall | Self::Request(_) | Self::Output(_) | Self::Setup(_) => {
                false
            }
        }
    }
}

/// An [`HttpError`] that becomes a [`ToolError`] by `?`: what the model can act on is told to it, the
/// rest is for the operator. For that it is no [`std::error::Error`] itself, as [`ToolError`] is none;
/// [`HttpFailure::into_error`] is one.
pub struct HttpFailure(Box<HttpError>);

impl HttpFailure {
    /// What was wrong.
    pub fn error(&self) -> &HttpError {
        &self.0
    }

    /// What was wrong, as an error like others.
    pub fn into_error(self) -> HttpError {
        *self.0
    }
}

impl From<HttpError> for HttpFailure {
    fn from(error: HttpError) -> Self {
        Self(Box::new(error))
    }
}

impl From<HttpFailure> for ToolError {
    fn from(failure: HttpFailure) -> Self {
        let error = failure.into_error();
        if error.is_for_model() { Self::expected(error.to_string()) } else { Self::internal(error) }
    }
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
