//! What may not be read isn't: secrets, causes, names of what is hidden.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolkit::TypedTool;
use toolkit::prelude::*;

/// Longer than any echo, so that one which is cut would show its start.
const LONG: &str = "hunter2-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// What a vault gives back.
#[derive(Serialize)]
struct Opened {
    account: String,
    pin: u32,
    note: String,
    open: bool,
}

/// Open a vault by its number.
#[tool(name = "leak.open")]
async fn open(
    /// Name of the account, e.g. `ada`.
    account: String,
    /// The number, e.g. `1234`.
    #[arg(secret)]
    pin: u32,
) -> Result<Opened, ToolError> {
    Ok(Opened { note: format!("{account} {pin}"), account, pin, open: true })
}

#[tokio::test]
async fn a_number_that_is_secret_leaves_the_result_json() {
    let toolkit = Toolkit::builder().only([id(open)]).build().unwrap();
    let call = ToolCall::new("leak.open", r#"{"account": "ada", "pin": 90210}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(reply.code(), Code::Ok);
    assert!(!reply.text().contains("90210"), "{}", reply.text());
    let shown =
        json!({"account": "ada", "pin": "[redacted]", "note": "ada [redacted]", "open": true});
    assert_eq!(serde_json::from_str::<Value>(reply.text()).unwrap(), shown);
    assert_eq!(reply.value(), Some(shown));
}

/// Log in with a closure's arguments.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Login {
    /// Name of the account, e.g. `ada`.
    account: String,
    /// The password.
    password: String,
    /// The number.
    pin: Option<u16>,
    /// Further answers.
    #[serde(default)]
    answers: std::collections::BTreeMap<String, u8>,
}

fn login() -> TypedTool {
    TypedTool::new(
        "leak.login",
        "Log in to an account.",
        Risk::Read,
        |login: Login, _| async move {
            Ok::<_, ToolError>(format!("{} {:?}", login.password, login.pin))
        },
    )
    .secret("password")
    .secret("pin")
    .secret("answers")
}

#[tokio::test]
async fn a_closures_secret_is_told_by_its_kind_however_long() {
    let toolkit = Toolkit::builder().only([]).tool(login()).build().unwrap();
    let mut texts = String::new();
    for arguments in [
        json!({"account": "a", "password": [LONG]}),
        json!({"account": "a", "password": {"is": LONG}}),
        json!({"account": "a", "password": "p", "pin": LONG}),
        json!({"account": "a", "password": "p", "answers": {LONG: 300}}),
        json!({"account": "a", "password": "p", "answers": {"x": LONG}}),
        json!({"account": "a", "password": LONG}),
    ] {
        let call = ToolCall::json("leak.login", &arguments).unwrap();
        let reply = toolkit.call(&CallContext::model(), call).await;
        texts.push_str(reply.text());
        texts.push('\n');
    }
    for arguments in [
        format!(r#"{{"account": "a", "answers": {{"{LONG}": 1, "{LONG}": 1}}}}"#),
        format!(r#"{{"account": "a", "password": "{LONG}"#),
    ] {
        let call = ToolCall::new("leak.login", arguments);
        texts.push_str(toolkit.call(&CallContext::model(), call).await.text());
        texts.push('\n');
    }
    assert!(!texts.contains("hunter2"), "{texts}");
    assert!(texts.contains("password: expected string, got an array"), "{texts}");
    assert!(texts.contains("pin: expected integer from 0 to 65535, got a string"), "{texts}");
    assert!(texts.contains("[redacted] None"), "{texts}");
}

#[test]
fn a_mark_on_an_argument_that_is_not_there_is_an_error() {
    let error = Toolkit::builder()
        .only([])
        .tool(login().secret("pasword").url("address"))
        .build()
        .unwrap_err();
    let text = error.to_string();
    for part in ["`pasword`; did you mean `password`?", "doesn't have: `address`"] {
        assert!(text.contains(part), "{part:?} not in {text}");
    }
    assert_eq!(error.problems().len(), 3, "{text}");
}

/// Take a token for a service and an address to use it at.
#[tool(name = "leak.fetch", risk = "network", hosts = ["example.com"])]
async fn fetch(
    /// The address, e.g. `https://example.com/`.
    #[arg(url)]
    url: String,
    /// The token, e.g. `abc`.
    #[arg(secret)]
    token: String,
) -> String {
    format!("{url} {token}")
}

#[tokio::test]
async fn a_refused_address_shows_nothing_of_a_secret_in_it() {
    let toolkit = Toolkit::builder().only([id(fetch)]).build().unwrap();
    // Wherever the text is cut, no part of the secret stands in it.
    for fill in 0..80 {
        let url = format!("http://evil.test/{}?{LONG}", "x".repeat(fill));
        let call = ToolCall::json("leak.fetch", &json!({"url": url, "token": LONG})).unwrap();
        let reply = toolkit.call(&CallContext::human(), call).await;
        assert_eq!(reply.code(), Code::Denied);
        assert!(!reply.text().contains("hunter2"), "{}", reply.text());
    }
}

/// Count letters in texts of any length.
#[tool(name = "leak.count")]
fn count(
    /// The letters, e.g. `abc`.
    #[arg(length = 1..=3)]
    letters: String,
    /// How many, e.g. `1`.
    number: u8,
) -> usize {
    letters.len() + usize::from(number)
}

#[tokio::test]
async fn what_came_is_quoted_and_never_at_length() {
    let toolkit = Toolkit::builder().only([id(count)]).build().unwrap();
    for unit in ["x", "😀", "é\u{301}", "\u{202e}", "\\n", "\""] {
        for many in [1_000, 5_000] {
            let long = unit.repeat(many);
            let arguments =
                json!({"letters": [long.as_str()], "number": long.as_str(), long.as_str(): 1});
            let call = ToolCall::json("leak.count", &arguments).unwrap();
            let reply = toolkit.call(&CallContext::model(), call).await;
            assert_eq!(reply.code(), Code::InvalidArguments);
            assert!(reply.text().len() <= 1024, "{unit:?}: {}", reply.text().len());
            assert!(reply.text().contains("number: expected integer from 0 to 255, got \""));
            assert!(!reply.text().contains('\u{202e}'), "nothing invisible comes back");
        }
    }
    // Short ones are quoted whole: a model corrects what it sees.
    let call = ToolCall::new("leak.count", r#"{"letters": "abcd", "number": "four"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(
        reply.text(),
        "invalid arguments for `leak.count`:\n\
         - letters: expected string of 1 to 3 characters, got \"abcd\"\n\
         - number: expected integer from 0 to 255, got \"four\""
    );
}

/// An error with a cause that has a cause.
#[derive(Debug)]
struct Outer(std::io::Error);

impl std::fmt::Display for Outer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("connecting to /srv/secret/db.sqlite")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Fail with a chain of causes.
#[tool(name = "leak.chain")]
fn chain() -> Result<(), Outer> {
    Err(Outer(std::io::Error::other("postgres://u:p@h")))
}

/// Fail without a word to say.
#[tool(name = "leak.mute")]
fn mute() -> Result<String, ToolError> {
    Err(ToolError::expected(""))
}

/// Succeed without a word to say.
#[tool(name = "leak.empty")]
fn empty() -> Result<String, ToolError> {
    Ok(String::new())
}

#[tokio::test]
async fn the_whole_chain_is_for_the_operator() {
    let finished = crate::support::Finished::default();
    let builder = Toolkit::builder().only([id(chain)]).observer(finished.observer());
    let toolkit = builder.build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("leak.chain", "")).await;
    assert_eq!(reply.code(), Code::Failed);
    for part in ["srv", "postgres", "u:p"] {
        assert!(!reply.text().contains(part), "{}", reply.text());
    }
    let record = &finished.records()[0];
    let cause = record.cause.as_deref().unwrap();
    assert!(
        cause.contains("/srv/secret/db.sqlite") && cause.contains("postgres://u:p@h"),
        "{cause}"
    );
    assert_eq!(record.reference.as_deref(), reply.reference());
}

#[tokio::test]
async fn an_empty_success_and_an_empty_failure_differ_in_text_and_code() {
    let toolkit = Toolkit::builder().only([id(mute), id(empty)]).build().unwrap();
    let run = async |tool: &str| {
        let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool.to_owned(), "")).await;
        (reply.code(), reply.into_text())
    };
    assert_eq!(run("leak.empty").await, (Code::Ok, String::new()));
    assert_eq!(run("leak.mute").await, (Code::Failed, "`leak.mute` failed".to_owned()));
}
