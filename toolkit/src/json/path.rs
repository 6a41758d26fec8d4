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

/// The steps to the innermost value or key that the byte belongs to, or ends. The text is valid up to
/// there.
pub(crate) fn locate(text: &str, at: usize) -> (Vec<Step<'_>>, usize) {
    let mut scanner = Scanner::new(text);
    scanner.space();
    let mut steps = Vec::new();
    while scanner.at < at {
        let inner = match scanner.peek() {
            Some(b'[') => element(&mut scanner, at),
            Some(b'{') => member(&mut scanner, at),
            _ => None,
        };
        match inner {
            Some(step) => steps.push(step),
            None => break,
        }
    }
    (steps, scanner.at)
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
    }
}
