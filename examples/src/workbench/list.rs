//! What is in a directory, or in all below it.

use std::fmt::Write;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use toolkit::fs::{Entry, EntryKind, Root};
use toolkit::{CallContext, ToolError};

use super::walk::{self, Walk};

/// The most names of one directory that are looked through.
const MAX_NAMES: usize = 100_000;

/// Entries of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// The entries, by name.
    entries: Vec<Entry>,
    /// How many more there are at least.
    left_out: u64,
    /// Directories that couldn't be read.
    #[serde(skip_serializing_if = "is_zero")]
    unread: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

pub(super) fn list(
    root: &Root,
    path: &str,
    glob: Option<&str>,
    deep: bool,
    limit: usize,
    cx: &CallContext,
) -> Result<Listed, ToolError> {
    let glob = walk::glob(glob)?;
    let mut listed = Listed { entries: Vec::new(), left_out: 0, unread: 0 };
    if deep {
        // A file is told to be one.
        root.clone().max_entries(0).blocking().list(path)?;
        let mut walk = Walk::new(root, path, glob, cx)?;
        for entry in walk.by_ref() {
            if listed.entries.len() < limit {
                listed.entries.push(entry);
            } else {
                listed.left_out += 1;
            }
        }
        if walk.stopped {
            return Err(ToolError::expected("there is too much below it; name a directory of it"));
        }
        listed.left_out += walk.left_out;
        listed.unread = walk.unread;
        return Ok(listed);
    }
    let listing = root.clone().max_entries(MAX_NAMES).blocking().list(path)?;
    listed.left_out = listing.left_out;
    for entry in listing.entries {
        let is_dir = entry.kind == EntryKind::Directory;
        let matched = glob.matched(&entry.path, is_dir);
        // Nothing is said of directories by a glob that is about files.
        if matched.is_ignore() || (is_dir && matched.is_none() && glob.num_whitelists() > 0) {
            continue;
        }
        if listed.entries.len() < limit {
            listed.entries.push(entry);
        } else {
            listed.left_out += 1;
        }
    }
    Ok(listed)
}

/// As a model reads it: one line an entry.
pub(super) fn text(listed: &Listed) -> String {
    let mut shown = String::new();
    for entry in &listed.entries {
        let path = name(&entry.path);
        // Writing to a `String` can't fail.
        let _ = match entry.kind {
            EntryKind::File => write!(shown, "{path}  {} bytes", entry.size.unwrap_or_default()),
            EntryKind::Directory => write!(shown, "{path}/"),
            EntryKind::Link => write!(shown, "{path}  (a link)"),
            _ => write!(shown, "{path}  (no ordinary file)"),
        };
        let modified = entry.modified.filter(|_| entry.kind == EntryKind::File);
        let modified = modified.and_then(|s| Timestamp::from_second(i64::try_from(s).ok()?).ok());
        if let Some(modified) = modified {
            let _ = write!(shown, ", {}", modified.strftime("%Y-%m-%dT%H:%M:%SZ"));
        }
        shown.push('\n');
    }
    if listed.entries.is_empty() && listed.left_out == 0 {
        shown += "nothing\n";
    }
    if listed.left_out > 0 {
        let _ = writeln!(shown, "[{} more; give a `glob`, or a larger `limit`]", listed.left_out);
    }
    if listed.unread > 0 {
        let _ = writeln!(shown, "[{} directories couldn't be read]", listed.unread);
    }
    shown.truncate(shown.trim_end().len());
    shown
}

/// A path as it is told: one with characters that break or turn a line is quoted.
pub(super) fn name(path: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if path.contains(hidden) { format!("{path:?}") } else { path.to_owned() }
}
