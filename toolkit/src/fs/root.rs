//! The root as async tools hold it: each operation on a thread of the runtime's, and the limits.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::blocking::Blocking;
use super::error::{FsError, FsErrorKind};
use super::listing::{Entry, Listing};
use super::reading::Lines;
use crate::output::off_thread;

/// The most that is read at once unless set, in bytes: 1 MiB.
pub const DEFAULT_MAX_READ: u64 = 1 << 20;

/// The longest file that is written unless set, in bytes: 16 MiB.
pub const DEFAULT_MAX_WRITE: u64 = 16 << 20;

/// The most entries that are listed, walked through or removed at once unless set.
pub const DEFAULT_MAX_ENTRIES: usize = 1000;

/// How deep a walk goes.
pub const MAX_DEPTH: usize = 64;

/// A directory that nothing leads out of, for a tool's `#[state]`. A clone is the same directory.
///
/// Paths are texts, relative to it, with `/` between names; `.` is the directory itself, and `..` may be
/// in them as long as they stay inside. Links are followed that lead to something inside.
///
/// Every async method runs on one of the runtime's threads for blocking work (in place where there is no
/// runtime); [`blocking`](Self::blocking) has the same methods for plain functions.
///
/// # Cancellation
///
/// What has begun on a thread goes on to its end, whether or not anybody still waits: a `write` whose call
/// timed out may have happened, as a whole or not at all. The limits bound how long that takes.
#[derive(Clone)]
pub struct Root {
    dir: Arc<Dir>,
    pub(super) max_read: u64,
    pub(super) max_write: u64,
    pub(super) max_entries: usize,
}

impl Root {
    /// Opens the directory of this path, links followed, once: it stays the same directory if it is renamed
    /// or something else takes its place. Blocks; for the start of a program.
    ///
    /// # Errors
    /// There is no such directory, or we may not open it; the host mends it. The text names the path.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        match Dir::open_ambient_dir(path, ambient_authority()) {
            Ok(dir) => Ok(Self::from_dir(dir)),
            Err(error) => {
                let text = format!("`{}` can't be opened as a root: {error}", path.display());
                Err(io::Error::new(error.kind(), text))
            }
        }
    }

    /// A root over a directory that is open already.
    pub fn from_dir(dir: Dir) -> Self {
        Self {
            dir: Arc::new(dir),
            max_read: DEFAULT_MAX_READ,
            max_write: DEFAULT_MAX_WRITE,
            max_entries: DEFAULT_MAX_ENTRIES,
        }
    }

    /// Sets the most that is read at once, in bytes.
    #[must_use]
    pub fn max_read(mut self, bytes: u64) -> Self {
        self.max_read = bytes;
        self
    }

    /// Sets how long a file may become by writing, creating and appending, in bytes.
    #[must_use]
    pub fn max_write(mut self, bytes: u64) -> Self {
        self.max_write = bytes;
        self
    }

    /// Sets the most entries that are listed, walked through or removed at once.
    #[must_use]
    pub fn max_entries(mut self, entries: usize) -> Self {
        self.max_entries = entries;
        self
    }

    /// The directory itself, for what isn't here. It leads nowhere out either, but knows no limits and
    /// opens pipes and devices.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The same operations for a plain function, such as a tool with `blocking = "wait"`.
    pub fn blocking(&self) -> Blocking<'_> {
        Blocking(self)
    }

    /// A root over a directory of this one, with the same limits.
    ///
    /// # Errors
    /// It isn't there, isn't a directory, or leads out.
    pub async fn sub(&self, dir: &str) -> Result<Self, FsError> {
        self.off(dir, |root, dir| root.sub(dir)).await
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// It isn't there, is no ordinary file, leads out, or is longer than [`max_read`](Self::max_read).
    pub async fn read(&self, path: &str) -> Result<Vec<u8>, FsError> {
        self.off(path, |root, path| root.read(path)).await
    }

    /// Reads a whole file as UTF-8.
    ///
    /// # Errors
    /// As [`read`](Self::read), and where it is no UTF-8.
    pub async fn read_text(&self, path: &str) -> Result<String, FsError> {
        self.off(path, |root, path| root.read_text(path)).await
    }

    /// Reads at most `count` lines from line `first` on, the first of the file being 1. Fewer come where
    /// the file ends or they grow beyond [`max_read`](Self::max_read); none where `first` is beyond the
    /// end.
    ///
    /// # Errors
    /// As [`read_text`](Self::read_text), though the file may be longer; `TooLarge` where one line is
    /// longer than `max_read`, or where it lies behind the first 64 MiB.
    pub async fn read_lines(&self, path: &str, first: u64, count: u64) -> Result<Lines, FsError> {
        self.off(path, move |root, path| root.read_lines(path, first, count)).await
    }

    /// Writes a whole file, in place of what was there: others see the old file or the new one, and after
    /// a crash it is one of the two (beside it then lies a `.toolkit-….tmp`). Permissions stay as they
    /// were, the owner may not. A link is followed to the file that it leads to.
    ///
    /// # Errors
    /// Its directory isn't there, it is read-only or no ordinary file, leads out, or is longer than
    /// [`max_write`](Self::max_write).
    pub async fn write(&self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), FsError> {
        let bytes = bytes.into();
        self.off(path, move |root, path| root.write(path, &bytes)).await
    }

    /// Writes a new file.
    ///
    /// # Errors
    /// As [`write`](Self::write), and where there is something already.
    pub async fn create(&self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), FsError> {
        let bytes = bytes.into();
        self.off(path, move |root, path| root.create(path, &bytes)).await
    }

    /// Writes at the end of a file, which is made where it isn't there.
    ///
    /// # Errors
    /// As [`write`](Self::write), for the file as it would become; and where the file has another name.
    pub async fn append(&self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), FsError> {
        let bytes = bytes.into();
        self.off(path, move |root, path| root.append(path, &bytes)).await
    }

    /// What is at a path, links followed.
    ///
    /// # Errors
    /// It isn't there or leads out.
    pub async fn metadata(&self, path: &str) -> Result<Entry, FsError> {
        self.off(path, |root, path| root.metadata(path)).await
    }

    /// What is in a directory, by name, links not followed. Of a directory with more than
    /// [`max_entries`](Self::max_entries) the first are told, and how many there are besides.
    ///
    /// # Errors
    /// It isn't there, isn't a directory, or leads out.
    pub async fn list(&self, dir: &str) -> Result<Listing, FsError> {
        self.off(dir, |root, dir| root.list(dir)).await
    }

    /// What is in a directory and all below, each directory before what is in it, by name. Links are told
    /// and not followed. It ends after [`max_entries`](Self::max_entries), and goes [`MAX_DEPTH`] deep.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub async fn walk(&self, dir: &str) -> Result<Listing, FsError> {
        self.off(dir, |root, dir| root.walk(dir)).await
    }

    /// Makes a directory and those above it that aren't there.
    ///
    /// # Errors
    /// Something else is there, or it leads out.
    pub async fn create_dir_all(&self, dir: &str) -> Result<(), FsError> {
        self.off(dir, |root, dir| root.create_dir_all(dir)).await
    }

    /// Removes a file, or a link and not what it leads to.
    ///
    /// # Errors
    /// It isn't there, is a directory, or its directory leads out.
    pub async fn remove_file(&self, path: &str) -> Result<(), FsError> {
        self.off(path, |root, path| root.remove_file(path)).await
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// It isn't there, isn't a directory, isn't empty, leads out, or is the root itself.
    pub async fn remove_dir(&self, dir: &str) -> Result<(), FsError> {
        self.off(dir, |root, dir| root.remove_dir(dir)).await
    }

    /// Removes a directory and all in it; links are removed and not followed.
    ///
    /// # Errors
    /// As [`remove_dir`](Self::remove_dir); where it holds more than [`max_entries`](Self::max_entries),
    /// or is deeper than [`MAX_DEPTH`], nothing is removed. Where one thing can't be removed, others may
    /// have been.
    pub async fn remove_dir_all(&self, dir: &str) -> Result<(), FsError> {
        self.off(dir, |root, dir| root.remove_dir_all(dir)).await
    }

    /// Gives a file or directory another path; a link is moved, not what it leads to.
    ///
    /// # Errors
    /// It isn't there, something is at the new path (one that comes there at this very moment may be
    /// replaced), the new path's directory isn't there, or one of them leads out.
    pub async fn rename(&self, from: &str, to: &str) -> Result<(), FsError> {
        let to = to.to_owned();
        self.off(from, move |root, from| root.rename(from, &to)).await
    }

    async fn off<T: Send + 'static>(
        &self,
        path: &str,
        job: impl FnOnce(Blocking<'_>, &str) -> Result<T, FsError> + Send + 'static,
    ) -> Result<T, FsError> {
        let (root, path) = (self.clone(), path.to_owned());
        match off_thread(move || job(root.blocking(), &path)).await {
            Ok(result) => result,
            Err(_) => Err(FsError::new(FsErrorKind::Other, "no thread was free for it".to_owned())),
        }
    }
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Root")
            .field("max_read", &self.max_read)
            .field("max_write", &self.max_write)
            .field("max_entries", &self.max_entries)
            .finish_non_exhaustive()
    }
}
