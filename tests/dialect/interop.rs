//! What `tests/interop/openai_chat.py` holds against the vendor's own SDK.

use serde_json::{Value, json};
use toolkit::dialect::openai_chat;
use toolkit::testing::Probe;

use crate::tools::{model, toolkit};

/// Writes one request of ours to the file that `TOOLKIT_WIRE_OUT` names; without it, checks only
/// that the request can be made.
#[tokio::test]
async fn wire() {
    let toolkit = toolkit(&Probe::new());
    let responses = [
        json!({"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
            "tool_calls": [
                {"id": "call_1", "type": "function",
                    "function": {"name": "kb__search", "arguments": "{\"query\":\"refund\"}"}},
                {"function": {"name": "functions.x", "arguments": {"a": 1}}},
                {"id": "call_1", "function": {"name": "clock__now"}}]}}]}),
        json!({"choices": [{"finish_reason": "length", "message": {"content": "Let me",
            "function_call": {"name": "kb__search", "arguments": "{\"query\""}}}]}),
        json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "No."}}]}),
        json!({"choices": [{"finish_reason": "stop", "message": {"content": "Done."}}]}),
    ];
    let mut messages = vec![json!({"role": "user", "content": "Where is my refund?"})];
    for response in responses {
        let response = response.to_string();
        messages.push(openai_chat::assistant(&response).unwrap());
        let turn = toolkit.turn(&model(), openai_chat::calls(&response).unwrap()).await;
        messages.extend(openai_chat::results(&turn));
    }
    assert_eq!(messages.len(), 9);
    // As text, so that the order of what is sent counts too.
    let tools = toolkit.catalog(&model()).openai_chat();
    let wire = format!("{{\"tools\":{tools},\"messages\":{}}}", Value::Array(messages));
    if let Some(path) = std::env::var_os("TOOLKIT_WIRE_OUT") {
        std::fs::write(path, wire).unwrap();
    }
}
