//! Regular expressions that texts and keys are held to, each in time linear in the text.

/// A regular expression that must match somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(super) source: String,
    reader: Reader,
}

/// What reads a pattern. JSON Schema means ECMA-262, to which `\d` and `\w` are ASCII: so they are to
/// the small reader, which is always asked first. The large one gets only what that one refuses for a
/// class of Unicode, so that switching it on, for any crate of a program, changes no pattern that was
/// read before, and lets in none whose brackets it reads in a way of its own.
#[derive(Clone, Debug)]
enum Reader {
    Small(regex_lite::Regex),
    #[cfg(feature = "unicode-patterns")]
    Large(regex::Regex),
}

impl Pattern {
    /// # Errors
    /// The pattern, and why it can't be used; the author mends it.
    pub(super) fn new(source: &str) -> Result<Self, String> {
        Self::read(source).map_err(|why| format!("pattern `{source}` can't be used: {why}"))
    }

    /// # Errors
    /// Why it can't be used, in one line.
    pub(crate) fn read(source: &str) -> Result<Self, String> {
        let reader = match regex_lite::Regex::new(source) {
            Ok(regex) => Reader::Small(regex),
            Err(error) if has_class(source) => large(source, &error)?,
            Err(error) => return Err(error.to_string()),
        };
        Ok(Self { source: source.to_owned(), reader })
    }

    /// Whether it matches somewhere in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match &self.reader {
            Reader::Small(regex) => regex.is_match(text),
            #[cfg(feature = "unicode-patterns")]
            Reader::Large(regex) => regex.is_match(text),
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// Whether a pattern has a class of Unicode.
fn has_class(source: &str) -> bool {
    let mut bytes = source.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' && matches!(bytes.next(), Some(b'p' | b'P')) {
            return true;
        }
    }
    false
}

#[cfg(feature = "unicode-patterns")]
fn large(source: &str, _: &regex_lite::Error) -> Result<Reader, String> {
    regex::Regex::new(source).map(Reader::Large).map_err(|error| {
        // The last line says it; those before it draw the pattern.
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}

#[cfg(not(feature = "unicode-patterns"))]
fn large(_: &str, error: &regex_lite::Error) -> Result<Reader, String> {
    Err(format!("{error}; toolkit's feature `unicode-patterns` reads them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).unwrap().is_match(text)
    }

    /// With every set of features alike.
    #[test]
    fn classes_are_those_of_json_schema() {
        assert!(matches(r"^\d+$", "042"));
        for (pattern, text) in [(r"^\d+$", "٠٤"), (r"^\w+$", "größe"), (r"^\s$", "\u{2003}")] {
            assert!(!matches(pattern, text), "{pattern}");
        }
        assert!(matches("^[a-zà-ÿ]{2}.$", "éaß"), "a character is one, however it is written");
        assert!(!matches("(?i)^É$", "é"), "case is that of ASCII");
    }

    #[test]
    fn a_bad_pattern_says_what_is_wrong() {
        for pattern in ["(unclosed", "[b-a]", "a{2,1}", "(?=ahead)", r"(.)\1", "*"] {
            let why = Pattern::read(pattern).unwrap_err();
            assert!(!why.is_empty() && !why.contains('\n'), "{pattern}: {why}");
            let text = Pattern::new(pattern).unwrap_err();
            assert_eq!(text, format!("pattern `{pattern}` can't be used: {why}"));
        }
    }

    /// A pattern is the author's, but a text is the model's: neither may take the process with it.
    #[test]
    fn size_depth_and_time_have_bounds() {
        assert!(Pattern::read(r"((a{100}){100}){100}").is_err(), "a million states");
        assert!(Pattern::read(&"(".repeat(10_000)).is_err());
        assert!(Pattern::read(&format!("{}{}", "(".repeat(1_000), ")".repeat(1_000))).is_err());
        // Exponential wherever a reader steps back.
        assert!(!matches("^(a+)+$", &format!("{}b", "a".repeat(2_000))));
    }

    #[cfg(not(feature = "unicode-patterns"))]
    #[test]
    fn classes_of_unicode_need_a_feature() {
        assert_eq!(
            Pattern::read(r"^\p{Lu}").unwrap_err(),
            "Unicode character classes are not supported; toolkit's feature `unicode-patterns` reads \
             them"
        );
    }

    /// JSON Schema means `[` and a letter before a `]`; the large reader would read a class in a class.
    #[test]
    fn what_only_the_large_reader_knows_needs_a_class_of_unicode() {
        for pattern in ["^[[a-z]]$", "^[a-z&&[^q]]$", r"^[\w--\d]$", r"^[[a-z]\\p]$"] {
            assert!(Pattern::read(pattern).is_err(), "{pattern}");
        }
    }

    #[cfg(feature = "unicode-patterns")]
    #[test]
    fn classes_of_unicode_are_read() {
        assert!(matches(r"^\p{Lu}\p{Greek}+$", "Éλλ"));
        assert!(!matches(r"^\P{L}$", "λ"));
        assert_eq!(Pattern::read(r"^\p{Nobody}").unwrap_err(), "Unicode property not found");
    }
}
