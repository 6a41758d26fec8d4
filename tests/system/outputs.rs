//! The value of an output and its text, apart.

use serde::Serialize;
use serde_json::json;
use toolkit::prelude::*;
use toolkit::{Executed, ToolReply};

use crate::support::Finished;

/// A ticket of the desk.
#[derive(Serialize)]
struct Ticket {
    number: u32,
    title: String,
}

/// Get one ticket of the desk.
#[tool(name = "ticket.get", render = Ticket::line)]
fn get(
    /// Number of the ticket, e.g. `7`.
    number: u32,
) -> Result<Ticket, ToolError> {
    match number {
        0 => Err(ToolError::expected("there is no ticket 0")),
        _ => Ok(Ticket { number, title: "toner\n".repeat(number as usize) }),
    }
}

impl Ticket {
    fn line(&self) -> String {
        format!("#{}: {}", self.number, self.title)
    }
}

/// List numbers in a form that people like.
#[tool(name = "ticket.numbers", render = listed)]
async fn numbers(
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: &str,
) -> Vec<String> {
    vec!["1".to_owned(), password.to_owned()]
}

#[allow(clippy::ptr_arg)]
fn listed(numbers: &Vec<String>) -> String {
    numbers.join(" and ")
}

/// Close a ticket, and lose its number.
#[tool(name = "ticket.broken", render = broken_text)]
async fn broken() -> u32 {
    7
}

fn broken_text(number: &u32) -> String {
    panic!("no text for {number}")
}

fn build() -> (Toolkit, Finished) {
    let finished = Finished::default();
    let builder = Toolkit::builder().only([id(get), id(numbers), id(broken)]);
    (builder.observer(finished.observer()).build().unwrap(), finished)
}

async fn run(toolkit: &Toolkit, tool: &str, arguments: &str) -> ToolReply {
    toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await
}

#[tokio::test]
async fn a_renderer_makes_the_text_and_leaves_the_value() {
    let (toolkit, _) = build();
    let reply = run(&toolkit, "ticket.get", r#"{"number": 2}"#).await;
    assert_eq!(reply.text(), "#2: toner\ntoner\n");
    assert_eq!(reply.value(), Some(json!({"number": 2, "title": "toner\ntoner\n"})));
    assert_eq!(reply.into_text(), "#2: toner\ntoner\n");
    // An error isn't rendered.
    let reply = run(&toolkit, "ticket.get", r#"{"number": 0}"#).await;
    assert_eq!((reply.code(), reply.text()), (Code::Failed, "there is no ticket 0"));
    // What is cut is the text.
    let reply = run(&toolkit, "ticket.get", r#"{"number": 9000}"#).await;
    assert!(reply.text().chars().count() <= 20_000);
    assert!(reply.text().starts_with("#9000: toner\n") && reply.text().contains("left out"));
    assert_eq!(reply.value().unwrap()["title"].as_str().unwrap().len(), 9_000 * 6);
}

#[tokio::test]
async fn a_rendered_text_has_no_secret() {
    let (toolkit, _) = build();
    let reply = run(&toolkit, "ticket.numbers", r#"{"password": "hunter2"}"#).await;
    assert_eq!(reply.text(), "1 and [redacted]");
    assert_eq!(reply.value(), Some(json!(["1", "[redacted]"])));
}

#[tokio::test]
async fn a_renderer_that_panics_is_a_defect() {
    let (toolkit, finished) = build();
    let reply = run(&toolkit, "ticket.broken", "").await;
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
    assert!(!reply.text().contains("no text"), "{}", reply.text());
    let cause = finished.records()[0].cause.clone().unwrap();
    assert!(cause.contains("no text for 7"), "{cause}");
}
