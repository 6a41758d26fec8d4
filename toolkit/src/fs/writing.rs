//! Writing, making, moving and removing: each on a name in a directory that is held open, so that no link
//! above it can be swapped.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::blocking::Blocking;
use super::error::{FsError, FsErrorKind};
use super::given::Given;
use super::reading::{ordinary, without_waiting};

impl Blocking<'_> {
    /// See [`Root::write`](super::Root::write).
    ///
    /// # Errors
    /// Its.
    pub fn write(self, path: &str, bytes: &[u8]) -> Result<(), FsError> {
        let given = self.for_a_file(path, bytes.len())?;
        let led = self.led(given)?;
        let target = Given::new(&led)?;
        let (dir, name) = self.place(target)?;
        let told = |error: io::Error| FsError::of_system(&given.shown(), &error);
        let before = there(&dir, name).map_err(told)?;
        match &before {
            None => given.as_new()?,
            Some(metadata) => {
                ordinary(given, metadata)?;
                if metadata.permissions().readonly() {
                    return Err(denied(given, "is read-only"));
                }
            }
        }
        let mut part = Part::new(&dir).map_err(told)?;
        part.fill(bytes, before.as_ref()).and_then(|()| part.takes(name)).map_err(told)
    }

    /// See [`Root::create`](super::Root::create).
    ///
    /// # Errors
    /// Its.
    pub fn create(self, path: &str, bytes: &[u8]) -> Result<(), FsError> {
        let given = self.for_a_file(path, bytes.len())?;
        let (dir, name) = self.place(given)?;
        let told = |error: io::Error| FsError::of_system(&given.shown(), &error);
        if there(&dir, name).map_err(told)?.is_some() {
            return Err(taken(given));
        }
        given.as_new()?;
        let mut file =
            dir.open_with(name, OpenOptions::new().write(true).create_new(true)).map_err(told)?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
            // Better nothing than a part.
            let _ = dir.remove_file(name);
            told(error)
        })
    }

    /// See [`Root::append`](super::Root::append).
    ///
    /// # Errors
    /// Its.
    pub fn append(self, path: &str, bytes: &[u8]) -> Result<(), FsError> {
        let given = self.for_a_file(path, bytes.len())?;
        let led = self.led(given)?;
        let target = Given::new(&led)?;
        let (dir, name) = self.place(target)?;
        let told = |error: io::Error| FsError::of_system(&given.shown(), &error);
        match there(&dir, name).map_err(told)? {
            None => given.as_new()?,
            Some(metadata) => ordinary(given, &metadata)?,
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        without_waiting(&mut options);
        let mut file = dir.open_with(name, &options).map_err(told)?;
        let metadata = file.metadata().map_err(told)?;
        ordinary(given, &metadata)?;
        if links(&metadata) > 1 {
            return Err(denied(
                given,
                "has another name, and would change there too; write it as a whole",
            ));
        }
        let added = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.fits(given, metadata.len().saturating_add(added))?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(told)
    }

    /// See [`Root::create_dir_all`](super::Root::create_dir_all).
    ///
    /// # Errors
    /// Its.
    pub fn create_dir_all(self, dir: &str) -> Result<(), FsError> {
        let given = Given::new(dir)?;
        match self.0.dir().metadata(given.path()) {
            Ok(metadata) if metadata.is_dir() => return Ok(()),
            Ok(_) => return Err(taken(given)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => given.all_as_new()?,
            Err(error) => return Err(self.told(given, &error)),
        }
        let made = self.0.dir().create_dir_all(given.path());
        made.map_err(|error| self.told(given, &error))
    }

    /// See [`Root::remove_file`](super::Root::remove_file).
    ///
    /// # Errors
    /// Its.
    pub fn remove_file(self, path: &str) -> Result<(), FsError> {
        let given = Given::new(path)?;
        let (dir, name, metadata) = self.at(given)?;
        if metadata.is_dir() || given.is_dirs() {
            return Err(wrong_kind(
                given,
                if metadata.is_dir() { "is a directory" } else { "is no directory" },
            ));
        }
        dir.remove_file(name).map_err(|error| self.told(given, &error))
    }

    /// See [`Root::remove_dir`](super::Root::remove_dir).
    ///
    /// # Errors
    /// Its.
    pub fn remove_dir(self, dir: &str) -> Result<(), FsError> {
        let given = Given::new(dir)?;
        let (dir, name, metadata) = self.at(given)?;
        if !metadata.is_dir() {
            return Err(wrong_kind(given, "is no directory"));
        }
        dir.remove_dir(name).map_err(|error| self.told(given, &error))
    }

    /// See [`Root::remove_dir_all`](super::Root::remove_dir_all).
    ///
    /// # Errors
    /// Its.
    pub fn remove_dir_all(self, dir: &str) -> Result<(), FsError> {
        let given = Given::new(dir)?;
        let (parent, name, metadata) = self.at(given)?;
        if !metadata.is_dir() {
            return Err(wrong_kind(given, "is no directory"));
        }
        let inside = parent.open_dir(name).map_err(|error| self.told(given, &error))?;
        let all = self.walk_in(given, &inside, dir)?;
        if all.left_out > 0 {
            let most = self.0.max_entries;
            let text = format!(
                "`{}` holds more than the {most} entries that are removed at once; remove it in parts",
                given.shown()
            );
            return Err(FsError::new(FsErrorKind::TooLarge, text));
        }
        parent.remove_dir_all(name).map_err(|error| self.told(given, &error))
    }

    /// See [`Root::rename`](super::Root::rename).
    ///
    /// # Errors
    /// Its.
    pub fn rename(self, from: &str, to: &str) -> Result<(), FsError> {
        let (from, to) = (Given::new(from)?, Given::new(to)?);
        let (old_dir, old, metadata) = self.at(from)?;
        if from.is_dirs() && !metadata.is_dir() {
            return Err(wrong_kind(from, "is no directory"));
        }
        let (new_dir, new) = self.place(to)?;
        if there(&new_dir, new).map_err(|e| FsError::of_system(&to.shown(), &e))?.is_some() {
            return Err(taken(to));
        }
        to.as_new()?;
        old_dir.rename(old, &new_dir, new).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => wrong_kind(to, "lies in what is to be moved"),
            _ => FsError::of_system(&to.shown(), &error),
        })
    }

    fn for_a_file(self, path: &str, len: usize) -> Result<Given<'_>, FsError> {
        let given = Given::new(path)?;
        if given.is_dirs() {
            return Err(wrong_kind(given, "names a directory"));
        }
        self.fits(given, u64::try_from(len).unwrap_or(u64::MAX))?;
        Ok(given)
    }

    fn fits(self, given: Given<'_>, len: u64) -> Result<(), FsError> {
        let most = self.0.max_write;
        if len <= most {
            return Ok(());
        }
        let text =
            format!("`{}` would have {len} bytes, and at most {most} are written", given.shown());
        Err(FsError::new(FsErrorKind::TooLarge, text))
    }

    /// Where a path leads if its last name is a link: to a path without links. Else the path.
    fn led<'t>(self, given: Given<'t>) -> Result<Cow<'t, str>, FsError> {
        let path = given.path();
        let is_link =
            self.0.dir().symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        let Some(text) = path.to_str().filter(|_| !is_link) else {
            let led = self.0.dir().canonicalize(path).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => wrong_kind(given, "is a link that leads nowhere"),
                _ => FsError::of_system(&given.shown(), &error),
            })?;
            let led = led.into_os_string().into_string();
            return led
                .map(Cow::Owned)
                .map_err(|_| wrong_kind(given, "is a link to a name that is no Unicode"));
        };
        Ok(Cow::Borrowed(text))
    }

    /// The directory that something is in, its name there, and what it is, links not followed.
    fn at<'t>(self, given: Given<'t>) -> Result<(Dir, &'t Path, Metadata), FsError> {
        let (dir, name) = self.place(given)?;
        let metadata = dir.symlink_metadata(name).map_err(|error| self.told(given, &error))?;
        Ok((dir, name, metadata))
    }
}

/// What is there of this name, links not followed.
fn there(dir: &Dir, name: &Path) -> io::Result<Option<Metadata>> {
    match dir.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn taken(given: Given<'_>) -> FsError {
    FsError::new(FsErrorKind::AlreadyExists, format!("`{}` is there already", given.shown()))
}

fn wrong_kind(given: Given<'_>, what: &str) -> FsError {
    FsError::new(FsErrorKind::WrongKind, format!("`{}` {what}", given.shown()))
}

fn denied(given: Given<'_>, what: &str) -> FsError {
    FsError::new(FsErrorKind::Denied, format!("`{}` {what}", given.shown()))
}

#[cfg(unix)]
fn links(metadata: &Metadata) -> u64 {
    cap_std::fs::MetadataExt::nlink(metadata)
}

/// How many names a file has isn't told everywhere.
#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}

/// A file that is being written, beside the one whose place it takes; gone unless it does.
struct Part<'d> {
    dir: &'d Dir,
    file: File,
    name: Option<String>,
}

impl<'d> Part<'d> {
    fn new(dir: &'d Dir) -> io::Result<Self> {
        let mut tries = 0;
        loop {
            let random = RandomState::new().build_hasher().finish();
            let name = format!(".toolkit-{}-{random:016x}.tmp", std::process::id());
            match dir.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Ok(file) => return Ok(Self { dir, file, name: Some(name) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < 16 => {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn fill(&mut self, bytes: &[u8], before: Option<&Metadata>) -> io::Result<()> {
        if let Some(before) = before {
            self.file.set_permissions(before.permissions())?;
        }
        self.file.write_all(bytes)?;
        self.file.sync_all()
    }

    fn takes(&mut self, name: &Path) -> io::Result<()> {
        if let Some(own) = &self.name {
            self.dir.rename(own, self.dir, name)?;
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = self.dir.remove_file(name);
        }
    }
}
