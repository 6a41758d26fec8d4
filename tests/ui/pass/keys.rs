//! Every key, and what becomes of it.

use std::time::Duration;

use toolkit::{CallContext, Code, Risk, RiskSet, ToolCall, Toolkit, id, tool};

const LEAST: i64 = -5;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    #[default]
    Red,
    Blue,
}

/// Has every key that a tool may have.
#[tool(
    name = "keys.all",
    title = "All keys",
    risk = ["network", "write"],
    flag = "keys",
    scopes = ["chat", "mail"],
    hosts = ["example.com", "127.0.0.1:8080"],
    timeout = "1500ms",
    concurrency = 2,
    parallel = true,
    idempotent,
    polling,
    blocking = "abandon",
    errors = "show",
    render = shown,
    crate = ::toolkit,
)]
fn all() {}

fn shown(_: &()) -> String {
    "nothing was done".to_owned()
}

/// Has no key, so that everything is as it is by default.
#[tool()]
fn none() {}

/// Has one scope, and no limit of time.
#[tool(scopes = "chat", timeout = "none", parallel = false, idempotent = false, polling = false, errors = "hide", risk = "destructive",)]
fn few() {}

/// Has every key that a parameter may have.
#[tool(name = "keys.parameters", risk = "network")]
async fn parameters(
    /// A number.
    #[arg(default = 5, range = LEAST..10, example = LEAST + 1, alias = "n")]
    number: i64,
    /// A number with a fraction.
    #[arg(range = -1.0..=1.0)]
    #[arg(default = 0.5)]
    fraction: f64,
    /// A number that may be left out.
    #[arg(range = ..=9)]
    maybe: Option<u8>,
    /// A text.
    #[arg(default = "äö", length = 1..=3, pattern = "^.+$", rename = "text", alias = ["t", "words"])]
    string: String,
    /// A list.
    #[arg(default, length = ..3, example = vec![1, 2])]
    list: Vec<u8>,
    /// A colour.
    #[arg(default = Colour::Blue)]
    colour: Colour,
    /// Another colour.
    #[arg(default)]
    other: Colour,
    /// A secret.
    #[arg(secret, default)]
    token: String,
    /// Where to look.
    #[arg(url = true, secret = false, default = "https://example.com")]
    place: &str,
) -> String {
    let number = format!("{number} {fraction} {maybe:?}");
    format!("{number} {string} {list:?} {colour:?} {other:?} {token:?} {place}")
}

#[test]
fn keys_are_in_the_spec() {
    let spec = crate::spec(id(all));
    assert_eq!((spec.name(), spec.wire_name()), ("keys.all", "keys__all"));
    assert_eq!(spec.title(), Some("All keys"));
    assert!(spec.risk().contains(Risk::Network) && spec.risk().contains(Risk::Write));
    assert_eq!(spec.flag(), Some("keys"));
    assert_eq!(spec.scopes(), ["chat", "mail"]);
    assert_eq!(spec.hosts(), ["example.com", "127.0.0.1:8080"]);
    assert_eq!(spec.timeout(), Some(Duration::from_millis(1500)));
    assert_eq!(spec.concurrency(), Some(2));
    assert!(spec.parallel() && spec.idempotent() && spec.polling());
    assert_eq!(spec.blocking(), Some(toolkit::Blocking::Abandon));
    assert!(spec.source().file.ends_with("keys.rs"), "{}", spec.source());
    assert_eq!(spec.source().krate(), "works_with");

    let spec = crate::spec(id(none));
    assert_eq!((spec.name(), spec.wire_name()), ("none", "none"));
    assert_eq!((spec.title(), spec.flag()), (None, None));
    assert_eq!(spec.risk(), RiskSet::READ);
    assert!(spec.scopes().is_empty() && spec.hosts().is_empty());
    assert_eq!(spec.timeout(), Some(toolkit::DEFAULT_TIMEOUT));
    assert_eq!((spec.concurrency(), spec.blocking()), (None, None));

    let spec = crate::spec(id(few));
    assert_eq!((spec.timeout(), spec.parallel(), spec.idempotent()), (None, false, false));
    assert!(!spec.polling());
    assert_eq!((spec.scopes(), spec.risk().highest()), (["chat"].as_slice(), Risk::Destructive));
}

#[tokio::test]
async fn keys_of_parameters_hold() {
    let builder = Toolkit::builder().only([id(parameters)]);
    let toolkit = builder.hosts("keys.parameters", ["example.com"]).build().unwrap();
    let text = crate::call(&toolkit, "keys.parameters", "{}").await;
    // Within the marks of what comes from outside.
    assert_eq!(
        text.lines().nth(1),
        Some(r#"5 0.5 None äö [] Blue Red "" https://example.com"#),
        "{text}"
    );
    let arguments = r#"{"n": -5, "fraction": 1, "maybe": 9, "words": "a", "list": [1],
        "colour": "red", "token": "x", "place": "https://example.com/a"}"#;
    let cx = CallContext::human();
    let spec = crate::spec(id(parameters));
    let flags: Vec<_> =
        spec.parameters().iter().map(|p| (p.name(), p.secret(), p.url())).collect();
    assert!(flags.contains(&("token", true, false)) && flags.contains(&("place", false, true)));
    for wrong in [
        r#"{"number": 10}"#,
        r#"{"number": -6}"#,
        r#"{"fraction": 1.5}"#,
        r#"{"maybe": 10}"#,
        r#"{"text": "abcd"}"#,
        r#"{"list": [1, 2, 3]}"#,
        r#"{"string": "a"}"#,
    ] {
        let reply = toolkit.call(&cx, ToolCall::new("keys.parameters", wrong)).await;
        assert_eq!(reply.code(), Code::InvalidArguments, "{wrong}: {}", reply.text());
    }
    let text = crate::call(&toolkit, "keys.parameters", arguments).await;
    assert_eq!(
        text.lines().nth(1),
        Some(r#"-5 1 Some(9) a [1] Red Red "x" https://example.com/a"#),
        "{text}"
    );
}
