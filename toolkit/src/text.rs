//! Cutting and cleaning of text: at character boundaries, within a budget, with nothing invisible.

use std::borrow::Cow;
use std::fmt::Write;

/// The start of a text, at most this many characters, with `…` where it was cut.
pub(crate) fn excerpt(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// The text with every character that a person can't see, or that moves others about, written as
/// its escape; line feeds stay where `lines` says so.
pub(crate) fn visible(text: &str, lines: bool) -> Cow<'_, str> {
    let hidden = |c: char| match c {
        '\n' => !lines,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    };
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            // Writing to a `String` can't fail.
            let _ = write!(shown, "\\u{{{:x}}}", c as u32);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The nearest of these names, if any is near enough to be meant: at most a third of the letters
/// differ, and at most three.
pub(crate) fn nearest<'n>(
    name: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let length = name.chars().count();
    let allowed = (length / 3).clamp(1, 3);
    candidates
        .into_iter()
        // As many letters differ at least. A model's name may be a megabyte long.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= allowed)
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Names in a sentence: `a`, `b` and `c`.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_end_between_characters() {
        assert_eq!(excerpt("a→😀b", 3), "a→😀…");
        assert_eq!(excerpt("abc", 3), "abc");
    }

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("a\u{202e}b\n", false), "a\\u{202e}b\\u{a}");
        assert_eq!(visible("a\nb", true), "a\nb");
        assert_eq!(visible("plain", false), "plain");
    }
}
