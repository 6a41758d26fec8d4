//! Where a description comes from, and what becomes of it.

use toolkit::{id, tool};

const ABOUT: &str = "Says what the constant says.";

/// Summary of the tool.
///
/// - one
///   - two, indented
///
///     code
///Without a space.
///
#[tool]
fn comment() {}

/** Summary in a block.
 *
 * - one
 */
#[tool]
fn block() {}

#[doc = "Summary in an attribute."]
#[tool]
fn attribute() {}

#[doc = include_str!("about.txt")]
#[tool]
fn file() {}

/// Before the file:
#[doc = include_str!("about.txt")]
///
/// After the file.
#[tool]
fn around_file() {}

#[doc = concat!("Joined ", "of ", 3, " pieces.")]
#[tool]
fn joined() {}

/// For those who read the code.
#[tool(description = ABOUT)]
fn constant() {}

#[tool(description = concat!("Joined", " of two pieces."))]
fn joined_key() {}

#[tool(description = include_str!("about.txt"))]
fn file_key() {}

#[tool(description = "  Summary in a key.  ")]
fn key() {}

/// Umlauts, äöüß, "quotes" and {braces} 100 %.
#[tool(title = "Ümläut")]
fn umlauts(
    /// A value, "quoted" and {braced}.
    ///
    /// In two paragraphs.
    value: u8,
    #[doc = include_str!("about.txt")] other: u8,
) {
    let _ = (value, other);
}

#[test]
fn descriptions_are_as_written() {
    for (tool, description) in [
        (
            id(comment),
            "Summary of the tool.\n\n- one\n  - two, indented\n\n    code\nWithout a space.",
        ),
        (id(block), "Summary in a block.\n\n- one"),
        (id(attribute), "Summary in an attribute."),
        (id(file), "Says what the file says."),
        (id(around_file), "Before the file:\nSays what the file says.\n\n\nAfter the file."),
        (id(joined), "Joined of 3 pieces."),
        (id(constant), "Says what the constant says."),
        (id(joined_key), "Joined of two pieces."),
        (id(file_key), "Says what the file says."),
        (id(key), "Summary in a key."),
        (id(umlauts), "Umlauts, äöüß, \"quotes\" and {braces} 100 %."),
    ] {
        assert_eq!(crate::spec(tool).description(), description);
    }
    let spec = crate::spec(id(umlauts));
    assert_eq!(spec.title(), Some("Ümläut"));
    let about = spec.parameters()[0].description();
    assert_eq!(about, "A value, \"quoted\" and {braced}.\n\nIn two paragraphs.");
    assert_eq!(spec.parameters()[1].description(), "Says what the file says.");
}
