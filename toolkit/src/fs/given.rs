//! A path as a model gives it: what its text alone says, and how it is shown.

use std::path::{Component, Path};

use super::error::{FsError, FsErrorKind};
use crate::paths::unseen;
use crate::text::{excerpt, visible};

/// The longest path, in bytes, and the most names in it.
const MAX_PATH: usize = 4096;
const MAX_NAMES: usize = 256;

/// The most characters of a path that are shown.
const MAX_SHOWN: usize = 160;

/// A path that is relative to a root, as far as its text says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'t> {
    text: &'t str,
}

impl<'t> Given<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, FsError> {
        let bad = |what: &str| Err(FsError::new(FsErrorKind::BadPath, what.to_owned()));
        let given = Self { text };
        if text.trim().is_empty() {
            return bad(
                "the path is empty; `.` is the top of the directory that this tool works in",
            );
        }
        if text.len() > MAX_PATH || given.path().components().count() > MAX_NAMES {
            return bad("the path is too long");
        }
        if text.contains('\0') {
            return bad("the path has a NUL character");
        }
        let drive = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text[1..].starts_with(':')
            && text[2..].starts_with(['/', '\\']);
        if drive || text.starts_with(['/', '\\']) || given.path().has_root() {
            return bad(
                "the path is absolute; write it from the top of the directory that this tool works \
                 in, e.g. `notes/a.txt`",
            );
        }
        if text == "~" || text.starts_with("~/") {
            return bad("`~` means nothing here; write the path from the top, e.g. `notes/a.txt`");
        }
        if cfg!(windows)
            && let Some(what) = crate::paths::on_windows(text)
        {
            return bad(&format!("`{}` {what}", given.shown()));
        }
        Ok(given)
    }

    pub(super) fn path(self) -> &'t Path {
        Path::new(self.text)
    }

    /// Whether only a directory can be meant.
    pub(super) fn is_dirs(self) -> bool {
        self.text.ends_with('/') || (cfg!(windows) && self.text.ends_with('\\'))
    }

    /// The directory that the last name is in, and that name: `None` where it isn't a name.
    pub(super) fn split(self) -> Option<(&'t Path, &'t Path)> {
        let mut parts = self.path().components();
        let last = match parts.next_back()? {
            Component::Normal(name) => Path::new(name),
            _ => return None,
        };
        let dir = parts.as_path();
        Some((if dir.as_os_str().is_empty() { Path::new(".") } else { dir }, last))
    }

    /// Refuses a last name that a person wouldn't see for what it is.
    pub(super) fn as_new(self) -> Result<(), FsError> {
        self.new_names(1)
    }

    /// The same of every name.
    pub(super) fn all_as_new(self) -> Result<(), FsError> {
        self.new_names(MAX_NAMES)
    }

    fn new_names(self, last: usize) -> Result<(), FsError> {
        for part in self.path().components().rev().take(last) {
            let Component::Normal(name) = part else { continue };
            let name = name.to_str().unwrap_or_default();
            let what = if unseen(name) {
                "characters that nobody sees"
            } else if name.contains('\\') {
                "a backslash; write `/` between names"
            } else if name.trim() != name {
                "spaces at an end"
            } else {
                continue;
            };
            let text = format!("`{}` isn't there, and a new name can't have {what}", self.shown());
            return Err(FsError::new(FsErrorKind::BadPath, text));
        }
        Ok(())
    }

    /// As it is told to the model.
    pub(super) fn shown(self) -> String {
        shown(self.text)
    }
}

/// A text as it is told to the model: nothing invisible, of bounded length.
pub(super) fn shown(text: &str) -> String {
    if unseen(text) {
        return excerpt(&visible(text, false), MAX_SHOWN);
    }
    excerpt(text, MAX_SHOWN)
}

/// A path below a directory as it was given.
pub(super) fn below(dir: &str, name: &str) -> String {
    let dir = dir.trim_end_matches('/');
    let dir = dir.strip_prefix("./").unwrap_or(dir);
    if matches!(dir, "" | ".") { name.to_owned() } else { format!("{dir}/{name}") }
}
