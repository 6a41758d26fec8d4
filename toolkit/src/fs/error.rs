//! What goes wrong in a root, in words for the model that name nothing outside of it.

use std::fmt;
use std::io;

use crate::error::ToolError;

/// Why something in a root can't be done. Its text is for the model: it names paths within the root, as
/// they were given, and says what to do.
///
/// It is no `std::error::Error`, so that `?` can turn it into a [`ToolError`] that the model reads; any
/// `Error` would become one for the operator alone.
#[derive(Clone, PartialEq, Eq)]
pub struct FsError {
    kind: FsErrorKind,
    text: String,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FsErrorKind {
    /// Nothing is at the path.
    NotFound,
    /// The path, or a link that it goes through, leads out of the root.
    Outside,
    /// The text is no path of a root: empty, absolute, too long, with characters that a name can't have.
    BadPath,
    /// It is something else than what this is done with: a directory for a file, a pipe, a file for a
    /// directory.
    WrongKind,
    /// Something is there already.
    AlreadyExists,
    /// It is more than a limit of the root allows.
    TooLarge,
    /// It is no UTF-8.
    NotText,
    /// A directory isn't empty.
    NotEmpty,
    /// We may not: permissions, a read-only file, a file with another name elsewhere.
    Denied,
    /// Anything else that the system says, such as a full disk.
    Other,
}

impl FsError {
    pub(super) fn new(kind: FsErrorKind, text: String) -> Self {
        Self { kind, text }
    }

    /// What kind it is.
    pub fn kind(&self) -> FsErrorKind {
        self.kind
    }

    /// What the system said of a path, told as it may be shown. What isn't found is the caller's to tell.
    pub(super) fn of_system(shown: &str, error: &io::Error) -> Self {
        use FsErrorKind::{AlreadyExists, BadPath, Denied, NotEmpty, NotFound, Other, WrongKind};
        let (kind, what) = match error.kind() {
            // The system has a number for what it refuses; only an escape has none.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                return Self::outside(shown);
            }
            io::ErrorKind::PermissionDenied => (Denied, "may not be touched by us"),
            io::ErrorKind::NotFound => (NotFound, "isn't there"),
            io::ErrorKind::AlreadyExists => (AlreadyExists, "is there already"),
            io::ErrorKind::NotADirectory => {
                (WrongKind, "is no directory, or goes on behind a file")
            }
            io::ErrorKind::IsADirectory => (WrongKind, "is a directory"),
            io::ErrorKind::DirectoryNotEmpty => (NotEmpty, "is a directory that isn't empty"),
            io::ErrorKind::InvalidFilename => (BadPath, "has a name that is too long"),
            io::ErrorKind::InvalidInput => (BadPath, "can't be used for this"),
            io::ErrorKind::ReadOnlyFilesystem => (Denied, "lies where nothing can be written"),
            io::ErrorKind::StorageFull => (Other, "can't be written: the disk is full"),
            _ if is_loop(error) => (BadPath, "goes through links without end"),
            // The system's own words name no path; others might.
            _ if error.raw_os_error().is_some() => {
                return Self::new(Other, format!("`{shown}` can't be used: {error}"));
            }
            _ => (Other, "can't be used"),
        };
        Self::new(kind, format!("`{shown}` {what}"))
    }

    pub(super) fn outside(shown: &str) -> Self {
        let text = format!("`{shown}` leads out of the directory that this tool works in");
        Self::new(FsErrorKind::Outside, text)
    }
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}

impl From<FsError> for ToolError {
    fn from(error: FsError) -> Self {
        Self::expected(error.text)
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FsError").field(&self.kind).field(&self.text).finish()
    }
}
