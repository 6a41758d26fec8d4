//! The observer, its builder and its errors. What is written, and by whom, is the writer's matter.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc as blocking};
use std::time::SystemTime;

use tokio::sync::{mpsc, oneshot};

use super::file::{LogFile, Rotation};
use super::writer::{Job, Writer, is_record};
use crate::event::Event;
use crate::hook::{BoxFuture, HOOK_TIME, HookError, Observer};

/// How many records may wait for a slow disk.
const QUEUE: usize = 65_536;

/// When what is written is also forced to the disk. Either way it has left the process before a reply
/// leaves, so that it survives the process; only what was forced to the disk survives the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fsync {
    /// Never, but on [`Jsonl::flush`].
    Never,
    /// Calls on which the verdict was record or above, the questions and answers of approvals, and
    /// late results.
    #[default]
    Recorded,
    /// Every record. Calls that end at the same time share one.
    Always,
}

/// Why an audit can't be opened, or a record isn't in it; for the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The file can't be opened, read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another [`Jsonl`], of this process or another, writes this file. Within a process its clones
    /// share it.
    #[error("{} is written by another audit", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// The file holds something else, so it isn't touched.
    #[error("{} holds no audit records", path.display())]
    NoAudit {
        /// The file.
        path: PathBuf,
    },
    /// The record waited behind 65,536 others, or its writer has ended.
    #[error("the audit takes no more records: {0}")]
    Refused(&'static str),
    /// The record isn't written, or not as it should be.
    #[error("{0}")]
    Failed(Arc<str>),
}

/// Writes events as lines of JSON to a file, see [the module](super). Clones share the file.
///
/// A thread of its own writes, so that no task ever waits for a disk but those that ask for it: a call
/// waits until its record is written, [`observe_now`](Observer::observe_now) only hands it over. A
/// record that can't be written is told as the failure of the observer, or in the log, changes no
/// reply, and is counted in the next `lost` record.
///
/// Dropping the last clone waits until all is written, 5 s at most.
///
/// Under a Tokio clock that is paused, waiting for the thread looks like a hook that takes too long: a
/// test that pauses it may read that the audit failed, while the records are written all the same.
#[derive(Clone)]
pub struct Jsonl {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    /// Taken out to end the writer.
    jobs: Option<mpsc::Sender<Job>>,
    /// Ends with the writer.
    ended: Mutex<blocking::Receiver<()>>,
    lost: Arc<AtomicU64>,
}

impl Jsonl {
    /// Opens or makes the file with the defaults of [`Builder`].
    ///
    /// # Errors
    /// As for [`Builder::open`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, AuditError> {
        Self::builder(path).open()
    }

    /// A file that is still to be opened.
    pub fn builder(path: impl Into<PathBuf>) -> Builder {
        Builder {
            path: path.into(),
            rotation: Rotation { max_bytes: Builder::MAX_BYTES, keep: None, sync: true },
            fsync: Fsync::default(),
        }
    }

    /// The file that is written to, as it was given.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Waits until all that was handed over before is written, and forces it to the disk.
    ///
    /// # Errors
    /// [`AuditError::Failed`]: the file can't be forced to the disk. That a record couldn't be written
    /// is told when it happens.
    ///
    /// # Cancellation
    /// Dropping the future stops the waiting, not the writing.
    pub async fn flush(&self) -> Result<(), AuditError> {
        let (done, told) = oneshot::channel();
        if let Some(jobs) = &self.inner.jobs {
            // An error is the writer's end, which drops `done` as well.
            let _ = jobs.send(Job::Flush(done)).await;
        }
        told.await.unwrap_or(Err(AuditError::Refused(ENDED)))
    }

    /// Hands a record over at once; how it went is told to `done`.
    fn hand_over(
        &self,
        event: &Event,
        done: Option<oneshot::Sender<Result<(), AuditError>>>,
    ) -> Result<(), AuditError> {
        let at = event.at().unwrap_or_else(SystemTime::now);
        let job = Job::Write { event: event.clone(), at, done };
        let why = match self.inner.jobs.as_ref().map(|jobs| jobs.try_send(job)) {
            Some(Ok(())) => return Ok(()),
            Some(Err(mpsc::error::TrySendError::Full(_))) => "too many wait already",
            Some(Err(mpsc::error::TrySendError::Closed(_))) | None => ENDED,
        };
        self.inner.lost.fetch_add(1, Ordering::Relaxed);
        Err(AuditError::Refused(why))
    }
}

const ENDED: &str = "its writer has ended";

impl Observer for Jsonl {
    fn name(&self) -> &str {
        "audit"
    }

    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        if !is_record(event) {
            return Box::pin(std::future::ready(Ok(())));
        }
        // Handed over before anything waits: the record is written though nobody waits for it.
        let (done, told) = oneshot::channel();
        let handed = self.hand_over(event, Some(done));
        Box::pin(async move {
            handed?;
            told.await.unwrap_or(Err(AuditError::Refused(ENDED)))?;
            Ok(())
        })
    }

    fn observe_now(&self, event: &Event) {
        if is_record(event)
            && let Err(error) = self.hand_over(event, None)
        {
            tracing::error!(target: "toolkit", event = event.kind(), %error, "audit record lost");
        }
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), HookError>> {
        Box::pin(async { Ok(Self::flush(self).await?) })
    }
}

impl fmt::Debug for Jsonl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jsonl").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // The writer ends once it has written what is left.
        self.jobs = None;
        if let Ok(ended) = self.ended.get_mut() {
            let _ = ended.recv_timeout(HOOK_TIME);
        }
    }
}

/// What a [`Jsonl`] is to be.
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    path: PathBuf,
    rotation: Rotation,
    fsync: Fsync,
}

impl Builder {
    /// The size over which a file doesn't grow unless set, in bytes: 64 MiB.
    pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

    /// Sets the size in bytes over which a file doesn't grow, but for one record that is larger.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.rotation.max_bytes = max_bytes;
        self
    }

    /// Keeps this many files beside the one that is written, and deletes older ones when one more is
    /// rotated; all are kept unless set.
    pub fn keep(mut self, files: usize) -> Self {
        self.rotation.keep = Some(files);
        self
    }

    /// Sets what is forced to the disk; [`Fsync::Recorded`] unless set.
    pub fn fsync(mut self, fsync: Fsync) -> Self {
        self.fsync = fsync;
        self.rotation.sync = fsync != Fsync::Never;
        self
    }

    /// Opens or makes the file, mends its end if it is torn, and starts the thread that writes. Its
    /// folder must be there.
    ///
    /// # Errors
    /// [`AuditError::Io`], [`AuditError::Taken`], [`AuditError::NoAudit`]: the host, or whoever runs
    /// it, mends the path or its permissions.
    pub fn open(self) -> Result<Jsonl, AuditError> {
        let (file, torn) = LogFile::open(&self.path)?;
        let (jobs, queue) = mpsc::channel(QUEUE);
        let (running, ended) = blocking::channel::<()>();
        let lost = Arc::new(AtomicU64::new(0));
        let mut writer = Writer::new(file, self.rotation, self.fsync, Arc::clone(&lost));
        if let Some(torn) = torn {
            writer.recovered(&torn).map_err(|source| {
                let path = self.path.clone();
                AuditError::Io { path, source }
            })?;
        }
        let started =
            std::thread::Builder::new().name("toolkit-audit".to_owned()).spawn(move || {
                writer.run(queue);
                drop(running);
            });
        if let Err(source) = started {
            return Err(AuditError::Io { path: self.path, source });
        }
        let inner = Inner { path: self.path, jobs: Some(jobs), ended: Mutex::new(ended), lost };
        Ok(Jsonl { inner: Arc::new(inner) })
    }
}
