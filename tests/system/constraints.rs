//! What an author states of a tool holds: constraints, hosts, scopes, who reads its errors.

use serde_json::{Value, json};
use toolkit::TypedTool;
use toolkit::prelude::*;
use toolkit::testing::Probe;

use crate::support::within_marks;

/// The least that may be taken.
const LEAST: i32 = -3;

/// Take values within bounds.
#[tool(name = "bounds.take")]
fn take(
    /// A whole number.
    #[arg(range = LEAST..7, default = 2, example = 3, alias = "number")]
    whole: i32,
    /// A fraction, which may be left out.
    #[arg(range = 0.1..=0.3)]
    part: Option<f64>,
    /// A word of small letters.
    #[arg(length = 2..=4, pattern = "^[a-zé]+$", default = "ab", alias = ["w", "Word"])]
    word: String,
    /// Some numbers.
    #[arg(length = 1.., default = vec![1])]
    some: Vec<u8>,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{whole} {part:?} {word} {some:?}")
}

#[tokio::test]
async fn what_is_shown_is_what_holds() {
    let probe = Probe::new();
    let toolkit = Toolkit::builder().only([id(take)]).state(probe.clone()).build().unwrap();
    let schema = toolkit.tools().next().unwrap().parameters_schema().unwrap().to_owned();
    assert_eq!(
        serde_json::from_str::<Value>(&schema).unwrap(),
        json!({"type": "object", "additionalProperties": false, "properties": {
            "whole": {"type": "integer", "description": "A whole number.",
                "minimum": -3, "maximum": 6, "default": 2, "examples": [3]},
            "part": {"type": "number", "description": "A fraction, which may be left out.",
                "minimum": 0.1, "maximum": 0.3},
            "word": {"type": "string", "description": "A word of small letters.",
                "minLength": 2, "maxLength": 4, "pattern": "^[a-zé]+$", "default": "ab"},
            "some": {"type": "array", "description": "Some numbers.", "minItems": 1,
                "items": {"type": "integer", "minimum": 0, "maximum": 255}, "default": [1]}}})
    );
    let tool = toolkit.tool(take).unwrap();
    assert_eq!(tool.errors(), toolkit::Errors::Hide);
    let ranges: Vec<_> = tool.parameters().iter().map(|p| p.range()).collect();
    assert_eq!(ranges, [Some("-3..7".to_owned()), Some("0.1..=0.3".to_owned()), None, None]);
    let word = tool.parameters()[2];
    assert_eq!((word.length(), word.pattern()), (Some((Some(2), Some(4))), Some("^[a-zé]+$")));
    let run = async |arguments: Value| {
        let call = ToolCall::json("bounds.take", &arguments).unwrap();
        let reply = toolkit.call(&CallContext::model(), call).await;
        (reply.code(), reply.into_text())
    };
    for (arguments, text) in [
        (json!({}), "2 None ab [1]"),
        (json!({"whole": -3}), "-3 None ab [1]"),
        (json!({"number": 6}), "6 None ab [1]"),
        (json!({"part": 0.1}), "2 Some(0.1) ab [1]"),
        (json!({"part": 0.3}), "2 Some(0.3) ab [1]"),
        (json!({"w": "éé"}), "2 None éé [1]"),
        (json!({"Word": "abcd"}), "2 None abcd [1]"),
        (json!({"some": [0, 255]}), "2 None ab [0, 255]"),
    ] {
        assert_eq!(run(arguments).await, (Code::Ok, text.to_owned()));
    }
    let entered = probe.entered();
    for (arguments, part) in [
        (json!({"whole": -4}), "whole: expected integer from -3 to 6, got -4"),
        (json!({"number": 7}), "expected integer from -3 to 6, got 7"),
        (json!({"whole": 1, "number": 1}), "given twice"),
        (json!({"part": 0.09999999999999999}), "part: expected number from 0.1 to 0.3"),
        (json!({"part": 0.30000000000000004}), "part: expected number from 0.1 to 0.3"),
        (json!({"word": "é"}), "word: expected string of 2 to 4 characters"),
        (json!({"word": "ééééé"}), "word: expected string of 2 to 4 characters"),
        (json!({"word": "AB"}), "word: expected string"),
        (json!({"some": []}), "some: expected array"),
        (json!({"some": [256]}), "some[0]: expected integer from 0 to 255, got 256"),
    ] {
        let (code, text) = run(arguments).await;
        assert_eq!(code, Code::InvalidArguments);
        assert!(text.contains(part), "{part:?} not in {text}");
    }
    assert_eq!(probe.entered(), entered);
}

/// Fetch a page from where it is known to be.
#[tool(name = "bounds.fetch", risk = "network", hosts = ["example.com", "localhost:8080"])]
fn fetch(
    /// The address, e.g. `https://example.com/`.
    #[arg(url)]
    url: &str,
    /// Where to look otherwise.
    #[arg(url)]
    other: Option<&str>,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{url} {other:?}")
}

#[tokio::test]
async fn hosts_are_the_authors_and_the_hosts() {
    let build = |more: &[&str]| {
        let builder = Toolkit::builder().only([id(fetch)]).state(Probe::new());
        builder.hosts("bounds.fetch", more.iter().copied()).build().unwrap()
    };
    let code = async |toolkit: &Toolkit, arguments: Value| {
        let call = ToolCall::json("bounds.fetch", &arguments).unwrap();
        toolkit.call(&CallContext::model(), call).await.code()
    };
    let (author, both) = (build(&[]), build(&["example.org"]));
    for url in ["https://example.com/a", "http://EXAMPLE.com:1/", "http://localhost:8080/"] {
        assert_eq!(code(&author, json!({"url": url})).await, Code::Ok, "{url}");
        assert_eq!(code(&both, json!({"url": url})).await, Code::Ok, "{url}");
    }
    for url in ["http://localhost/", "http://example.org/", "http://www.example.com/"] {
        assert_eq!(code(&author, json!({"url": url})).await, Code::Denied, "{url}");
    }
    assert_eq!(code(&both, json!({"url": "http://example.org/"})).await, Code::Ok);
    // Every address counts, one that may be left out as well.
    let (good, bad) = ("http://example.com/", "http://evil.test/");
    assert_eq!(code(&author, json!({"url": good, "other": bad})).await, Code::Denied);
    assert_eq!(code(&author, json!({"url": bad, "other": good})).await, Code::Denied);
    assert_eq!(code(&author, json!({"url": good, "other": null})).await, Code::Ok);
    assert_eq!(code(&author, json!({"url": good, "other": good})).await, Code::Ok);
}

/// Fetch a page, by default one that is known.
#[tool(name = "bounds.default", risk = "network", hosts = ["example.org"])]
fn fetch_default(
    /// The address, e.g. `https://example.org/`.
    #[arg(url, default = "https://example.com/")]
    url: &str,
) -> String {
    url.to_owned()
}

/// Where to fetch a page.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    #[serde(default = "known")]
    url: String,
}

fn known() -> String {
    "https://example.com/".to_owned()
}

#[tokio::test]
async fn an_address_that_is_left_out_is_the_default_and_judged_like_any() {
    let build = |more: &[&str]| {
        let builder = Toolkit::builder().only([id(fetch_default)]);
        builder.hosts("bounds.default", more.iter().copied()).build().unwrap()
    };
    let run = async |toolkit: &Toolkit, arguments: &str| {
        let call = ToolCall::new("bounds.default", arguments.to_owned());
        let reply = toolkit.call(&CallContext::model(), call).await;
        let text = reply.text();
        let text = if reply.is_ok() { within_marks(text) } else { text };
        (reply.code(), text.to_owned())
    };
    let (author, both) = (build(&[]), build(&["example.com"]));
    for left_out in ["", "{}", r#"{"url": null}"#] {
        assert_eq!(run(&author, left_out).await.0, Code::Denied, "{left_out:?}");
        let ran = run(&both, left_out).await;
        assert_eq!(ran, (Code::Ok, "https://example.com/".to_owned()), "{left_out:?}");
    }
    // A closure's default counts as well.
    let closure = TypedTool::new(
        "bounds.default",
        "Fetch a page.",
        Risk::Network,
        |place: Place, _| async move { Ok::<_, ToolError>(place.url) },
    );
    let closure = closure.url("url").hosts(["example.org"]);
    let closure = Toolkit::builder().only([]).tool(closure).build().unwrap();
    assert_eq!(run(&closure, "{}").await.0, Code::Denied);
    let given = r#"{"url": "http://example.org/"}"#;
    assert_eq!(run(&closure, given).await, (Code::Ok, "http://example.org/".to_owned()));
    assert_eq!(run(&author, given).await, (Code::Ok, "http://example.org/".to_owned()));
}

/// Fail with an error that the model may read.
#[tool(name = "bounds.open", errors = "show")]
fn open() -> Result<(), std::num::ParseIntError> {
    "x".parse::<u8>().map(drop)
}

/// Fail with an error that is for the operator.
#[tool(name = "bounds.closed", errors = "hide")]
fn closed() -> Result<(), std::num::ParseIntError> {
    "x".parse::<u8>().map(drop)
}

#[tokio::test]
async fn an_author_may_show_the_errors_of_one_tool() {
    let toolkit = Toolkit::builder().only([id(open), id(closed)]).build().unwrap();
    let run = async |tool: &str| {
        let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool.to_owned(), "")).await;
        assert_eq!(reply.code(), Code::Failed);
        reply.into_text()
    };
    assert_eq!(run("bounds.open").await, "`bounds.open` failed: invalid digit found in string");
    assert!(!run("bounds.closed").await.contains("digit"));
}

/// Look at what belongs to two places.
#[tool(name = "bounds.placed", scopes = ["chat", "mail"])]
fn placed() {}

#[tokio::test]
async fn any_one_scope_is_enough() {
    let toolkit = Toolkit::builder().only([id(placed), id(open)]).build().unwrap();
    let sees = async |cx: CallContext| {
        let listed = toolkit.catalog(&cx).find("bounds.placed").is_some();
        let reply = toolkit.call(&cx, ToolCall::new("bounds.placed", "")).await;
        assert_eq!(listed, reply.is_ok(), "listed and callable are one");
        assert!(
            toolkit.catalog(&cx).find("bounds.open").is_some(),
            "a tool without scopes is everywhere"
        );
        listed
    };
    assert!(sees(CallContext::model().scope("chat")).await);
    assert!(sees(CallContext::model().scope("mail")).await);
    for elsewhere in ["Chat", "chats", "", "chat,mail"] {
        assert!(!sees(CallContext::model().scope(elsewhere)).await, "{elsewhere:?}");
    }
    assert!(!sees(CallContext::model()).await);
}

#[tokio::test]
async fn what_is_left_out_is_not_there() {
    let toolkit =
        Toolkit::builder().only([id(open), id(closed)]).without(["bounds.open"]).build().unwrap();
    let names: Vec<_> = toolkit.tools().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["bounds.closed"]);
    let reply = toolkit.call(&CallContext::human(), ToolCall::new("bounds__open", "")).await;
    assert_eq!(reply.code(), Code::UnknownTool);
    assert!(toolkit.tool(open).is_none());
}
