//! The built-in tool `output.read`: the whole of an output that a reply showed in part, by pages.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

use crate::context::CallContext;
use crate::error::ToolError;
use crate::pipeline::{MARKS, PAGES};
use crate::registry::TypedTool;
use crate::schema::Contract;
use crate::store::{PageOf, Store, StoreError};
use crate::text::{excerpt, visible};

const DESCRIPTION: &str = "Read on in an output that was too long to be shown whole. \
    Where something was left out, the notice in its place gives the handle and the offset.";

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "handle": {
            "type": "string",
            "description": "The handle, as the notice gives it."
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "description": "Where to read on, in bytes, as the notice or the page before gives it."
        }
    },
    "required": ["handle"]
}"#;

/// What is read: `{"handle": string, "offset": integer from 0?}`. By hand, as below, since the library
/// does without derives.
struct Wanted {
    handle: String,
    offset: u64,
}

impl JsonSchema for Wanted {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Wanted")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // As text, since a macro for it makes a page of code.
        let schema: Option<Value> = serde_json::from_str(SCHEMA).ok();
        schema.and_then(|schema| schema.try_into().ok()).unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Wanted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        let handle = given.get("handle").and_then(Value::as_str);
        let offset = given.get("offset").map_or(Some(0), Value::as_u64);
        match (handle, offset) {
            (Some(handle), Some(offset)) => Ok(Self { handle: handle.to_owned(), offset }),
            _ => Err(D::Error::custom("no handle and offset")),
        }
    }
}

/// A page of an output: `{"offset": integer, "next": integer?, "total": integer, "text": string}`.
struct Page {
    /// Where it begins, in bytes.
    offset: u64,
    /// Where the next one begins; left out on the last.
    next: Option<u64>,
    /// The length of the whole output, in bytes.
    total: u64,
    text: String,
}

impl Serialize for Page {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Page", 4)?;
        fields.serialize_field("offset", &self.offset)?;
        match self.next {
            Some(next) => fields.serialize_field("next", &next)?,
            None => fields.skip_field("next")?,
        }
        fields.serialize_field("total", &self.total)?;
        fields.serialize_field("text", &self.text)?;
        fields.end()
    }
}

impl Page {
    /// As much of what stands there as fits into a budget of characters with its first line.
    fn within(budget: usize, offset: u64, total: u64, mut text: String) -> Self {
        // The line is as long as can be where a next page begins at the end.
        let line = line(offset, Some(total), total).chars().count();
        if let Some((end, _)) = text.char_indices().nth(budget.saturating_sub(line)) {
            text.truncate(end);
        }
        let end = offset + text.len() as u64;
        Self { offset, next: (end < total).then_some(end), total, text }
    }

    fn shown(&self) -> String {
        line(self.offset, self.next, self.total) + &self.text
    }
}

fn line(offset: u64, next: Option<u64>, total: u64) -> String {
    match next {
        Some(next) => format!("[from byte {offset} of {total}; go on at offset {next}]\n"),
        None => format!("[from byte {offset} of {total}; this is the end]\n"),
    }
}

/// The tool, over this store; its pages are within the budget of characters, and leave a tenth of it
/// to what hooks add to every result, and to the marks of what is untrusted, so that nothing of a page
/// is cut.
pub(super) fn tool(store: Arc<dyn Store>, budget: usize) -> TypedTool {
    let budget = budget - (budget / 10).max(MARKS);
    let read = move |wanted: Wanted, cx: CallContext| {
        let store = Arc::clone(&store);
        async move {
            let session = cx.session_id().unwrap_or_default();
            let Wanted { handle, offset } = &wanted;
            let page = PageOf::new(session, cx.principal_name(), handle, *offset, budget);
            let page = store.page(page).await.map_err(|error| refused(error, handle))?;
            if page.untrusted {
                cx.read_untrusted("a page of an output that is untrusted");
            }
            Ok::<_, ToolError>(Page::within(budget, page.offset, page.total, page.text))
        }
    };
    let contract = || Contract::of_schema::<Wanted>(Wanted::json_schema);
    TypedTool::rendered(PAGES, DESCRIPTION, contract, read, Page::shown).of_sessions()
}

/// What a model is told where there is no page.
fn refused(error: StoreError, handle: &str) -> ToolError {
    let handle = visible(&excerpt(handle, 40), false).into_owned();
    match error {
        StoreError::NoOutput(_) => ToolError::expected(format!(
            "no output has the handle `{handle}`; take it from the notice, letter for letter"
        )),
        StoreError::OutputGone(_) => ToolError::expected(format!(
            "the output `{handle}` is dropped, since newer ones needed its room; \
             if you still need it, make the call again that gave it"
        )),
        StoreError::BeyondOutput { offset, total } => ToolError::expected(format!(
            "offset {offset} is beyond the end: the output `{handle}` has {total} bytes"
        )),
        error => error.into(),
    }
}
