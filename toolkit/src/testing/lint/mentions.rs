//! Lints on the names that a text mentions.

use super::{Finding, Lint, about};
use crate::text::nearest;
use crate::toolkit::Tool;

pub(super) fn check(tool: &Tool, tools: &[Tool], find: &mut dyn FnMut(Finding)) {
    mentions(tool, tools, "description", tool.description(), find);
    for parameter in tool.parameters() {
        let place = format!("parameter `{}`", parameter.name());
        mentions(tool, tools, &place, parameter.description(), find);
    }
}

fn mentions(tool: &Tool, tools: &[Tool], place: &str, text: &str, find: &mut dyn FnMut(Finding)) {
    for name in marked(text) {
        let known = |other: &Tool| other.name() == name || other.wire_name() == name;
        if !is_name(name) || tools.iter().any(known) {
            continue;
        }
        let domain = name.rsplit_once('.').map(|(domain, _)| domain);
        let names = || tools.iter().map(|tool| tool.name());
        let near = nearest(name, names());
        // A dot alone makes no tool of `example.com`.
        let of_domain = domain.is_some() && tools.iter().any(|other| other.domain() == domain);
        let of_parameter = || {
            let parameters = || tool.parameters().iter().map(crate::spec::ParamSpec::name);
            let is_one = parameters().any(|parameter| parameter == name);
            nearest(name, parameters()).filter(|_| !is_one && name.contains('_'))
        };
        let (what, near) = if domain.is_some() && (of_domain || near.is_some()) {
            (format!("names a tool `{name}`, which isn't there"), near)
        } else if domain.is_none()
            && let Some(parameter) = of_parameter()
        {
            (format!("names a parameter `{name}`, which the tool hasn't"), Some(parameter))
        } else {
            continue;
        };
        let cure = match near {
            Some(near) => format!("write `{near}`, or take the name out"),
            None => format!("take the name out; there are {}", domain_names(tools, domain)),
        };
        find(about(tool, Lint::UnknownName, place, what, cure));
    }
}

fn domain_names(tools: &[Tool], domain: Option<&str>) -> String {
    let of = tools.iter().filter(|tool| tool.domain() == domain);
    let names: Vec<String> = of.map(|tool| format!("`{}`", tool.name())).take(5).collect();
    names.join(", ")
}

/// What stands between backticks.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
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
    fn names_stand_between_backticks() {
        let all = |text| marked(text).filter(|text| is_name(text)).collect::<Vec<_>>();
        assert_eq!(all("Use `kb.search`, not `Kb` or `a b`; `limit` too."), ["kb.search", "limit"]);
        assert!(all("none, `").is_empty());
    }
}
