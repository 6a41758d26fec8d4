//! The wire format against what models and servers send.
#![allow(clippy::needless_pass_by_value, reason = "a `json!` in place reads better than a borrow")]

mod intake;
mod properties;
mod streaming;
mod vectors;

use serde_json::{Value, json};

use super::{ToolCall, assistant, calls};

/// A response with this message and reason.
fn response(message: Value, finish_reason: Value) -> String {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "usage": {"total_tokens": 3},
        "choices": [{"index": 0, "logprobs": null, "message": message, "finish_reason": finish_reason}]})
    .to_string()
}

/// A response with these entries of `tool_calls`, ended in the usual way.
fn with_calls(entries: Value) -> String {
    response(
        json!({"role": "assistant", "content": null, "tool_calls": entries}),
        json!("tool_calls"),
    )
}

fn entry(id: &str, name: &str, arguments: Value) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// Reads both ways and holds them to each other: the history shows every call under its id, once.
fn read(response: &str) -> (Vec<ToolCall<'static>>, Value) {
    let (calls, message) = (calls(response).unwrap(), assistant(response).unwrap());
    let shown = message.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
    let shown: Vec<&str> = shown.iter().map(|call| call["id"].as_str().unwrap()).collect();
    let given: Vec<&str> = calls.iter().map(|call| call.provider_id().unwrap()).collect();
    assert_eq!(shown, given);
    let mut unique = given.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), given.len(), "{given:?}");
    assert!(given.iter().all(|id| !id.is_empty() && id.len() <= 40), "{given:?}");
    (calls, message)
}
