//! Reading: whole files and lines of them, never more than the limits, and nothing that would hang.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

use cap_std::fs::{File, Metadata, OpenOptions};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::blocking::Blocking;
use super::error::{FsError, FsErrorKind};
use super::given::Given;

/// How far lines are looked for, in bytes.
const MAX_SCAN: u64 = 64 << 20;

/// Lines of a file. As JSON: `{"text": string, "first": integer, "last": integer, "more": boolean}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lines {
    /// The lines, each with its end.
    pub text: String,
    /// Number of the first, from 1.
    pub first: u64,
    /// Number of the last; `first - 1` where there are none.
    pub last: u64,
    /// Whether the file goes on.
    pub more: bool,
}

impl JsonSchema for Lines {
    fn schema_name() -> Cow<'static, str> {
        "Lines".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "text": { "type": "string" },
                "first": { "type": "integer", "minimum": 1 },
                "last": { "type": "integer", "minimum": 0 },
                "more": { "type": "boolean" },
            },
            "required": ["text", "first", "last", "more"],
        })
    }
}

impl Blocking<'_> {
    /// See [`Root::read`](super::Root::read).
    ///
    /// # Errors
    /// Its.
    pub fn read(self, path: &str) -> Result<Vec<u8>, FsError> {
        let given = Given::new(path)?;
        let (file, metadata) = self.open_given(given)?;
        let most = self.0.max_read;
        let mut bytes = Vec::new();
        if metadata.len() <= most {
            // It may grow while it is read.
            let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
            read.map_err(|error| FsError::of_system(&given.shown(), &error))?;
        }
        let len = metadata.len().max(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        if len > most {
            return Err(too_large(
                given,
                &format!("has {len} bytes, and at most {most} are read at once"),
            ));
        }
        Ok(bytes)
    }

    /// Opens an ordinary file for reading piece by piece, as a search does. It knows no limit.
    ///
    /// # Errors
    /// It isn't there, is no ordinary file, or leads out.
    pub fn open(self, path: &str) -> Result<File, FsError> {
        Ok(self.open_given(Given::new(path)?)?.0)
    }

    /// See [`Root::read_text`](super::Root::read_text).
    ///
    /// # Errors
    /// Its.
    pub fn read_text(self, path: &str) -> Result<String, FsError> {
        text(Given::new(path)?, self.read(path)?)
    }

    /// See [`Root::read_lines`](super::Root::read_lines).
    ///
    /// # Errors
    /// Its.
    pub fn read_lines(self, path: &str, first: u64, count: u64) -> Result<Lines, FsError> {
        let given = Given::new(path)?;
        let (file, _) = self.open_given(given)?;
        let first = first.max(1);
        let end = first.saturating_add(count);
        let most = usize::try_from(self.0.max_read).unwrap_or(usize::MAX);
        let mut reader = BufReader::with_capacity(64 << 10, file);
        let (mut at, mut scanned, mut more) = (1, 0_u64, false);
        let (mut taken, mut whole) = (Vec::new(), 0);
        'file: loop {
            let chunk =
                reader.fill_buf().map_err(|error| FsError::of_system(&given.shown(), &error))?;
            if chunk.is_empty() {
                break;
            }
            for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
                if at >= end {
                    more = true;
                    break 'file;
                }
                if at >= first {
                    if piece.len() > most - taken.len() {
                        taken.truncate(whole);
                        more = true;
                        break 'file;
                    }
                    taken.extend_from_slice(piece);
                }
                if piece.ends_with(b"\n") {
                    at += 1;
                    whole = taken.len();
                }
            }
            let len = chunk.len();
            scanned = scanned.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
            if scanned > MAX_SCAN {
                return Err(too_large(given, &format!("has line {at} behind its first 64 MiB")));
            }
            reader.consume(len);
        }
        if more && taken.is_empty() && count > 0 {
            let what =
                format!("has a line {first} of more than {most} bytes, which are read at most");
            return Err(too_large(given, &what));
        }
        let lines = taken.split_inclusive(|byte| *byte == b'\n').count();
        let last = first - 1 + u64::try_from(lines).unwrap_or(u64::MAX);
        Ok(Lines { text: text(given, taken)?, first, last, more })
    }

    /// Opens an ordinary file, and nothing that would hang or act at that.
    fn open_given(self, given: Given<'_>) -> Result<(File, Metadata), FsError> {
        ordinary(given, &self.look(given)?)?;
        let mut options = OpenOptions::new();
        options.read(true);
        without_waiting(&mut options);
        let file = self.0.dir().open_with(given.path(), &options);
        let file = file.map_err(|error| self.told(given, &error))?;
        // What was looked at may have been swapped since.
        let metadata = file.metadata().map_err(|e| FsError::of_system(&given.shown(), &e))?;
        ordinary(given, &metadata)?;
        Ok((file, metadata))
    }
}

fn text(given: Given<'_>, bytes: Vec<u8>) -> Result<String, FsError> {
    String::from_utf8(bytes).map_err(|_| {
        FsError::new(FsErrorKind::NotText, format!("`{}` is no UTF-8 text", given.shown()))
    })
}

fn too_large(given: Given<'_>, what: &str) -> FsError {
    FsError::new(FsErrorKind::TooLarge, format!("`{}` {what}", given.shown()))
}

/// Refuses what is no ordinary file.
pub(super) fn ordinary(given: Given<'_>, metadata: &Metadata) -> Result<(), FsError> {
    let what = if metadata.is_file() {
        return Ok(());
    } else if metadata.is_dir() {
        "is a directory"
    } else {
        "is no ordinary file"
    };
    Err(FsError::new(FsErrorKind::WrongKind, format!("`{}` {what}", given.shown())))
}

/// A pipe is opened at once, whether or not there is anybody at its other end.
#[cfg(unix)]
pub(super) fn without_waiting(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    use rustix::fs::OFlags;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    options.custom_flags(flags.cast_signed());
}

#[cfg(not(unix))]
pub(super) fn without_waiting(_: &mut OpenOptions) {}
