//! Changing files: each as a whole, so that others see the old one or the new one.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use toolkit::ToolError;
use toolkit::fs::{EntryKind, FsErrorKind, Root};

use super::list::name;
use super::read::ends_in_crlf;

/// How many places are named where a text stands several times.
const PLACES: usize = 8;

/// The longest path that is looked at, in bytes. The root refuses what is longer.
const MAX_PATH: usize = 4096;

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Edited {
    /// The file.
    path: String,
    /// The line that the new text begins in.
    line: u64,
    /// How many lines the new text has.
    lines: u64,
}

pub(super) fn edit(root: &Root, path: &str, old: &str, new: &str) -> Result<Edited, ToolError> {
    let files = root.blocking();
    let text = files.read_text(path)?;
    not_gits(root, path)?;
    let (edited, line) = replaced(&text, old, new).map_err(|why| {
        ToolError::expected(format!("nothing was changed in `{}`: {why}", name(path)))
    })?;
    files.write(path, edited.as_bytes())?;
    Ok(Edited { path: path.to_owned(), line, lines: count(new.lines().count()) })
}

/// As a model reads it.
pub(super) fn text(edited: &Edited) -> String {
    let Edited { path, line, lines } = edited;
    let path = name(path);
    match lines {
        0 => format!("edited `{path}`: the old text is gone from line {line}"),
        1 => format!("edited `{path}`: the new text is line {line}"),
        _ => format!("edited `{path}`: the new text is lines {line} to {}", line + lines - 1),
    }
}

pub(super) fn write(root: &Root, path: &str, text: &str) -> Result<String, ToolError> {
    let files = root.blocking();
    let before = files.metadata(path);
    not_gits(root, path)?;
    if let Err(error) = &before
        && error.kind() == FsErrorKind::NotFound
        && let Some((dir, _)) = path.trim_end_matches('/').rsplit_once('/')
        // What goes up is for directories that are there.
        && dir.split('/').all(|part| part != "..")
    {
        files.create_dir_all(dir)?;
    }
    files.write(path, text.as_bytes())?;
    let done = if before.is_ok() { "replaced" } else { "made" };
    Ok(format!("{done} `{}`: {} bytes", name(path), text.len()))
}

pub(super) fn delete(root: &Root, path: &str, recursive: bool) -> Result<String, ToolError> {
    let files = root.blocking();
    not_gits(root, path)?;
    let error = match files.remove_file(path) {
        Ok(()) => return Ok(format!("deleted `{}`", name(path))),
        Err(error) => error,
    };
    let is_dir = files.metadata(path).is_ok_and(|entry| entry.kind == EntryKind::Directory);
    if error.kind() != FsErrorKind::WrongKind || !is_dir {
        return Err(error.into());
    }
    if recursive {
        files.remove_dir_all(path)?;
        return Ok(format!("deleted the directory `{}` with all in it", name(path)));
    }
    match files.remove_dir(path) {
        Ok(()) => Ok(format!("deleted the empty directory `{}`", name(path))),
        Err(error) if error.kind() == FsErrorKind::NotEmpty => {
            let text =
                format!("{error}; look at it with `fs.list`, and give `recursive` if all is to go");
            Err(ToolError::expected(text))
        }
        Err(error) => Err(error.into()),
    }
}

/// Refuses what git keeps for itself, links followed: a hook that is written there runs with the next
/// commit, without anybody being asked. Files of that kind that other programs run stay a matter of whom
/// one lets write.
fn not_gits(root: &Root, path: &str) -> Result<(), ToolError> {
    let is_gits = |path: &Path| {
        path.iter().any(|part| {
            let part = part.to_string_lossy();
            let part = part.trim_end_matches(['.', ' ']);
            part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1")
        })
    };
    if path.len() > MAX_PATH {
        return Ok(());
    }
    // Of what isn't there yet, where the last directory that is there leads.
    let led = Path::new(path).ancestors().find_map(|path| root.dir().canonicalize(path).ok());
    if is_gits(Path::new(path)) || led.is_some_and(|led| is_gits(&led)) {
        return Err(ToolError::expected(
            "git's own files are changed by git alone: run it instead",
        ));
    }
    Ok(())
}

/// The text with `new` in place of `old`, and the line where it stands; else why not, for a model.
fn replaced(text: &str, old: &str, new: &str) -> Result<(String, u64), String> {
    let (mut old, mut new) = (old.to_owned(), new.to_owned());
    if ends_in_crlf(text) {
        let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
        (old, new) = (crlf(&old), crlf(&new));
    }
    if old == new {
        return Err("`old` and `new` are the same".to_owned());
    }
    // Those that overlap are several as well: `aa` stands twice in `aaa`.
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(&old)) {
        places.push(from + at);
        from += at + old.chars().next().map_or(1, char::len_utf8);
        if places.len() > 1000 {
            break;
        }
    }
    match places[..] {
        [at] => {
            let edited = [&text[..at], &new, &text[at + old.len()..]].concat();
            Ok((edited, line_of(text, at)))
        }
        [] => Err(format!("`old` isn't there{}", nearly(text, &old))),
        _ => {
            let lines = listed(places.iter().map(|at| line_of(text, *at)));
            let times = if places.len() > 1000 {
                "more than 1000".to_owned()
            } else {
                places.len().to_string()
            };
            Err(format!(
                "`old` is there {times} times, at {lines}; give more of the lines around it"
            ))
        }
    }
}

/// Where the text has a line of `old`'s, if not all of it.
fn nearly(text: &str, old: &str) -> String {
    let first = old.lines().map(str::trim).find(|line| !line.is_empty());
    let Some(first) = first else {
        return "; it is nothing but space, which has to be given with text beside it".to_owned();
    };
    let near = |line: &str| line.trim() == first || (first.len() > 3 && line.contains(first));
    let lines =
        (1_u64..).zip(text.lines()).filter(|(_, line)| near(line)).map(|(number, _)| number);
    let lines: Vec<u64> = lines.take(PLACES + 1).collect();
    if lines.is_empty() {
        return "; read the lines that you mean, and copy them to the letter".to_owned();
    }
    let lines = listed(lines.into_iter());
    format!(
        "; its first line is much like {lines}, but spaces or what follows differ: read from there, and \
         copy to the letter"
    )
}

/// `line 3`, or `lines 3, 8 and more`.
fn listed(lines: impl Iterator<Item = u64>) -> String {
    let mut lines: Vec<String> = lines.take(PLACES + 1).map(|line| line.to_string()).collect();
    if lines.len() > PLACES {
        lines.truncate(PLACES);
        lines.push("more".to_owned());
    }
    match &lines[..] {
        [line] => format!("line {line}"),
        [rest @ .., last] => format!("lines {} and {last}", rest.join(", ")),
        [] => "no line".to_owned(),
    }
}

fn line_of(text: &str, at: usize) -> u64 {
    count(text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()) + 1
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(text: &str, old: &str, new: &str) -> String {
        replaced(text, old, new).unwrap_err()
    }

    #[test]
    fn one_place_is_replaced() {
        assert_eq!(replaced("a\nb\nc", "b\n", "").unwrap(), ("a\nc".into(), 2));
        assert_eq!(replaced("a", "a", "bb").unwrap(), ("bb".into(), 1));
        assert_eq!(replaced("ä ö", "ö", "ü").unwrap(), ("ä ü".into(), 1));
    }

    #[test]
    fn line_ends_stay_what_they_are() {
        let edited = replaced("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\r\nz\n").unwrap();
        assert_eq!(edited, ("x\r\ny\r\nz\r\nc\r\n".into(), 1));
        assert_eq!(replaced("a\r\nb\r\n", "b", "b\nc").unwrap().0, "a\r\nb\r\nc\r\n");
        // Of both kinds, each is what it is.
        assert_eq!(replaced("a\r\nb\n", "b\n", "c\n").unwrap().0, "a\r\nc\n");
        assert!(says("a\r\nb\n", "a\nb", "c").contains("isn't there"));
    }

    #[test]
    fn none_and_several_are_told_with_their_lines() {
        let text = "one\n  two\nthree\n  two\n";
        assert_eq!(
            says(text, "two", "2"),
            "`old` is there 2 times, at lines 2 and 4; give more of the lines around it"
        );
        assert!(says("aaa", "aa", "b").starts_with("`old` is there 2 times, at lines 1 and 1"));
        assert!(
            says(&"x\n".repeat(20), "x", "y")
                .contains("20 times, at lines 1, 2, 3, 4, 5, 6, 7, 8 and more;")
        );
        assert!(says(&"x".repeat(5000), "x", "y").contains("more than 1000 times"));
        assert!(says(text, "three\ntwo", "2").contains("is much like line 3, but"));
        assert!(says(text, "four", "4").contains("copy them to the letter"));
        assert!(says(text, "\t\n", "4").contains("nothing but space"));
        assert!(says(text, "one", "one").contains("the same"));
        assert!(says("", "one", "two").contains("isn't there"));
    }
}
