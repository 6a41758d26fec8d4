//! The hits of one file as they come: counted, cut and kept within bounds.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::Line;

/// How much of a line is shown, in bytes, and how much of that stands before the hit at most.
const MAX_SHOWN: usize = 400;
const BEFORE: usize = 100;

/// Takes the hits of a file.
pub(super) struct Hits<'m> {
    pub(super) matcher: &'m RegexMatcher,
    pub(super) lines: Vec<Line>,
    pub(super) count: usize,
    /// Whether there is more than may be shown.
    pub(super) more: bool,
    /// Whether the file is no text.
    pub(super) binary: bool,
    most: usize,
    room: &'m mut usize,
}

impl<'m> Hits<'m> {
    /// At most so many, and so many bytes of text.
    pub(super) fn new(matcher: &'m RegexMatcher, most: usize, room: &'m mut usize) -> Self {
        Self { matcher, lines: Vec::new(), count: 0, more: false, binary: false, most, room }
    }

    fn push(&mut self, number: Option<u64>, bytes: &[u8], hit: bool) {
        let at = match hit {
            true => self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start()),
            false => 0,
        };
        let text = excerpt(bytes, at);
        *self.room = self.room.saturating_sub(text.len());
        self.lines.push(Line { number: number.unwrap_or_default(), text, hit });
    }
}

impl Sink for &mut Hits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.count == self.most || *self.room == 0 {
            self.more = true;
            return Ok(false);
        }
        self.count += 1;
        self.push(found.line_number(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, beside: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.push(beside.line_number(), beside.bytes(), false);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// The part of a line around a hit, without the line's end.
fn excerpt(bytes: &[u8], hit: usize) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.len() <= MAX_SHOWN {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    // At the start of a character, where it is UTF-8.
    let edge = |at: usize| {
        let inner = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
        (at.saturating_sub(3)..=at).rev().find(|at| !inner(at)).unwrap_or(at)
    };
    let start = edge(hit.saturating_sub(BEFORE).min(bytes.len() - MAX_SHOWN));
    let end = edge((start + MAX_SHOWN).min(bytes.len()));
    let text = String::from_utf8_lossy(&bytes[start..end]);
    let (before, after) =
        (if start > 0 { "…" } else { "" }, if end < bytes.len() { "…" } else { "" });
    format!("{before}{text}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_hit() {
        assert_eq!(excerpt(b"short\r\n", 2), "short");
        assert_eq!(excerpt(b"\xff", 0), "\u{fffd}");
        let line = format!("{}hit{}", "é".repeat(1000), "é".repeat(1000));
        for at in [0, 1, 99, 101, 2000, 2001, 4003] {
            let shown = excerpt(line.as_bytes(), at);
            assert!(!shown.contains('\u{fffd}') && shown.len() <= MAX_SHOWN + 6, "{at}: {shown}");
        }
        let shown = excerpt(line.as_bytes(), 2000);
        assert!(shown.contains("hit") && shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(excerpt(line.as_bytes(), 0).starts_with('é'));
    }
}
