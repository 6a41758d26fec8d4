//! A directory that tools work in, and that nothing leads out of: whatever path a model writes, and
//! whatever becomes of links between a check and the use.
//!
//! ```
//! use toolkit::fs::{Listing, Root};
//! use toolkit::prelude::*;
//!
//! /// Read a note. List the notes first if you don't know its name.
//! #[tool(name = "notes.read")]
//! async fn read(
//!     /// Path of the note from the top of the notes, e.g. `2026/garden.md`.
//!     path: &str,
//!     #[state] notes: &Root,
//! ) -> Result<String, ToolError> {
//!     Ok(notes.read_text(path).await?)
//! }
//!
//! /// List the notes in a directory.
//! #[tool(name = "notes.list")]
//! async fn list(
//!     /// The directory, from the top of the notes; `.` is the top.
//!     #[arg(default = ".")]
//!     path: String,
//!     #[state] notes: &Root,
//! ) -> Result<Listing, ToolError> {
//!     Ok(notes.list(&path).await?)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! # let dir = std::env::temp_dir().join(format!("toolkit-fs-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir).unwrap();
//! std::fs::write(dir.join("garden.md"), "beans").unwrap();
//! let toolkit = Toolkit::builder()
//!     .only([id(read), id(list)])
//!     .state(Root::open(&dir).unwrap())
//!     .build()
//!     .unwrap();
//! let cx = CallContext::model();
//! let call = |path| toolkit.call(&cx, ToolCall::new("notes.read", format!(r#"{{"path": "{path}"}}"#)));
//! assert_eq!(call("garden.md").await.text(), "beans");
//! assert!(call("gardn.md").await.text().contains("did you mean `garden.md`?"));
//! assert!(call("../../etc/passwd").await.text().contains("leads out of the directory"));
//! # std::fs::remove_dir_all(&dir).unwrap();
//! # }
//! ```
//!
//! # A root and a rule
//!
//! A rule (`only("notes.write").when("path", under(…))`) judges a text before the call runs: it decides
//! who may ask for what, is told to people and models, and stands in every record. What it saw may have
//! changed when the tool opens the path. A [`Root`] decides nothing, and holds: the system itself is asked
//! to open what lies below the directory and nothing else. Give a tool that touches files a root, and
//! rules where parts of that root are to be treated differently. A path within a root is relative to it,
//! and a rule has to be told so:
//!
//! ```
//! use toolkit::Policy;
//! use toolkit::policy::{ask, only, under};
//!
//! # let notes = "/srv/notes";
//! let policy = Policy::trusting()
//!     .rule(only("notes.write").when("path", under("/srv/notes/drafts").relative_to(notes)))
//!     .rule(ask("notes.read").when("path", under("/srv/notes/private").relative_to(notes)));
//! ```
//!
//! # What it refuses
//!
//! - Whatever leads out: `..` beyond the top, an absolute path, an absolute link, a link out, whether or
//!   not there is anything at its end: the refusal is the same.
//! - To read or write what is no ordinary file: a pipe, a device or a socket would hang or do something.
//! - More than its limits ([`max_read`](Root::max_read), [`max_write`](Root::max_write),
//!   [`max_entries`](Root::max_entries)).
//! - New names with characters that nobody sees, a backslash or spaces at an end.
//! - To append to a file that has another name elsewhere (a hard link), since it would change there too.
//!   [`write`](Root::write) puts a new file in its place, and reading is allowed: nothing tells which name
//!   is the file's own. Keep others from making hard links into the directory, as they can only do from
//!   the same file system.
//!
//! What is mounted below the directory is a part of it.
//!
//! # Errors
//!
//! `?` turns an [`FsError`] into a [`ToolError`](crate::ToolError) that the model reads: what was wrong with
//! which path within the root, and what to do. No text names the root's own place or anything outside.

mod blocking;
mod error;
mod given;
mod listing;
mod reading;
mod root;
#[cfg(test)]
mod tests;
mod writing;

pub use blocking::Blocking;
/// What [`Root::dir`] and [`Root::from_dir`] are of, in the version that we use.
pub use cap_std;
pub use error::{FsError, FsErrorKind};
pub use listing::{Entry, EntryKind, Listing};
pub use reading::Lines;
pub use root::{DEFAULT_MAX_ENTRIES, DEFAULT_MAX_READ, DEFAULT_MAX_WRITE, MAX_DEPTH, Root};
