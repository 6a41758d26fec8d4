//! Every kind of bad arguments: one clear reply, no body.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::prelude::*;
use toolkit::testing::Probe;

/// How a value is compared.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Op {
    Eq,
    Gt,
    Contains,
}

/// One condition.
#[derive(Deserialize, Serialize, JsonSchema, Debug)]
#[allow(dead_code)]
struct Filter {
    /// Name of the field.
    field: String,
    /// How to compare.
    op: Op,
    /// What to compare with.
    value: String,
}

/// Search the archive and return how many records match.
#[tool(name = "archive.search")]
async fn search(
    /// Keywords, e.g. `refund invoice`.
    #[arg(length = 1..=40)]
    query: String,
    /// How many to return at most.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    /// Conditions that all must hold.
    #[arg(default)]
    filters: &[Filter],
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{query} {limit} {}", filters.len())
}

/// Write a record into the archive and return it.
#[tool(name = "archive.write", risk = "write")]
async fn write(
    /// Number of the record, e.g. `7`.
    number: u32,
    #[state] probe: &Probe,
) -> u32 {
    let _running = probe.enter();
    number
}

async fn reply(tool: &str, arguments: &str) -> (Code, String, usize) {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(search), id(write)]).state(probe.clone());
    let toolkit = builder.build().unwrap();
    let reply = toolkit.call(&CallContext::human(), ToolCall::new(tool, arguments)).await;
    (reply.code(), reply.text().to_owned(), probe.entered())
}

#[tokio::test]
async fn all_problems_come_in_one_reply() {
    let (code, text, entered) = reply("archive.search", r#"{"limit": "many", "qurey": "x"}"#).await;
    assert_eq!((code, entered), (Code::InvalidArguments, 0));
    assert_eq!(
        text,
        "invalid arguments for `archive.search`:\n\
         - limit: expected integer from 1 to 20, got \"many\"\n\
         - qurey: unknown argument; did you mean `query`?\n\
         - query: required, missing"
    );
}

#[tokio::test]
async fn each_kind_names_its_place_what_was_got_and_what_was_expected() {
    let filter = r#"{"field": "a", "op": "eq", "value": "b"}"#;
    let cases: Vec<(String, &[&str])> = vec![
        // Wrong types.
        (r#"{"query": 17}"#.into(), &["query: expected string", "got integer `17`|got 17"]),
        (r#"{"query": ["a"]}"#.into(), &["query: expected string"]),
        (r#"{"query": null}"#.into(), &["query: "]),
        // Missing.
        ("{}".into(), &["query: required, missing"]),
        // Out of range.
        (r#"{"query": "x", "limit": 0}"#.into(), &["limit: expected integer from 1 to 20, got 0"]),
        (
            r#"{"query": "x", "limit": 21}"#.into(),
            &["limit: expected integer from 1 to 20, got 21"],
        ),
        (
            r#"{"query": "x", "limit": -1}"#.into(),
            &["limit: expected integer from 1 to 20, got -1"],
        ),
        (
            r#"{"query": "x", "limit": 1.5}"#.into(),
            &["limit: expected integer from 1 to 20, got 1.5"],
        ),
        (r#"{"query": "x", "limit": 1e30}"#.into(), &["limit: expected integer from 1 to 20"]),
        (r#"{"query": ""}"#.into(), &["query: "]),
        (format!(r#"{{"query": "{}"}}"#, "ä".repeat(41)), &["query: ", "40"]),
        // Unknown, nested too.
        (r#"{"query": "x", "xyzzy": 1}"#.into(), &["xyzzy: unknown argument"]),
        (
            format!(
                r#"{{"query": "x", "filters": [{filter}, {{"field": "a", "op": "gte", "value": "b"}}]}}"#
            ),
            &["filters[1].op: ", "eq", "gt", "contains", "\"gte\""],
        ),
        (
            format!(
                r#"{{"query": "x", "filters": [{filter}, {{"field": "a", "op": "eq", "valeu": "b"}}]}}"#
            ),
            &["filters[1].valeu: unknown", "did you mean `value`?"],
        ),
        (
            r#"{"query": "x", "filters": [{"field": 1, "op": "eq"}]}"#.into(),
            &["filters[0].field: expected string", "filters[0].value: required, missing"],
        ),
        // A JSON array for a struct.
        (
            r#"{"query": "x", "filters": [["a", "eq", "b"]]}"#.into(),
            &["filters[0]: expected object"],
        ),
    ];
    for (arguments, expected) in cases {
        let (code, text, entered) = reply("archive.search", &arguments).await;
        assert_eq!((code, entered), (Code::InvalidArguments, 0), "{arguments}: {text}");
        assert!(text.starts_with("invalid arguments for `archive.search`:\n- "), "{text}");
        for part in expected {
            assert!(
                part.split('|').any(|p| text.contains(p)),
                "{arguments}: {part:?} not in {text}"
            );
        }
    }
}

#[tokio::test]
async fn malformed_text_names_its_byte_and_runs_nothing() {
    let big = format!(r#"{{"query": "{}"}}"#, "x".repeat(1 << 20));
    let deep = format!(r#"{{"query": "x", "filters": {}{}}}"#, "[".repeat(70), "]".repeat(70));
    let cases: Vec<(&str, String, &[&str])> = vec![
        ("cut", r#"{"query": "ref"#.into(), &["byte 14|byte 10|byte 15", "end"]),
        ("trailing comma", r#"{"query": "x",}"#.into(), &["byte 14"]),
        ("trailing text", r#"{"query": "x"} and so on"#.into(), &["byte 15"]),
        ("two values", r#"{"query": "x"}{"query": "y"}"#.into(), &["byte 14"]),
        ("single quotes", "{'query': 'x'}".into(), &["byte 1"]),
        ("not JSON", "query=x".into(), &["byte 0"]),
        ("fenced", "```json\n{}\n```".into(), &["byte 0"]),
        ("an array", "[1, 2]".into(), &["object"]),
        ("a number", "7".into(), &["object"]),
        ("duplicate", r#"{"query": "x", "query": "y"}"#.into(), &["query"]),
        ("escaped duplicate", r#"{"query": "x", "qu\u0065ry": "y"}"#.into(), &["query"]),
        (
            "nested duplicate",
            r#"{"query": "x", "filters": [{"field": "a", "op": "eq", "value": "b", "op": "gt"}]}"#
                .into(),
            &["filters[0].op"],
        ),
        ("oversized", big, &["1 MiB|1048576|1,048,576"]),
        ("too deep", deep, &["64"]),
        ("lone surrogate", r#"{"query": "\ud800"}"#.into(), &["byte"]),
        ("raw newline", "{\"query\": \"a\nb\"}".into(), &["byte"]),
        ("NaN", r#"{"query": NaN}"#.into(), &["byte 10"]),
        ("leading zero", r#"{"query": "x", "limit": 01}"#.into(), &["byte"]),
    ];
    for (name, arguments, expected) in cases {
        let (code, text, entered) = reply("archive.search", &arguments).await;
        assert_eq!((code, entered), (Code::MalformedArguments, 0), "{name}: {text}");
        assert!(text.len() <= 1024, "{name}");
        for part in expected {
            assert!(part.split('|').any(|p| text.contains(p)), "{name}: {part:?} not in {text}");
        }
    }
}

#[tokio::test]
async fn cut_at_every_byte_nothing_runs() {
    let whole =
        r#"{"query": "refund", "limit": 5, "filters": [{"field": "a", "op": "eq", "value": "b"}]}"#;
    assert_eq!(reply("archive.search", whole).await.0, Code::Ok);
    for at in 1..whole.len() {
        let (code, text, entered) = reply("archive.search", &whole[..at]).await;
        assert_eq!((code, entered), (Code::MalformedArguments, 0), "{at}: {text}");
    }
}

#[tokio::test]
async fn nothing_means_no_arguments() {
    for nothing in ["", " ", "\n\t", "null", "{}", " {} "] {
        let (code, text, _) = reply("archive.search", nothing).await;
        assert_eq!(code, Code::InvalidArguments);
        assert_eq!(text, "invalid arguments for `archive.search`:\n- query: required, missing");
    }
}

#[tokio::test]
async fn what_is_meant_is_read() {
    for (arguments, text) in [
        (r#"{"query": "x"}"#, "x 5 0"),
        (r#"{"query": "x", "limit": null}"#, "x 5 0"),
        (r#"{"query": "x", "limit": 7.0}"#, "x 7 0"),
        (r#"{"query": "x", "limit": 2e0}"#, "x 2 0"),
        (r#"{"limit": 1e1, "query": "\u0078"}"#, "x 10 0"),
        (r#"{"query": "123"}"#, "123 5 0"),
        (r#"{"query": "{\"a\": 1}"}"#, r#"{"a": 1} 5 0"#),
        // Repairs, since the tool reads.
        (r#"{"query": "x", "limit": "7"}"#, "x 7 0"),
        (r#"{"query": "x", "limit": "20.0"}"#, "x 20 0"),
        (
            r#"{"query": "x", "filters": "[{\"field\":\"a\",\"op\":\"eq\",\"value\":\"b\"}]"}"#,
            "x 5 1",
        ),
        (r#""{\"query\": \"x\"}""#, "x 5 0"),
    ] {
        let (code, got, _) = reply("archive.search", arguments).await;
        assert_eq!((code, got.as_str()), (Code::Ok, text), "{arguments}");
    }
}

#[tokio::test]
async fn what_is_not_lossless_is_not_repaired() {
    for arguments in [
        r#"{"query": "x", "limit": "5x"}"#,
        r#"{"query": "x", "limit": "1e1"}"#,
        r#"{"query": "x", "limit": " 5"}"#,
        r#"{"query": "x", "limit": ""}"#,
        r#"{"query": "x", "limit": true}"#,
        r#"{"query": "x", "limit": "21"}"#,
        r#"{"query": "x", "limit": 7.5}"#,
        r#"{"query": 5}"#,
        r#"{"query": "x", "filters": "[{\"field\":\"a\"}]"}"#,
        r#"{"query": "x", "filters": "[] []"}"#,
        r#""\"{\\\"query\\\": \\\"x\\\"}\"""#,
    ] {
        let (code, text, entered) = reply("archive.search", arguments).await;
        assert!(
            matches!(code, Code::InvalidArguments | Code::MalformedArguments),
            "{arguments}: {code} {text}"
        );
        assert_eq!(entered, 0);
    }
}

#[tokio::test]
async fn a_tool_with_effects_is_not_repaired_unless_the_host_says_so() {
    let call = || ToolCall::new("archive.write", r#"{"number": "7"}"#);
    let build = |all: bool| {
        let builder = Toolkit::builder().only([id(write)]).state(Probe::new());
        if all { builder.repair_all() } else { builder }.build().unwrap()
    };
    let human = CallContext::human();
    let reply = build(false).call(&human, call()).await;
    assert_eq!(reply.code(), Code::InvalidArguments);
    assert!(reply.repairs().is_empty());
    let reply = build(true).call(&human, call()).await;
    assert_eq!((reply.code(), reply.text()), (Code::Ok, "7"));
    assert_eq!(reply.repairs()[0].path(), "number");
    // Neither of these is a repair.
    let reply =
        build(false).call(&human, ToolCall::new("archive.write", r#"{"number": 7.0}"#)).await;
    assert_eq!((reply.code(), reply.text()), (Code::Ok, "7"));
    assert!(reply.repairs().is_empty());
}

#[tokio::test]
async fn a_call_that_was_cut_runs_nothing() {
    let probe = Probe::new();
    let toolkit = Toolkit::builder().only([id(search)]).state(probe.clone()).build().unwrap();
    let call = ToolCall::new("archive.search", r#"{"query": "x"}"#).cut("length");
    let reply = toolkit.call(&CallContext::human(), call).await;
    assert_eq!(reply.code(), Code::IncompleteCall);
    assert!(reply.text().contains("length"), "{}", reply.text());
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn an_error_is_capped() {
    let many: String = (0..200).map(|i| format!(r#""unknown_{i}": {i},"#)).collect();
    let (code, text, _) = reply("archive.search", &format!("{{{many} \"query\": \"x\"}}")).await;
    assert_eq!(code, Code::InvalidArguments);
    assert!(text.len() <= 1024, "{}", text.len());
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("- and ") && last.ends_with(" more"), "{last}");
    let long = format!(r#"{{"query": "x", "limit": "{}"}}"#, "😀".repeat(5_000));
    let (_, text, _) = reply("archive.search", &long).await;
    assert!(text.len() <= 1024, "{}", text.len());
}
