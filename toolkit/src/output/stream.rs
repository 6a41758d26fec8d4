//! Text that a body writes while it runs, instead of returning it whole.

use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;

use super::spill::{Given, off_thread};
use super::spool::{CHUNK, Form, Spool};
use super::whole::Whole;

/// Where a body's text is between two writers, and after the last.
#[derive(Debug)]
pub(crate) struct Streamed(Mutex<State>);

#[derive(Debug)]
enum State {
    Here(Box<Spool>),
    /// A writer has it.
    Lent,
    /// On its way into the file.
    Away(Given<(Box<Spool>, io::Result<()>)>),
    Lost(String),
}

/// Why text wasn't taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The context isn't that of a running body; the tool's author takes the one that the body borrows
    /// with `#[context]`.
    #[error("this context belongs to no running body")]
    NoBody,
    /// Another writer of the same output is still there; the tool's author drops it first.
    #[error("the output has a writer already")]
    Taken,
    /// The output would become longer than one may be. What was written before stays.
    #[error("the output would be longer than the {0} bytes that one may have")]
    TooLong(u64),
    /// The disk refuses it; the operator makes room. The output is lost.
    #[error("the output is lost: {0}")]
    Lost(String),
}

/// Writes the text of a body's output, piece by piece; see
/// [`CallContext::output`](crate::CallContext::output).
///
/// [`append`](OutputWriter::append) waits for the disk where it must; as a [`std::io::Write`] or
/// [`std::fmt::Write`], for plain and blocking bodies, it waits in place.
#[derive(Debug)]
pub struct OutputWriter {
    home: Arc<Streamed>,
    state: State,
    most: u64,
    /// The start of a character whose other bytes are to come.
    begun: Vec<u8>,
}

impl Streamed {
    pub(crate) fn new(most: u64) -> Self {
        Self(Mutex::new(State::Here(Box::new(Spool::new(Form::Text, 0, most)))))
    }

    fn replace(&self, state: State) -> State {
        // Each change is one assignment, so a poisoned lock holds nothing broken.
        mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), state)
    }

    /// The one writer.
    pub(crate) fn writer(self: Arc<Self>, most: u64) -> Result<OutputWriter, OutputError> {
        match self.replace(State::Lent) {
            State::Lent => Err(OutputError::Taken),
            state => Ok(OutputWriter { home: self, state, most, begun: Vec::new() }),
        }
    }

    /// The whole text, once no writer is there; `None` where nothing was written.
    pub(crate) async fn finish(&self) -> Result<Option<Whole>, String> {
        let mut state = self.replace(State::Lent);
        state.land().await;
        match state {
            State::Here(spool) if spool.length() == 0 => Ok(None),
            State::Here(spool) => match off_thread(move || spool.finish(false)).await {
                Ok(Ok(whole)) => Ok(Some(whole)),
                Ok(Err(error)) | Err(error) => Err(error.to_string()),
            },
            State::Lost(what) => Err(what),
            State::Lent | State::Away(_) => Err("its writer outlives the body".to_owned()),
        }
    }
}

impl State {
    /// Waits until what is on its way has arrived. It stays where it is meanwhile, since the future may
    /// be dropped.
    async fn land(&mut self) {
        if let Self::Away(job) = self {
            *self = match job.await {
                Ok((spool, Ok(()))) => Self::Here(spool),
                Ok((_, Err(error))) => Self::Lost(error.to_string()),
                Err(error) => Self::Lost(error.to_string()),
            };
        }
    }
}

impl OutputWriter {
    /// Appends text.
    ///
    /// # Errors
    /// - [`OutputError::TooLong`]: nothing of this text was taken; the tool's author writes less.
    /// - [`OutputError::Lost`]: the operator makes room on the disk.
    ///
    /// # Cancellation
    /// Dropping the future may leave the text in or out, never a part of a character.
    pub async fn append(&mut self, text: impl AsRef<str>) -> Result<(), OutputError> {
        let text = text.as_ref();
        // An earlier future may have been dropped while it waited.
        self.state.land().await;
        self.admit(text.len())?;
        let mut rest = text;
        while !rest.is_empty() {
            let mut end = rest.len().min(CHUNK);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, after) = rest.split_at(end);
            rest = after;
            self.make_room(piece.len()).await;
            self.put(piece.as_bytes())?;
        }
        Ok(())
    }

    /// Sends what is in memory on its way, where this many more bytes don't fit beside it.
    async fn make_room(&mut self, more: usize) {
        // Without a runtime it is written in place.
        let Ok(runtime) = Handle::try_current() else { return };
        self.state = match mem::replace(&mut self.state, State::Lent) {
            State::Here(mut spool) if !spool.has_room(more) => {
                State::Away(Given::by(&runtime, move || {
                    let written = spool.move_out();
                    (spool, written)
                }))
            }
            state => state,
        };
        self.state.land().await;
    }

    /// Whether this many more bytes may be written.
    fn admit(&self, more: usize) -> Result<(), OutputError> {
        let length = match &self.state {
            State::Here(spool) => spool.length() + self.begun.len() as u64,
            _ => 0,
        };
        if length + more as u64 > self.most { Err(OutputError::TooLong(self.most)) } else { Ok(()) }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        match &mut self.state {
            State::Here(spool) => {
                let Err(error) = spool.write_all(bytes) else { return Ok(()) };
                let what = error.to_string();
                self.state = State::Lost(what.clone());
                Err(OutputError::Lost(what))
            }
            State::Lost(what) => Err(OutputError::Lost(what.clone())),
            State::Lent | State::Away(_) => {
                Err(OutputError::Lost("an `append` was dropped before its end".to_owned()))
            }
        }
    }
}

impl Write for OutputWriter {
    /// Takes bytes, which must be UTF-8 when all are there.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.admit(bytes.len()).map_err(io::Error::other)?;
        let joined;
        let text = if self.begun.is_empty() {
            bytes
        } else {
            joined = [&self.begun, bytes].concat();
            &joined
        };
        let whole = match str::from_utf8(text) {
            Ok(_) => text.len(),
            // A character goes on in the next piece.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };
        let (text, begun) = text.split_at(whole);
        let begun = begun.to_vec();
        self.put(text).map_err(io::Error::other)?;
        self.begun = begun;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Write for OutputWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_all(text.as_bytes()).map_err(|_| fmt::Error)
    }
}

impl Drop for OutputWriter {
    fn drop(&mut self) {
        let state = mem::replace(&mut self.state, State::Lent);
        self.home.replace(if self.begun.is_empty() {
            state
        } else {
            State::Lost("the output ends within a character".to_owned())
        });
    }
}
