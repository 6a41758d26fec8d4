//! The catalog as files that an author reviews: one a tool, so that no word of a contract changes
//! unseen.

mod change;
mod text;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fmt, fs, io};

use similar::TextDiff;

pub use change::Change;

use crate::toolkit::{Tool, Toolkit};

/// The variable of the environment that makes [`Snapshots::check`] write what it would compare.
pub const UPDATE: &str = "TOOLKIT_UPDATE";

/// A folder of snapshots: `<tool name>.json` for each tool of a set, and no other `.json`. What has
/// another ending is left alone.
///
/// A file holds what a model is told and what a host is held to, in one order: name, title,
/// description by lines, risk, flag, scopes, hosts, the schema of the arguments as it is sent, and that
/// of the result. It is for people and for `git diff`.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::testing::Snapshots;
///
/// /// Search the knowledge base and return the most relevant articles.
/// #[tool(name = "kb.search")]
/// async fn search(
///     /// Keywords, e.g. `refund invoice`.
///     query: String,
/// ) -> String {
///     query
/// }
///
/// # let folder = std::env::temp_dir().join(format!("toolkit-doc-snapshots-{}", std::process::id()));
/// let toolkit = Toolkit::builder().only([id(search)]).build().unwrap();
/// let snapshots = Snapshots::new(&folder); // in a test: "tests/snapshots"
/// // A tool without a file fails: a snapshot is made on purpose, by `TOOLKIT_UPDATE=1 cargo test`.
/// let missing = snapshots.check(&toolkit).unwrap_err();
/// assert!(missing.to_string().contains("kb.search"), "{missing}");
/// snapshots.update(&toolkit).unwrap();
/// snapshots.check(&toolkit).unwrap();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Snapshots {
    folder: PathBuf,
}

/// One way in which a folder isn't the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A tool has no file.
    Missing {
        /// The tool.
        tool: String,
    },
    /// A file is of no tool: it was taken out, or has another name now.
    Extra {
        /// The tool that there was.
        tool: String,
    },
    /// A tool isn't what its file says.
    Changed {
        /// The tool.
        tool: String,
        /// What that means for whoever calls it.
        change: Change,
        /// The file's lines against the tool's.
        diff: String,
    },
}

/// Why a folder of snapshots doesn't stand for a catalog. Its text is for the author: each tool with what
/// changed, whether that breaks callers, and the lines.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The folder and the set differ.
    Different(Vec<Difference>),
    /// A tool has no schema that can be told; the author of its parameters mends it.
    NoSchema {
        /// The tool.
        tool: String,
        /// Why.
        why: String,
    },
    /// A `.json` in the folder is neither of a tool of the set nor a snapshot of one that was. Nothing is
    /// written there; the author takes it out, or gives snapshots a folder of their own.
    NoSnapshot(PathBuf),
    /// The folder can't be read or written.
    Io(PathBuf, io::Error),
}

impl Snapshots {
    /// The snapshots in this folder. A relative path goes out from where the test runs, which for
    /// `cargo test` is the folder of the package.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Compares, or writes where the environment says `TOOLKIT_UPDATE=1`.
    ///
    /// # Errors
    /// The folder isn't the catalog: the author reviews the lines, and makes the snapshots anew or mends
    /// the tool.
    pub fn check(&self, toolkit: &Toolkit) -> Result<(), SnapshotError> {
        if env::var_os(UPDATE).is_some_and(|value| value == "1") {
            return self.update(toolkit);
        }
        let differences = self.compare(toolkit)?;
        if differences.is_empty() { Ok(()) } else { Err(SnapshotError::Different(differences)) }
    }

    /// Every way in which the folder isn't the catalog, by tool; none where it is. A folder that isn't
    /// there is empty.
    ///
    /// # Errors
    /// A tool has no schema, or the folder can't be read or holds a `.json` that is no snapshot.
    pub fn compare(&self, toolkit: &Toolkit) -> Result<Vec<Difference>, SnapshotError> {
        let shown = shown(toolkit)?;
        let mut held = self.held(&shown)?;
        let mut differences = Vec::new();
        for (tool, now) in shown {
            match held.remove(&tool) {
                None => differences.push(Difference::Missing { tool }),
                // Line ends are the business of whoever checked the file out.
                Some(was) if was.replace("\r\n", "\n") == now => {}
                Some(was) => {
                    let diff =
                        TextDiff::from_lines(was.replace("\r\n", "\n").as_str(), now.as_str())
                            .unified_diff()
                            .context_radius(2)
                            .header("snapshot", "now")
                            .to_string();
                    let change = Change::between(&was, &now);
                    differences.push(Difference::Changed { tool, change, diff });
                }
            }
        }
        differences.extend(held.into_keys().map(|tool| Difference::Extra { tool }));
        Ok(differences)
    }

    /// Writes the folder anew: a file for each tool of the set, and none for any other. A file is
    /// replaced as a whole, so that nobody reads half of one, and one that says the same is left as it is.
    ///
    /// # Errors
    /// A tool has no schema, or the folder can't be written or holds a `.json` that is no snapshot.
    pub fn update(&self, toolkit: &Toolkit) -> Result<(), SnapshotError> {
        let shown = shown(toolkit)?;
        let held = self.held(&shown)?;
        self.tried(fs::create_dir_all(&self.folder))?;
        for (tool, text) in &shown {
            if held.get(tool) != Some(text) {
                self.tried(self.replace(tool, text))?;
            }
        }
        for tool in held.into_keys().filter(|tool| !shown.contains_key(tool)) {
            let removed = fs::remove_file(self.file(&tool));
            let gone = removed.as_ref().is_err_and(|why| why.kind() == io::ErrorKind::NotFound);
            if !gone {
                self.tried(removed)?;
            }
        }
        Ok(())
    }

    /// Puts a file in the place of another at once. Two that do so have a name of their own on the way.
    fn replace(&self, tool: &str, text: &str) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let new = self.folder.join(format!(".{tool}.{}-{count}.new", std::process::id()));
        fs::write(&new, text).and_then(|()| fs::rename(&new, self.file(tool))).inspect_err(|_| {
            // What failed is told; what is left of it isn't a snapshot.
            let _ = fs::remove_file(&new);
        })
    }

    fn file(&self, tool: &str) -> PathBuf {
        self.folder.join(format!("{tool}.json"))
    }

    /// What the folder holds, by tool.
    fn held(
        &self,
        shown: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, SnapshotError> {
        let mut held = BTreeMap::new();
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(held),
            entries => self.tried(entries)?,
        };
        for entry in entries {
            let path = self.tried(entry)?.path();
            if let Some(tool) = tool_of(&path) {
                let tool = tool.to_owned();
                let text = fs::read_to_string(&path);
                let text = text.map_err(|error| SnapshotError::Io(path.clone(), error))?;
                if !shown.contains_key(&tool) && !text::is_of(&tool, &text) {
                    return Err(SnapshotError::NoSnapshot(path));
                }
                held.insert(tool, text);
            }
        }
        Ok(held)
    }

    fn tried<T>(&self, result: io::Result<T>) -> Result<T, SnapshotError> {
        result.map_err(|error| SnapshotError::Io(self.folder.clone(), error))
    }
}

fn tool_of(path: &Path) -> Option<&str> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    path.file_stem().filter(|_| is_json).and_then(OsStr::to_str)
}

/// The texts of all tools but the library's own, by name.
fn shown(toolkit: &Toolkit) -> Result<BTreeMap<String, String>, SnapshotError> {
    let of = |tool: Tool| match text::of(&tool) {
        Ok(text) => Ok((tool.name().to_owned(), text)),
        Err(why) => Err(SnapshotError::NoSchema { tool: tool.name().to_owned(), why }),
    };
    toolkit.tools().filter(|tool| !super::is_ours(tool)).map(of).collect()
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSchema { tool, why } => write!(f, "`{tool}` has no schema: {why}"),
            Self::NoSnapshot(path) => write!(
                f,
                "{} is no snapshot; take it out, or give snapshots a folder of their own",
                path.display()
            ),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Different(differences) => {
                writeln!(f, "the snapshots aren't the catalog")?;
                for difference in differences {
                    write!(f, "{difference}")?;
                }
                write!(f, "review this, then make them anew with {UPDATE}=1 in the environment")
            }
        }
    }
}

impl std::error::Error for SnapshotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { tool } => writeln!(f, "`{tool}` has no snapshot"),
            Self::Extra { tool } => {
                writeln!(f, "`{tool}` has a snapshot and isn't there any more: breaking")
            }
            Self::Changed { tool, change, diff } => {
                writeln!(f, "`{tool}` has changed: {change}")?;
                diff.lines().try_for_each(|line| writeln!(f, "  {line}"))
            }
        }
    }
}
