//! Files without a name, for what is too long to stay in memory.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// A complete text that lies in a file, which is gone from the disk once nobody holds it.
#[derive(Debug)]
pub(crate) struct Spilled {
    pub(super) file: Mutex<File>,
    pub(super) bytes: u64,
    pub(super) characters: u64,
    pub(super) json: bool,
    /// Where the elements of a list begin.
    pub(super) list: Option<List>,
}

/// The elements of a JSON array, whose text may be too long to be scanned again.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub(crate) elements: u64,
    /// Where the last of them begin, in bytes.
    pub(crate) last: VecDeque<u64>,
}

impl Spilled {
    /// The length in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The length in characters.
    pub(crate) fn characters(&self) -> u64 {
        self.characters
    }

    pub(crate) fn list(&self) -> Option<&List> {
        self.list.as_ref()
    }

    /// Reads from this byte on; fewer bytes than asked for only at the end.
    pub(crate) fn read_at(&self, offset: u64, most: usize) -> io::Result<Vec<u8>> {
        let left = self.bytes.saturating_sub(offset);
        let mut read = vec![0; usize::try_from(left).unwrap_or(usize::MAX).min(most)];
        // Each reader seeks before it reads, so a poisoned lock holds nothing broken.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut read)?;
        Ok(read)
    }
}

/// A new file in the system's directory for such, readable by this user alone, that has no name any
/// more and so goes with its last handle.
///
/// # Errors
/// The operator names another directory, or makes room there.
pub(super) fn nameless() -> io::Result<File> {
    nameless_in(&std::env::temp_dir()).map_err(|error| {
        let what = "the output can't be put into a file in the directory for such (`TMPDIR`)";
        io::Error::new(error.kind(), format!("{what}: {error}"))
    })
}

fn nameless_in(folder: &Path) -> io::Result<File> {
    let mut tries = 0;
    loop {
        let random = RandomState::new().build_hasher().finish();
        let path = folder.join(format!("toolkit-{}-{random:016x}", std::process::id()));
        match private(OpenOptions::new().read(true).write(true).create_new(true)).open(&path) {
            Ok(file) => {
                if cfg!(not(windows)) {
                    fs::remove_file(&path)?;
                }
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < 16 => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Gives a job to one of the runtime's threads. Boxed, so that Tokio's tasks are compiled once.
pub(crate) fn spawn(runtime: &Handle, job: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    runtime.spawn_blocking(job)
}

/// What a job gives that runs on a thread.
#[derive(Debug)]
pub(super) struct Given<T> {
    job: JoinHandle<()>,
    given: Arc<Mutex<Option<T>>>,
}

impl<T: Send + 'static> Given<T> {
    /// Starts the job.
    pub(super) fn by(runtime: &Handle, job: impl FnOnce() -> T + Send + 'static) -> Self {
        let given = Arc::new(Mutex::new(None));
        let place = Arc::clone(&given);
        let job = spawn(
            runtime,
            Box::new(move || {
                let result = job();
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }),
        );
        Self { job, given }
    }
}

impl<T> Future for Given<T> {
    type Output = io::Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let ended = ready!(Pin::new(&mut this.job).poll(cx));
        let given = this.given.lock().unwrap_or_else(PoisonError::into_inner).take();
        Poll::Ready(match (ended, given) {
            (Ok(()), Some(given)) => Ok(given),
            (Err(error), _) => Err(io::Error::other(error)),
            (Ok(()), None) => Err(io::Error::other("its result was taken already")),
        })
    }
}

/// Runs what waits for the disk where nobody else waits for it; in place where there is no runtime.
///
/// # Errors
/// The runtime is about to end, or the job panicked.
pub(crate) async fn off_thread<T: Send + 'static>(
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    match Handle::try_current() {
        Ok(runtime) => Given::by(&runtime, job).await,
        Err(_) => Ok(job()),
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

#[cfg(windows)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    // FILE_FLAG_DELETE_ON_CLOSE: Windows takes no name from a file that is open.
    std::os::windows::fs::OpenOptionsExt::custom_flags(options, 0x0400_0000)
}

#[cfg(not(any(unix, windows)))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}
