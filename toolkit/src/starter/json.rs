//! Questions to JSON.

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::ToolError;

/// Questions to JSON: `json.query`. Load it with [`Builder::toolset`](crate::Builder::toolset) or
/// [`Toolkit::load`](crate::Toolkit::load).
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

#[toolkit_macros::toolset(domain = "json", ceiling = "read", crate = crate)]
impl Json {
    /// Query a JSON text with a JSONPath (RFC 9535) and return what matches, in order, as a list.
    ///
    /// Use it to pick values out of JSON that you were given as text. Not for counting or comparing words:
    /// that is `text.count`.
    #[tool(risk = "read", title = "JSON query", blocking = "abandon")]
    fn query(
        /// The JSON text, at most 100,000 bytes, e.g. `{"items": [{"price": 5}]}`.
        #[arg(length = 1..=100_000)]
        json: &str,
        /// The JSONPath, e.g. `$.items[?@.price > 4].price`. At most one `..` in it.
        #[arg(length = 1..=200)]
        path: &str,
        /// How many matches to return at most, e.g. `10`.
        #[arg(default = 100, range = 1..=1000)]
        limit: usize,
    ) -> Result<Vec<Value>, ToolError> {
        let value: Value = serde_json::from_str(json)
            .map_err(|error| ToolError::expected(format!("`json` is no JSON: {error}")))?;
        // Each of them looks at all that is below all that the last one found.
        if path.matches("..").count() > 1 || path.matches('?').count() > 2 {
            return Err(ToolError::expected(
                "`path` may hold one `..` and two filters at most; ask for less, or in two calls",
            ));
        }
        let path = JsonPath::parse(path).map_err(|error| {
            let at = error.position() + 1;
            ToolError::expected(format!(
                "`path` is no JSONPath, at character {at}: {}; it begins with `$`, e.g. `$.items[0].name`",
                error.message()
            ))
        })?;
        Ok(path.query(&value).into_iter().take(limit).cloned().collect())
    }
}
