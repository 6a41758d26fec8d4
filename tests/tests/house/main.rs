//! The rules of the house that no compiler checks: imports go down the floors, manifests agree,
//! files stay small, the README says what the code does.

mod files;
mod floors;
mod manifests;
mod readme;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The text of a file of the repository.
fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Rust files under a folder of the repository, as paths from its root, in order.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    let mut found: Vec<PathBuf> = found
        .into_iter()
        .map(|path| path.strip_prefix(root()).expect("it is under the root").to_owned())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{folder} has no Rust file");
    found
}

/// Fails with all that was found at once.
fn none(found: &[String], rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}
