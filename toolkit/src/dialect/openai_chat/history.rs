//! Messages for the history: the model's own turn, in the form in which the API takes it back.

use serde_json::{Map, Value, json};

use super::response::{Call, Response};

/// What a server sends beside OpenAI's own fields and must get back: DeepSeek and others refuse a
/// history whose `reasoning_content` is gone. Only the server that wrote it sees it again.
const KEPT: [&str; 2] = ["reasoning_content", "reasoning_details"];

/// The longest function name that the API takes in a history.
const MAX_NAME: usize = 64;

pub(super) fn assistant(mut response: Response) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    let refusal = response.message.remove("refusal").filter(Value::is_string);
    let content = match response.message.remove("content") {
        Some(content @ (Value::String(_) | Value::Array(_))) => content,
        // Without calls the API wants a text.
        _ if response.calls.is_empty() && refusal.is_none() => Value::String(String::new()),
        _ => Value::Null,
    };
    message.insert("content".to_owned(), content);
    if let Some(refusal) = refusal {
        message.insert("refusal".to_owned(), refusal);
    }
    for key in KEPT {
        if let Some(value) = response.message.remove(key).filter(|value| !value.is_null()) {
            message.insert(key.to_owned(), value);
        }
    }
    if !response.calls.is_empty() {
        let calls = response.calls.into_iter().map(call).collect();
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Value::Object(message)
}

fn call(call: Call) -> Value {
    let name = name(&call.name);
    if call.custom {
        let custom = json!({"name": name, "input": call.arguments});
        return json!({"id": call.id, "type": "custom", "custom": custom});
    }
    let function = json!({"name": name, "arguments": arguments(&call.arguments)});
    let mut message = json!({"id": call.id, "type": "function", "function": function});
    if let (Some(extra), Value::Object(message)) = (call.extra, &mut message) {
        message.insert("extra_content".to_owned(), extra);
    }
    message
}

/// A name that the API takes: it refuses a whole history for one call of `functions.x`.
pub(super) fn name(name: &str) -> String {
    let mut clean = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '.' => clean.push_str("__"),
            c if c.is_ascii_alphanumeric() || c == '_' || c == '-' => clean.push(c),
            _ => clean.push('_'),
        }
    }
    clean.truncate(MAX_NAME); // all of it is ASCII
    if clean.is_empty() { "unnamed".to_owned() } else { clean }
}

/// Arguments that every server can read again: a JSON object, word for word where it is one.
fn arguments(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => text.to_owned(),
        Ok(Value::Null) => "{}".to_owned(),
        Ok(Value::String(inner))
            if matches!(serde_json::from_str(&inner), Ok(Value::Object(_))) =>
        {
            inner
        }
        Err(_) if text.trim().is_empty() => "{}".to_owned(),
        _ => json!({"INVALID_JSON": text}).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_back() {
        for (given, taken) in [
            ("kb__search", "kb__search"),
            ("kb.search", "kb__search"),
            ("functions.kb__search", "functions__kb__search"),
            ("default_api:x", "default_api_x"),
            ("bad name!é", "bad_name__"),
            ("", "unnamed"),
        ] {
            assert_eq!(name(given), taken);
        }
        assert_eq!(name(&"é".repeat(500)).len(), MAX_NAME);
    }

    #[test]
    fn arguments_are_taken_back() {
        for (given, taken) in [
            (r#"{"a": 1.0}"#, r#"{"a": 1.0}"#),
            ("", "{}"),
            (" \n", "{}"),
            ("null", "{}"),
            (r#""{\"a\":1}""#, r#"{"a":1}"#),
            (r#"{"a": "#, r#"{"INVALID_JSON":"{\"a\": "}"#),
            ("[1]", r#"{"INVALID_JSON":"[1]"}"#),
            (r#""text""#, r#"{"INVALID_JSON":"\"text\""}"#),
        ] {
            assert_eq!(arguments(given), taken);
        }
    }
}
