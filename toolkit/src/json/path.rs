//! Names a place within a JSON value: `filters[1].op`.

use std::borrow::Cow;

use super::echo::echo_key;
use super::scan::Scanner;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step<'t> {
    Key(Cow<'t, str>),
    Index(usize),
}

impl Step<'_> {
    /// Appends the step to a path.
    pub(crate) fn push_to(&self, path: &mut String) {
        match self {
            Self::Index(index) => path.push_str(&format!("[{index}]")),
            Self::Key(key) => {
                let plain = !key.is_empty()
                    && key.len() <= 60
                    && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
                if plain {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                } else {
                    path.push('[');
                    path.push_str(&echo_key(key));
                    path.push(']');
                }
            }
        }
    }
}

/// The steps to the innermost value or key that the byte belongs to, or ends, and the text of that.
/// The whole is valid up to there.
pub(crate) fn locate(text: &str, at: usize) -> (Vec<Step<'_>>, &str) {
    let mut scanner = Scanner::new(text);
    scanner.space();
    let mut steps = Vec::new();
    while scanner.at < at {
        let before = scanner.at;
        let inner = match scanner.peek() {
            Some(b'[') => element(&mut scanner, at),
            Some(b'{') => member(&mut scanner, at),
            _ => None,
        };
        match inner {
            Some(step) => steps.push(step),
            None => break,
        }
        if scanner.at >= at
            && let Some(key) = key_at(text, before, at)
        {
            return (steps, key);
        }
    }
    let start = scanner.at;
    // What is cut goes to the end.
    let end = if scanner.skip().is_ok() { scanner.at } else { text.len() };
    (steps, &text[start..end])
}

/// The key of the object at `start` that the byte belongs to.
fn key_at(text: &str, start: usize, at: usize) -> Option<&str> {
    let mut scanner = Scanner::within(text, start, 0);
    let mut more = scanner.peek() == Some(b'{') && scanner.open_object().ok()?;
    while more {
        let start = scanner.at;
        scanner.string().ok()?;
        if scanner.at >= at {
            return Some(scanner.since(start));
        }
        scanner.at = start;
        scanner.key().ok()?;
        scanner.skip().ok()?;
        more = scanner.next_member().ok()?;
    }
    None
}

/// Goes to the element that the byte belongs to; if it belongs to none, stays.
fn element<'t>(scanner: &mut Scanner<'t>, at: usize) -> Option<Step<'t>> {
    let mut inner = scanner.clone();
    let mut more = inner.open_array().ok()?;
    for index in 0.. {
        let start = inner.clone();
        if !more || start.at > at {
            break;
        }
        if inner.skip().is_err() || inner.at >= at {
            *scanner = start;
            return Some(Step::Index(index));
        }
        more = inner.next_element().ok()?;
    }
    None
}

/// Goes to the member that the byte belongs to; if it belongs to none, stays.
fn member<'t>(scanner: &mut Scanner<'t>, at: usize) -> Option<Step<'t>> {
    let mut inner = scanner.clone();
    let mut more = inner.open_object().ok()?;
    while more && inner.at <= at {
        let key = inner.key().ok()?;
        let start = inner.clone();
        if inner.skip().is_err() || inner.at >= at {
            *scanner = start;
            return Some(Step::Key(key.text()));
        }
        more = inner.next_member().ok()?;
    }
    None
}

/// The members of the object that starts here: what the key says, and the value's text.
pub(crate) fn members<'t>(object: &Scanner<'t>) -> Vec<(Cow<'t, str>, &'t str)> {
    let mut scan = object.clone();
    let mut members = Vec::new();
    let mut more = scan.open_object().unwrap_or(false);
    while more {
        let Ok(key) = scan.key() else { break };
        let start = scan.at;
        if scan.skip().is_err() {
            break;
        }
        members.push((key.text(), scan.since(start)));
        more = scan.next_member().unwrap_or(false);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str, at: usize) -> String {
        let mut path = String::new();
        for step in locate(text, at).0 {
            step.push_to(&mut path);
        }
        path
    }

    #[test]
    fn the_innermost_value_that_the_byte_belongs_to() {
        let text = r#"{"a": [1, {"b c": "x", "d": tru}]}"#;
        let at = |needle: &str| text.find(needle).unwrap();
        assert_eq!(path(text, 0), "");
        assert_eq!(path(text, at("1") + 1), "a[0]");
        assert_eq!(path(text, at("\"x\"") + 2), r#"a[1]["b c"]"#);
        assert_eq!(path(text, at("tru") + 2), "a[1].d");
        assert_eq!(path(text, at("\"d\"")), "a[1].d");
        assert_eq!(locate(text, at("\"d\"") + 3).1, "\"d\"");
        assert_eq!(locate(text, at("1") + 1).1, "1");
        assert_eq!(locate(text, 0).1, text);
    }
}
