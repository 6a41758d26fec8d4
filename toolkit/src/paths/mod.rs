//! Whether a text names something inside a directory, as far as that can be said before a tool opens it.
//! Looks at the file system and never reads a file. What it says holds for the moment: a link that is
//! swapped afterwards is the business of whoever opens the path.

mod spelling;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

#[cfg(feature = "fs")]
pub(crate) use spelling::{on_windows, unseen};

/// The longest text that is looked at, in bytes: what Linux takes.
const MAX_TEXT: usize = 4096;

/// The most names of one path that are looked at.
const MAX_NAMES: usize = 256;

/// Whether something is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// However it is read, it is the directory or something in it.
    Yes,
    /// However it is read, it is something else.
    No,
    /// Two readers may find it in two places, or it can't be looked at. The text goes on after the
    /// path: "is relative, …".
    Unclear(&'static str),
}

impl Held {
    /// What stands of two readings of one text.
    fn agreeing(self, other: impl FnOnce() -> Self) -> Self {
        if matches!(self, Self::Unclear(_)) {
            return self;
        }
        match other() {
            other if other == self => self,
            why @ Self::Unclear(_) => why,
            _ => Self::Unclear("leads to one place for some programs and to another for others"),
        }
    }
}

/// Why a host's path is no directory that texts can be held against.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` {what}")]
pub(crate) struct DirectoryError {
    given: String,
    what: String,
}

impl DirectoryError {
    fn new(given: &Path, what: impl Into<String>) -> Self {
        let given = given.display().to_string();
        Self { given: crate::text::excerpt(&given, 120), what: what.into() }
    }
}

/// A directory that texts are held against.
///
/// - Links are resolved, those in the directory's own path as well; what doesn't exist yet belongs to its
///   deepest ancestor that does.
/// - The file system itself says which spellings are one directory: letter case, forms of Unicode, bind
///   mounts of the directory (not of one below it) and links are seen through by the identity of what
///   they lead to (on Windows by its final path).
/// - What is mounted inside the directory is inside, and so is a hard link, whatever else is called by
///   another name of the same file.
/// - Percent-encodings, wildcards and quotes are letters of a name.
/// - A text is `Unclear` that is relative to nothing stated, or that programs read in several ways: `~`,
///   `$VAR`, a URL, a NUL, other characters that nobody sees, `..` behind a link, backslashes, a drive,
///   spaces around it, what belongs to a process below `/proc` or `/dev/fd`; and one that can't be looked
///   at: no permission, a link that leads nowhere or in a circle, more than 4,096 bytes or 256 names.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    given: PathBuf,
    /// Where it was when the rule was made.
    first: Place,
    base: Option<PathBuf>,
}

impl Directory {
    /// The directory of this absolute path. It need not exist, and then holds nothing for sure.
    ///
    /// # Errors
    /// The path is relative, isn't a directory's or can't be looked at; whoever wrote the rule mends it.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Result<Self, DirectoryError> {
        let given = absolute(path.into())?;
        let first = Place::of(&given).map_err(|why| DirectoryError::new(&given, why))?;
        if first.exists() && !first.anchor.is_dir() {
            return Err(DirectoryError::new(&given, "is no directory"));
        }
        Ok(Self { given, first, base: None })
    }

    /// The same, with the absolute directory that relative texts go out from.
    ///
    /// # Errors
    /// The base is relative; whoever wrote the rule mends it.
    pub(crate) fn based(mut self, base: impl Into<PathBuf>) -> Result<Self, DirectoryError> {
        self.base = Some(absolute(base.into())?);
        Ok(self)
    }

    /// Whether it was there when this was made. A rule that allows asks for it: one that isn't there holds
    /// nothing for sure, then or later.
    pub(crate) fn exists(&self) -> bool {
        self.first.exists()
    }

    /// Whether the text names the directory or something in it. Asks the file system, a few times a name.
    pub(crate) fn holds(&self, text: &str) -> Held {
        if let Some(why) = spelling::trap(text) {
            return Held::Unclear(why);
        }
        let mut held = self.reading(text);
        // What a program of another system takes for separators, or cuts off.
        if cfg!(not(windows)) && text.contains('\\') {
            held = held.agreeing(|| self.reading(&text.replace('\\', "/")));
        }
        let trimmed = text.trim();
        if trimmed.len() < text.len() {
            held = held.agreeing(|| self.reading(trimmed));
        }
        held
    }

    fn reading(&self, text: &str) -> Held {
        let path = match &self.base {
            Some(base) => base.join(text),
            None => PathBuf::from(text),
        };
        if !path.is_absolute() {
            return Held::Unclear("is relative, and no rule says to what");
        }
        let held = self.at(&path);
        // Some programs resolve `..` by the text, others by what is there.
        if path.components().any(|part| part == Component::ParentDir) {
            return held.agreeing(|| self.at(&by_the_text(&path)));
        }
        held
    }

    fn at(&self, path: &Path) -> Held {
        if spelling::of_a_process(path) {
            return Held::Unclear("leads to what each process has for itself");
        }
        let named = match Place::of(path) {
            Ok(named) => named,
            Err(why) => return Held::Unclear(why),
        };
        let Ok(now) = Place::of(&self.given) else {
            return Held::Unclear("can't be held against the directory, which can't be looked at");
        };
        let held = now.holds(&named);
        if now == self.first {
            return held;
        }
        match (held, self.first.holds(&named)) {
            (Held::No, Held::No) => Held::No,
            _ => Held::Unclear("is held against a directory that has moved"),
        }
    }
}

fn absolute(path: PathBuf) -> Result<PathBuf, DirectoryError> {
    let what = match path.to_str() {
        None => "is no UTF-8",
        Some(text) if text.contains('\0') => "has a NUL",
        Some(text) if text.starts_with('~') => "isn't expanded; write the whole path",
        Some(_) if !path.is_absolute() => "is relative; write the whole path",
        Some(_) => return Ok(path),
    };
    Err(DirectoryError::new(&path, what))
}

/// The path with each `..` taken for "without the name before".
fn by_the_text(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            // At the root it stays there.
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Where a path leads: its deepest ancestor that exists, links resolved, and the names below it that
/// don't exist.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    anchor: PathBuf,
    rest: Vec<OsString>,
}

impl Place {
    fn of(path: &Path) -> Result<Self, &'static str> {
        if path.components().count() > MAX_NAMES {
            return Err("has too many names to be looked at");
        }
        // Without a slash at the end, behind which a link that leads nowhere looks like nothing.
        let mut existing: PathBuf = path.components().collect();
        let mut rest = Vec::new();
        let anchor = loop {
            match existing.canonicalize() {
                Ok(anchor) => break anchor,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(why(&error)),
            }
            match existing.symlink_metadata() {
                // What stands at its end today may be anything tomorrow.
                Ok(_) => return Err("is or goes through a link that leads nowhere"),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(why(&error)),
            }
            match existing.components().next_back() {
                Some(Component::Normal(name)) => rest.push(name.to_owned()),
                _ => return Err("goes up again from what doesn't exist"),
            }
            existing.pop();
        };
        rest.reverse();
        // A path of `/proc` may be read as one place and lead to another.
        match same(&existing, &anchor) {
            Ok(true) => Ok(Self { anchor, rest }),
            Ok(false) => Err("leads elsewhere than its links say"),
            Err(error) => Err(why(&error)),
        }
    }

    fn exists(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether the other is this or below it.
    fn holds(&self, other: &Self) -> Held {
        if !self.exists() {
            // On a file system where both spellings are one, neither is there to tell.
            let near = same(&self.anchor, &other.anchor).unwrap_or(true)
                && other.rest.len() >= self.rest.len()
                && self.rest.iter().zip(&other.rest).all(|(a, b)| spelling::alike(a, b));
            return if near {
                Held::Unclear("is held against a directory that isn't there")
            } else {
                Held::No
            };
        }
        if other.anchor.starts_with(&self.anchor) {
            return Held::Yes;
        }
        for ancestor in other.anchor.ancestors() {
            match same(&self.anchor, ancestor) {
                Ok(true) => return Held::Yes,
                Ok(false) => {}
                Err(error) => return Held::Unclear(why(&error)),
            }
        }
        Held::No
    }
}

/// Whether two paths lead to one directory or file.
#[cfg(unix)]
fn same(a: &Path, b: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    if a == b {
        return Ok(true);
    }
    let [a, b] = [fs::metadata(a)?, fs::metadata(b)?];
    Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Whether two paths lead to one directory or file: final paths are equal, letter by letter.
#[cfg(not(unix))]
fn same(a: &Path, b: &Path) -> io::Result<bool> {
    Ok(a == b || fs::canonicalize(a)? == fs::canonicalize(b)?)
}

fn why(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => "can't be looked at for want of permission",
        ErrorKind::NotADirectory => "goes on behind a file",
        ErrorKind::InvalidFilename => "has a name that the system doesn't take",
        _ => "can't be looked at",
    }
}
