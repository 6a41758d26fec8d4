//! One file of lines: appended to, rotated, and mended where it was torn. Nothing here knows what a
//! line says.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::jsonl::AuditError;
use super::names;

/// How every file of ours begins.
const START: &[u8] = br#"{"kind":""#;

/// How much of a torn line is kept, in bytes.
const TORN: usize = 4096;

/// How much is read at once to find the last line.
const BLOCK: u64 = 64 * 1024;

/// What was cut off.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Torn {
    pub(super) bytes: u64,
    /// The start of it.
    pub(super) text: String,
}

/// What a rotation needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    pub(super) max_bytes: u64,
    /// How many rotated files stay; all where it isn't said.
    pub(super) keep: Option<usize>,
    /// Whether the files and their names are forced to the disk.
    pub(super) sync: bool,
}

pub(super) struct LogFile {
    /// Without links, so that it is the file that is renamed.
    path: PathBuf,
    file: File,
    /// Held for as long as the file is ours.
    lock: Option<File>,
    /// Whether it is a file that has a length and can be renamed; a device or pipe can't.
    regular: bool,
    /// How much of it is whole lines.
    len: u64,
    /// Whether there may be a part of a line behind those.
    dirty: bool,
}

impl LogFile {
    /// Opens or makes the file, and cuts off a torn last line.
    pub(super) fn open(path: &Path) -> Result<(Self, Option<Torn>), AuditError> {
        let failed = |source| AuditError::Io { path: path.to_owned(), source };
        let file = append_to(path).map_err(failed)?;
        let regular = file.metadata().map_err(failed)?.is_file();
        if !regular {
            let path = path.to_owned();
            return Ok((Self { path, file, lock: None, regular, len: 0, dirty: false }, None));
        }
        let path = fs::canonicalize(path).map_err(failed)?;
        let lock = lock(&path)?;
        let (len, torn) = recover(&path)?;
        Ok((Self { path, file, lock, regular, len, dirty: false }, torn))
    }

    /// Opens the file again where it is no longer the one under its name: moved, or deleted. One that
    /// was cut is as long as it is.
    pub(super) fn follow(&mut self) -> Result<Option<Torn>, AuditError> {
        if !self.regular {
            return Ok(None);
        }
        let failed = |source| AuditError::Io { path: self.path.clone(), source };
        let ours = self.file.metadata().map_err(failed)?;
        match fs::metadata(&self.path) {
            Ok(named) if same_file(&ours, &named) => {
                // Of one that was emptied in its place, no more is left than this.
                self.len = self.len.min(ours.len());
                return Ok(None);
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        // Ours would hold us off.
        self.lock = None;
        let (file, torn) = Self::open(&self.path)?;
        *self = file;
        Ok(torn)
    }

    /// Appends one line, line feed included, to this file or to a new one. The inner error is that of
    /// a rotation which failed, while the line was written to the file as it is.
    pub(super) fn append(
        &mut self,
        line: &[u8],
        rotation: Rotation,
    ) -> io::Result<Result<(), io::Error>> {
        self.mend()?;
        let added = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let full = self.len > 0 && self.len.saturating_add(added) > rotation.max_bytes;
        let rotated = if self.regular && full { self.rotate(rotation) } else { Ok(()) };
        self.write(line)?;
        Ok(rotated)
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let mut left = line;
        while !left.is_empty() {
            let error = match self.file.write(left) {
                Ok(0) => ErrorKind::WriteZero.into(),
                Ok(written) => {
                    self.dirty = true;
                    left = &left[written..];
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            // The line is told as failed either way; what is left of it is tried again before the next.
            let _ = self.mend();
            return Err(error);
        }
        self.dirty = false;
        self.len = self.len.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Takes back the part of a line that couldn't be written whole.
    fn mend(&mut self) -> io::Result<()> {
        if self.dirty {
            if self.regular {
                self.file.set_len(self.len)?;
            } else {
                // What is out can't be taken back; the next line begins on a line of its own.
                self.file.write_all(b"\n")?;
            }
            self.dirty = false;
        }
        Ok(())
    }

    /// Renames the file and begins a new one. Each step leaves what the next opening understands.
    fn rotate(&mut self, rotation: Rotation) -> io::Result<()> {
        let Some(target) = names::next(&self.path)? else { return Ok(()) };
        if rotation.sync {
            self.file.sync_data()?;
        }
        let permissions = self.file.metadata()?.permissions();
        fs::rename(&self.path, &target)?;
        let begun = append_to(&self.path).and_then(|file| {
            file.set_permissions(permissions)?;
            Ok(file)
        });
        match begun {
            Ok(file) => self.file = file,
            Err(error) => {
                // Back, so that what follows goes on in the newest file.
                fs::rename(&target, &self.path)?;
                return Err(error);
            }
        }
        self.len = 0;
        if rotation.sync {
            sync_folder(&self.path)?;
        }
        self.prune(rotation.keep)
    }

    /// Deletes the oldest files, until no more are left than may stay.
    fn prune(&self, keep: Option<usize>) -> io::Result<()> {
        let Some(keep) = keep else { return Ok(()) };
        let files = names::rotated(&self.path)?;
        let surplus = files.len().saturating_sub(keep);
        for (_, path) in &files[..surplus] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Forces what is written to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        if self.regular { self.file.sync_data() } else { Ok(()) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    owners_alone(&mut options);
    options.open(path)
}

/// A new file is for its owner's eyes: it may say what people asked for.
fn owners_alone(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

#[cfg(unix)]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Where an open file can't be moved away, what has its name is it.
#[cfg(not(unix))]
fn same_file(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

/// A rename is on the disk once its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Holds off whoever would write the same file; `None` on a file system without locks. The lock is on
/// a file of its own, since that of a renamed file would go with it.
#[expect(clippy::incompatible_msrv, reason = "the feature asks for Rust 1.89, and says so")]
fn lock(path: &Path) -> Result<Option<File>, AuditError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let failed = |source| AuditError::Io { path: PathBuf::from(&name), source };
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    owners_alone(&mut options);
    let file = options.open(&name).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(AuditError::Taken { path: path.to_owned() }),
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// The length of all whole lines, and what had to be cut off behind them.
fn recover(path: &Path) -> Result<(u64, Option<Torn>), AuditError> {
    let failed = |source| AuditError::Io { path: path.to_owned(), source };
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
    let len = file.metadata().map_err(failed)?.len();
    // A file of something else isn't cut.
    let mut start = Vec::new();
    (&file).take(START.len() as u64).read_to_end(&mut start).map_err(failed)?;
    if !START.starts_with(&start) {
        return Err(AuditError::NoAudit { path: path.to_owned() });
    }
    let whole = end_of_lines(&mut file, len).map_err(failed)?;
    if whole == len {
        return Ok((len, None));
    }
    file.seek(SeekFrom::Start(whole)).map_err(failed)?;
    let mut rest = Vec::new();
    file.read_to_end(&mut rest).map_err(failed)?;
    // No start of an object is one, so a line that reads as one lacks nothing but its end.
    if serde_json::from_slice::<serde_json::Value>(&rest).is_ok() {
        file.write_all(b"\n").map_err(failed)?;
        return Ok((len + 1, None));
    }
    file.set_len(whole).map_err(failed)?;
    let text = String::from_utf8_lossy(&rest[..rest.len().min(TORN)]).into_owned();
    Ok((whole, Some(Torn { bytes: len - whole, text })))
}

/// Where the last line feed ends, looked for from the end; 0 where there is none.
fn end_of_lines(file: &mut File, len: u64) -> io::Result<u64> {
    let mut end = len;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        block.clear();
        (&*file).take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROTATION: Rotation = Rotation { max_bytes: 30, keep: None, sync: false };

    #[test]
    fn a_line_that_was_written_in_part_is_taken_back() {
        let dir = std::env::temp_dir().join(format!("toolkit-audit-part-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("audit.jsonl");
        let (mut log, torn) = LogFile::open(&path).unwrap();
        assert_eq!(torn, None);
        let line = br#"{"kind":"a"}"#.iter().copied().chain([b'\n']).collect::<Vec<_>>();
        log.append(&line, ROTATION).unwrap().unwrap();
        // As a full disk leaves it where even the taking back failed.
        log.file.write_all(&line[..7]).unwrap();
        log.dirty = true;
        log.append(&line, ROTATION).unwrap().unwrap();
        assert_eq!(fs::read(&path).unwrap(), line.repeat(2));
        // Before a rotation as well, so that no rotated file is torn.
        log.file.write_all(&line[..7]).unwrap();
        log.dirty = true;
        log.append(&line, ROTATION).unwrap().unwrap();
        assert_eq!(fs::read(dir.join("audit.0000001.jsonl")).unwrap(), line.repeat(2));
        assert_eq!(fs::read(&path).unwrap(), line);
        drop(log);
        fs::remove_dir_all(&dir).unwrap();
    }
}
