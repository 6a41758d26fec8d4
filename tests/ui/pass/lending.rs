//! What a function may borrow from its arguments.
#![allow(unused_parens)]

use toolkit::{id, tool};

type Maybe<T> = Option<T>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair(u8, u8);

/// Borrows from each of its arguments.
#[tool]
async fn borrow(
    /// A text.
    text: &str,
    /// Texts.
    texts: &[String],
    /// Pairs.
    pairs: &[Pair],
    /// A text that may be left out.
    maybe: Option<&str>,
    /// Texts that may be left out.
    several: Option<&[String]>,
    /// A text that may be left out, by an alias.
    alias: Maybe<&str>,
    /// Another text.
    parentheses: &(str),
) -> String {
    let sum: u8 = pairs.iter().map(|pair| pair.0 + pair.1).sum();
    let several = several.map(<[String]>::len);
    format!("{text} {} {sum} {maybe:?} {several:?} {alias:?} {parentheses}", texts.join("+"))
}

/// Gives back what it borrowed.
#[tool]
fn first_word(
    /// A text.
    text: &str,
) -> Option<&str> {
    text.split(' ').next()
}

/// Gives back a text, or what it borrowed.
#[tool]
async fn second_word(
    /// A text.
    text: &str,
    #[context] _context: &toolkit::CallContext,
) -> Result<String, String> {
    text.split(' ').nth(1).map(str::to_owned).ok_or_else(|| text.to_owned())
}

/// Changes its own argument.
#[tool]
fn change(
    /// A number.
    mut number: u8,
    /// A text.
    mut text: String,
) -> String {
    number += 1;
    text.push_str(&number.to_string());
    text
}

#[tokio::test]
async fn arguments_are_lent() {
    let toolkit = crate::only([id(borrow), id(first_word), id(second_word), id(change)]);
    let arguments = r#"{"text": "a", "texts": ["b", "c"], "pairs": [[1, 2]], "maybe": "d",
        "several": ["e"], "parentheses": "f"}"#;
    let text = crate::call(&toolkit, "borrow", arguments).await;
    assert_eq!(text, r#"a b+c 3 Some("d") Some(1) None f"#);
    assert_eq!(crate::call(&toolkit, "first_word", r#"{"text": "a b"}"#).await, "a");
    assert_eq!(crate::call(&toolkit, "second_word", r#"{"text": "a b"}"#).await, "b");
    assert_eq!(crate::call(&toolkit, "change", r#"{"number": 1, "text": "a"}"#).await, "a2");
}
