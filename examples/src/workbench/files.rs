//! The tools for files: what each is for and takes. What they do stands beside.

use std::sync::Mutex;

use toolkit::fs::Root;
use toolkit::prelude::*;

use super::edit::{self, Edited};
use super::list::{self, Listed};
use super::read::{self, Read};
use super::search::{self, Found, Query};

/// How long a file that is edited may be, in bytes: 16 MiB, as much as is written.
const MAX_EDIT: u64 = 16 << 20;

/// The files of one directory. Nothing leads out of it.
///
/// Paths are relative to its top. Links are followed that lead to something inside; lists and searches of
/// whole trees follow none. What is no ordinary file is listed, and neither read nor written. A name that
/// is no Unicode is shown with `�` in it, and can't be given.
#[derive(Debug)]
pub struct Files {
    root: Root,
    /// Held while a file is changed: an edit is read, made and written as one.
    changing: Mutex<()>,
}

impl Files {
    /// The files of this root.
    pub fn under(root: Root) -> Self {
        Self { root, changing: Mutex::new(()) }
    }
}

#[toolset(domain = "fs", ceiling = "destructive")]
impl Files {
    /// List the files and directories in a directory of the project, with sizes and times of change.
    ///
    /// Use it to see which files a directory has, or with `deep` to find files by their names. Not for finding a text in
    /// files: `fs.search` does that.
    #[tool(risk = "read", blocking = "wait", timeout = "60s", render = list::text)]
    fn list(
        &self,
        /// The directory, from the top, e.g. `src/parser`; `.` is the top.
        #[arg(default = ".")]
        path: &str,
        /// Only what matches this glob, e.g. `*.rs` or `/src/**/*.rs`; with `!` before it what doesn't.
        #[arg(length = 1..=400)]
        glob: Option<&str>,
        /// Whether all below is listed too, but for `.git` and what `.gitignore` and `.ignore` leave out.
        #[arg(default)]
        deep: bool,
        /// How many entries are listed at most.
        #[arg(default = 200, range = 1..=1000)]
        limit: usize,
        #[context] cx: &CallContext,
    ) -> Result<Listed, ToolError> {
        list::list(&self.root, path, glob, deep, limit, cx)
    }

    /// Read a text file of the project, or some lines of it.
    ///
    /// Use it before you edit a file, and to look around a hit of `fs.search`. Not for directories: `fs.list`
    /// shows those. What is no UTF-8 can't be read.
    #[tool(risk = "read", render = read::text)]
    async fn read(
        &self,
        /// The file, from the top, e.g. `src/main.rs`.
        path: &str,
        /// The first line, from 1 on.
        #[arg(default = 1, range = 1..)]
        from: u64,
        /// How many lines are read at most.
        #[arg(default = 400, range = 1..=5000)]
        count: u64,
        /// Whether each line begins with its number. Leave it off for text that you hand to `fs.edit`.
        #[arg(default)]
        numbered: bool,
    ) -> Result<Read, ToolError> {
        read::read(&self.root, path, from, count, numbered).await
    }

    /// Search the text of the project's files for a regular expression, line by line.
    ///
    /// Leaves out `.git`, what `.gitignore` and `.ignore` leave out, links and binary files; a file that is
    /// named by `path` is searched in any case. Not for finding files by their names: `fs.list` does that
    /// with `deep` and `glob`.
    #[tool(risk = "read", blocking = "wait", timeout = "60s", render = search::text)]
    #[expect(clippy::too_many_arguments, reason = "a model gives each by its name")]
    fn search(
        &self,
        /// A regular expression, e.g. `fn main` or `struct \w+Error\b`; it neither looks around nor spans
        /// lines.
        #[arg(length = 1..=4000)]
        pattern: &str,
        /// The directory or file to search, from the top, e.g. `src`; `.` is the top.
        #[arg(default = ".")]
        path: &str,
        /// Only files that match this glob, e.g. `*.rs` or `/src/**/*.rs`; with `!` before it those that
        /// don't.
        #[arg(length = 1..=400)]
        glob: Option<&str>,
        /// Whether capitals and small letters are the same.
        #[arg(default)]
        ignore_case: bool,
        /// How many lines before and after each hit are shown, e.g. `2`.
        #[arg(default, range = 0..=10)]
        context: usize,
        /// How many hits are shown at most.
        #[arg(default = 100, range = 1..=1000)]
        limit: usize,
        #[context] cx: &CallContext,
    ) -> Result<Found, ToolError> {
        let query = Query { pattern, path, glob, ignore_case, context, limit };
        search::search(&self.root, &query, cx)
    }

    /// Write a whole file of the project: a new one, or in place of what it held.
    ///
    /// Directories on the way are made. Not for changing a part of a file: `fs.edit` does that, and keeps
    /// the rest.
    #[tool(risk = "write", blocking = "wait")]
    fn write(
        &self,
        /// The file, from the top, e.g. `src/main.rs`.
        path: &str,
        /// All of its text, e.g. `fn main() {}`, with line ends as they are to be.
        text: &str,
    ) -> Result<String, ToolError> {
        let _changing = self.changing.lock();
        edit::write(&self.root, path, text)
    }

    /// Edit a text file of the project: put a text in place of one that stands there exactly once.
    ///
    /// Read the lines first. It changes nothing where the old text isn't there, or is there several times,
    /// and says so. Not for new files or whole ones: `fs.write` makes those.
    #[tool(risk = "write", blocking = "wait", render = edit::text)]
    fn edit(
        &self,
        /// The file, from the top, e.g. `src/main.rs`.
        path: &str,
        /// What stands there now, letter by letter, e.g. `let limit = 5;`, with as many lines as make it
        /// the only one. In a file whose lines end in CRLF, LF stands for CRLF.
        #[arg(length = 1..)]
        old: &str,
        /// What is to stand there, e.g. `let limit = 10;`; empty to take the old text out.
        new: &str,
    ) -> Result<Edited, ToolError> {
        let _changing = self.changing.lock();
        edit::edit(&self.root.clone().max_read(MAX_EDIT), path, old, new)
    }

    /// Delete a file of the project, a link, or a directory. It can't be undone.
    ///
    /// Only where that is what was asked for. A link goes, not what it leads to. Not for taking text out of a
    /// file: `fs.edit` does that.
    #[tool(risk = "destructive", blocking = "wait")]
    fn delete(
        &self,
        /// What to delete, from the top, e.g. `src/old.rs`.
        path: &str,
        /// Whether a directory goes with all that is in it; else only an empty one does.
        #[arg(default)]
        recursive: bool,
    ) -> Result<String, ToolError> {
        let _changing = self.changing.lock();
        edit::delete(&self.root, path, recursive)
    }
}
