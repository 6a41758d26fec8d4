//! The drafts of JSON Schema that are read.

use serde_json::Value;

use crate::json::line;

/// What the schema's draft means that the newest doesn't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft {
    /// Keywords beside a `$ref` say nothing.
    pub(super) lone_references: bool,
}

/// The draft that a schema states, or the newest.
///
/// # Errors
/// It states one that isn't known.
pub(super) fn draft(schema: &Value) -> Result<Draft, String> {
    let Some(stated) = schema.get("$schema") else { return Ok(Draft::default()) };
    let name = stated.as_str().unwrap_or_default().trim_end_matches('#');
    let name = name.strip_prefix("https:").or_else(|| name.strip_prefix("http:")).unwrap_or(name);
    match name {
        "//json-schema.org/draft-04/schema"
        | "//json-schema.org/draft-06/schema"
        | "//json-schema.org/draft-07/schema" => Ok(Draft { lone_references: true }),
        "//json-schema.org/draft/2019-09/schema" | "//json-schema.org/draft/2020-12/schema" => {
            Ok(Draft::default())
        }
        _ => Err(format!(
            "at `#/$schema`: the draft {} isn't known; known are 4, 6, 7, 2019-09 and 2020-12, as \
             `https://json-schema.org/draft/2020-12/schema`",
            line(&stated.to_string()),
        )),
    }
}
