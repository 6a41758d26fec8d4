//! Shows a piece of a model's JSON back to it: on one line, short, and without invisible characters.

use crate::problem::cut;

/// The longest echo, in bytes.
const MAX: usize = 60;

/// The value on one line of at most 60 bytes.
pub(crate) fn echo(json: &str) -> String {
    let mut shown = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if shown.len() > MAX {
            break;
        }
        match c {
            ' ' | '\n' | '\r' | '\t' if !in_string => continue,
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
        if is_invisible(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    cut(&mut shown, MAX);
    shown
}

/// A key in quotes, of at most 60 bytes.
pub(crate) fn echo_key(key: &str) -> String {
    let mut quoted = String::new();
    super::string(key, &mut quoted);
    echo(&quoted)
}

/// A message on one line of at most 200 bytes.
pub(crate) fn line(message: &str) -> String {
    let mut shown = String::new();
    for c in message.chars().take(201) {
        if c.is_whitespace() {
            shown.push(' ');
        } else if is_invisible(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    cut(&mut shown, 200);
    shown
}

/// Characters that a reader doesn't see, or that change the order in which one reads.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// What kind of value starts here, with its article.
pub(crate) fn kind_of(json: &str) -> &'static str {
    match json.bytes().next() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(b'-' | b'0'..=b'9') => "a number",
        _ => "nothing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_short_line() {
        assert_eq!(echo("{ \"a b\" :\n [1,\t2] }"), r#"{"a b":[1,2]}"#);
        assert_eq!(echo(r#""a\" b""#), r#""a\" b""#);
        assert_eq!(echo("\"a\u{202e}b\u{0}\""), r#""a\u{202e}b\u{0}""#);
        let long = echo(&"😀".repeat(100));
        assert!(long.len() <= MAX && long.ends_with("😀…"), "{long}");
        assert_eq!(echo(&"x".repeat(60)).len(), 60);
    }
}
