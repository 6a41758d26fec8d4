//! Reading a file by lines.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use toolkit::ToolError;
use toolkit::fs::{FsErrorKind, Root};

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Read {
    /// The lines. Where all of them end in CRLF, with LF in its place.
    text: String,
    /// Number of the first.
    first: u64,
    /// Number of the last; one less where the file is empty.
    last: u64,
    /// Whether the file goes on.
    more: bool,
    /// Whether these lines end in CRLF.
    crlf: bool,
    /// Whether each line begins with its number.
    numbered: bool,
}

pub(super) async fn read(
    root: &Root,
    path: &str,
    from: u64,
    count: u64,
    numbered: bool,
) -> Result<Read, ToolError> {
    let lines = match root.read_lines(path, from, count).await {
        Err(error) if error.kind() == FsErrorKind::TooLarge => {
            let text = format!("{error}; find what you need in it with `fs.search`");
            return Err(ToolError::expected(text));
        }
        lines => lines?,
    };
    if lines.last < lines.first && lines.first > 1 {
        let text = format!("the file ends before line {from}; give a smaller `from`");
        return Err(ToolError::expected(text));
    }
    let crlf = ends_in_crlf(&lines.text);
    let text = if crlf { lines.text.replace("\r\n", "\n") } else { lines.text };
    let text = if numbered { with_numbers(&text, lines.first) } else { text };
    let (first, last, more) = (lines.first, lines.last, lines.more);
    Ok(Read { text, first, last, more, crlf, numbered })
}

/// Whether the text has lines, and all of them end in CRLF.
pub(super) fn ends_in_crlf(text: &str) -> bool {
    let mut ends = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).peekable();
    ends.peek().is_some() && ends.all(|line| line.ends_with("\r\n"))
}

fn with_numbers(text: &str, first: u64) -> String {
    let mut numbered = String::new();
    for (number, line) in (first..).zip(text.split_inclusive('\n')) {
        // Writing to a `String` can't fail.
        let _ = write!(numbered, "{number:>5}  {line}");
    }
    numbered
}

/// As a model reads it: the lines, and what it should know of them behind.
pub(super) fn text(read: &Read) -> String {
    let Read { text, first, last, more, crlf, .. } = read;
    let mut notes = Vec::new();
    if last < first {
        notes.push("the file is empty".to_owned());
    } else if *more {
        notes.push(format!("lines {first} to {last}; it goes on, read from {}", last + 1));
    } else if *first > 1 {
        notes.push(format!("lines {first} to {last}, the last"));
    }
    if *crlf {
        notes.push("its lines end in CRLF".to_owned());
    }
    if !more && last >= first && !text.ends_with('\n') {
        notes.push("its last line has no end".to_owned());
    }
    if notes.is_empty() {
        return text.clone();
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{gap}[{}]", notes.join("; "))
}
