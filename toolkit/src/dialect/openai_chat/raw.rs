//! Arguments that a server gives as JSON instead of text, as they stand in the body.

use std::cell::OnceCell;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The arguments of a body's first choice; the body is read when one is first asked for, and once.
pub(super) struct RawArguments<'t> {
    text: &'t str,
    message: OnceCell<Option<RawMessage>>,
}

impl<'t> RawArguments<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, message: OnceCell::new() }
    }

    /// The arguments of one entry of `tool_calls`, or of the `function_call`.
    pub(super) fn get(&self, entry: Option<usize>) -> Option<String> {
        let message = self.message.get_or_init(|| message(self.text)).as_ref()?;
        let raw = match entry {
            None => &message.function_call.as_ref()?.arguments,
            Some(at) => {
                let entry = message.tool_calls.as_ref()?.get(at)?.as_ref()?;
                entry.function.as_ref().map_or(&entry.arguments, |function| &function.arguments)
            }
        };
        raw.as_ref().map(|raw| raw.get().to_owned())
    }
}

fn message(text: &str) -> Option<RawMessage> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let body: RawBody = serde_json::from_str(text).ok()?;
    body.choices.into_iter().next()?.message
}

#[derive(Deserialize)]
struct RawBody {
    choices: Vec<RawChoice>,
}

#[derive(Deserialize)]
struct RawChoice {
    #[serde(alias = "delta")]
    message: Option<RawMessage>,
}

#[derive(Deserialize)]
struct RawMessage {
    tool_calls: Option<Vec<Option<RawCall>>>,
    function_call: Option<RawFunction>,
}

#[derive(Deserialize)]
struct RawCall {
    function: Option<RawFunction>,
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct RawFunction {
    arguments: Option<Box<RawValue>>,
}
