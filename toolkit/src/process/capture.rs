//! What is kept of a stream: its start and its end, in a bounded room, whatever its length.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use tokio::io::{AsyncRead, ReadBuf};

/// A stream that is read to its end, and kept in part.
pub(super) struct Capture<P> {
    /// Until its end.
    pipe: Option<P>,
    kept: Kept,
}

impl<P: AsyncRead + Unpin> Capture<P> {
    pub(super) fn new(pipe: Option<P>, limit: usize) -> Self {
        Self { pipe, kept: Kept::new(limit) }
    }

    /// Reads on; ready at the end of the stream.
    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<()> {
        let mut room = [0; 8 * 1024];
        while let Some(pipe) = &mut self.pipe {
            let mut chunk = ReadBuf::new(&mut room);
            match Pin::new(pipe).poll_read(task, &mut chunk) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !chunk.filled().is_empty() => self.kept.add(chunk.filled()),
                // A pipe that fails has nothing more to give.
                Poll::Ready(_) => self.pipe = None,
            }
        }
        Poll::Ready(())
    }

    pub(super) fn into_captured(self) -> Captured {
        self.kept.into_captured()
    }
}

/// The start and the end of what was read.
struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// The room for each.
    rooms: (usize, usize),
    /// What was read in all.
    total: u64,
}

impl Kept {
    fn new(limit: usize) -> Self {
        let head = limit / 2;
        Self { head: Vec::new(), tail: VecDeque::new(), rooms: (head, limit - head), total: 0 }
    }

    fn add(&mut self, chunk: &[u8]) {
        self.total = self.total.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        let (first, rest) = chunk.split_at(chunk.len().min(self.rooms.0 - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.rooms.1)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.rooms.1);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    fn into_captured(self) -> Captured {
        let (mut head, tail) = (self.head, Vec::from(self.tail));
        let kept = u64::try_from(head.len() + tail.len()).unwrap_or(u64::MAX);
        if kept == self.total {
            head.extend(tail);
            return Captured { text: lossy(&head), left_out: 0 };
        }
        // The cuts may have gone through characters.
        let head = whole_to_the_end(&head);
        let tail = whole_from_the_start(&tail);
        let kept = u64::try_from(head.len() + tail.len()).unwrap_or(u64::MAX);
        let left_out = self.total - kept;
        let notice = format!("\n[… {left_out} of {} bytes left out …]\n", self.total);
        Captured { text: lossy(head) + &notice + &lossy(tail), left_out }
    }
}

/// The bytes without the start of a character that goes on beyond them.
fn whole_to_the_end(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().rposition(|byte| byte & 0b1100_0000 != 0b1000_0000);
    match start {
        Some(start)
            if std::str::from_utf8(&bytes[start..]).is_err_and(|e| e.error_len().is_none()) =>
        {
            &bytes[..start]
        }
        _ => bytes,
    }
}

/// The bytes without the end of a character that began before them.
fn whole_from_the_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
    &bytes[rest..]
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What was kept of a stream, as text: as JSON a string. What is no UTF-8 is replaced; where something
/// was left out, a line in its place says how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    text: String,
    left_out: u64,
}

impl Captured {
    /// The text, with the line that says what was left out.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many bytes were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

impl Serialize for Captured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl JsonSchema for Captured {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Captured".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(chunks: &[&[u8]], limit: usize) -> Captured {
        let mut kept = Kept::new(limit);
        for chunk in chunks {
            kept.add(chunk);
            assert!(kept.head.len() + kept.tail.len() <= limit);
        }
        kept.into_captured()
    }

    #[test]
    fn the_start_and_the_end_are_kept() {
        for (chunks, limit, text, left_out) in [
            (&[][..], 4, "", 0),
            (&[&b"ab"[..], b"cd"], 4, "abcd", 0),
            (&[b"abcdefgh"], 4, "ab\n[… 4 of 8 bytes left out …]\ngh", 4),
            (&[b"a", b"bcd", b"efgh"], 5, "ab\n[… 3 of 8 bytes left out …]\nfgh", 3),
            (&[b"abc"], 0, "\n[… 3 of 3 bytes left out …]\n", 3),
            (&["äöü€".as_bytes()], 6, "ä\n[… 4 of 9 bytes left out …]\n€", 4),
            (&[b"a\xffb"], 8, "a\u{fffd}b", 0),
        ] {
            let captured = kept(chunks, limit);
            assert_eq!((captured.text(), captured.left_out()), (text, left_out));
        }
    }

    proptest! {
        #[test]
        fn no_character_is_cut(text in ".{0,60}", limit in 0_usize..80, at in 0_usize..60) {
            let bytes = text.as_bytes();
            let (first, second) = bytes.split_at(at.min(bytes.len()));
            let captured = kept(&[first, second], limit);
            let replaced = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
            prop_assert!(!replaced(captured.text()) || replaced(&text));
            prop_assert_eq!(captured.left_out() == 0, bytes.len() <= limit);
            if captured.left_out() == 0 {
                prop_assert_eq!(captured.text(), text);
            }
        }
    }
}
