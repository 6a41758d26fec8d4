//! A response as servers send it, read into the one form that calls and history are made of.

use serde_json::{Map, Value};

use super::super::body::{self, shape};
use super::super::error::IntakeError;
use super::raw::RawArguments;
use crate::text::excerpt;

/// Why a model stopped, where it stopped of itself: OpenAI's words, and those of servers that speak
/// its language with an accent. Any other word means that the answer isn't whole.
const WHOLE: [&str; 9] = [
    "stop",
    "tool_calls",
    "function_call",
    "tool_call",
    "tool_calling",
    "tool_use",
    "end_turn",
    "eos",
    "stop_sequence",
];

/// How much of a word for why a response was cut is kept.
const REASON: usize = 60;

/// What one choice of a response says.
pub(super) struct Response {
    pub(super) message: Map<String, Value>,
    pub(super) calls: Vec<Call>,
    /// Why the answer isn't whole.
    pub(super) cut: Option<String>,
}

/// One call as it is answered: its id is there, and no other call has it.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// JSON text as the model wrote it; empty where it wrote none.
    pub(super) arguments: String,
    pub(super) custom: bool,
    /// What a server wants back with the call, unread.
    pub(super) extra: Option<Value>,
}

pub(super) fn read(text: &str) -> Result<Response, IntakeError> {
    let mut body = body::object(text)?;
    provider_error(&body)?;
    let mut choices = match body.remove("choices") {
        Some(Value::Array(choices)) => choices,
        other => return Err(shape("choices", "an array", other.as_ref())),
    };
    if choices.is_empty() {
        return Err(IntakeError::NoChoice);
    }
    let mut choice = match choices.swap_remove(0) {
        Value::Object(choice) => choice,
        other => return Err(shape("choices[0]", "an object", Some(&other))),
    };
    let cut = cut(&choice)?;
    let message = match choice.remove("message") {
        Some(Value::Object(message)) => message,
        None | Some(Value::Null) if cut.is_some() => Map::new(), // stopped before its first word
        other => return Err(shape("choices[0].message", "an object", other.as_ref())),
    };
    let mut calls = calls(&message, text)?;
    identify(&mut calls, text);
    Ok(Response { message, calls, cut })
}

/// The errors of servers: `{"error": {"message", "code", "type"}}`, `{"error": "text"}`,
/// `{"object": "error", "message"}`.
pub(super) fn provider_error(body: &Map<String, Value>) -> Result<(), IntakeError> {
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(value @ (Value::Number(_) | Value::Object(_) | Value::Array(_))) => {
            Some(value.to_string())
        }
        _ => None,
    };
    let of = |held: &Map<String, Value>| IntakeError::Provider {
        message: text(held.get("message"))
            .unwrap_or_else(|| Value::Object(held.clone()).to_string()),
        code: text(held.get("code")).or_else(|| text(held.get("type"))),
    };
    match body.get("error") {
        Some(Value::Object(error)) => Err(of(error)),
        Some(Value::String(message)) if !message.is_empty() => {
            Err(IntakeError::Provider { message: message.clone(), code: None })
        }
        Some(Value::Bool(true)) => Err(of(body)),
        _ if body.get("object").is_some_and(|object| object == "error") => Err(of(body)),
        _ => Ok(()),
    }
}

fn cut(choice: &Map<String, Value>) -> Result<Option<String>, IntakeError> {
    if choice.get("error").is_some_and(|error| !error.is_null()) {
        return Ok(Some("error".to_owned()));
    }
    match choice.get("finish_reason") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(reason)) => {
            let whole =
                reason.is_empty() || WHOLE.iter().any(|known| known.eq_ignore_ascii_case(reason));
            Ok((!whole).then(|| excerpt(reason, REASON)))
        }
        other => Err(shape("choices[0].finish_reason", "a string", other)),
    }
}

fn calls(message: &Map<String, Value>, text: &str) -> Result<Vec<Call>, IntakeError> {
    const PATH: &str = "choices[0].message.tool_calls";
    let raw = RawArguments::new(text);
    let entries = match message.get("tool_calls") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(entries)) => entries,
        other => return Err(shape(PATH, "an array", other)),
    };
    if entries.is_empty() {
        return match message.get("function_call") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Object(function)) => {
                let path = "choices[0].message.function_call";
                Ok(vec![call(&Map::new(), function, path, || raw.get(None))?])
            }
            other => Err(shape("choices[0].message.function_call", "an object", other)),
        };
    }
    let mut calls = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let path = format!("{PATH}[{at}]");
        let Value::Object(entry) = entry else { return Err(shape(path, "an object", Some(entry))) };
        if let Some(Value::Object(custom)) = entry.get("custom") {
            calls.push(Call {
                id: id(entry),
                name: name(custom, &format!("{path}.custom"))?,
                arguments: string(custom, "input"),
                custom: true,
                extra: None,
            });
            continue;
        }
        let raw = || raw.get(Some(at));
        calls.push(match entry.get("function") {
            Some(Value::Object(function)) => {
                call(entry, function, &format!("{path}.function"), raw)?
            }
            // Some servers put name and arguments beside the id.
            None | Some(Value::Null) => call(entry, entry, &path, raw)?,
            other => return Err(shape(format!("{path}.function"), "an object", other)),
        });
    }
    Ok(calls)
}

fn call(
    entry: &Map<String, Value>,
    function: &Map<String, Value>,
    path: &str,
    raw: impl FnOnce() -> Option<String>,
) -> Result<Call, IntakeError> {
    let arguments = match function.get("arguments") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        // As it was written: a number that passes through a float, or a key given twice, must show.
        Some(other) => raw().unwrap_or_else(|| other.to_string()),
    };
    Ok(Call {
        id: id(entry),
        name: name(function, path)?,
        arguments,
        custom: false,
        extra: entry.get("extra_content").filter(|extra| !extra.is_null()).cloned(),
    })
}

/// A name that isn't there is the empty one, which no tool has: the call gets its reply.
fn name(function: &Map<String, Value>, path: &str) -> Result<String, IntakeError> {
    match function.get("name") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(name)) => Ok(name.clone()),
        other => Err(shape(format!("{path}.name"), "a string", other)),
    }
}

fn string(map: &Map<String, Value>, key: &str) -> String {
    map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn id(entry: &Map<String, Value>) -> String {
    match entry.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => String::new(),
    }
}

/// Gives an id to each call that has none, or one that an earlier call has. The same response
/// always gives the same ids, and two responses hardly ever share one.
fn identify(calls: &mut [Call], text: &str) {
    let mut digest = None;
    for at in 0..calls.len() {
        let (earlier, rest) = calls.split_at_mut(at);
        let (call, later) = match rest {
            [call, later @ ..] => (call, later),
            [] => return,
        };
        if !call.id.is_empty() && !earlier.iter().any(|one| one.id == call.id) {
            continue;
        }
        let digest = digest.get_or_insert_with(|| {
            let hash = hmac_sha256::Hash::hash(text.as_bytes());
            hash[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        });
        let mut minted = format!("call_{digest}_{at}");
        while earlier.iter().chain(&*later).any(|one| one.id == minted) {
            minted.push('_');
        }
        call.id = minted;
    }
}
