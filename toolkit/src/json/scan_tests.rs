//! What the scanner takes, and what it says of the rest.

use serde_json::Value;

use super::scan::*;

fn scan(text: &str) -> Result<(), Fault> {
    let mut scanner = Scanner::new(text);
    scanner.space();
    scanner.skip().and_then(|()| scanner.end()).map_err(|Failed| scanner.fault())
}

/// serde_json's verdict, without its limit on a number's size: that is the type's business.
pub(crate) fn serde_takes(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(_) => true,
        Err(e) => e.to_string().starts_with("number out of range"),
    }
}

#[test]
fn takes_what_serde_json_takes() {
    for text in [
        "0",
        "-0",
        "-",
        "01",
        "-01",
        "1.",
        ".5",
        "1.5e",
        "1e+",
        "1E-7",
        "1e5",
        "+1",
        "1_0",
        "0x1",
        "true",
        "tru",
        "null",
        "nullx",
        "\"\"",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\\n\"",
        "\"\\ud83d\\ud83d\\ude00\"",
        "\"a\tb\"",
        "\"a\u{7f}b\"",
        "\"é→😀\"",
        "[]",
        "[ ]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1",
        "{}",
        "{ }",
        "{\"a\":1}",
        "{\"a\" : 1 , \"b\":[{}]}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\"}",
        "{\"a\":}",
        "{,}",
        "",
        " ",
        "\u{feff}{}",
        "{} x",
        "NaN",
        "Infinity",
        "'a'",
        "/*c*/1",
        "1\u{a0}",
        "\u{b}1",
        "1e999",
        "\"12345678\\\"9\"",
        "\"1234567\u{1}8\"",
        "\"\u{80}\u{100}€€€€\"",
    ] {
        assert_eq!(scan(text).is_ok(), serde_takes(text), "{text:?}");
    }
}

#[test]
fn keys_that_are_signs_to_a_reader_are_refused() {
    for key in ["$serde_json::private::RawValue", "\\u0024serde_json::private::Number"] {
        for text in [format!("{{\"{key}\":\"1\"}}"), format!("[{{\"a\":1,\"{key}\":\"1\"}}]")] {
            assert!(scan(&text).is_err(), "{text}");
        }
        assert_eq!(scan(&format!("{{\"a\":\"{key}\"}}")), Ok(()));
    }
    assert_eq!(scan("{\"$ref\":1,\"$serde\":2,\"\\u0024\":3}"), Ok(()));
}

#[test]
fn says_where_and_why() {
    let at = |text: &str| scan(text).unwrap_err();
    assert_eq!(at("{\"a\":1"), Fault { at: 6, why: Why::Expected("`,` or `}`") });
    assert_eq!(at("[1 2]"), Fault { at: 3, why: Why::Expected("`,` or `]`") });
    assert_eq!(at("{\"a\":{\"b\":1,\"\\u0062\":2}}"), Fault { at: 12, why: Why::Twice });
}

#[test]
fn sixty_four_deep_and_no_deeper() {
    let nested = |n| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(scan(&nested(64)), Ok(()));
    assert_eq!(scan(&nested(65)), Err(Fault { at: 64, why: Why::Deep }));
    let objects = |n| format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n));
    assert_eq!(scan(&objects(64)), Ok(()));
    assert!(scan(&objects(65)).is_err());
}
