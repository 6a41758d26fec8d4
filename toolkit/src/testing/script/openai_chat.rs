//! Scripts in the wire format of OpenAI's Chat Completions.

use serde_json::{Map, Value, json};

use super::ScriptedModel;
use super::says::{End, Says};
use super::shown::{Asked, Message, Offer, Parts};
use super::wire::Wire;
use crate::call::{ToolCall, Turn};
use crate::catalog::Catalog;
use crate::dialect::{IntakeError, openai_chat};

#[derive(Debug)]
struct OpenAiChat;

impl ScriptedModel {
    /// A model of which OpenAI's Chat Completions tell: [`dialect::openai_chat`](openai_chat).
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use toolkit::testing::{Says, ScriptedModel, Step};
    ///
    /// let call = Says::new().call("kb__search", json!({"query": "refund"}));
    /// let mut model = ScriptedModel::openai_chat().says(call);
    /// let Some(Step::Response(body)) = model.next() else { unreachable!() };
    /// let body: Value = serde_json::from_str(&body)?;
    /// let choice = &body["choices"][0];
    /// assert_eq!(choice["finish_reason"], "tool_calls");
    /// assert_eq!(choice["message"]["tool_calls"][0]["function"]["arguments"], r#"{"query":"refund"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn openai_chat() -> Self {
        Self::of(&OpenAiChat)
    }
}

impl Wire for OpenAiChat {
    fn response(&self, says: Says, number: usize) -> String {
        let calls: Vec<Value> = says
            .calls
            .into_iter()
            .enumerate()
            .map(|(at, call)| {
                let minted = || format!("call_{number}_{at}");
                json!({
                    "id": call.id.unwrap_or_else(minted),
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                })
            })
            .collect();
        let reason = match says.end {
            End::Cut => "length".to_owned(),
            End::Word(word) => word,
            End::Whole if calls.is_empty() => "stop".to_owned(),
            End::Whole => "tool_calls".to_owned(),
        };
        let mut message = json!({
            "role": "assistant",
            "content": says.text,
            "refusal": says.refusal,
            "annotations": [],
        });
        if !calls.is_empty() {
            message["tool_calls"] = Value::Array(calls);
        }
        json!({
            "id": format!("chatcmpl-script-{number}"),
            "object": "chat.completion",
            "created": 1_772_443_800 + number,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": reason}],
            "usage": {"prompt_tokens": 640, "completion_tokens": 24, "total_tokens": 664},
        })
        .to_string()
    }

    fn read(&self, request: &Value) -> Result<Parts, String> {
        let tools = each(request, "tools", false)?.iter().map(offer).collect::<Result<_, _>>()?;
        let messages = each(request, "messages", true)?;
        let messages = messages
            .iter()
            .enumerate()
            .map(|(at, said)| message(said).map_err(|why| format!("`messages[{at}]`: {why}")))
            .collect::<Result<_, _>>()?;
        Ok(Parts { tools, messages })
    }

    fn request(&self, history: &[Value], catalog: &Catalog) -> Value {
        let mut request = json!({"model": "scripted", "messages": history});
        // The API refuses an empty list.
        if !catalog.is_empty() {
            request["tools"] = catalog.openai_chat().to_value();
        }
        request
    }

    fn user(&self, text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    fn take(&self, response: &str) -> Result<(Vec<Value>, Vec<ToolCall<'static>>), IntakeError> {
        Ok((vec![openai_chat::assistant(response)?], openai_chat::calls(response)?))
    }

    fn results(&self, turn: &Turn) -> Vec<Value> {
        openai_chat::results(turn)
    }
}

/// The elements of a list of the request.
fn each<'v>(request: &'v Value, key: &str, needed: bool) -> Result<&'v [Value], String> {
    match request.get(key) {
        Some(Value::Array(list)) => Ok(list),
        None if !needed => Ok(&[]),
        _ => Err(format!("the request has no list `{key}`")),
    }
}

fn text_of(map: &Map<String, Value>, key: &str) -> Result<String, String> {
    match map.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(format!("no text `{key}`")),
    }
}

fn offer(tool: &Value) -> Result<Offer, String> {
    let Some(Value::Object(function)) = tool.get("function") else {
        return Err(format!("a tool without `function`: {tool}"));
    };
    Ok(Offer {
        name: text_of(function, "name")?,
        description: text_of(function, "description").unwrap_or_default(),
        schema: function.get("parameters").cloned().unwrap_or_default(),
    })
}

fn message(said: &Value) -> Result<Message, String> {
    let Value::Object(said) = said else { return Err("no object".to_owned()) };
    let role = text_of(said, "role")?;
    let calls = match said.get("tool_calls") {
        Some(Value::Array(calls)) => calls.iter().map(asked).collect::<Result<_, _>>()?,
        _ => Vec::new(),
    };
    let answers = match role.as_str() {
        "tool" => Some(text_of(said, "tool_call_id")?),
        _ => None,
    };
    let text = match said.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    Ok(Message { role, text, calls, answers })
}

fn asked(call: &Value) -> Result<Asked, String> {
    let Value::Object(entry) = call else { return Err("a call that is no object".to_owned()) };
    let (held, arguments) = match (entry.get("function"), entry.get("custom")) {
        (Some(Value::Object(function)), _) => (function, "arguments"),
        (_, Some(Value::Object(custom))) => (custom, "input"),
        _ => return Err(format!("a call without `function`: {call}")),
    };
    Ok(Asked {
        id: text_of(entry, "id")?,
        name: text_of(held, "name")?,
        arguments: text_of(held, arguments)?,
    })
}
