//! One text for one value, so that fingerprints compare what was said and not how.

use serde_json::Value;

/// The value as compact JSON with the keys of every object sorted. Numbers that are equal are
/// written alike: `1`, `1.0` and `1e0` are one number, and none of them is `true` or `"1"`.
///
/// # Errors
/// The text isn't JSON.
pub(crate) fn canonical(text: &str) -> Result<String, serde_json::Error> {
    serde_json::from_str::<Value>(text).map(|value| value.to_string())
}
