//! Reading an audit back: its records across all its files, oldest first.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::names;

/// The records of the audit at this path, oldest first, those in rotated files included. It may be
/// written meanwhile: a record that was whole when the reader came by is read, once.
///
/// # Errors
/// There is no such file, or its folder can't be read.
pub fn read(path: impl AsRef<Path>) -> io::Result<Records> {
    let path = path.as_ref();
    let path = match there(fs::canonicalize(path))? {
        Some(path) => path,
        // Between two steps of a rotation, or for good: the others may be there.
        None => path.to_owned(),
    };
    let mut records = Records { path, last: 0, current: false, file: None };
    if records.open()? { Ok(records) } else { Err(ErrorKind::NotFound.into()) }
}

/// A line that is no record. The reader goes on behind it.
#[derive(Debug, thiserror::Error)]
#[error("{}, line {line}: no record", file.display())]
#[non_exhaustive]
pub struct ReadError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    #[source]
    pub source: io::Error,
}

/// What [`read`] gives: each record as the JSON object that it is. An end that isn't whole, as a
/// writer at work leaves it for a moment, is no record yet, and no error.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    /// The number of the newest rotated file that was begun.
    last: u32,
    /// Whether the newest file of all was begun.
    current: bool,
    file: Option<Lines>,
}

#[derive(Debug)]
struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    line: u64,
}

impl Records {
    /// Opens the next file; `false` where there is none.
    fn open(&mut self) -> io::Result<bool> {
        if self.current {
            return Ok(false);
        }
        // Opened before the look at the others: if it has been renamed by then, it is among them.
        let current = there(File::open(&self.path))?;
        for (number, path) in names::rotated(&self.path)? {
            if number > self.last {
                self.last = number;
                // One that is gone was too old to be kept.
                if let Some(file) = there(File::open(&path))? {
                    self.file = Some(Lines { path, reader: BufReader::new(file), line: 0 });
                    return Ok(true);
                }
            }
        }
        self.current = true;
        let Some(file) = current else { return Ok(false) };
        let path = self.path.clone();
        self.file = Some(Lines { path, reader: BufReader::new(file), line: 0 });
        Ok(true)
    }
}

/// `None` for what isn't there.
fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

impl Iterator for Records {
    type Item = Result<Value, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let read = match &mut self.file {
                Some(lines) => lines.next(),
                None => None,
            };
            match read {
                Some(Err(error)) if error.source.kind() != ErrorKind::InvalidData => {
                    // What can't be read once isn't tried for ever.
                    self.file = None;
                    return Some(Err(error));
                }
                Some(read) => return Some(read),
                None => {}
            }
            self.file = None;
            match self.open() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(source) => {
                    self.current = true;
                    return Some(Err(ReadError { file: self.path.clone(), line: 0, source }));
                }
            }
        }
    }
}

impl Iterator for Lines {
    type Item = Result<Value, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        self.line += 1;
        let value = match self.reader.read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(_) => {
                let what = |error| io::Error::new(ErrorKind::InvalidData, error);
                serde_json::from_slice(&line).map_err(what)
            }
            Err(error) => Err(error),
        };
        match value {
            Ok(value) => Some(Ok(value)),
            Err(error) if error.kind() == ErrorKind::InvalidData && !line.ends_with(b"\n") => None,
            Err(source) => {
                Some(Err(ReadError { file: self.path.clone(), line: self.line, source }))
            }
        }
    }
}
