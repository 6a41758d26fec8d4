//! A directory of a test's own, emptied of what an earlier run left.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// Who has which, a test being the thread that it runs on.
static GIVEN: LazyLock<Mutex<HashMap<PathBuf, ThreadId>>> = LazyLock::new(Mutex::default);

/// Empties the directory, and never one that another test may be using.
pub(crate) fn place(program: &str, test: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(program).join(test);
    let this = thread::current().id();
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    let owner = *given.entry(place.clone()).or_insert(this);
    drop(given);
    assert_eq!(owner, this, "`{test}` is the directory of another test as well");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    place
}
