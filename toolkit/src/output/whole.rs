//! A complete text, and how it is to be read.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::sync::Arc;

use serde::de::Error as _;
use serde_json::Value;

use super::spill::Spilled;
use super::spool::{Form, IN_MEMORY, Spool};
use crate::redact::Redactor;

/// A complete text, and how it is to be read.
#[derive(Clone, Debug)]
pub(crate) enum Whole {
    /// Nothing: the value is `null`, the text is `done`.
    Unit,
    /// Compact JSON.
    Json(String),
    /// The bare content of a JSON string.
    Text(String),
    /// Either of the two, in a file.
    File(Arc<Spilled>),
}

impl Whole {
    /// What a serialiser wrote.
    ///
    /// # Errors
    /// A hand-written `Serialize` wrote something that isn't JSON.
    #[inline]
    pub(crate) fn of_json(json: Vec<u8>, zero_sized: bool) -> Result<Self, serde_json::Error> {
        let mut text = String::from_utf8(json).map_err(serde_json::Error::custom)?;
        Ok(if zero_sized && text == "null" {
            Self::Unit
        } else if text.starts_with('"') {
            // Nothing is escaped in most.
            if text.contains('\\') || text.len() < 2 || !text.ends_with('"') {
                Self::Text(serde_json::from_str(&text)?)
            } else {
                text.pop();
                text.remove(0);
                Self::Text(text)
            }
        } else {
            Self::Json(text)
        })
    }

    /// The text, where it is in memory.
    #[inline]
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Unit => Some("done"),
            Self::Json(text) | Self::Text(text) => Some(text),
            Self::File(_) => None,
        }
    }

    /// The text, where it is in memory; else nothing.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Unit => "done".to_owned(),
            Self::Json(text) | Self::Text(text) => text,
            Self::File(_) => String::new(),
        }
    }

    /// Whether it is in memory, and short enough to stay there.
    pub(crate) fn is_near(&self) -> bool {
        self.text().is_some_and(|text| text.len() <= IN_MEMORY)
    }

    /// The whole text, in memory. Waits for the disk.
    pub(crate) fn read_all(&self) -> io::Result<String> {
        let bytes = self.read_at(0, usize::MAX)?.into_owned();
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// The length in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::File(file) => file.bytes(),
            _ => self.text().map_or(0, str::len) as u64,
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        match self {
            Self::Unit | Self::Text(_) => false,
            Self::Json(_) => true,
            Self::File(file) => file.json,
        }
    }

    /// The value that the text says; `None` where it can't be read back.
    pub(crate) fn value(&self) -> Option<Value> {
        Some(match self {
            Self::Unit => Value::Null,
            // If a hand-written `Serialize` made it odd, it is text.
            Self::Json(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
            }
            Self::Text(text) => Value::String(text.clone()),
            // The value is larger than its text: a reader would save little, and compile it all again.
            Self::File(file) if file.json => serde_json::from_str(&self.read_all().ok()?).ok()?,
            Self::File(_) => Value::String(self.read_all().ok()?),
        })
    }

    /// Reads the text from its start.
    pub(crate) fn reader(&self) -> OutputReader<'_> {
        OutputReader { whole: self, at: 0 }
    }

    /// Reads from this byte on; fewer bytes than asked for only at the end.
    pub(crate) fn read_at(&self, offset: u64, most: usize) -> io::Result<Cow<'_, [u8]>> {
        if let Self::File(file) = self {
            return file.read_at(offset, most).map(Cow::Owned);
        }
        let bytes = self.text().unwrap_or_default().as_bytes();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        Ok(Cow::Borrowed(&bytes[start..bytes.len().min(start.saturating_add(most))]))
    }

    /// At most so many characters from this byte on, and where they begin: at the start of the
    /// character that has the byte. Waits for the disk.
    pub(crate) fn page(&self, offset: u64, characters: usize) -> io::Result<(u64, String)> {
        // No character is longer than four bytes.
        let before = offset.min(3) as usize;
        let start = offset - before as u64;
        let bytes = self.read_at(start, characters.saturating_add(1).saturating_mul(4))?;
        let mut first = before.min(bytes.len());
        while first > 0 && bytes.get(first).is_some_and(|byte| byte & 0xC0 == 0x80) {
            first -= 1;
        }
        let text = start_of(&bytes[first..]);
        let end = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
        Ok((start + first as u64, text[..end].to_owned()))
    }

    /// The same without these secrets. One in a file stays as it is: [`Whole::cleaned`] is for that.
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        let clean = match &self {
            Self::Unit | Self::File(_) => return self,
            Self::Json(text) => redactor.json(text),
            Self::Text(text) => redactor.text(text),
        };
        match (clean, &self) {
            (Cow::Borrowed(_), _) => self,
            (Cow::Owned(text), Self::Json(_)) => Self::Json(text),
            (Cow::Owned(text), _) => Self::Text(text),
        }
    }

    /// The same without these secrets, where it is in a file. Waits for the disk.
    pub(crate) fn cleaned(self, redactor: &Redactor) -> io::Result<Self> {
        let Self::File(file) = &self else { return Ok(self) };
        let form = if file.json { Form::Json } else { Form::Text };
        // What stands in a secret's place may be longer than the secret.
        let mut clean = Spool::new(form, IN_MEMORY, u64::MAX);
        let mut reader = self.reader();
        redactor.pour(&mut |into| reader.read(into), &mut clean, file.json)?;
        clean.finish(false)
    }

    #[cfg(test)]
    pub(crate) fn in_file(&self, form: Form) -> Self {
        let mut spool = Spool::new(form, 0, u64::MAX);
        spool.write_all(self.text().unwrap().as_bytes()).unwrap();
        spool.move_out().unwrap();
        spool.finish(false).unwrap()
    }

    /// The same in a file, where it is too long for memory. Waits for the disk.
    pub(crate) fn spilled(self) -> io::Result<Self> {
        let (form, text) = match &self {
            Self::Json(text) if text.len() > IN_MEMORY => (Form::Json, text),
            Self::Text(text) if text.len() > IN_MEMORY => (Form::Text, text),
            _ => return Ok(self),
        };
        let mut spool = Spool::new(form, 0, u64::MAX);
        spool.write_all(text.as_bytes())?;
        spool.finish(false)
    }
}

/// The text of bytes that may end within a character.
pub(crate) fn start_of(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// Reads the text of an output from its start, wherever it lies.
#[derive(Clone, Debug)]
pub struct OutputReader<'a> {
    whole: &'a Whole,
    at: u64,
}

impl Read for OutputReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.whole.read_at(self.at, into.len())?;
        into[..read.len()].copy_from_slice(&read);
        self.at += read.len() as u64;
        Ok(read.len())
    }
}
