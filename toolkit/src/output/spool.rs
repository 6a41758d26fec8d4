//! Takes a text as it is written: in memory while it is short, in a file from there on.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::spill::{Spilled, nameless};
use super::track::Borders;
use super::whole::Whole;
use crate::json::Unquote;

/// The longest output that stays in memory, in bytes.
pub(crate) const IN_MEMORY: usize = 1 << 20;

/// How much is written to the file at once, in bytes.
pub(super) const CHUNK: usize = 1 << 16;

/// A text on its way. Its memory is bounded, however long it becomes.
#[derive(Debug)]
pub(crate) struct Spool {
    /// The whole text, or what isn't yet in the file. Written past its capacity nowhere but in
    /// [`Spool::overflow`], so that the usual write costs one comparison.
    near: Vec<u8>,
    far: Option<Box<Far>>,
    form: Form,
    /// The longest that the text may become, in bytes.
    most: u64,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// What a serialiser writes: of a string, the content is kept.
    Serialised,
    /// JSON that is kept as it stands.
    Json,
    /// Plain text.
    Text,
}

/// The part that is in the file.
#[derive(Debug)]
struct Far {
    file: File,
    bytes: u64,
    characters: u64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Text,
    Quoted(Unquote),
    Json(Borders),
}

impl Spool {
    #[inline]
    pub(crate) fn new(form: Form, hint: usize, most: u64) -> Self {
        Self { near: Vec::with_capacity(hint.min(IN_MEMORY)), far: None, form, most }
    }

    /// What doesn't fit into the memory that is there.
    #[cold]
    fn overflow(&mut self, bytes: &[u8]) -> io::Result<()> {
        let needed = self.near.len() + bytes.len();
        if self.far.is_none() && needed <= IN_MEMORY && needed as u64 <= self.most {
            let capacity = (self.near.capacity() * 2).clamp(needed.max(64), IN_MEMORY);
            self.near.reserve_exact(capacity - self.near.len());
            self.near.extend_from_slice(bytes);
            return Ok(());
        }
        self.move_out_before(bytes)?;
        if bytes.len() < CHUNK {
            self.near.extend_from_slice(bytes);
            return Ok(());
        }
        match &mut self.far {
            Some(far) => bytes.chunks(CHUNK).try_for_each(|piece| far.push(piece, self.most)),
            None => Ok(()),
        }
    }

    /// The length so far, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.near.len() as u64 + self.far.as_ref().map_or(0, |far| far.bytes)
    }

    /// Whether this many more bytes need no disk.
    pub(super) fn has_room(&self, more: usize) -> bool {
        self.near.len() + more <= if self.far.is_some() { CHUNK } else { IN_MEMORY }
    }

    /// Writes to the file what is in memory.
    pub(super) fn move_out(&mut self) -> io::Result<()> {
        self.move_out_before(&[])
    }

    /// The same; these bytes come next. They may be the first of all.
    fn move_out_before(&mut self, next: &[u8]) -> io::Result<()> {
        let far = match &mut self.far {
            Some(far) => far,
            None => {
                let kind = match (self.form, self.near.first().or(next.first())) {
                    (Form::Text, _) => Kind::Text,
                    (Form::Serialised, Some(b'"')) => Kind::Quoted(Unquote::default()),
                    _ => Kind::Json(Borders::default()),
                };
                let far = Far { file: nameless()?, bytes: 0, characters: 0, kind };
                self.far.insert(Box::new(far))
            }
        };
        // In pieces, so that what a string says takes no such room again.
        for piece in self.near.chunks(CHUNK) {
            far.push(piece, self.most)?;
        }
        self.near.clear();
        if self.near.capacity() != CHUNK {
            self.near = Vec::with_capacity(CHUNK);
        }
        Ok(())
    }

    /// What was written, where all of it is in memory, as in most cases it is.
    #[inline]
    pub(crate) fn take_near(&mut self) -> Option<Vec<u8>> {
        self.far.is_none().then(|| std::mem::take(&mut self.near))
    }

    /// The complete text.
    ///
    /// # Errors
    /// The disk refuses it, or what a hand-written `Serialize` wrote isn't JSON.
    #[inline]
    pub(crate) fn finish(self, zero_sized: bool) -> io::Result<Whole> {
        if self.far.is_some() {
            return self.finish_far();
        }
        match self.form {
            Form::Serialised => Whole::of_json(self.near, zero_sized).map_err(Into::into),
            Form::Json => String::from_utf8(self.near).map(Whole::Json).map_err(invalid),
            Form::Text => String::from_utf8(self.near).map(Whole::Text).map_err(invalid),
        }
    }

    /// What is in the file, with what isn't there yet; without a file, nothing.
    #[cold]
    fn finish_far(mut self) -> io::Result<Whole> {
        self.move_out()?;
        let Some(far) = self.far else { return Ok(Whole::Text(String::new())) };
        let Far { file, bytes, characters, kind } = *far;
        let (json, list) = match kind {
            Kind::Text | Kind::Quoted(_) => (false, None),
            Kind::Json(borders) => (true, borders.list()),
        };
        let file = Mutex::new(file);
        Ok(Whole::File(Arc::new(Spilled { file, bytes, characters, json, list })))
    }
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl Far {
    fn push(&mut self, bytes: &[u8], most: u64) -> io::Result<()> {
        let content;
        let bytes = match &mut self.kind {
            Kind::Text => bytes,
            Kind::Quoted(quoted) => {
                content = quoted.content(bytes);
                &content
            }
            Kind::Json(borders) => {
                borders.pass(bytes);
                bytes
            }
        };
        let length = self.bytes + bytes.len() as u64;
        if length > most {
            return Err(too_long(most));
        }
        self.file.write_all(bytes).map_err(|error| {
            io::Error::new(error.kind(), format!("the output can't be put into a file: {error}"))
        })?;
        self.bytes = length;
        // A continuation byte starts no character.
        self.characters += bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
        Ok(())
    }
}

fn too_long(most: u64) -> io::Error {
    let text = format!("the output is longer than the {most} bytes that one may have");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

impl Write for Spool {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > self.near.capacity() - self.near.len() {
            return self.overflow(bytes);
        }
        self.near.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
