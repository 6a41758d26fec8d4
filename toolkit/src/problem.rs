//! What was wrong with arguments and what was mended in them, in words that a model can act on.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// The longest text of problems, in bytes.
pub(crate) const MAX_TEXT: usize = 1024;

/// One thing that is wrong with the arguments of a call.
///
/// Its text is one line: `limit: expected integer from 1 to 20, got "many"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    path: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Missing,
    Unknown { nearest: Option<String> },
    Unfit { expected: String, got: String },
    Other { message: String },
}

impl Problem {
    /// Nothing was given where something must be.
    pub(crate) fn missing(path: String) -> Self {
        Self { path, kind: Kind::Missing }
    }

    /// A key that the schema doesn't have.
    pub(crate) fn unknown(path: String, nearest: Option<String>) -> Self {
        Self { path, kind: Kind::Unknown { nearest } }
    }

    /// A value that the schema refuses; `got` is already capped, and withheld where it is secret.
    pub(crate) fn unfit(path: String, expected: String, got: String) -> Self {
        Self { path, kind: Kind::Unfit { expected, got } }
    }

    /// Anything else, in a decoder's own words.
    pub(crate) fn other(path: String, message: String) -> Self {
        Self { path, kind: Kind::Other { message } }
    }

    /// Where: `limit`, `filters[1].op`; empty for the whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What the schema asks for, where it says so.
    pub fn expected(&self) -> Option<&str> {
        match &self.kind {
            Kind::Unfit { expected, .. } => Some(expected),
            _ => None,
        }
    }

    /// What was there, as JSON, capped; for a secret only its kind.
    pub fn got(&self) -> Option<&str> {
        match &self.kind {
            Kind::Unfit { got, .. } => Some(got),
            _ => None,
        }
    }

    /// The nearest valid name, for an unknown one.
    pub fn nearest(&self) -> Option<&str> {
        match &self.kind {
            Kind::Unknown { nearest } => nearest.as_deref(),
            _ => None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        match &self.kind {
            Kind::Missing => f.write_str("required, missing"),
            Kind::Unknown { nearest: None } => f.write_str("unknown argument"),
            Kind::Unknown { nearest: Some(name) } => {
                write!(f, "unknown argument; did you mean `{name}`?")
            }
            Kind::Unfit { expected, got } => write!(f, "expected {expected}, got {got}"),
            Kind::Other { message } => f.write_str(message),
        }
    }
}

/// One argument that was mended without loss before it ran.
///
/// Its text is one line: `limit: "42" was read as 42`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    path: String,
    from: String,
    to: String,
}

impl Repair {
    /// A repair; both texts are already capped, and withheld where they are secret.
    pub(crate) fn new(path: String, from: String, to: String) -> Self {
        Self { path, from, to }
    }

    /// Where; empty for the whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was given, as JSON, capped; for a secret only its kind.
    pub fn from(&self) -> &str {
        &self.from
    }

    /// What it was read as, as JSON, capped; for a secret only its kind.
    pub fn to(&self) -> &str {
        &self.to
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{} was read as {}", self.from, self.to)
    }
}

/// Why a text holds no arguments at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    offset: usize,
    kind: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    Syntax { expected: Cow<'static, str>, got: Cow<'static, str> },
    TooLong { max: usize },
    TooDeep { max: usize },
    Twice { path: String },
}

impl Malformed {
    pub(crate) fn syntax(
        offset: usize,
        expected: impl Into<Cow<'static, str>>,
        got: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { offset, kind: Fault::Syntax { expected: expected.into(), got: got.into() } }
    }

    /// More than `max` bytes; `len` is how many there are.
    pub(crate) fn too_long(len: usize, max: usize) -> Self {
        Self { offset: len, kind: Fault::TooLong { max } }
    }

    pub(crate) fn too_deep(offset: usize, max: usize) -> Self {
        Self { offset, kind: Fault::TooDeep { max } }
    }

    /// The key at `offset` stands in its object a second time.
    pub(crate) fn twice(offset: usize, path: String) -> Self {
        Self { offset, kind: Fault::Twice { path } }
    }

    /// The byte at which reading stopped, from 0; for a text that is too long, its length.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.offset;
        match &self.kind {
            Fault::Syntax { expected, got } => {
                write!(f, "at byte {at}: expected {expected}, got {got}")
            }
            Fault::TooLong { max } => write!(f, "{at} bytes, at most {max} are allowed"),
            Fault::TooDeep { max } => {
                write!(f, "at byte {at}: nested deeper than {max}, which is the limit")
            }
            Fault::Twice { path } => write!(f, "at byte {at}: `{path}` is given twice; keep one"),
        }
    }
}

/// What a model reads when a tool's arguments don't fit: a heading and one line a problem, within
/// [`MAX_TEXT`] bytes. At least one problem is told, however many there are.
pub(crate) fn invalid_text(tool: &str, problems: &[Problem]) -> String {
    let mut text = format!("invalid arguments for `{tool}`:");
    for (done, problem) in problems.iter().enumerate() {
        let before = text.len();
        let left = problems.len() - done;
        // Room for the last line, should the rest not fit.
        let room = MAX_TEXT - if left > 1 { more(left - 1).len() } else { 0 };
        // Writing to a `String` can't fail.
        let _ = write!(text, "\n- {problem}");
        if text.len() > room {
            if done > 0 {
                text.truncate(before);
                text.push_str(&more(left));
                break;
            }
            cut(&mut text, room);
        }
    }
    text
}

fn more(left: usize) -> String {
    format!("\n- and {left} more")
}

/// Shortens a text to at most `max` bytes, the ellipsis included, at a character's boundary.
pub(crate) fn cut(text: &mut String, max: usize) {
    if text.len() > max {
        let mut end = max.saturating_sub('…'.len_utf8());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
}

/// What a model reads when a text holds no arguments.
pub(crate) fn malformed_text(tool: &str, malformed: &Malformed) -> String {
    let mut text = format!(
        "malformed arguments for `{tool}`:\n- {malformed}\nSend one complete JSON object and nothing else."
    );
    cut(&mut text, MAX_TEXT);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_problem() {
        let problems = [
            Problem::unfit("limit".into(), "integer from 1 to 20".into(), "\"many\"".into()),
            Problem::unknown("qurey".into(), Some("query".into())),
            Problem::missing("query".into()),
        ];
        assert_eq!(
            invalid_text("kb.search", &problems),
            "invalid arguments for `kb.search`:\n\
             - limit: expected integer from 1 to 20, got \"many\"\n\
             - qurey: unknown argument; did you mean `query`?\n\
             - query: required, missing"
        );
    }

    #[test]
    fn the_text_is_bounded_and_counts_the_rest() {
        for n in [1, 2, 29, 30, 31, 32, 33, 34, 35, 36, 200, 20_000] {
            let problems: Vec<_> =
                (0..n).map(|i| Problem::missing(format!("f[{i}].ünïcode"))).collect();
            let text = invalid_text("kb.search", &problems);
            assert!(text.len() <= MAX_TEXT, "{n}: {}", text.len());
            let lines: Vec<_> = text.lines().skip(1).collect();
            match lines.last().unwrap().strip_prefix("- and ") {
                Some(more) => {
                    let more: usize = more.strip_suffix(" more").unwrap().parse().unwrap();
                    assert_eq!(lines.len() - 1 + more, n);
                }
                None => assert_eq!(lines.len(), n),
            }
        }
        let huge = [Problem::other("ö".repeat(3000), String::new()), Problem::missing("b".into())];
        let text = invalid_text("t", &huge);
        assert!(text.len() <= MAX_TEXT && text.ends_with("…\n- and 1 more"), "{text}");
    }
}
