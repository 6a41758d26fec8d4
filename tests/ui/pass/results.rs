//! What a tool may return.

use std::error::Error;
use std::fmt;

use toolkit::{Code, ToolCall, ToolError, id, tool};

type Alias<T> = Result<T, ToolError>;
type Number = u8;

#[derive(serde::Serialize)]
struct Plain {
    number: u8,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Described {
    number: u8,
}

#[derive(Debug)]
struct Failure;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it failed")
    }
}

impl Error for Failure {}

/// Like the errors that hold any other.
struct Boxed(Box<dyn Error + Send + Sync>);

impl fmt::Display for Boxed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl AsRef<dyn Error + Send + Sync> for Boxed {
    fn as_ref(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

/// Gives nothing at all.
#[tool]
fn nothing() {}

/// Gives nothing at all, and says so.
#[tool]
async fn unit() -> () {}

/// Gives a number by an alias.
#[tool]
fn number() -> Number {
    1
}

/// Gives a text word for word.
#[tool]
fn text() -> &'static str {
    "a \"text\""
}

/// Gives a type without a schema.
#[tool]
async fn plain() -> Plain {
    Plain { number: 2 }
}

/// Gives a type with a schema.
#[tool]
async fn described() -> Described {
    Described { number: 3 }
}

/// Gives an alias of a result.
#[tool]
async fn alias() -> Alias<Vec<u8>> {
    Ok(vec![4])
}

/// Gives a result of nothing.
#[tool]
fn result_of_nothing() -> Result<(), Failure> {
    Ok(())
}

/// Gives an option.
#[tool]
fn option() -> Option<u8> {
    None
}

/// Fails with a text for the model.
#[tool]
fn failed_text() -> Result<u8, String> {
    Err("try another number".to_owned())
}

/// Fails with a text for the model.
#[tool]
fn failed_expected() -> Alias<()> {
    Err(ToolError::expected("try another number"))
}

/// Fails with an error of its own.
#[tool]
async fn failed_error() -> Result<(), Failure> {
    Err(Failure)
}

/// Fails with any error.
#[tool]
async fn failed_box() -> Result<(), Box<dyn Error + Send + Sync>> {
    Err(Box::new(Failure))
}

/// Fails with any error, which can't be sent.
#[tool]
fn failed_local_box() -> Result<(), Box<dyn Error>> {
    Err(Box::new(Failure))
}

/// Fails with an error like those of error libraries.
#[tool]
async fn failed_like_anyhow() -> Result<(), Boxed> {
    Err(Boxed(Box::new(Failure)))
}

#[tokio::test]
async fn results_are_written() {
    let toolkit = crate::only([
        id(nothing),
        id(unit),
        id(number),
        id(text),
        id(plain),
        id(described),
        id(alias),
        id(result_of_nothing),
        id(option),
        id(failed_text),
        id(failed_expected),
        id(failed_error),
        id(failed_box),
        id(failed_local_box),
        id(failed_like_anyhow),
    ]);
    for (name, text) in [
        ("nothing", "done"),
        ("unit", "done"),
        ("number", "1"),
        ("text", "a \"text\""),
        ("plain", r#"{"number":2}"#),
        ("described", r#"{"number":3}"#),
        ("alias", "[4]"),
        ("result_of_nothing", "done"),
        ("option", "null"),
    ] {
        assert_eq!(crate::call(&toolkit, name, "{}").await, text, "{name}");
    }
    let cx = toolkit::CallContext::human();
    for tool in toolkit.tools().filter(|tool| tool.name().starts_with("failed")) {
        let reply = toolkit.call(&cx, ToolCall::new(tool.name(), "{}")).await;
        assert_eq!(reply.code(), Code::Failed, "{}", tool.name());
        let shown = matches!(tool.name(), "failed_text" | "failed_expected");
        assert_eq!(reply.text().contains("try another number"), shown, "{}", reply.text());
    }
}
