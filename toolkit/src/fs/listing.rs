//! What is in directories: bounded, in order, no link followed.

use std::borrow::Cow;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::io;
use std::time::UNIX_EPOCH;

use cap_std::fs::{Dir, Metadata};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::blocking::Blocking;
use super::error::FsError;
use super::given::{Given, below};
use super::root::MAX_DEPTH;

/// The most names of one directory that are looked at.
const MAX_NAMES: usize = 100_000;

/// Something in a root. As JSON: `{"path": string, "kind": "file" | "directory" | "link" | "other",
/// "size"?: integer, "modified"?: integer}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// Its path from the root's top. What is no Unicode in it is replaced, and then it leads nowhere.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Of a file, its length in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// When it was last changed, in seconds since 1970, where that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<u64>,
}

/// What kind of thing an [`Entry`] is. As JSON: its name in small letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EntryKind {
    /// An ordinary file.
    File,
    /// A directory.
    Directory,
    /// A link. Where it leads isn't told: that may be outside.
    Link,
    /// A pipe, a device, a socket, or what was gone at once.
    Other,
}

/// What is in a directory. As JSON: `{"entries": [entry], "left_out": integer}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Listing {
    /// The entries, in order.
    pub entries: Vec<Entry>,
    /// How many more there are at least; of a walk, how many of those that it came by.
    pub left_out: u64,
}

impl JsonSchema for Entry {
    fn schema_name() -> Cow<'static, str> {
        "Entry".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "kind": { "type": "string", "enum": ["file", "directory", "link", "other"] },
                "size": { "type": "integer", "minimum": 0 },
                "modified": { "type": "integer", "minimum": 0 },
            },
            "required": ["path", "kind"],
        })
    }
}

impl JsonSchema for Listing {
    fn schema_name() -> Cow<'static, str> {
        "Listing".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "entries": { "type": "array", "items": generator.subschema_for::<Entry>() },
                "left_out": { "type": "integer", "minimum": 0 },
            },
            "required": ["entries", "left_out"],
        })
    }
}

impl Entry {
    pub(super) fn new(path: String, metadata: &Metadata) -> Self {
        let kind = if metadata.is_file() {
            EntryKind::File
        } else if metadata.is_dir() {
            EntryKind::Directory
        } else if metadata.is_symlink() {
            EntryKind::Link
        } else {
            EntryKind::Other
        };
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
        Self {
            path,
            kind,
            size: (kind == EntryKind::File).then(|| metadata.len()),
            modified: modified.map(|time| time.as_secs()),
        }
    }
}

impl Blocking<'_> {
    /// See [`Root::list`](super::Root::list).
    ///
    /// # Errors
    /// Its.
    pub fn list(self, dir: &str) -> Result<Listing, FsError> {
        let given = Given::new(dir)?;
        let mut listing = Listing { entries: Vec::new(), left_out: 0 };
        let open = self.open_dir(given)?;
        for (_, entry) in self.entries(given, &open, dir, self.0.max_entries, &mut listing)? {
            listing.entries.push(entry);
        }
        Ok(listing)
    }

    /// See [`Root::walk`](super::Root::walk).
    ///
    /// # Errors
    /// Its.
    pub fn walk(self, dir: &str) -> Result<Listing, FsError> {
        let given = Given::new(dir)?;
        let open = self.open_dir(given)?;
        self.walk_in(given, &open, dir)
    }

    /// Walks through a directory that is open.
    pub(super) fn walk_in(
        self,
        given: Given<'_>,
        open: &Dir,
        dir: &str,
    ) -> Result<Listing, FsError> {
        let mut listing = Listing { entries: Vec::new(), left_out: 0 };
        let most = self.0.max_entries;
        let first = self.entries(given, open, dir, most, &mut listing)?;
        // Of each directory on the way down: its handle and what is still to come of it.
        let mut way = vec![(None::<Dir>, first.into_iter())];
        while let Some((handle, rest)) = way.last_mut() {
            let Some((name, entry)) = rest.next() else {
                way.pop();
                continue;
            };
            if listing.entries.len() == most {
                listing.left_out += 1;
                continue;
            }
            let (path, kind) = (entry.path.clone(), entry.kind);
            // Relative to the handle of its own directory: a link that has taken its place leads no higher.
            let inner = match kind {
                EntryKind::Directory => handle.as_ref().unwrap_or(open).open_dir(&name).ok(),
                _ => None,
            };
            listing.entries.push(entry);
            if kind != EntryKind::Directory {
                continue;
            }
            let below = match inner {
                Some(inner) if way.len() < MAX_DEPTH => {
                    self.entries(given, &inner, &path, most, &mut listing).map(|all| (inner, all))
                }
                _ => {
                    listing.left_out += 1;
                    continue;
                }
            };
            match below {
                Ok((inner, entries)) => way.push((Some(inner), entries.into_iter())),
                Err(_) => listing.left_out += 1,
            }
        }
        Ok(listing)
    }

    /// The first entries of a directory by name, each with its name as the system has it.
    fn entries(
        self,
        given: Given<'_>,
        open: &Dir,
        path: &str,
        most: usize,
        listing: &mut Listing,
    ) -> Result<Vec<(OsString, Entry)>, FsError> {
        let told = |error: &io::Error| FsError::of_system(&given.shown(), error);
        // The greatest on top, to go first.
        let mut names = BinaryHeap::new();
        let all = open.entries().map_err(|error| told(&error))?;
        for (seen, entry) in all.enumerate() {
            if seen == MAX_NAMES {
                // It isn't looked how many more there are.
                listing.left_out += 1;
                break;
            }
            names.push(entry.map_err(|error| told(&error))?.file_name());
            if names.len() > most {
                names.pop();
                listing.left_out += 1;
            }
        }
        let entry = |name: OsString| {
            let path = below(path, &name.to_string_lossy());
            let entry = match open.symlink_metadata(&name) {
                Ok(metadata) => Entry::new(path, &metadata),
                Err(_) => Entry { path, kind: EntryKind::Other, size: None, modified: None },
            };
            (name, entry)
        };
        Ok(names.into_sorted_vec().into_iter().map(entry).collect())
    }
}
