//! The text into which a description takes what the schema itself may not say.

use serde_json::Value;

use super::ordered::Node;

/// Remarks that follow a description, in order.
#[derive(Debug, Default)]
pub(super) struct Notes {
    remarks: Vec<String>,
    lines: Vec<String>,
}

impl Notes {
    /// Adds a short remark; all of them stand in one pair of parentheses.
    pub(super) fn add(&mut self, remark: impl Into<String>) {
        let remark = remark.into();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Adds a line of its own.
    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(super) fn default_of(&mut self, value: &Value) {
        if !value.is_null() {
            self.add(format!("default {}", Node::data(value).text()));
        }
    }

    pub(super) fn examples(&mut self, value: &Value) {
        if let Value::Array(examples) = value {
            let texts: Vec<String> = examples.iter().map(|one| Node::data(one).text()).collect();
            if !texts.is_empty() {
                self.add(format!("e.g. {}", texts.join(", ")));
            }
        }
    }

    /// `3 to 20 characters`, `at least 1 character`, …
    pub(super) fn count(
        &mut self,
        min: Option<&Value>,
        max: Option<&Value>,
        one: &str,
        many: &str,
    ) {
        let unit = |count: &Value| if count.as_u64() == Some(1) { one } else { many }.to_owned();
        match (min, max) {
            (Some(min), Some(max)) if min == max => {
                self.add(format!("exactly {min} {}", unit(min)));
            }
            (Some(min), Some(max)) => self.add(format!("{min} to {max} {many}")),
            (Some(min), None) => self.add(format!("at least {min} {}", unit(min))),
            (None, Some(max)) => self.add(format!("at most {max} {}", unit(max))),
            (None, None) => {}
        }
    }

    /// The description with all that was noted, if there is anything to say: the remarks after its
    /// first paragraph, the lines as a paragraph at its end.
    pub(super) fn describe(self, description: Option<String>) -> Option<String> {
        let remarks = self.remarks.join("; ");
        let mut text = match description {
            Some(description) if remarks.is_empty() => description,
            // A list of names must not look as if the remarks were about its last one.
            Some(description) if description.starts_with("- `") => {
                format!("{remarks}\n\n{description}")
            }
            Some(description) => match description.split_once("\n\n") {
                Some((first, rest)) => format!("{first} ({remarks})\n\n{rest}"),
                None => format!("{description} ({remarks})"),
            },
            None => remarks,
        };
        if !self.lines.is_empty() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&self.lines.join("\n"));
        }
        (!text.is_empty()).then_some(text)
    }
}

/// The values of a union whose branches are all fixed strings, with a line for each one that its
/// author described; `None` for any other union.
///
/// `[{const: "Red", description: "Stop."}, {enum: ["Blue"]}]` → `Red`, `Blue`, ``- `Red`: Stop.``
pub(super) fn fixed_strings(branches: &[Value]) -> Option<(Vec<String>, Vec<String>)> {
    let (mut values, mut lines) = (Vec::new(), Vec::new());
    for branch in branches {
        let Value::Object(branch) = branch else { return None };
        if branch.keys().any(|key| {
            !matches!(
                key.as_str(),
                "type" | "const" | "enum" | "description" | "title" | "deprecated"
            )
        }) {
            return None;
        }
        let found: Vec<String> = match (branch.get("const"), branch.get("enum")) {
            (Some(Value::String(one)), None) => vec![one.clone()],
            (None, Some(Value::Array(many))) => {
                many.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>()?
            }
            _ => return None,
        };
        if let Some(Value::String(text)) = branch.get("description") {
            let names: Vec<String> = found.iter().map(|one| format!("`{one}`")).collect();
            lines.push(format!("- {}: {text}", names.join(", ")));
        }
        for value in found {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    (!values.is_empty()).then_some((values, lines))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn remarks_follow_the_description() {
        let mut notes = Notes::default();
        notes.default_of(&json!(5));
        notes.default_of(&Value::Null);
        notes.count(Some(&json!(1)), None, "character", "characters");
        notes.count(Some(&json!(3)), Some(&json!(3)), "item", "items");
        notes.examples(&json!(["a", {"b": 1}]));
        notes.line("- `x`: y".to_owned());
        assert_eq!(
            notes.describe(Some("Keywords.".to_owned())).unwrap(),
            "Keywords. (default 5; at least 1 character; exactly 3 items; e.g. \"a\", {\"b\":1})\n\n- `x`: y"
        );
        assert_eq!(Notes::default().describe(None), None);
        for (description, described) in [
            ("One.\n\nTwo.", "One. (new)\n\nTwo."),
            ("Colour.\n\n- `Red`: Stop.", "Colour. (new)\n\n- `Red`: Stop."),
            ("- `Red`: Stop.", "new\n\n- `Red`: Stop."),
        ] {
            let mut notes = Notes::default();
            notes.add("new");
            assert_eq!(notes.describe(Some(description.to_owned())).unwrap(), described);
        }
        let mut notes = Notes::default();
        notes.add("format: uri");
        assert_eq!(notes.describe(None).unwrap(), "format: uri");
    }

    #[test]
    fn only_unions_of_strings_are_fixed() {
        let (values, lines) = fixed_strings(&[
            json!({"type": "string", "enum": ["Blue", "Gray"]}),
            json!({"type": "string", "const": "Red", "description": "Stop."}),
        ])
        .unwrap();
        assert_eq!(values, ["Blue", "Gray", "Red"]);
        assert_eq!(lines, ["- `Red`: Stop."]);
        assert_eq!(fixed_strings(&[json!({"const": 1})]), None);
        assert_eq!(fixed_strings(&[json!({"type": "string"})]), None);
        assert_eq!(fixed_strings(&[]), None);
    }
}
