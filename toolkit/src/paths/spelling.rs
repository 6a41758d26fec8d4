//! What the spelling of a path alone says: traps that programs read in several ways, and names that a
//! file system may take for one.

use std::ffi::OsStr;
use std::path::{Component, Path};

use super::MAX_TEXT;

/// Why programs may disagree about what this text names, if they may.
pub(super) fn trap(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        return Some("is empty");
    }
    if text.len() > MAX_TEXT {
        return Some("is too long");
    }
    if text.contains('\0') {
        return Some("has a NUL");
    }
    if unseen(text.trim()) {
        return Some("has a character that nobody sees");
    }
    let text = text.trim_start();
    if text.starts_with('~') {
        return Some("starts with `~`, which stands for a home directory or for itself");
    }
    let mut after = text.split('$').skip(1);
    if after.any(|rest| rest.starts_with(|c: char| c.is_alphabetic() || "_{(".contains(c))) {
        return Some("has a `$`, which stands for a variable or for itself");
    }
    if is_url(text) {
        return Some("is written as a URL");
    }
    // Names that only hide a way up, or are cut to one.
    let only_dots = |name: &str| {
        let dots = name.trim_matches(|c: char| c == '.' || c.is_whitespace()).is_empty();
        dots && !matches!(name, "" | "." | "..")
    };
    if text.trim_end().split(['/', '\\']).any(only_dots) {
        return Some("has a name of dots and spaces");
    }
    if cfg!(windows) { on_windows(text) } else { of_windows(text) }
}

/// Whether a text has characters that nobody sees. Joiners and variants are letters of some languages'
/// names and of emoji.
pub(crate) fn unseen(text: &str) -> bool {
    let letter = |c: char| matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    let rest: String = text.chars().filter(|c| !letter(*c)).collect();
    crate::text::visible(&rest, false) != rest
}

/// `file:/…` and the like; one letter before the colon is a drive.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(letter)
        && rest.starts_with(['/', '\\'])
}

/// A text that is absolute on Windows, where we aren't.
fn of_windows(text: &str) -> Option<&'static str> {
    let drive = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text[1..].starts_with(':')
        && text[2..].starts_with(['/', '\\']);
    (drive || text.starts_with("\\\\")).then_some("is absolute on Windows alone")
}

/// What Windows reads in a way of its own. A path of another machine isn't even looked at: asking for it
/// sends our credentials there.
pub(crate) fn on_windows(text: &str) -> Option<&'static str> {
    let slash = |c: char| matches!(c, '/' | '\\');
    let mut start = text.chars();
    if start.next().is_some_and(slash) && start.next().is_some_and(slash) {
        return Some("names another machine or a device");
    }
    let drive = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text[1..].starts_with(':');
    let rest = if drive { &text[2..] } else { text };
    if drive && !rest.starts_with(slash) {
        return Some("is relative to a drive's own directory");
    }
    if !drive && text.starts_with(slash) {
        return Some("is relative to a drive that it doesn't name");
    }
    let mut variable = text.split('%').skip(1);
    if variable.next().is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        && variable.next().is_some()
    {
        return Some("has a `%`, which stands for a variable or for itself");
    }
    for name in rest.split(slash) {
        if name.contains([':', '*', '?', '"', '<', '>', '|']) {
            return Some("has a character that names no file");
        }
        if !matches!(name, "." | "..") && name.ends_with(['.', ' ']) {
            return Some("has a name that ends with a dot or a space");
        }
        if is_device(name) {
            return Some("names a device");
        }
        // The short form of a long name.
        let digits = name.split_once('~').map(|(_, after)| after);
        if digits.is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit())) {
            return Some("has the short form of a name");
        }
    }
    None
}

/// `CON`, `nul.txt`, `COM1` and the like.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let numbered = |rest: &str| {
        let mut rest = rest.chars();
        matches!(rest.next(), Some('0'..='9' | '¹' | '²' | '³')) && rest.next().is_none()
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || stem.strip_prefix("COM").is_some_and(numbered)
        || stem.strip_prefix("LPT").is_some_and(numbered)
}

/// Whether a path goes through what each process has for itself, and a child of ours other than we:
/// `/proc/self/cwd`, `/proc/1/root`, `/dev/fd/3`.
pub(super) fn of_a_process(path: &Path) -> bool {
    if cfg!(windows) {
        return false;
    }
    let mut names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
        _ => None,
    });
    while let Some(name) = names.next() {
        let mut below = names.clone();
        let next = below.next().unwrap_or_default();
        let process = !next.is_empty() && next.bytes().all(|b| b.is_ascii_digit());
        match name {
            "proc" if process || matches!(next, "self" | "thread-self") => {
                return is_top(path, name);
            }
            "dev" if matches!(next, "fd" | "stdin" | "stdout" | "stderr") => {
                return is_top(path, name);
            }
            _ => {}
        }
    }
    false
}

/// Whether the path's first name is this, or a `..` may bring it there.
fn is_top(path: &Path, name: &str) -> bool {
    let first = path.components().find(|part| matches!(part, Component::Normal(_)));
    first == Some(Component::Normal(OsStr::new(name)))
        || path.components().any(|part| part == Component::ParentDir)
}

/// Whether some file system takes two names for one: letter case, forms of Unicode, characters that are
/// passed over, dots and spaces at the end.
pub(super) fn alike(a: &OsStr, b: &OsStr) -> bool {
    if a == b {
        return true;
    }
    // Without a table of forms, two names beyond ASCII may be one.
    let (Some(a), Some(b)) = (a.to_str(), b.to_str()) else { return true };
    let [a, b] = [folded(a), folded(b)];
    a == b || !(a.is_ascii() || b.is_ascii())
}

fn folded(name: &str) -> String {
    let name = name.trim_end_matches(['.', ' ']);
    let seen = name.chars().filter(|c| {
        let mut utf8 = [0; 4];
        matches!(
            crate::text::visible(c.encode_utf8(&mut utf8), false),
            std::borrow::Cow::Borrowed(_)
        )
    });
    seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}
