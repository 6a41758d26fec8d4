//! Lints on the names that a text mentions.

use std::collections::HashSet;

use serde_json::Value;

use super::{Finding, Lint, about};
use crate::text::nearest;
use crate::toolkit::Tool;

pub(super) fn check(tool: &Tool, tools: &[Tool], find: &mut dyn FnMut(Finding)) {
    // Our own text is JSON; a tool without a schema is told of elsewhere.
    let schema = tool.parameters_schema().ok().and_then(|text| serde_json::from_str(text).ok());
    let schema: Value = schema.unwrap_or_default();
    let (mut names, mut texts) = (HashSet::new(), Vec::new());
    told(&schema, "", &mut names, &mut texts);
    let mut mentions = Mentions { tool, tools, parameters: names, find };
    mentions.of("description", tool.description());
    for (path, text) in texts {
        mentions.of(&format!("parameter `{path}`"), text);
    }
}

/// The names of all parameters, nested ones too, and what is said of each.
fn told<'s>(
    schema: &'s Value,
    path: &str,
    names: &mut HashSet<&'s str>,
    texts: &mut Vec<(String, &'s str)>,
) {
    let Value::Object(members) = schema else { return };
    for (key, value) in members {
        match (key.as_str(), value) {
            ("description", Value::String(text)) if !path.is_empty() => {
                texts.push((path.to_owned(), text));
            }
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    names.insert(name);
                    let dot = if path.is_empty() { "" } else { "." };
                    told(schema, &format!("{path}{dot}{name}"), names, texts);
                }
            }
            // Of a type that is referred to, by its name.
            ("$defs", Value::Object(types)) => {
                types.iter().for_each(|(name, schema)| told(schema, name, names, texts));
            }
            ("items", schema) => told(schema, &format!("{path}[]"), names, texts),
            ("additionalProperties", schema) => told(schema, &format!("{path}.*"), names, texts),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter().for_each(|schema| told(schema, path, names, texts));
            }
            _ => {}
        }
    }
}

struct Mentions<'a> {
    tool: &'a Tool,
    tools: &'a [Tool],
    parameters: HashSet<&'a str>,
    find: &'a mut dyn FnMut(Finding),
}

impl Mentions<'_> {
    /// What a text mentions: what stands between backticks, and what has the form of a tool's name.
    fn of(&mut self, place: &str, text: &str) {
        let mut seen = HashSet::new();
        for (at, part) in text.split('`').enumerate() {
            let marked = at % 2 == 1;
            let bare = part.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_')));
            let bare = bare.map(|word| word.trim_end_matches('.'));
            let bare = bare.filter(|word| word.contains('.') || word.contains("__"));
            let names: Vec<&str> = if marked { vec![part] } else { bare.collect() };
            for name in names.into_iter().filter(|name| is_name(name)) {
                if seen.insert(name) {
                    self.name(place, name, marked);
                }
            }
        }
    }

    fn name(&mut self, place: &str, name: &str, marked: bool) {
        let known = |other: &Tool| other.name() == name || other.wire_name() == name;
        if self.tools.iter().any(known) || self.parameters.contains(name) {
            return;
        }
        // As a provider has it, or as we do.
        let dotted = name.replace("__", ".");
        let domain = dotted.rsplit_once('.').map(|(domain, _)| domain);
        let is_of = |tool: &&Tool| domain.is_none() || tool.domain().is_some();
        let names = self.tools.iter().filter(is_of).map(|tool| tool.name());
        // Without a domain or a second word it may be any word.
        let near = nearest(&dotted, names).filter(|_| domain.is_some() || name.contains('_'));
        // A dot alone makes no tool of `example.com`.
        let of_domain = domain.is_some() && self.tools.iter().any(|other| other.domain() == domain);
        let parameter = || nearest(name, self.parameters.iter().copied());
        let (what, near) = if domain.is_some() && (of_domain || (near.is_some() && marked)) {
            (format!("names a tool `{name}`, which isn't there"), near)
        } else if domain.is_none()
            && name.contains('_')
            && let Some(parameter) = parameter()
        {
            (format!("names a parameter `{name}`, which the tool hasn't"), Some(parameter))
        } else if domain.is_none() && near.is_some() {
            (format!("names a tool `{name}`, which isn't there"), near)
        } else {
            return;
        };
        let cure = match near {
            Some(near) => format!("write `{near}`, or take the name out"),
            None => format!("take the name out; there are {}", domain_names(self.tools, domain)),
        };
        (self.find)(about(self.tool, Lint::UnknownName, place, what, cure));
    }
}

fn domain_names(tools: &[Tool], domain: Option<&str>) -> String {
    let of = tools.iter().filter(|tool| tool.domain() == domain);
    let names: Vec<String> = of.map(|tool| format!("`{}`", tool.name())).take(5).collect();
    names.join(", ")
}

/// Whether it could be the name of a tool or a parameter.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_form() {
        for name in ["kb.search", "limit", "kb__search", "a1"] {
            assert!(is_name(name), "{name}");
        }
        for other in ["Kb", "a b", "", "e.g.", "1a", "größe", "a-b"] {
            assert!(!is_name(other), "{other}");
        }
    }
}
