//! The operations themselves, for whoever may block: what is common to them stands here, what reads,
//! writes and lists in files of their own.

use std::io;
use std::path::{Component, Path};

use cap_std::fs::{Dir, Metadata};

use super::error::{FsError, FsErrorKind};
use super::given::{Given, below, shown};
use super::listing::Entry;
use super::root::Root;
use crate::text::nearest;

/// The most names that are looked through for one that may have been meant.
const MAX_NEAR: usize = 1000;

/// A [`Root`] for plain functions: the methods are the root's, and block.
///
/// ```
/// use toolkit::fs::{FsErrorKind, Root};
///
/// # let dir = std::env::temp_dir().join(format!("toolkit-fs-blocking-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir).unwrap();
/// let root = Root::open(&dir).unwrap();
/// let files = root.blocking();
/// files.write("a.txt", b"1").unwrap();
/// assert_eq!(files.read_text("./a.txt").unwrap(), "1");
/// assert_eq!(files.read("/etc/passwd").unwrap_err().kind(), FsErrorKind::BadPath);
/// # std::fs::remove_dir_all(&dir).unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Blocking<'r>(pub(super) &'r Root);

impl Blocking<'_> {
    /// See [`Root::sub`].
    ///
    /// # Errors
    /// Its.
    pub fn sub(&self, dir: &str) -> Result<Root, FsError> {
        let dir = self.open_dir(Given::new(dir)?)?;
        let Root { max_read, max_write, max_entries, .. } = *self.0;
        Ok(Root::from_dir(dir).max_read(max_read).max_write(max_write).max_entries(max_entries))
    }

    /// See [`Root::metadata`].
    ///
    /// # Errors
    /// Its.
    pub fn metadata(self, path: &str) -> Result<Entry, FsError> {
        let given = Given::new(path)?;
        Ok(Entry::new(path.to_owned(), &self.look(given)?))
    }

    /// What is there, links followed.
    pub(super) fn look(self, given: Given<'_>) -> Result<Metadata, FsError> {
        self.0.dir().metadata(given.path()).map_err(|error| self.told(given, &error))
    }

    pub(super) fn open_dir(self, given: Given<'_>) -> Result<Dir, FsError> {
        self.0.dir().open_dir(given.path()).map_err(|error| self.told(given, &error))
    }

    /// The directory that a path's last name is in, opened, and the name: from here on no link can be
    /// swapped above it.
    pub(super) fn place<'t>(self, given: Given<'t>) -> Result<(Dir, &'t Path), FsError> {
        let Some((dir, name)) = given.split() else {
            let text = format!("`{}` names no file in a directory; write its name", given.shown());
            return Err(FsError::new(FsErrorKind::BadPath, text));
        };
        let dir = self.0.dir().open_dir(dir).map_err(|error| self.told(given, &error))?;
        Ok((dir, name))
    }

    /// What the system said of a path, for the model; of one that isn't there, what may have been meant.
    pub(super) fn told(self, given: Given<'_>, error: &io::Error) -> FsError {
        let shown = given.shown();
        if error.kind() != io::ErrorKind::NotFound {
            return FsError::of_system(&shown, error);
        }
        let hint = self.hint(given).unwrap_or_default();
        FsError::new(FsErrorKind::NotFound, format!("`{shown}` isn't there{hint}"))
    }

    /// The nearest name to the first that is missing, or the directory that it is missing from.
    fn hint(self, given: Given<'_>) -> Option<String> {
        let mut dir = self.0.dir().open_dir(".").ok()?;
        let mut so_far = String::new();
        let mut parts = given.path().components().peekable();
        while let Some(part) = parts.next() {
            let name = match part {
                Component::Normal(name) => name,
                Component::CurDir => continue,
                _ => return None,
            };
            let text = name.to_str()?;
            if dir.symlink_metadata(name).is_ok() {
                // The last is there, and so a link that leads nowhere.
                parts.peek()?;
                dir = dir.open_dir(name).ok()?;
                so_far = below(&so_far, text);
                continue;
            }
            let names: Vec<String> = dir
                .entries()
                .ok()?
                .take(MAX_NEAR)
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .collect();
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            names.sort_unstable();
            return Some(match nearest(text, names) {
                Some(near) => format!("; did you mean `{}`?", shown(&below(&so_far, near))),
                None if so_far.is_empty() => "; list `.` to see what is".to_owned(),
                None => format!("; list `{}` to see what is", shown(&so_far)),
            });
        }
        None
    }
}
