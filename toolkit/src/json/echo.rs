//! Shows a piece of a model's JSON back to it: on one line, short, and without invisible characters.

use crate::problem::cut;
use crate::text::visible;

/// The longest echo, in bytes.
const MAX: usize = 60;

/// The value on one line of at most 60 bytes.
pub(crate) fn echo(json: &str) -> String {
    let mut line = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if line.len() > MAX {
            break;
        }
        match c {
            ' ' | '\n' | '\r' | '\t' if !in_string => continue,
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
        line.push(c);
    }
    let mut shown = visible(&line, false).into_owned();
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
    let start: String =
        message.chars().take(200).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let mut shown = visible(&start, false).into_owned();
    if start.len() < message.len() {
        shown.push('…');
    }
    cut(&mut shown, 200);
    shown
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
