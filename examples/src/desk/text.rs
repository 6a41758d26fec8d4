//! Text for a terminal: wrapped, and with nothing in it that a terminal would obey.

use std::fmt::Write;

/// The text with control characters and those that hide or move others written as escapes; line
/// feeds stay. What a page or a model wrote must not steer the reader's terminal.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let hidden = matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
        );
        if hidden || (c.is_control() && c != '\n') {
            // Writing to a `String` can't fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The lines of a text, broken after spaces and commas so that none has more than `width`
/// characters; a word that is longer is broken anywhere.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        let mut length = 0;
        for word in line.split_inclusive([' ', ',']) {
            let mut word = word;
            if length > 0 && length + word.trim_end().chars().count() > width {
                lines.push(std::mem::take(&mut current).trim_end().to_owned());
                length = 0;
                if word.trim().is_empty() {
                    continue;
                }
            }
            while word.trim_end().chars().count() > width {
                let at = word.char_indices().nth(width).map_or(word.len(), |(at, _)| at);
                lines.push(word[..at].to_owned());
                word = &word[at..];
            }
            current.push_str(word);
            length += word.chars().count();
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// The first sentence of the first paragraph of a description.
pub fn summary(description: &str) -> &str {
    let paragraph = description.split("\n\n").next().unwrap_or(description);
    match paragraph.find(". ") {
        Some(at) => &paragraph[..=at],
        None => paragraph,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n\u{202e}c é"), "a\\u{1b}[2Jb\\u{d}\n\\u{202e}c é");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("éééééééé a", 3), ["ééé", "ééé", "éé", "a"]);
        assert_eq!(wrapped("a\n\nb", 9), ["a", "", "b"]);
        assert!(wrapped("", 9).is_empty());
        assert_eq!(wrapped("  two  three", 5), ["  two", "three"]);
        assert_eq!(wrapped(r#"{"a":1,"b":[2,3]}"#, 10), [r#"{"a":1,"#, r#""b":[2,3]}"#]);
    }

    #[test]
    fn a_summary_is_one_sentence() {
        assert_eq!(summary("Do it. Not that.\n\nMore."), "Do it.");
        assert_eq!(summary("Do v1.2 of it.\n\nMore."), "Do v1.2 of it.");
    }
}
