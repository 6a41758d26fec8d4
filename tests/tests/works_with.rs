//! What `#[tool]` works with. Each module is a fixture that must compile, with tests that its tools are
//! collected and called; `build.rs` lists them.
#![allow(missing_docs, clippy::all, clippy::unwrap_used, clippy::needless_pass_by_value)]

use toolkit::{CallContext, ToolCall, ToolId, ToolSpec, Toolkit};

include!(concat!(env!("OUT_DIR"), "/pass.rs"));

/// A toolkit of these tools alone.
fn only(tools: impl IntoIterator<Item = ToolId>) -> Toolkit {
    Toolkit::builder().only(tools).build().unwrap()
}

/// The spec of the one tool.
fn spec(tool: ToolId) -> ToolSpec {
    let toolkit = only([tool]);
    let tools: Vec<_> = toolkit.tools().collect();
    assert_eq!(tools.len(), 1);
    ToolSpec::clone(&tools[0])
}

/// What a person's call gives.
async fn call(toolkit: &Toolkit, name: &str, arguments: &str) -> String {
    let reply = toolkit.call(&CallContext::human(), ToolCall::new(name, arguments)).await;
    assert!(reply.is_ok(), "{name}: {:?}: {}", reply.code(), reply.text());
    reply.into_text()
}

#[tokio::test]
async fn toolsets_in_every_place_and_form() {
    let names = [
        "host.fs.read",
        "inner.inside",
        "made.make",
        "notes.add",
        "notes.count",
        "notes.help",
        "notes.list",
        "notes.never",
    ];
    assert_eq!(toolsets::names(), names);
    let notes = toolsets::notes();
    assert_eq!(call(&notes, "notes.add", r#"{"text": "call"}"#).await, "1");
    assert_eq!(call(&notes, "notes.add", r#"{"text": "back"}"#).await, "2");
    assert_eq!(call(&notes, "notes.count", "{}").await, "2");
    assert_eq!(call(&notes, "notes.list", "{}").await, "7 call\n7 back");
    assert_eq!(call(&notes, "notes.help", "").await, "a note is a line");
}
