//! Raw identifiers: `r#match` is called `match`, and `r#type` is filled in as `type`.

use toolkit::{id, tool};

/// Match a text against another one.
#[tool]
async fn r#match(
    /// The text to look at.
    text: String,
    /// The kind of the match.
    r#type: Option<u32>,
) -> String {
    format!("{text} {type:?}", r#type = r#type)
}

#[tokio::test]
async fn a_raw_name_is_called_without_its_prefix() {
    let spec = crate::spec(id(r#match));
    assert_eq!(spec.name(), "match");
    let names: Vec<_> = spec.parameters().iter().map(|parameter| parameter.name()).collect();
    assert_eq!(names, ["text", "type"]);
    let toolkit = crate::only([id(r#match)]);
    let text = crate::call(&toolkit, "match", r#"{"text": "a", "type": 3}"#).await;
    assert_eq!(text, "a Some(3)");
    assert_eq!(r#match("a".to_owned(), None).await, "a None");
}
