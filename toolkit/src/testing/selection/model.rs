//! A selector that asks a model.

use std::future::Future;

use serde_json::{Value, json};

use super::{Choice, Selector};
use crate::catalog::Catalog;
use crate::dialect::openai_chat;
use crate::hook::{BoxFuture, HookError};

/// Asks a model that speaks OpenAI's Chat Completions: the task is the only message, the catalog its
/// tools, and what it calls is what it chooses. Nothing is run.
///
/// The closure gets the body of the request but for `model` and settings, which it adds, and gives the
/// text of the response's body.
///
/// ```
/// use serde_json::Value;
/// use toolkit::testing::OpenAiChat;
///
/// let model = OpenAiChat::new(|mut request: Value| async move {
///     request["model"] = "some-model".into();
///     // A real one posts it to the provider, and gives the body of the response.
///     Ok(r#"{"choices": [{"message": {"content": "I would call nothing."}}]}"#.to_owned())
/// });
/// # drop(model);
/// ```
pub struct OpenAiChat<F>(F);

impl<F, Fut> OpenAiChat<F>
where
    F: Fn(Value) -> Fut + Send + Sync,
    Fut: Future<Output = Result<String, HookError>> + Send,
{
    /// A model that is asked by this closure.
    pub fn new(ask: F) -> Self {
        Self(ask)
    }
}

impl<F, Fut> Selector for OpenAiChat<F>
where
    F: Fn(Value) -> Fut + Send + Sync,
    Fut: Future<Output = Result<String, HookError>> + Send,
{
    fn choose<'a>(
        &'a self,
        task: &'a str,
        catalog: &'a Catalog,
    ) -> BoxFuture<'a, Result<Choice, HookError>> {
        Box::pin(async move {
            let mut request = json!({"messages": [{"role": "user", "content": task}]});
            if !catalog.is_empty() {
                request["tools"] = catalog.openai_chat().to_value();
            }
            let response = (self.0)(request).await?;
            let calls = openai_chat::calls(&response)?;
            let name = |call: crate::ToolCall<'_>| match catalog.find(call.name()) {
                Some(tool) => tool.spec().name().to_owned(),
                None => call.name().to_owned(),
            };
            Ok(Choice { chosen: calls.into_iter().map(name).collect(), ranking: Vec::new() })
        })
    }
}
