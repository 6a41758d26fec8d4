//! The formats of texts that are held, each with a text that has it.

const EXAMPLES: [(&str, &str); 19] = [
    ("date", "2026-03-02"),
    ("date-time", "2026-03-02T09:30:00Z"),
    ("duration", "PT1H30M"),
    ("email", "ada@example.com"),
    ("hostname", "example.com"),
    ("idn-email", "ada@example.com"),
    ("idn-hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("iri", "https://example.com/"),
    ("iri-reference", "/page"),
    ("json-pointer", "/a/0"),
    ("regex", "^a+$"),
    ("relative-json-pointer", "1/a"),
    ("time", "09:30:00Z"),
    ("uri", "https://example.com/"),
    ("uri-reference", "/page"),
    ("uri-template", "/page/{number}"),
    ("uuid", "67e55044-10b1-426f-9247-bb680e5fe0c8"),
];

/// A text of a format; none where the format isn't held.
pub(super) fn example(format: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(name, _)| *name == format).map(|(_, example)| *example)
}
