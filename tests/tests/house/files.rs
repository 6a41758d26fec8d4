//! Rules for each file: its size, its first sentence, nothing left for later.

use std::path::{Path, PathBuf};

/// A file that is much longer than 400 lines is asking for a second room.
const MAX_LINES: usize = 430;

/// Files that are allowed to be longer, and why.
const LONGER: &[(&str, &str)] = &[];

fn ours() -> Vec<PathBuf> {
    ["toolkit", "toolkit-macros", "examples", "tests"]
        .iter()
        .flat_map(|m| super::rust_files(m))
        .collect()
}

/// Programs written to be wrong, or to be read whole by a test.
fn is_fixture(file: &Path) -> bool {
    let folders = ["tests/ui", "tests/expand", "tests/fixtures", "toolkit-macros/snapshots"];
    folders.iter().any(|folder| file.starts_with(folder))
}

#[test]
fn files_are_short() {
    let mut wrong = Vec::new();
    for file in ours() {
        let lines = super::read(&file).lines().count();
        let excused = LONGER.iter().any(|(path, _)| file == Path::new(path));
        if lines > MAX_LINES && !excused {
            wrong.push(format!("{}: {lines} lines", file.display()));
        }
        if lines <= MAX_LINES && excused {
            wrong.push(format!("{}: needs no excuse any more", file.display()));
        }
    }
    for (path, reason) in LONGER {
        if !super::root().join(path).is_file() || reason.is_empty() {
            wrong.push(format!("{path}: excused, but it isn't there or no reason is given"));
        }
    }
    super::none(&wrong, "files that are too long; split them, or excuse them with a reason");
}

#[test]
fn files_open_with_what_they_are_for() {
    let mut wrong = Vec::new();
    for file in ours().iter().filter(|file| !is_fixture(file)) {
        let text = super::read(file);
        let first = text.lines().find(|line| !line.is_empty() && !line.starts_with("#!["));
        if !first.is_some_and(|line| line.starts_with("//! ")) {
            wrong.push(file.display().to_string());
        }
    }
    super::none(&wrong, "files must open with a `//!` sentence that says what they are for");
}

#[test]
fn nothing_is_left_for_later() {
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("X", "XX"),
        concat!("unimpl", "emented!"),
    ];
    let mut wrong = Vec::new();
    for file in ours() {
        for (index, line) in super::read(&file).lines().enumerate() {
            if marks.iter().any(|mark| line.contains(mark)) {
                wrong.push(format!("{}:{}: {}", file.display(), index + 1, line.trim()));
            }
        }
    }
    super::none(&wrong, "do it, or open an issue");
}
