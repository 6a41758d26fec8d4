//! What the model of a script says, in no provider's words.

use serde_json::Value;

/// One response of a model, from which a [`ScriptedModel`](super::ScriptedModel) makes the body that its
/// provider would send.
///
/// ```
/// use serde_json::json;
/// use toolkit::testing::Says;
///
/// // Two calls in one response, the second with arguments that are no JSON.
/// let both = Says::new()
///     .text("I look that up.")
///     .call("kb__search", json!({"query": "refund"}))
///     .call_text("kb.search", r#"{"query": "ref"#);
/// // Cut by the provider in the middle of a call.
/// let cut = Says::new().call_text("ticket__delete", r#"{"ticket": 10"#).cut();
/// // Two calls with one id, as some servers send them.
/// let twice = Says::new().call("now", json!({})).id("call_1").call("now", json!({})).id("call_1");
/// # drop((both, cut, twice));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Says {
    pub(super) text: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) calls: Vec<SaidCall>,
    pub(super) end: End,
}

/// One call, as the model writes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SaidCall {
    /// The provider's; one of the script's own where none is set.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// Why the model stops.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum End {
    /// It has said what it had to say.
    #[default]
    Whole,
    /// At the limit of its length.
    Cut,
    /// In the provider's own word.
    Word(String),
}

impl Says {
    /// A response that says nothing yet, and ends as one does that is whole.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says this. Beside calls it stands before them.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Refuses with these words, where the provider's format has a place for that.
    pub fn refuses(mut self, text: impl Into<String>) -> Self {
        self.refusal = Some(text.into());
        self
    }

    /// Calls a tool. The name passes as it stands: a wire name, a dotted one, or one that no tool has.
    pub fn call(self, name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        self.call_text(name, arguments.into().to_string())
    }

    /// Calls a tool with arguments as the model writes them, which may be no JSON at all.
    pub fn call_text(mut self, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        let call = SaidCall { id: None, name: name.into(), arguments: arguments.into() };
        self.calls.push(call);
        self
    }

    /// Gives the call before it this id, e.g. one that another call has, or the empty one. Calls have
    /// an id of their own unless one is set; where there is no call yet, nothing happens.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        if let Some(call) = self.calls.last_mut() {
            call.id = Some(id.into());
        }
        self
    }

    /// Ends at the limit of its length, as the provider says it.
    pub fn cut(mut self) -> Self {
        self.end = End::Cut;
        self
    }

    /// Ends for a reason in the provider's own word, e.g. `content_filter`.
    pub fn ends(mut self, reason: impl Into<String>) -> Self {
        self.end = End::Word(reason.into());
        self
    }
}
