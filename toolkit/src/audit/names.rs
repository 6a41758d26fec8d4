//! How the files of one audit are called, and in which order they stand.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// How many digits a number has; more than a date, so that no dated file is taken for a rotated one.
const DIGITS: usize = 7;

/// The largest number.
const MAX: u32 = 9_999_999;

/// The rotated files beside this one with their numbers, oldest first.
pub(super) fn rotated(path: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let Some(dir) = path.parent() else { return Ok(Vec::new()) };
    // The parent of a bare name is nothing, which isn't the name of a folder.
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        if let Some(number) = number_of(path, &entry.file_name()) {
            found.push((number, entry.path()));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Where the file goes in its rotation; `None` once all numbers are taken.
pub(super) fn next(path: &Path) -> io::Result<Option<PathBuf>> {
    let newest = rotated(path)?.last().map_or(0, |(number, _)| *number);
    Ok((newest < MAX).then(|| name_of(path, newest + 1)))
}

/// `audit.0000007.jsonl` for `audit.jsonl` and 7.
fn name_of(path: &Path, number: u32) -> PathBuf {
    let (stem, extension) = parts(path);
    let mut name = stem.to_owned();
    name.push(format!(".{number:0DIGITS$}"));
    name.push(extension);
    path.with_file_name(name)
}

/// The number in the name of a rotated file.
fn number_of(path: &Path, name: &OsStr) -> Option<u32> {
    let (stem, extension) = parts(path);
    let name = name.as_encoded_bytes().strip_prefix(stem.as_encoded_bytes())?;
    let digits = name.strip_prefix(b".")?.strip_suffix(extension.as_encoded_bytes())?;
    if digits.len() != DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The file's name before its extension, and the extension with its dot.
fn parts(path: &Path) -> (&OsStr, OsString) {
    let mut extension = OsString::new();
    if let Some(given) = path.extension() {
        extension.push(".");
        extension.push(given);
    }
    (path.file_stem().unwrap_or_default(), extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_its_number_belong_together() {
        for path in ["audit.jsonl", "a.b.jsonl", "/tmp/audit", ".hidden", "x/é.log"].map(Path::new)
        {
            for number in [1, 42, MAX] {
                let name = name_of(path, number);
                assert_eq!(name.parent(), path.parent());
                let name = name.file_name().unwrap();
                assert_eq!(number_of(path, name), Some(number), "{name:?}");
            }
        }
        assert_eq!(name_of(Path::new("d/audit.jsonl"), 7), Path::new("d/audit.0000007.jsonl"));
        for other in [
            "audit.jsonl",
            "audit.20241231.jsonl",
            "audit.000001.jsonl",
            "audit.00000a1.jsonl",
            "audit.0000001.jsonl.gz",
            "my.audit.0000001.jsonl",
            "audit.jsonl.lock",
        ] {
            assert_eq!(number_of(Path::new("audit.jsonl"), OsStr::new(other)), None, "{other}");
        }
    }
}
