//! Tool names and argument keys: which are legal, and the nearest legal one. Pure; the rules are those
//! of `toolkit::name`.

/// The longest wire name that every provider takes, in bytes.
const MAX_WIRE_NAME: usize = 64;

/// Why a text is no tool name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NameError {
    /// Not snake_case segments joined by dots.
    Shape,
    /// The wire name has this many bytes.
    TooLong(usize),
}

/// Checks segments `[a-z][a-z0-9]*(_[a-z0-9]+)*` joined by dots, and the length of the wire name.
pub(crate) fn check(name: &str) -> Result<(), NameError> {
    let legal = name.split('.').all(|segment| {
        segment.starts_with(|c: char| c.is_ascii_lowercase())
            && segment.split('_').all(|word| {
                !word.is_empty()
                    && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            })
    });
    let wire = wire(name).len();
    match legal {
        false => Err(NameError::Shape),
        true if wire > MAX_WIRE_NAME => Err(NameError::TooLong(wire)),
        true => Ok(()),
    }
}

/// The wire name: each dot written `__`.
pub(crate) fn wire(name: &str) -> String {
    name.replace('.', "__")
}

/// A legal name near this one, if there is any.
pub(crate) fn mended(name: &str) -> Option<String> {
    let mut mended = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            mended.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        match c {
            '.' | '/' | ':' => mended.push('.'),
            _ if c.is_ascii_alphanumeric() => mended.push(c.to_ascii_lowercase()),
            _ => mended.push('_'),
        }
    }
    let segments = mended.split('.').map(|segment| {
        segment.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
    });
    let mended = segments.filter(|segment| !segment.is_empty()).collect::<Vec<_>>().join(".");
    check(&mended).is_ok().then_some(mended)
}

/// Whether every provider takes this key of an argument.
pub(crate) fn is_key(key: &str) -> bool {
    (1..=64).contains(&key.len())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["a", "kb.search", "kb.v2.full_text", "constructor", "a1_2b", &"a".repeat(64)] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "A",
            "a b",
            "a-b",
            "a/b",
            "é",
            "_a",
            "a_",
            "a__b",
            "1a",
            "a.1b",
            "a._b",
            "__proto__",
            "bad name!",
        ] {
            assert_eq!(check(name), Err(NameError::Shape), "{name}");
        }
        assert_eq!(check(&"a".repeat(65)), Err(NameError::TooLong(65)));
        assert_eq!(check(&format!("{}.b", "a".repeat(62))), Err(NameError::TooLong(65)));
    }

    #[test]
    fn mended_names() {
        for (name, expected) in [
            ("Kb.Search", Some("kb.search")),
            ("fetchUrl", Some("fetch_url")),
            ("kb/search", Some("kb.search")),
            ("kb-search", Some("kb_search")),
            ("kb__search", Some("kb_search")),
            ("_private", Some("private")),
            ("kb.", Some("kb")),
            ("1st", None),
            ("größe", Some("gr_e")),
            ("", None),
        ] {
            assert_eq!(mended(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn keys() {
        for (key, legal) in [
            ("q", true),
            ("fooBar", true),
            ("a-b.c", true),
            ("", false),
            ("a b", false),
            ("é", false),
        ] {
            assert_eq!(is_key(key), legal, "{key}");
        }
    }
}
