//! The thread that writes: it takes what waits, appends line by line, forces the disk once for all of
//! it, and only then tells whoever waits.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use serde::ser::{Serialize, SerializeMap, Serializer};
use tokio::sync::{mpsc, oneshot};

use super::file::{LogFile, Rotation, Torn};
use super::jsonl::{AuditError, Fsync};
use crate::event::{Event, Moment};
use crate::verdict::Verdict;

/// How many records share one force of the disk at most.
const BATCH: usize = 256;

/// How large the buffer of a line may stay.
const BUFFER: usize = 64 * 1024;

type Done = oneshot::Sender<Result<(), AuditError>>;

/// What went wrong, where anything did.
type Outcome = Result<(), Arc<str>>;

pub(super) enum Job {
    Write { event: Event, at: SystemTime, done: Option<Done> },
    Flush(Done),
}

/// Whether an event is a line of the audit.
pub(super) fn is_record(event: &Event) -> bool {
    match event {
        Event::CallFinished(_)
        | Event::LateResult(_)
        | Event::ApprovalRequested(_)
        | Event::ApprovalDecided(_)
        | Event::Granted(_)
        | Event::GrantEnded(_)
        | Event::Drafted(_)
        | Event::DraftConfirmed(_)
        | Event::DraftWithdrawn(_)
        | Event::DraftExpired(_)
        | Event::HookFailed(_)
        | Event::Registered { .. }
        | Event::Unregistered { .. } => true,
        Event::Progress(_) | Event::PlanStep(_) => false,
    }
}

/// Whether an event is what [`Fsync::Recorded`] speaks of.
fn is_recorded(event: &Event) -> bool {
    match event {
        Event::CallFinished(record) => record.decision.verdict() >= Verdict::Record,
        Event::LateResult(_)
        | Event::ApprovalRequested(_)
        | Event::ApprovalDecided(_)
        | Event::Granted(_)
        | Event::GrantEnded(_)
        | Event::Drafted(_)
        | Event::DraftConfirmed(_)
        | Event::DraftWithdrawn(_)
        | Event::DraftExpired(_) => true,
        Event::Progress(_)
        | Event::PlanStep(_)
        | Event::HookFailed(_)
        | Event::Registered { .. }
        | Event::Unregistered { .. } => false,
    }
}

pub(super) struct Writer {
    file: LogFile,
    rotation: Rotation,
    fsync: Fsync,
    /// How many records aren't in the file that should be.
    lost: Arc<AtomicU64>,
    line: Vec<u8>,
}

impl Writer {
    pub(super) fn new(
        file: LogFile,
        rotation: Rotation,
        fsync: Fsync,
        lost: Arc<AtomicU64>,
    ) -> Self {
        Self { file, rotation, fsync, lost, line: Vec::new() }
    }

    /// Writes until nobody is left who could hand anything over.
    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = Vec::new();
        while jobs.blocking_recv_many(&mut batch, BATCH) > 0 {
            self.write(&mut batch);
        }
    }

    fn write(&mut self, batch: &mut Vec<Job>) {
        let followed = self.follow();
        let mut sync = false;
        let mut told: Vec<(Option<Done>, Outcome)> = Vec::with_capacity(batch.len());
        for job in batch.drain(..) {
            match job {
                Job::Write { event, at, done } => {
                    let written = match &followed {
                        Ok(()) => self.record(&Line::event(&event, at)),
                        Err(what) => Err(Arc::clone(what)),
                    };
                    if written.is_err() {
                        self.lost.fetch_add(1, Ordering::Relaxed);
                    }
                    sync |= match self.fsync {
                        Fsync::Never => false,
                        Fsync::Recorded => is_recorded(&event),
                        Fsync::Always => true,
                    };
                    told.push((done, written.and_then(|rotated| rotated)));
                }
                Job::Flush(done) => {
                    sync = true;
                    told.push((Some(done), Ok(())));
                }
            }
        }
        let synced = if sync { self.file.sync().map_err(|e| self.says(&e)) } else { Ok(()) };
        for (done, written) in told {
            let outcome = written.and(synced.clone()).map_err(AuditError::Failed);
            // Where nobody waited, or waits any more, the log is told.
            let untold = match done {
                Some(done) => done.send(outcome).err(),
                None => Some(outcome),
            };
            if let Some(Err(error)) = untold {
                tracing::error!(target: "toolkit", %error, "audit record not written");
            }
        }
        self.line.shrink_to(BUFFER);
    }

    /// The file as it is named now; where it is another than before, with what was torn in it.
    fn follow(&mut self) -> Outcome {
        let torn = self.file.follow().map_err(|error| Arc::from(in_full(&error)))?;
        match torn {
            Some(torn) => self.recovered(&torn).map_err(|error| self.says(&error)),
            None => Ok(()),
        }
    }

    /// Writes one record, and before it how many are missing. The inner error is that of a rotation;
    /// the record is written all the same.
    fn record(&mut self, line: &Line<'_>) -> Result<Outcome, Arc<str>> {
        let lost = self.lost.load(Ordering::Relaxed);
        if lost > 0 {
            let missing = Line { kind: "lost", at: SystemTime::now(), what: What::Lost(lost) };
            let _ = self.append(&missing).map_err(|error| self.says(&error))?;
            self.lost.fetch_sub(lost, Ordering::Relaxed);
        }
        let rotated = self.append(line).map_err(|error| self.says(&error))?;
        Ok(rotated
            .map_err(|error| format!("written, but not rotated: {}", self.says(&error)).into()))
    }

    /// Writes that the last line was torn.
    pub(super) fn recovered(&mut self, torn: &Torn) -> io::Result<()> {
        let line = Line { kind: "recovered", at: SystemTime::now(), what: What::Torn(torn) };
        self.append(&line).map(drop)
    }

    fn append(&mut self, line: &Line<'_>) -> io::Result<io::Result<()>> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line)?;
        // Between the tokens of embedded JSON a line feed would be space like any other.
        self.line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        self.line.push(b'\n');
        self.file.append(&self.line, self.rotation)
    }

    fn says(&self, error: &io::Error) -> Arc<str> {
        format!("{}: {error}", self.file.path().display()).into()
    }
}

/// The error with what caused it.
fn in_full(error: &AuditError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// One line.
struct Line<'a> {
    kind: &'static str,
    at: SystemTime,
    what: What<'a>,
}

enum What<'a> {
    Event(&'a Event),
    Torn(&'a Torn),
    Lost(u64),
}

impl<'a> Line<'a> {
    fn event(event: &'a Event, at: SystemTime) -> Self {
        Self { kind: event.kind(), at, what: What::Event(event) }
    }
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind)?;
        map.serialize_entry("at", &Moment(self.at))?;
        match self.what {
            What::Event(event) => event.members(&mut map)?,
            What::Torn(torn) => {
                map.serialize_entry("bytes", &torn.bytes)?;
                map.serialize_entry("torn", &torn.text)?;
            }
            What::Lost(records) => map.serialize_entry("records", &records)?,
        }
        map.end()
    }
}
