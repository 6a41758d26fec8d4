//! Searching files for a regular expression: each is opened through the root, and read piece by piece.

mod hits;

use std::fmt::Write;
use std::io::{self, Read};

use grep_matcher::LineTerminator;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use schemars::JsonSchema;
use serde::Serialize;
use toolkit::fs::{Entry, EntryKind, Root};
use toolkit::{CallContext, ToolError};

use super::list::name;
use super::walk::{self, Walk};
use hits::Hits;

/// How much of a file is searched, in bytes: 64 MiB, as far as lines are read.
const MAX_FILE: u64 = 64 << 20;

/// The longest line that is searched, in bytes.
const MAX_LINE: usize = 1 << 20;

/// How much text is shown at most, in bytes: more is another search.
const MAX_TEXT: usize = 256 << 10;

/// How large an expression may become when it is compiled, in bytes.
const MAX_REGEX: usize = 4 << 20;

/// How many files of one kind are named that weren't searched.
const NAMED: usize = 3;

/// What is searched for, and where.
#[derive(Debug)]
pub(super) struct Query<'a> {
    pub(super) pattern: &'a str,
    pub(super) path: &'a str,
    pub(super) glob: Option<&'a str>,
    pub(super) ignore_case: bool,
    pub(super) context: usize,
    pub(super) limit: usize,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Found {
    /// The files with hits, in the order of their paths.
    files: Vec<Hit>,
    /// How many lines are hits.
    hits: usize,
    /// How many files were searched.
    searched: u64,
    /// Whether there may be more: the limit was reached, or the time was up.
    more: bool,
    /// Files that weren't searched, or not to their ends.
    skipped: Vec<Skipped>,
}

/// A file with hits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Hit {
    /// The file, from the top.
    path: String,
    /// The lines that are hits, and those around them.
    lines: Vec<Line>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Line {
    /// Its number, from 1.
    number: u64,
    /// Its text, without its end; of a long one the part around the hit.
    text: String,
    /// Whether it is a hit, and not one beside it.
    hit: bool,
}

/// Files that weren't searched for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Skipped {
    /// The reason.
    why: &'static str,
    /// How many there are.
    count: u64,
    /// The first of them.
    first: Vec<String>,
}

impl Found {
    fn skip(&mut self, why: &'static str, path: &str) {
        let at = self.skipped.iter().position(|skipped| skipped.why == why);
        let at = at.unwrap_or_else(|| {
            self.skipped.push(Skipped { why, count: 0, first: Vec::new() });
            self.skipped.len() - 1
        });
        let Some(skipped) = self.skipped.get_mut(at) else { return };
        skipped.count += 1;
        if skipped.first.len() < NAMED && !path.is_empty() {
            skipped.first.push(path.to_owned());
        }
    }
}

pub(super) fn search(root: &Root, query: &Query<'_>, cx: &CallContext) -> Result<Found, ToolError> {
    let mut walk = Walk::new(root, query.path, walk::glob(query.glob)?, cx)?;
    let matcher = matcher(query)?;
    let mut searcher = SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .before_context(query.context)
        .after_context(query.context)
        .heap_limit(Some(MAX_LINE))
        .binary_detection(BinaryDetection::quit(0))
        .build();
    let mut found = Found::default();
    let mut room = MAX_TEXT;
    for entry in walk.by_ref() {
        if found.more {
            break;
        }
        match entry.kind {
            EntryKind::File => {
                let left = query.limit - found.hits;
                let hits = Hits::new(&matcher, left, &mut room);
                in_file(root, &entry, &mut searcher, hits, cx, &mut found);
            }
            EntryKind::Other => found.skip("no ordinary files", &entry.path),
            _ => {}
        }
    }
    found.more |= walk.stopped;
    for _ in 0..walk.unread {
        found.skip("directories that couldn't be read", "");
    }
    if walk.left_out > 0 {
        found.skip("directories too full or too deep to walk through whole", "");
    }
    Ok(found)
}

fn matcher(query: &Query<'_>) -> Result<RegexMatcher, ToolError> {
    let matcher = RegexMatcherBuilder::new()
        .case_insensitive(query.ignore_case)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_REGEX)
        .dfa_size_limit(MAX_REGEX)
        .nest_limit(100)
        .build(query.pattern);
    matcher.map_err(|error| {
        let cure = match error.kind() {
            ErrorKind::NotAllowed(_) => "a hit is one line: search for what stands in one",
            _ => "put `\\` before what is meant to the letter, e.g. `\\(`, and keep it short",
        };
        let text = format!("`pattern` can't be read as a regular expression: {error}; {cure}");
        ToolError::expected(text)
    })
}

fn in_file(
    root: &Root,
    entry: &Entry,
    searcher: &mut Searcher,
    mut hits: Hits<'_>,
    cx: &CallContext,
    found: &mut Found,
) {
    let path = &entry.path;
    // Opened anew by its path below the root: what the walk saw may be a link by now.
    let Ok(file) = root.blocking().open(path) else {
        return found.skip("files that couldn't be opened", path);
    };
    let mut reader = Bounded { file: file.take(MAX_FILE), cx, end: End::Whole };
    let done = searcher.search_reader(hits.matcher, &mut reader, &mut hits);
    let end = if reader.file.limit() == 0 { End::TooLong } else { reader.end };
    if hits.binary {
        return found.skip("binary files", path);
    }
    match (done, end) {
        (_, End::Stopped) => found.more = true,
        (_, End::TooLong) => found.skip("files searched in their first 64 MiB alone", path),
        (_, End::Broken) => found.skip("files that couldn't be read to their ends", path),
        (Err(error), End::Whole) if !error.to_string().contains("allocation limit") => {
            found.skip("files that couldn't be searched", path);
        }
        (Err(_), End::Whole) => {
            found.skip("files with a line of more than 1 MiB, from there on", path);
        }
        (Ok(()), End::Whole) => {}
    }
    found.searched += 1;
    found.more |= hits.more;
    found.hits += hits.count;
    if !hits.lines.is_empty() {
        found.files.push(Hit { path: path.clone(), lines: hits.lines });
    }
}

/// A file as it is searched: up to a limit, and while its call goes on.
struct Bounded<'c, R> {
    file: io::Take<R>,
    cx: &'c CallContext,
    end: End,
}

/// How reading a file came to its end.
#[derive(Clone, Copy)]
enum End {
    Whole,
    TooLong,
    Broken,
    Stopped,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cx.is_cancelled() {
            self.end = End::Stopped;
            return Ok(0);
        }
        self.file.read(buffer).inspect_err(|_| self.end = End::Broken)
    }
}

/// As a model reads it: by files, `12:` before a hit and `12-` before a line beside one.
pub(super) fn text(found: &Found) -> String {
    let mut shown = String::new();
    for file in &found.files {
        // Writing to a `String` can't fail.
        let _ = writeln!(shown, "{}", name(&file.path));
        let mut last = None;
        for Line { number, text, hit } in &file.lines {
            if last.is_some_and(|last| last + 1 < *number)
                && file.lines.iter().any(|line| !line.hit)
            {
                shown += "--\n";
            }
            last = Some(*number);
            let _ = writeln!(shown, "{number}{} {text}", if *hit { ':' } else { '-' });
        }
        shown.push('\n');
    }
    let (hits, searched, files) = (found.hits, found.searched, found.files.len());
    let _ = match hits {
        0 => write!(shown, "[no hit in {searched} files"),
        _ => write!(shown, "[{hits} hits in {files} of {searched} files"),
    };
    if found.more {
        shown +=
            ", and it stopped there: narrow `path`, `glob` or `pattern`, or give a larger `limit`";
    }
    for Skipped { why, count, first } in &found.skipped {
        let _ = write!(shown, "; not searched: {count} {why}");
        if !first.is_empty() {
            let mut names: Vec<String> = first.iter().map(|path| name(path)).collect();
            if *count > u64::try_from(first.len()).unwrap_or(u64::MAX) {
                names.push("…".to_owned());
            }
            let _ = write!(shown, " ({})", names.join(", "));
        }
    }
    shown + "]"
}

#[cfg(test)]
mod tests {
    use toolkit::CancellationToken;

    use super::*;

    #[test]
    fn a_file_is_read_to_its_limit_and_while_its_call_goes_on() {
        let token = CancellationToken::new();
        let cx = CallContext::model().cancellation(token.clone());
        let mut reader = Bounded { file: io::repeat(b'x').take(10), cx: &cx, end: End::Whole };
        let mut buffer = [0; 4];
        assert_eq!(reader.read(&mut buffer).unwrap(), 4);
        assert!(matches!(reader.end, End::Whole));
        token.cancel();
        assert_eq!(reader.read(&mut buffer).unwrap(), 0);
        assert!(matches!(reader.end, End::Stopped) && reader.file.limit() == 6);
    }
}
