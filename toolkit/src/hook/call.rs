//! What the hooks around a call see of it. Everything is lent and to be read: no hook has a way to put
//! other arguments in the place of those that were judged.

use serde_json::Value;

use crate::context::CallContext;
use crate::spec::ToolSpec;

/// A call as a hook sees it: a [`Rewrite`](crate::Rewrite) with the arguments as they have come to be
/// so far, a [`Guard`](crate::Guard) and an [`Around`](crate::Around) with the final ones, exactly as
/// they run.
#[derive(Clone, Copy, Debug)]
pub struct HookCall<'a> {
    tool: &'a ToolSpec,
    arguments: &'a str,
    context: &'a CallContext,
    draft: Option<&'a str>,
}

impl<'a> HookCall<'a> {
    pub(crate) fn new(tool: &'a ToolSpec, arguments: &'a str, context: &'a CallContext) -> Self {
        Self { tool, arguments, context, draft: None }
    }

    /// The same at the confirmation of a draft.
    pub(crate) fn delivering(self, draft: &'a str) -> Self {
        Self { draft: Some(draft), ..self }
    }

    /// The tool.
    pub fn tool(&self) -> &'a ToolSpec {
        self.tool
    }

    /// The arguments as JSON text; `""` and `null` where there are none. Secrets are in it.
    pub fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// Where a person has confirmed a draft: what is about to be sent, as JSON text. The arguments are
    /// then those that it was made from. `None` for the call of a tool. Secrets are in it.
    pub fn draft(&self) -> Option<&'a str> {
        self.draft
    }

    /// What surrounds the call.
    pub fn context(&self) -> &'a CallContext {
        self.context
    }

    /// The arguments as a value; an empty object where there are none.
    ///
    /// # Errors
    /// A [`Value`] can't hold them, such as a number that no float reaches under a key that a schema
    /// leaves open. A hook hands the error on with `?`, which denies.
    pub fn value(&self) -> Result<Value, serde_json::Error> {
        match self.arguments.trim() {
            "" | "null" => Ok(serde_json::Map::new().into()),
            text => serde_json::from_str(text),
        }
    }
}
