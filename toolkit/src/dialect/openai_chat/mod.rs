//! The wire format of OpenAI's Chat Completions API, which most other servers speak too.
//!
//! Catalog out, calls in, results out; what stands between is the pipeline's.
//!
//! ```
//! # use toolkit::{CallContext, ToolCall, Toolkit};
//! # async fn turn(toolkit: Toolkit, cx: CallContext, response: String) -> Result<(), Box<dyn std::error::Error>> {
//! # let mut messages: Vec<serde_json::Value> = Vec::new();
//! use toolkit::dialect::openai_chat;
//!
//! let tools = toolkit.catalog(&cx).openai_chat(); // goes into the request as `tools`
//!
//! // `response` is the body's text
//! messages.push(openai_chat::assistant(&response)?);
//! let turn = toolkit.turn(&cx, openai_chat::calls(&response)?).await;
//! messages.extend(openai_chat::results(&turn));
//! # Ok(())
//! # }
//! ```
//!
//! # Strict mode
//!
//! A tool is offered with `"strict": true` where the whole of its schema, as sent, is within the
//! subset that strict mode takes; every other tool with `"strict": false`, never with a claim that
//! doesn't hold. [`Catalog::openai_chat_losses`](crate::Catalog::openai_chat_losses) says which,
//! and why. In strict mode an optional argument is one that may be null; the pipeline reads such a
//! null as absent. The rules are tested against recorded answers of the API and against the
//! vendor's SDKs, not against the live API. Older models don't keep to strict schemas when they
//! make several calls at once; send `"parallel_tool_calls": false` to those.
//!
//! # Which responses run
//!
//! A response runs only if the model ended it: `finish_reason` is `stop`, `tool_calls`,
//! `function_call` (or a synonym of some server: `tool_call`, `tool_calling`, `tool_use`,
//! `end_turn`, `eos`, `stop_sequence`), or isn't given at all. Under any other reason (`length`,
//! `content_filter`, `error`, an unknown word) nothing runs, and each call still gets its one reply,
//! [`Code::IncompleteCall`](crate::Code::IncompleteCall). A response that only says something has no
//! call to tell it by: ask [`cut`].

mod catalog;
mod history;
mod raw;
mod response;
mod stream;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

#[cfg(feature = "testing")]
pub(crate) use catalog::{MAX_TOOLS, size};
pub use stream::Stream;

pub use super::error::IntakeError;
use crate::call::{ToolCall, Turn};

/// The message to append to the history for a response: the first choice's, cleaned to what the API
/// takes back.
///
/// ```json
/// {"role": "assistant", "content": "…" | null,
///  "tool_calls": [{"id": "call_1", "type": "function",
///                  "function": {"name": "kb__search", "arguments": "{\"query\":\"refund\"}"}}]}
/// ```
///
/// - `role`, `content`, `refusal` and `tool_calls` stay, and what some servers want back unread:
///   `reasoning_content`, `reasoning_details`, and a call's `extra_content`.
/// - An old `function_call` becomes one of the `tool_calls`. Every call has an id, the same that
///   [`calls`] gives it.
/// - Arguments that are no JSON object are kept as `{"INVALID_JSON": "…"}`, and characters that a
///   name may not have are replaced, since either would make the API refuse the next request.
///
/// # Errors
/// As for [`calls`].
pub fn assistant(response: &str) -> Result<Value, IntakeError> {
    Ok(history::assistant(response::read(response)?))
}

/// The calls of a response: the first choice's, in order, none where it only says something.
///
/// Reads what OpenAI sends and what other servers make of it: `arguments` as text, as an object,
/// null, empty or absent; `tool_calls` null or absent; the old `function_call`; ids that are
/// missing, empty or given twice (such a call gets one of its own); `type` missing. Names pass
/// untouched. Where the response was cut, every call is marked so, and its reply says so.
///
/// ```
/// use toolkit::dialect::openai_chat::calls;
/// let response = r#"{"choices": [{"finish_reason": "tool_calls", "message": {"content": null,
///     "tool_calls": [{"id": "call_1", "type": "function",
///         "function": {"name": "kb__search", "arguments": "{\"query\":\"refund\"}"}}]}}]}"#;
/// let calls = calls(response)?;
/// assert_eq!(calls[0].name(), "kb__search");
/// assert_eq!(calls[0].provider_id(), Some("call_1"));
/// # Ok::<(), toolkit::dialect::IntakeError>(())
/// ```
///
/// # Errors
/// - The body isn't JSON, has a key twice, or has a shape that no known server gives it: the
///   provider or a proxy is at fault.
/// - It is an error of the provider's: its text says who mends it.
/// - It has no choice.
pub fn calls(response: &str) -> Result<Vec<ToolCall<'static>>, IntakeError> {
    let response = response::read(response)?;
    let cut = response.cut;
    let call = |call: response::Call| {
        let made = ToolCall::new(call.name, call.arguments).id(call.id);
        match &cut {
            Some(reason) => made.cut(reason.clone()),
            None => made,
        }
    };
    Ok(response.calls.into_iter().map(call).collect())
}

/// Why a response isn't whole, in the server's own word (`length`, `content_filter`, …), at most 60
/// characters of it; `None` if the model ended it.
///
/// ```
/// use toolkit::dialect::openai_chat::cut;
/// let response = r#"{"choices": [{"finish_reason": "length", "message": {"content": "It is sn"}}]}"#;
/// assert_eq!(cut(response)?.as_deref(), Some("length"));
/// # Ok::<(), toolkit::dialect::IntakeError>(())
/// ```
///
/// # Errors
/// As for [`calls`].
pub fn cut(response: &str) -> Result<Option<String>, IntakeError> {
    Ok(response::read(response)?.cut)
}

/// The messages that answer a turn's calls: one for each reply, in order.
///
/// ```json
/// {"role": "tool", "tool_call_id": "call_1", "content": "…"}
/// ```
///
/// They belong right after the message of [`assistant`], before any other.
pub fn results(turn: &Turn) -> Vec<Value> {
    let result = |reply: &crate::ToolReply| {
        let id = reply.provider_id().unwrap_or_default();
        json!({"role": "tool", "tool_call_id": id, "content": reply.text()})
    };
    turn.replies().iter().map(result).collect()
}
