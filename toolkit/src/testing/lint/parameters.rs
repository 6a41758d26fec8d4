//! Lints on parameters, nested ones as well, as their schema tells of them.

use serde_json::{Map, Value};

use super::super::words::is_latin;
use super::{Finding, Lint, about};
use crate::toolkit::Tool;

/// How deep a schema is walked: those of recursive types have no end.
const DEPTH: usize = 8;

/// Names for which most callers would want the same.
const USUAL: [&str; 24] = [
    "limit",
    "max",
    "max_results",
    "count",
    "top_k",
    "page",
    "page_size",
    "per_page",
    "offset",
    "skip",
    "order",
    "order_by",
    "sort",
    "sort_by",
    "format",
    "lang",
    "language",
    "locale",
    "timezone",
    "encoding",
    "recursive",
    "verbose",
    "dry_run",
    "depth",
];

pub(super) fn check(tool: &Tool, find: &mut dyn FnMut(Finding)) {
    let text = match tool.parameters_schema() {
        Ok(text) => text,
        Err(why) => {
            let cure = "change the parameter's type, or how its schema is derived";
            find(about(tool, Lint::NoSchema, "parameters", why, cure));
            return;
        }
    };
    // Our own text is JSON.
    let schema = serde_json::from_str(text).unwrap_or_default();
    let walk = Walk { tool, root: &schema };
    walk.object(&schema, "", 0, find);
}

struct Walk<'a> {
    tool: &'a Tool,
    root: &'a Value,
}

impl Walk<'_> {
    /// The properties of an object's schema.
    fn object(&self, schema: &Value, path: &str, depth: usize, find: &mut dyn FnMut(Finding)) {
        let Some(properties) = schema["properties"].as_object() else { return };
        let required = schema["required"].as_array();
        for (name, property) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let needed = required.is_some_and(|all| all.iter().any(|of| of == name));
            self.property(name, property, needed, &path, depth, find);
        }
    }

    fn property(
        &self,
        name: &str,
        schema: &Value,
        needed: bool,
        path: &str,
        depth: usize,
        find: &mut dyn FnMut(Finding),
    ) {
        let own = schema["description"].as_str();
        let (schema, path) = self.innermost(schema, path.to_owned());
        let text = own.or_else(|| schema["description"].as_str()).unwrap_or_default();
        let place = format!("parameter `{path}`");
        let kind = kind(schema);
        let mute = matches!(kind, "string" | "number" | "integer") && !tells(schema);
        if mute && is_latin(text) && !shows(text) {
            let what = "shows neither a format nor an example";
            let cure = "add one to its text: `Keywords, e.g. \"refund invoice\".`";
            find(about(self.tool, Lint::NoExample, &place, what, cure));
        }
        if kind == "string" && !has(schema, &["enum", "const", "oneOf", "anyOf"]) && lists(text) {
            let what = "lists in prose what may be given";
            let cure = "make it an enum, which a model is held to";
            find(about(self.tool, Lint::OptionsInProse, &place, what, cure));
        }
        if needed && USUAL.contains(&&*snake(name)) {
            let what = "must be given, though most callers would want the same";
            // The words are those of a function's own parameter; of a field or a schema others hold.
            let is_own = self.tool.parameters().iter().any(|own| own.name() == path);
            let cure = match is_own {
                true => format!(
                    "give it a default, e.g. `#[arg(default = …)]`, or make `{name}` an `Option`"
                ),
                false => format!(
                    "take `{name}` out of what is required: give its field a default \
                     (`#[serde(default)]`), or make it an `Option`"
                ),
            };
            find(about(self.tool, Lint::NeedlessRequired, &place, what, cure));
        }
        if depth < DEPTH {
            self.object(schema, &path, depth + 1, find);
        }
    }

    /// What the values are made of: through references, lists, and what may be null.
    fn innermost<'s>(&'s self, mut schema: &'s Value, mut path: String) -> (&'s Value, String) {
        for _ in 0..DEPTH {
            let referred =
                schema["$ref"].as_str().and_then(|to| self.root.pointer(to.strip_prefix('#')?));
            let variants = schema["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
            let mut real = variants.iter().filter(|variant| variant["type"] != "null");
            let only = match (real.next(), real.next()) {
                (Some(only), None) => Some(only),
                _ => None,
            };
            schema = match (referred, only, &schema["items"]) {
                (Some(inner), ..) | (None, Some(inner), _) => inner,
                (None, None, inner @ Value::Object(_)) if kind(schema) == "array" => {
                    path.push_str("[]");
                    inner
                }
                _ => break,
            };
        }
        (schema, path)
    }
}

/// The type of the values that aren't null; empty where there are several.
fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(of) => of,
        Value::Array(of) => {
            let mut real = of.iter().filter_map(Value::as_str).filter(|of| *of != "null");
            match (real.next(), real.next()) {
                (Some(only), None) => only,
                _ => "",
            }
        }
        _ => "",
    }
}

fn has(schema: &Value, keys: &[&str]) -> bool {
    schema
        .as_object()
        .is_some_and(|members: &Map<_, _>| keys.iter().any(|k| members.contains_key(*k)))
}

/// Whether the schema itself tells what a value looks like.
fn tells(schema: &Value) -> bool {
    let bound = &schema["maximum"];
    has(schema, &["enum", "const", "pattern", "examples", "default"])
        || (!bound.is_null() && !bound.as_u64().is_some_and(is_width))
        || (kind(schema) == "string" && has(schema, &["format"]))
}

/// Whether a bound only says how wide a number is, and not what it means.
fn is_width(bound: u64) -> bool {
    bound >= 127 && bound.checked_add(1).is_none_or(u64::is_power_of_two)
}

/// `maxResults` as `max_results`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Words behind which examples stand.
const EXAMPLES: [&str; 5] = ["e.g.", "for example", "for instance", "such as", "like `"];

/// Whether the text shows a format or an example.
fn shows(text: &str) -> bool {
    const FORMATS: [&str; 7] = ["format", "formats", "formatted", "http", "https", "iso", "rfc"];
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    EXAMPLES.iter().any(|words| lower.contains(words))
        || words.any(|word| FORMATS.contains(&word))
        || text.contains(['`', '"', '“', '„', '«'])
        || text.contains(|c: char| c.is_ascii_digit())
}

/// Whether the text lists what may be given.
fn lists(text: &str) -> bool {
    let lower = text.to_lowercase();
    // Examples are no list.
    let end = EXAMPLES.iter().filter_map(|words| lower.find(words)).min().unwrap_or(lower.len());
    let lower = lower[..end].trim_end_matches([' ', ',', ';', ':', '(']);
    let says = ["must be `", "allowed values", "possible values", "valid values"];
    // What follows must be several: one of somebody's names is one.
    let several = |words: &str, parts: &[&str]| {
        let rest = lower.split_once(words).map_or("", |(_, rest)| rest);
        parts.iter().any(|part| rest.contains(part))
    };
    let marked = lower.matches('`').count() / 2 >= 2 && lower.contains("` or `");
    let quoted = lower.matches('"').count() / 2 >= 2 && lower.contains("\" or \"");
    let piped =
        lower.split_whitespace().any(|word| word.trim_matches('|').matches('|').count() >= 1);
    says.iter().any(|words| lower.contains(words))
        || several("one of", &[",", ":", " or ", "`", "\""])
        || several("either ", &[" or "])
        || marked
        || quoted
        || piped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_told_from_examples() {
        for (text, is) in [
            ("One of low, mid and high.", true),
            ("`low`, `mid` or `high`.", true),
            ("\"asc\" or \"desc\"", true),
            ("asc|desc", true),
            ("Keywords, e.g. `a` or `b`.", false),
            ("Name of a city.", false),
            ("A regular expression such as `a|b`.", false),
            ("", false),
        ] {
            assert_eq!(lists(text), is, "{text}");
        }
    }

    #[test]
    fn a_width_tells_nothing() {
        assert!(!tells(&json!({"type": "integer", "format": "int64"})));
        assert!(!tells(&json!({"type": "integer", "minimum": 0})));
        for width in [255, 65_535, u64::from(u32::MAX), (1 << 53) - 1, u64::MAX] {
            assert!(!tells(&json!({"type": "integer", "minimum": 0, "maximum": width})));
        }
        for bound in [1, 20, 100, 255 - 1] {
            assert!(tells(&json!({"type": "integer", "minimum": 1, "maximum": bound})));
        }
        assert!(tells(&json!({"type": "number", "maximum": 1.0})));
        assert!(tells(&json!({"type": "string", "format": "date-time"})));
        assert!(tells(&json!({"type": "string", "enum": ["a"]})));
        assert!(!tells(&json!({"type": "string"})));
    }
}
