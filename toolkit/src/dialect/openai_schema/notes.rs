//! The text into which a description takes what the schema itself may not say.

use std::borrow::Cow;

use super::ordered::Node;

/// Remarks that follow a description, in order.
#[derive(Debug, Default)]
pub(super) struct Notes {
    remarks: Vec<Cow<'static, str>>,
    lines: Vec<String>,
}

/// The values of a union of fixed strings, and a line for each one that its author described.
type Fixed<'t> = (Vec<Node<'t>>, Vec<String>);

impl Notes {
    /// Adds a short remark; all of them stand in one pair of parentheses.
    pub(super) fn add(&mut self, remark: impl Into<Cow<'static, str>>) {
        let remark = remark.into();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Adds a line of its own.
    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(super) fn default_of(&mut self, value: &Node<'_>) {
        if !value.is("null") {
            let mut remark = "default ".to_owned();
            write_data(value, &mut remark);
            self.add(remark);
        }
    }

    pub(super) fn examples(&mut self, value: &Node<'_>) {
        let Some(examples) = value.as_list().filter(|examples| !examples.is_empty()) else {
            return;
        };
        let mut remark = "e.g. ".to_owned();
        for (i, example) in examples.iter().enumerate() {
            if i > 0 {
                remark.push_str(", ");
            }
            write_data(example, &mut remark);
        }
        self.add(remark);
    }

    /// `not "a"`
    pub(super) fn other_than(&mut self, value: &Node<'_>) {
        let mut remark = "not ".to_owned();
        write_data(value, &mut remark);
        self.add(remark);
    }

    /// `3 to 20 characters`, `at least 1 character`, …
    pub(super) fn count(
        &mut self,
        min: Option<&Node<'_>>,
        max: Option<&Node<'_>>,
        one: &str,
        many: &str,
    ) {
        let unit = |count: &Node<'_>| if count.is("1") { one } else { many };
        let remark = match (min, max) {
            (Some(min), Some(max)) if min == max => {
                format!("exactly {} {}", min.text(), unit(min))
            }
            (Some(min), Some(max)) => format!("{} to {} {many}", min.text(), max.text()),
            (Some(min), None) => format!("at least {} {}", min.text(), unit(min)),
            (None, Some(max)) => format!("at most {} {}", max.text(), unit(max)),
            (None, None) => return,
        };
        self.add(remark);
    }

    /// The description with all that was noted, if there is anything to say: the remarks after its
    /// first paragraph, the lines as a paragraph at its end.
    pub(super) fn describe<'t>(self, description: Option<Cow<'t, str>>) -> Option<Cow<'t, str>> {
        if self.remarks.is_empty() && self.lines.is_empty() {
            return description.filter(|text| !text.is_empty());
        }
        let remarks = self.remarks.join("; ");
        let mut text = match description {
            Some(description) if remarks.is_empty() => description.into_owned(),
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
        (!text.is_empty()).then_some(Cow::Owned(text))
    }
}

/// Appends a value that is data, not schema.
fn write_data(value: &Node<'_>, out: &mut String) {
    match value {
        Node::Word(_) | Node::Text(_) => value.write(out),
        compound => compound.clone().data().write(out),
    }
}

/// The values of a union whose branches are all fixed strings, with a line for each one that its
/// author described; `None` for any other union.
///
/// `[{const: "Red", description: "Stop."}, {enum: ["Blue"]}]` → `Red`, `Blue`, ``- `Red`: Stop.``
pub(super) fn fixed_strings<'t>(branches: &[Node<'t>]) -> Option<Fixed<'t>> {
    let (mut values, mut lines) = (Vec::new(), Vec::new());
    for branch in branches {
        let branch = branch.as_object()?;
        if branch.keys().any(|key| {
            !matches!(key, "type" | "const" | "enum" | "description" | "title" | "deprecated")
        }) {
            return None;
        }
        let found = match (branch.get("const"), branch.get("enum")) {
            (Some(one @ Node::Text(_)), None) => std::slice::from_ref(one),
            (None, Some(Node::List(many))) => many,
            _ => return None,
        };
        if !found.iter().all(|one| matches!(one, Node::Text(_))) {
            return None;
        }
        if let Some(Node::Text(text)) = branch.get("description") {
            let names: Vec<String> =
                found.iter().filter_map(Node::as_text).map(|one| format!("`{one}`")).collect();
            lines.push(format!("- {}: {text}", names.join(", ")));
        }
        for value in found {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    (!values.is_empty()).then_some((values, lines))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::read::read;
    use super::*;

    #[test]
    fn remarks_follow_the_description() {
        let mut notes = Notes::default();
        notes.default_of(&read("5").unwrap());
        notes.default_of(&read("null").unwrap());
        notes.count(Some(&read("1").unwrap()), None, "character", "characters");
        let three = read("3").unwrap();
        notes.count(Some(&three), Some(&three), "item", "items");
        notes.examples(&read(r#"["a", {"b": 1}]"#).unwrap());
        notes.line("- `x`: y".to_owned());
        assert_eq!(
            notes.describe(Some("Keywords.".into())).unwrap(),
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
            assert_eq!(notes.describe(Some(description.into())).unwrap(), described);
        }
        let mut notes = Notes::default();
        notes.add("format: uri");
        assert_eq!(notes.describe(None).unwrap(), "format: uri");
    }

    #[test]
    fn only_unions_of_strings_are_fixed() {
        let fixed = |branches: Value| {
            let text = branches.to_string();
            let Node::List(branches) = read(&text).unwrap() else { panic!() };
            let (values, lines) = fixed_strings(&branches)?;
            let values: Vec<String> =
                values.iter().map(|v| v.as_text().unwrap().to_string()).collect();
            Some((values, lines))
        };
        let (values, lines) = fixed(json!([
            {"type": "string", "enum": ["Blue", "Gray"]},
            {"type": "string", "const": "Red", "description": "Stop."},
        ]))
        .unwrap();
        assert_eq!(values, ["Blue", "Gray", "Red"]);
        assert_eq!(lines, ["- `Red`: Stop."]);
        assert_eq!(fixed(json!([{"const": 1}])), None);
        assert_eq!(fixed(json!([{"type": "string"}])), None);
        assert_eq!(fixed(json!([])), None);
    }
}
