//! One tool as the text of its file.

use serde_json::value::RawValue;

use crate::json::string;
use crate::toolkit::Tool;

/// The whole file.
///
/// # Errors
/// Why there is no schema.
pub(super) fn of(tool: &Tool) -> Result<String, String> {
    let schema = tool.parameters_schema()?;
    let mut json = String::from("{\"name\":");
    string(tool.name(), &mut json);
    let mut member = |key: &str, values: &mut dyn Iterator<Item = &str>, list: bool| {
        let mut values = values.peekable();
        if values.peek().is_none() {
            return;
        }
        json.push_str(&format!(",\"{key}\":{}", if list { "[" } else { "" }));
        for (i, value) in values.enumerate() {
            json.push_str(if i > 0 { "," } else { "" });
            string(value, &mut json);
        }
        json.push_str(if list { "]" } else { "" });
    };
    member("title", &mut tool.title().into_iter(), false);
    // By lines, so that a change of one is a change of one.
    member("description", &mut tool.description().lines(), true);
    member("risk", &mut tool.risk().iter().map(|risk| risk.as_str()), true);
    member("flag", &mut tool.flag().into_iter(), false);
    member("scopes", &mut tool.scopes().iter().copied(), true);
    member("hosts", &mut tool.hosts().iter().copied(), true);
    json.push_str(",\"parameters\":");
    json.push_str(schema);
    if let Some(output) = tool.output_schema() {
        json.push_str(",\"output\":");
        // Sorted by key, whatever features of serde_json a program has.
        json.push_str(&crate::json::canonical(&output.to_string()));
    }
    json.push('}');
    debug_assert!(serde_json::from_str::<&RawValue>(&json).is_ok(), "it is JSON: {json}");
    Ok(pretty(&json))
}

/// Whether a text is the file of a tool, as one was written at some time.
pub(super) fn is_of(tool: &str, text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|file| file["name"] == tool && file["parameters"].is_object())
}

/// JSON by lines, its keys in the order in which they stand; what is empty stays on its line.
fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut letters = json.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' => {
                out.push(c);
                while let Some(c) = letters.next() {
                    out.push(c);
                    match c {
                        // Whatever it is, it doesn't end the text.
                        '\\' => out.extend(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                out.push(c);
                match letters.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        line(depth, &mut out);
                    }
                }
            }
            '}' | ']' => {
                depth -= 1;
                line(depth, &mut out);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(depth, &mut out);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out.push('\n');
    out
}

fn line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stands_by_lines() {
        let json = r#"{"b":[1,-2.5e3,{}],"a":{"x":"{,:\"[\\","y":[]},"c":null}"#;
        let text = "{\n  \"b\": [\n    1,\n    -2.5e3,\n    {}\n  ],\n  \"a\": {\n    \
                    \"x\": \"{,:\\\"[\\\\\",\n    \"y\": []\n  },\n  \"c\": null\n}\n";
        assert_eq!(pretty(json), text);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(json), read(text));
        assert_eq!(pretty(text), text);
    }
}
