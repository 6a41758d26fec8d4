//! A walk through the files of a root, without what `.gitignore` and `.ignore` leave out.
//!
//! `ignore` walks by paths of the system, and reads what lies above the top; here it judges names only,
//! and each directory is opened through the root. So a link that takes a directory's place in the middle
//! of a walk leads nowhere out.

use std::vec::IntoIter;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use toolkit::ToolError;
use toolkit::fs::{Entry, EntryKind, MAX_DEPTH, Root};

/// The most entries that are held at once, as many as are looked at of one directory, and the most that are
/// walked through.
const MAX_HELD: usize = 100_000;
const MAX_SEEN: u64 = 500_000;

/// The longest `.gitignore` that is heeded, in bytes.
const MAX_RULES: u64 = 128 << 10;

/// Where a directory says what is left out of it, the last with the last word.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// Files, directories and what else there is, each directory before what is in it, by name. Links are told
/// and not followed.
pub(super) struct Walk {
    root: Root,
    glob: Override,
    /// What the directories above the start leave out, from the top down.
    above: Vec<Gitignore>,
    levels: Vec<Level>,
    /// Entries so far, those that were left out included.
    seen: u64,
    /// How many entries or directories there are at least that were not come by: too many, or too deep.
    pub(super) left_out: u64,
    /// Directories that couldn't be opened.
    pub(super) unread: u64,
}

/// A directory on the way down: what is still to come of it, and what it leaves out.
struct Level {
    entries: IntoIter<Entry>,
    rules: Gitignore,
}

/// Only what matches this glob, from the top.
///
/// # Errors
/// What is wrong with it, for the model.
pub(super) fn glob(pattern: Option<&str>) -> Result<Override, ToolError> {
    let mut glob = OverrideBuilder::new("");
    if let Some(pattern) = pattern {
        let bad = |error| ToolError::expected(format!("`glob` can't be read: {error}"));
        glob.add(pattern).map_err(bad)?;
        return glob.build().map_err(bad);
    }
    Ok(Override::empty())
}

impl Walk {
    /// A walk below a directory, or to one file.
    ///
    /// # Errors
    /// There is no such thing, or it leads out, in words for the model.
    pub(super) fn new(root: &Root, path: &str, glob: Override) -> Result<Self, ToolError> {
        let root = root.clone().max_entries(MAX_HELD).max_read(MAX_RULES);
        let start = root.blocking().metadata(path)?;
        let moved = || ToolError::expected("the path has changed meanwhile; try again");
        // Without links and `..`, so that the rules of the directories above are found.
        let place = root.dir().canonicalize(path).map_err(|_| moved())?;
        let place = place.to_str().ok_or_else(moved)?;
        let place = if place.is_empty() { "." } else { place };
        let mut walk = Self {
            root,
            glob,
            above: Vec::new(),
            levels: Vec::new(),
            seen: 0,
            left_out: 0,
            unread: 0,
        };
        if start.kind != EntryKind::Directory {
            let mut entry = start;
            place.clone_into(&mut entry.path);
            let entries = vec![entry].into_iter();
            walk.levels.push(Level { entries, rules: Gitignore::empty() });
            return Ok(walk);
        }
        if place != "." {
            let above = place.match_indices('/').map(|(at, _)| &place[..at]);
            let all = std::iter::once(".").chain(above);
            walk.above = all.map(|dir| walk.read_rules(dir, RULES.into_iter())).collect();
        }
        let listing = walk.root.blocking().list(place)?;
        walk.left_out += listing.left_out;
        let rules = walk.rules(place, &listing.entries);
        walk.levels.push(Level { entries: listing.entries.into_iter(), rules });
        Ok(walk)
    }

    /// The rules of a directory that was listed.
    fn rules(&self, dir: &str, entries: &[Entry]) -> Gitignore {
        let name = |entry: &Entry| entry.path.rsplit('/').next().map(str::to_owned);
        let there = |rules: &&str| entries.iter().any(|e| name(e).as_deref() == Some(rules));
        self.read_rules(dir, RULES.into_iter().filter(there))
    }

    /// What these files of a directory leave out. One that can't be read, or a
    /// line of it, is as if it weren't there.
    fn read_rules<'n>(&self, dir: &str, names: impl Iterator<Item = &'n str>) -> Gitignore {
        let (base, prefix) =
            if dir == "." { ("", String::new()) } else { (dir, format!("{dir}/")) };
        let mut rules = GitignoreBuilder::new(base);
        for name in names {
            let Ok(text) = self.root.blocking().read_text(&format!("{prefix}{name}")) else {
                continue;
            };
            for line in text.trim_start_matches('\u{feff}').lines() {
                let _ = rules.add_line(None, line);
            }
        }
        rules.build().unwrap_or_else(|_| Gitignore::empty())
    }

    fn is_left_out(&self, entry: &Entry) -> bool {
        let is_dir = entry.kind == EntryKind::Directory;
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        if is_dir && name == ".git" {
            return true;
        }
        let rules = self.levels.iter().rev().map(|level| &level.rules);
        let rules = rules.chain(self.above.iter().rev());
        let mut judged = rules.map(|rules| rules.matched(&entry.path, is_dir));
        let ignored = judged.find(|judged| !judged.is_none()).is_some_and(|m| m.is_ignore());
        ignored || (is_dir && self.glob.matched(&entry.path, true).is_ignore())
    }

    /// Whether the glob is about it, in a walk that comes by directories as well.
    fn is_meant(&self, entry: &Entry) -> bool {
        let is_dir = entry.kind == EntryKind::Directory;
        let matched = self.glob.matched(&entry.path, is_dir);
        // Directories are walked through, and told only where the glob is about them.
        if is_dir {
            matched.is_whitelist() || self.glob.num_whitelists() == 0
        } else {
            !matched.is_ignore()
        }
    }

    /// Goes down into a directory that it came by.
    fn enter(&mut self, dir: &Entry) {
        if self.levels.len() >= MAX_DEPTH {
            self.left_out += 1;
            return;
        }
        let held: usize = self.levels.iter().map(|level| level.entries.len()).sum();
        let root = self.root.clone().max_entries(MAX_HELD.saturating_sub(held));
        match root.blocking().list(&dir.path) {
            Ok(listing) => {
                self.left_out += listing.left_out;
                let rules = self.rules(&dir.path, &listing.entries);
                self.levels.push(Level { entries: listing.entries.into_iter(), rules });
            }
            Err(_) => self.unread += 1,
        }
    }
}

impl Iterator for Walk {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let Some(entry) = self.levels.last_mut()?.entries.next() else {
                self.levels.pop();
                continue;
            };
            if self.seen == MAX_SEEN {
                self.left_out += 1;
                continue;
            }
            self.seen += 1;
            // A start that is no directory is meant, whatever leaves it out.
            if self.is_left_out(&entry) {
                continue;
            }
            if entry.kind == EntryKind::Directory {
                self.enter(&entry);
            }
            if self.is_meant(&entry) {
                return Some(entry);
            }
        }
    }
}
