//! Tool names and wire names: what is a legal name, and how one maps to the other.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The longest wire name that every provider takes, in bytes.
pub const MAX_WIRE_NAME: usize = 64;

/// A name that is cheap to clone: constant for annotated tools, shared for those made at run time.
#[derive(Clone)]
pub(crate) struct Name(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Name {
    pub(crate) const fn constant(name: &'static str) -> Self {
        Self(Repr::Static(name))
    }

    /// A name made at run time; whoever makes a tool of it has it [checked](check).
    pub(crate) fn shared(name: &str) -> Self {
        Self(Repr::Shared(name.into()))
    }

    /// The text of the name.
    pub(crate) fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(text) => text,
            Repr::Shared(text) => text,
        }
    }
}

impl std::ops::Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}
impl Eq for Name {}
impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}
impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}
impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Why a text is no tool name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Not segments `[a-z][a-z0-9]*(_[a-z0-9]+)*` joined by dots.
    #[error("a tool name is snake_case segments joined by dots, e.g. `kb.search`")]
    Shape,
    /// The wire name (dots written `__`) has more than [`MAX_WIRE_NAME`] bytes.
    #[error("the wire name has {0} bytes, at most {MAX_WIRE_NAME} are allowed")]
    TooLong(usize),
}

/// Checks a tool name: segments `[a-z][a-z0-9]*(_[a-z0-9]+)*` joined by dots, and short enough that
/// its [wire name](wire_name) has at most 64 bytes.
///
/// # Errors
/// The author of the tool mends the name.
///
/// ```
/// use toolkit::name::check;
/// assert!(check("kb.search").is_ok());
/// assert!(check("kb__search").is_err()); // `__` stands for the dot on the wire
/// ```
pub fn check(name: &str) -> Result<(), NameError> {
    let segment = |segment: &str| {
        segment.starts_with(|c: char| c.is_ascii_lowercase())
            && segment.split('_').all(|word| {
                !word.is_empty()
                    && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            })
    };
    if !name.split('.').all(segment) {
        return Err(NameError::Shape);
    }
    let wire = name.len() + name.matches('.').count();
    if wire > MAX_WIRE_NAME { Err(NameError::TooLong(wire)) } else { Ok(()) }
}

/// The form of a tool name for providers that forbid dots: each dot is written `__`.
///
/// The way back goes through the registry's table, never by parsing.
pub fn wire_name(name: &str) -> String {
    name.replace('.', "__")
}

/// The domain of a tool name: all before the last dot, or none.
pub fn domain(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(domain, _)| domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_names() {
        for name in ["a", "kb.search", "kb.v2.full_text", "constructor", "a1_2b"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn illegal_names() {
        for name in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "A",
            "a b",
            "a-b",
            "a/b",
            "é",
            "_a",
            "a_",
            "a__b",
            "1a",
            "a.1b",
            "a._b",
            "__proto__",
            "bad name!",
        ] {
            assert_eq!(check(name), Err(NameError::Shape), "{name}");
        }
        assert_eq!(check(&"a".repeat(64)), Ok(()));
        assert_eq!(check(&"a".repeat(65)), Err(NameError::TooLong(65)));
        assert_eq!(check(&format!("{}.b", "a".repeat(62))), Err(NameError::TooLong(65)));
    }

    #[test]
    fn domain_is_all_before_the_last_dot() {
        assert_eq!(domain("kb.v2.search"), Some("kb.v2"));
        assert_eq!(domain("ping"), None);
    }
}
