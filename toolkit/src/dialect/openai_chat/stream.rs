//! Putting a streamed response together again, without running anything of it early.

use serde_json::{Map, Value, json};

use super::super::body::{self, shape};
use super::super::error::IntakeError;
use super::raw::RawArguments;
use super::response::provider_error;

/// What a stream that broke off gives as the reason for its end; no model uses the word.
const BROKE_OFF: &str = "stream_broke_off";

/// Puts a streamed response together from its server-sent events.
///
/// Nothing of a call can be seen before the stream is over, so nothing runs early. A stream that
/// breaks off before its `finish_reason`, or had a chunk that could not be read, gives a response
/// that is cut: none of its calls run, and each gets its reply.
///
/// ```
/// use toolkit::dialect::openai_chat::{Stream, calls};
/// let mut stream = Stream::new();
/// for line in [
///     r#"data: {"choices":[{"delta":{"content":"Let me look."}}]}"#,
///     r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"kb__search","arguments":"{\"query\":"}}]}}]}"#,
///     r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"refund\"}"}}]}}]}"#,
///     r#"data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
///     "data: [DONE]",
/// ] {
///     print!("{}", stream.push(line)?); // the new text, for a reader who watches
/// }
/// let response = stream.finish();
/// assert_eq!(calls(&response)?[0].arguments(), r#"{"query":"refund"}"#);
/// # Ok::<(), toolkit::dialect::IntakeError>(())
/// ```
#[derive(Debug, Default)]
pub struct Stream {
    /// `id`, `created`, `model`, `usage`: as they came last.
    facts: Map<String, Value>,
    content: String,
    refusal: String,
    reasoning: Option<String>,
    reasoning_details: Vec<Value>,
    calls: Vec<Part>,
    finish_reason: Option<String>,
    broken: bool,
}

/// A call that grows.
#[derive(Debug, Default)]
struct Part {
    index: Option<i64>,
    id: String,
    name: String,
    arguments: String,
    custom: bool,
    extra: Option<Value>,
}

impl Stream {
    /// A stream of which nothing has come yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event and gives the text that it adds to the message's content.
    ///
    /// An event is the payload of a `data:` field, `{"choices": [{"delta": {…}}]}`; whole lines of
    /// the event stream are taken too, several at once if need be. Empty lines, comments, `event:`
    /// lines and `[DONE]` add nothing.
    ///
    /// # Errors
    /// As for [`calls`](super::calls). The stream counts as broken from then on, whatever follows.
    pub fn push(&mut self, data: &str) -> Result<&str, IntakeError> {
        let before = self.content.len();
        let data = data.trim();
        let taken = if data.starts_with('{') {
            self.chunk(data)
        } else {
            data.lines().try_for_each(|line| self.line(line.trim()))
        };
        match taken {
            Ok(()) => Ok(&self.content[before..]),
            Err(error) => {
                self.broken = true;
                Err(error)
            }
        }
    }

    /// Whether the model said that it is done. Usage figures may still follow.
    pub fn is_finished(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// The response, as [`calls`](super::calls) and [`assistant`](super::assistant) take it.
    pub fn finish(self) -> String {
        let calls: Vec<Value> = self.calls.into_iter().filter_map(Part::finish).collect();
        let content = if self.content.is_empty() && !calls.is_empty() {
            Value::Null
        } else {
            Value::String(self.content)
        };
        let mut message = json!({"role": "assistant", "content": content});
        if !self.refusal.is_empty() {
            message["refusal"] = Value::String(self.refusal);
        }
        if let Some(reasoning) = self.reasoning {
            message["reasoning_content"] = Value::String(reasoning);
        }
        if !self.reasoning_details.is_empty() {
            message["reasoning_details"] = Value::Array(self.reasoning_details);
        }
        if !calls.is_empty() {
            message["tool_calls"] = Value::Array(calls);
        }
        let reason = match self.finish_reason {
            Some(reason) if !self.broken => reason,
            _ => BROKE_OFF.to_owned(),
        };
        let mut response = self.facts;
        response.insert("object".to_owned(), "chat.completion".into());
        response.insert(
            "choices".to_owned(),
            json!([{"index": 0, "message": message, "finish_reason": reason}]),
        );
        Value::Object(response).to_string()
    }

    fn line(&mut self, line: &str) -> Result<(), IntakeError> {
        let other = [":", "event:", "id:", "retry:"].iter().any(|field| line.starts_with(field));
        let data = line.strip_prefix("data:").unwrap_or(line).trim();
        if other || data.is_empty() || data == "[DONE]" { Ok(()) } else { self.chunk(data) }
    }

    fn chunk(&mut self, text: &str) -> Result<(), IntakeError> {
        let mut chunk = body::object(text)?;
        provider_error(&chunk)?;
        for key in ["id", "created", "model", "usage"] {
            if let Some(value) = chunk.remove(key).filter(|value| !value.is_null()) {
                self.facts.insert(key.to_owned(), value);
            }
        }
        let choices = match chunk.remove("choices") {
            None | Some(Value::Null) => Vec::new(), // usage figures come alone
            Some(Value::Array(choices)) => choices,
            other => return Err(shape("choices", "an array", other.as_ref())),
        };
        for choice in choices {
            let Value::Object(mut choice) = choice else {
                return Err(shape("choices[0]", "an object", Some(&choice)));
            };
            if choice.get("index").and_then(Value::as_i64).unwrap_or(0) != 0 {
                continue;
            }
            match choice
                .remove("delta")
                .filter(|delta| !delta.is_null())
                .or_else(|| choice.remove("message"))
            {
                None => {}
                Some(Value::Object(delta)) => self.delta(delta, text)?,
                other => return Err(shape("choices[0].delta", "an object", other.as_ref())),
            }
            if choice.get("error").is_some_and(|error| !error.is_null()) {
                self.broken = true;
            }
            match choice.get("finish_reason") {
                None | Some(Value::Null) => {}
                Some(Value::String(reason)) if reason.is_empty() => {}
                Some(Value::String(reason)) => self.finish_reason = Some(reason.clone()),
                other => return Err(shape("choices[0].finish_reason", "a string", other)),
            }
        }
        Ok(())
    }

    fn delta(&mut self, mut delta: Map<String, Value>, text: &str) -> Result<(), IntakeError> {
        if let Some(Value::String(more)) = delta.get("content") {
            self.content.push_str(more);
        }
        if let Some(Value::String(more)) = delta.get("refusal") {
            self.refusal.push_str(more);
        }
        if let Some(Value::String(more)) = delta.get("reasoning_content") {
            self.reasoning.get_or_insert_default().push_str(more);
        }
        if let Some(Value::Array(more)) = delta.remove("reasoning_details") {
            self.reasoning_details.extend(more);
        }
        let raw = RawArguments::new(text);
        if let Some(Value::Object(function)) = delta.get("function_call") {
            let entry = Map::from_iter([("index".to_owned(), Value::from(0))]);
            self.part(&entry, function, || raw.get(None));
        }
        let entries = match delta.get("tool_calls") {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::Array(entries)) => entries,
            other => return Err(shape("choices[0].delta.tool_calls", "an array", other)),
        };
        for (at, entry) in entries.iter().enumerate() {
            let Value::Object(entry) = entry else {
                let path = format!("choices[0].delta.tool_calls[{at}]");
                return Err(shape(path, "an object", Some(entry)));
            };
            let function =
                ["function", "custom"].iter().find_map(|key| entry.get(*key)?.as_object());
            self.part(entry, function.unwrap_or(entry), || raw.get(Some(at)));
        }
        Ok(())
    }

    fn part(
        &mut self,
        entry: &Map<String, Value>,
        function: &Map<String, Value>,
        raw: impl FnOnce() -> Option<String>,
    ) {
        let text = |map: &Map<String, Value>, key: &str| {
            map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let index = entry.get("index").and_then(Value::as_i64);
        let (id, name) = (text(entry, "id"), text(function, "name"));
        let at = self.place(index, &id, &name);
        let part = &mut self.calls[at];
        if part.id.is_empty() {
            part.id = id;
        }
        // Most servers send the name once, some with every piece, a few in pieces.
        if part.arguments.is_empty() && part.name != name {
            part.name.push_str(&name);
        }
        part.custom |= entry.contains_key("custom");
        match function.get("arguments").or_else(|| function.get("input")) {
            None | Some(Value::Null) => {}
            Some(Value::String(more)) => part.arguments.push_str(more),
            Some(other) => part.arguments.push_str(&raw().unwrap_or_else(|| other.to_string())),
        }
        if let Some(extra) = entry.get("extra_content").filter(|extra| !extra.is_null()) {
            part.extra = Some(extra.clone());
        }
    }

    /// The call that a piece belongs to. Servers leave out the index, give every call index 0, or
    /// count up with each piece; so an id that is new begins a call, and a piece that names nothing
    /// goes on with the last one.
    fn place(&mut self, index: Option<i64>, id: &str, name: &str) -> usize {
        let last = self.calls.len().checked_sub(1);
        let by_id = self.calls.iter().rposition(|part| !id.is_empty() && part.id == id);
        let by_index = self.calls.iter().rposition(|part| index.is_some() && part.index == index);
        let found = match (by_id, by_index) {
            (Some(at), _) => Some(at),
            (None, Some(at)) => {
                let part = &self.calls[at];
                let other_id = !id.is_empty() && !part.id.is_empty();
                let begins = other_id || (!name.is_empty() && is_whole(&part.arguments));
                (!begins).then_some(at)
            }
            (None, None) if id.is_empty() => last.filter(|at| {
                let part = &self.calls[*at];
                let repeated = index.is_none() && part.name == name && !is_whole(&part.arguments);
                name.is_empty() || repeated
            }),
            (None, None) => None,
        };
        found.unwrap_or_else(|| {
            self.calls.push(Part { index, ..Part::default() });
            self.calls.len() - 1
        })
    }
}

fn is_whole(arguments: &str) -> bool {
    matches!(serde_json::from_str(arguments), Ok(Value::Object(_)))
}

impl Part {
    fn finish(self) -> Option<Value> {
        if self.id.is_empty() && self.name.is_empty() && self.arguments.is_empty() {
            return None;
        }
        let mut call = if self.custom {
            json!({"type": "custom", "custom": {"name": self.name, "input": self.arguments}})
        } else {
            json!({"type": "function", "function": {"name": self.name, "arguments": self.arguments}})
        };
        if !self.id.is_empty() {
            call["id"] = Value::String(self.id);
        }
        if let Some(extra) = self.extra {
            call["extra_content"] = extra;
        }
        Some(call)
    }
}
