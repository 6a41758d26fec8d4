//! A walk through the files of a root, without what `.gitignore` and `.ignore` leave out.
//!
//! `ignore` walks by paths of the system, and reads what lies above the top; here it judges names only,
//! and each directory is opened through the root. So a link that takes a directory's place in the middle
//! of a walk leads nowhere out.

use std::vec::IntoIter;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use toolkit::fs::{Entry, EntryKind, MAX_DEPTH, Root};
use toolkit::{CallContext, ToolError};

/// The most entries that are held at once, as many as are looked at of one directory, and the most that are
/// walked through.
const MAX_HELD: usize = 100_000;
const MAX_SEEN: u64 = 500_000;

/// How much of `.gitignore` and `.ignore` is heeded at once, in bytes: of a file that goes beyond, together
/// with those of the directories above it, nothing.
const MAX_RULES: usize = 128 << 10;

/// Where a directory says what is left out of it, the last with the last word.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// Files, directories and what else there is, each directory before what is in it, by name. Links are told
/// and not followed.
pub(super) struct Walk<'c> {
    root: Root,
    glob: Override,
    cx: &'c CallContext,
    /// What the directories above the start leave out, from the top down.
    above: Vec<Rules>,
    levels: Vec<Level>,
    /// Entries so far, those that were left out included.
    seen: u64,
    /// How many entries or directories there are at least that were not come by: too many, or too deep.
    pub(super) left_out: u64,
    /// Directories that couldn't be opened.
    pub(super) unread: u64,
    /// Whether it ended before its end, with its call.
    pub(super) stopped: bool,
}

/// A directory on the way down: what is still to come of it, and what it leaves out.
struct Level {
    entries: IntoIter<Entry>,
    rules: Rules,
}

/// What a directory leaves out, and how long that was to read.
struct Rules {
    judge: Gitignore,
    bytes: usize,
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

impl<'c> Walk<'c> {
    /// A walk below a directory, or to one file.
    ///
    /// # Errors
    /// There is no such thing, or it leads out, in words for the model.
    pub(super) fn new(
        root: &Root,
        path: &str,
        glob: Override,
        cx: &'c CallContext,
    ) -> Result<Self, ToolError> {
        let root = root.clone().max_entries(MAX_HELD).max_read(MAX_RULES as u64);
        let start = root.blocking().metadata(path)?;
        let moved = || ToolError::expected("the path has changed meanwhile; try again");
        // Without links and `..`, so that the rules of the directories above are found.
        let place = root.dir().canonicalize(path).map_err(|_| moved())?;
        let place = place.to_str().ok_or_else(moved)?;
        let place = if place.is_empty() { "." } else { place };
        let mut walk = Self {
            root,
            glob,
            cx,
            above: Vec::new(),
            levels: Vec::new(),
            seen: 0,
            left_out: 0,
            unread: 0,
            stopped: false,
        };
        if start.kind != EntryKind::Directory {
            let mut entry = start;
            place.clone_into(&mut entry.path);
            let entries = vec![entry].into_iter();
            walk.levels
                .push(Level { entries, rules: Rules { judge: Gitignore::empty(), bytes: 0 } });
            return Ok(walk);
        }
        if place != "." {
            let above = place.match_indices('/').map(|(at, _)| &place[..at]);
            let all = std::iter::once(".").chain(above);
            for dir in all {
                let rules = walk.read_rules(dir, RULES.into_iter());
                walk.above.push(rules);
            }
        }
        let listing = walk.root.blocking().list(place)?;
        walk.left_out += listing.left_out;
        let rules = walk.rules(place, &listing.entries);
        walk.levels.push(Level { entries: listing.entries.into_iter(), rules });
        Ok(walk)
    }

    /// The rules of a directory that was listed.
    fn rules(&self, dir: &str, entries: &[Entry]) -> Rules {
        let there = |rules: &&str| entries.iter().any(|entry| last_name(entry) == *rules);
        self.read_rules(dir, RULES.into_iter().filter(there))
    }

    /// What these files of a directory leave out. One that can't be read, or a line of it, is as if it
    /// weren't there.
    fn read_rules<'n>(&self, dir: &str, names: impl Iterator<Item = &'n str>) -> Rules {
        let (base, prefix) =
            if dir == "." { ("", String::new()) } else { (dir, format!("{dir}/")) };
        let held = self.heeded().map(|rules| rules.bytes).sum::<usize>();
        let mut bytes = 0;
        let mut rules = GitignoreBuilder::new(base);
        for name in names {
            let Ok(text) = self.root.blocking().read_text(&format!("{prefix}{name}")) else {
                continue;
            };
            if held + bytes + text.len() > MAX_RULES {
                continue;
            }
            bytes += text.len();
            for line in text.trim_start_matches('\u{feff}').lines() {
                let _ = rules.add_line(None, line);
            }
        }
        Rules { judge: rules.build().unwrap_or_else(|_| Gitignore::empty()), bytes }
    }

    /// The rules of the directories on the way down, the last first.
    fn heeded(&self) -> impl Iterator<Item = &Rules> {
        let below = self.levels.iter().rev().map(|level| &level.rules);
        below.chain(self.above.iter().rev())
    }

    fn is_left_out(&self, entry: &Entry) -> bool {
        let is_dir = entry.kind == EntryKind::Directory;
        if is_dir && last_name(entry) == ".git" {
            return true;
        }
        let mut judged = self.heeded().map(|rules| rules.judge.matched(&entry.path, is_dir));
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

fn last_name(entry: &Entry) -> &str {
    entry.path.rsplit('/').next().unwrap_or_default()
}

impl Iterator for Walk<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            if self.cx.is_cancelled() {
                self.stopped = true;
                return None;
            }
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
