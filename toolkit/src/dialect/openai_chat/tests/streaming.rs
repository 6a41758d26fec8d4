//! Responses put together from a stream of pieces.

use serde_json::{Value, json};

use super::super::{IntakeError, Stream};
use super::read;
use crate::call::ToolCall;

fn delta(delta: Value) -> String {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
    .to_string()
}

fn end(reason: &str) -> String {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}).to_string()
}

fn piece(index: Option<i64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut function = json!({"arguments": arguments});
    if let Some(name) = name {
        function["name"] = json!(name);
    }
    let mut entry = json!({"function": function});
    if let Some(index) = index {
        entry["index"] = json!(index);
    }
    if let Some(id) = id {
        entry["id"] = json!(id);
    }
    entry
}

fn stream(pieces: &[Value]) -> Vec<ToolCall<'static>> {
    let mut stream = Stream::new();
    for piece in pieces {
        stream.push(&delta(json!({"tool_calls": [piece]}))).unwrap();
    }
    stream.push(&end("tool_calls")).unwrap();
    let (calls, _) = read(&stream.finish());
    assert!(calls.iter().all(|call| call.cut.is_none()));
    calls
}

fn shown(calls: &[ToolCall<'_>]) -> Vec<(String, String)> {
    calls.iter().map(|call| (call.name().to_owned(), call.arguments().to_owned())).collect()
}

fn two() -> Vec<(String, String)> {
    vec![("a".into(), "{\"x\":1}".into()), ("b".into(), "{\"y\":2}".into())]
}

#[test]
fn pieces_join_in_every_numbering_that_servers_use() {
    let (a, b) = (Some("a"), Some("b"));
    let (one, two_) = (Some("call_1"), Some("call_2"));
    let openai = [
        piece(Some(0), one, a, ""),
        piece(Some(0), None, None, "{\"x\""),
        piece(Some(1), two_, b, ""),
        piece(Some(0), None, None, ":1}"),
        piece(Some(1), None, None, "{\"y\":2}"),
    ];
    assert_eq!(shown(&stream(&openai)), two());
    let no_index = [
        piece(None, one, a, "{\"x\""),
        piece(None, None, None, ":1}"),
        piece(None, two_, b, "{\"y\":2}"),
    ];
    assert_eq!(shown(&stream(&no_index)), two());
    let index_always_zero =
        [piece(Some(0), one, a, "{\"x\":1}"), piece(Some(0), two_, b, "{\"y\":2}")];
    assert_eq!(shown(&stream(&index_always_zero)), two());
    let no_ids = [piece(Some(0), None, a, "{\"x\":1}"), piece(Some(0), None, b, "{\"y\":2}")];
    assert_eq!(shown(&stream(&no_ids)), two());
    let neither = [piece(None, None, a, "{\"x\":1}"), piece(None, None, b, "{\"y\":2}")];
    assert_eq!(shown(&stream(&neither)), two());
    let index_counts_pieces = [
        piece(Some(0), one, a, "{\"x\""),
        piece(Some(1), None, None, ":1}"),
        piece(Some(2), two_, b, "{\"y\":2}"),
    ];
    assert_eq!(shown(&stream(&index_counts_pieces)), two());
    let all_repeated = [
        piece(Some(0), one, a, "{\"x\""),
        piece(Some(0), one, a, ":1}"),
        piece(Some(1), two_, b, "{\"y\":"),
        piece(Some(1), two_, b, "2}"),
    ];
    assert_eq!(shown(&stream(&all_repeated)), two());
    let name_in_pieces =
        [piece(Some(0), one, Some("kb__"), ""), piece(Some(0), None, Some("search"), "{}")];
    assert_eq!(shown(&stream(&name_in_pieces)), [("kb__search".into(), "{}".into())]);
}

#[test]
fn nothing_runs_early_or_from_a_stream_that_broke_off() {
    let mut open = Stream::new();
    open.push(&delta(json!({"content": "Now."}))).unwrap();
    open.push(&delta(json!({"tool_calls": [piece(Some(0), Some("c"), Some("t"), "{\"a\":1}")]})))
        .unwrap();
    assert!(!open.is_finished());
    let (calls, message) = read(&open.finish());
    assert_eq!(calls[0].cut.as_deref(), Some("stream_broke_off"));
    assert_eq!(message["content"], "Now.");

    let mut done = Stream::new();
    done.push(&delta(json!({"tool_calls": [piece(Some(0), Some("c"), Some("t"), "{\"a\":1}")]})))
        .unwrap();
    done.push("data: [DONE]").unwrap();
    assert_eq!(read(&done.finish()).0[0].cut.as_deref(), Some("stream_broke_off"));

    let mut cut = Stream::new();
    cut.push(&delta(json!({"tool_calls": [piece(Some(0), Some("c"), Some("t"), "{\"a\":")]})))
        .unwrap();
    cut.push(&end("length")).unwrap();
    assert!(cut.is_finished());
    assert_eq!(read(&cut.finish()).0[0].cut.as_deref(), Some("length"));

    let (calls, message) = read(&Stream::new().finish());
    assert!(calls.is_empty());
    assert_eq!(message["content"], "");
}

#[test]
fn a_chunk_that_cant_be_read_breaks_the_stream() {
    for bad in [
        "data: {\"choices\":[{\"del",
        "data: <html>",
        r#"{"choices":[{"delta":{"tool_calls":{}}}]}"#,
        r#"{"error":{"message":"overloaded"}}"#,
        r#"{"choices":[{"delta":{},"delta":{}}]}"#,
    ] {
        let mut stream = Stream::new();
        stream
            .push(&delta(json!({"tool_calls": [piece(Some(0), Some("c"), Some("t"), "{}")]})))
            .unwrap();
        assert!(stream.push(bad).is_err(), "{bad}");
        stream.push(&end("tool_calls")).unwrap();
        assert!(read(&stream.finish()).0[0].cut.is_some(), "{bad}");
    }
    let mut stream = Stream::new();
    let error = stream.push(r#"{"error":{"message":"overloaded"}}"#).unwrap_err();
    assert!(matches!(error, IntakeError::Provider { message, .. } if message == "overloaded"));
}

#[test]
fn text_comes_as_it_grows_and_lines_are_taken_as_they_are() {
    let mut stream = Stream::new();
    assert_eq!(stream.push(": keep-alive").unwrap(), "");
    assert_eq!(stream.push("").unwrap(), "");
    assert_eq!(stream.push(&delta(json!({"role": "assistant", "content": ""}))).unwrap(), "");
    assert_eq!(
        stream.push(&format!("data:{}", delta(json!({"content": "Grüß "})))).unwrap(),
        "Grüß "
    );
    let several = format!(
        "event: x\nid: 1\ndata: {}\n\ndata: {}\n\n",
        delta(json!({"content": "Gott"})),
        delta(json!({"content": "."}))
    );
    assert_eq!(stream.push(&several).unwrap(), "Gott.");
    stream
        .push(&json!({"choices": [{"index": 1, "delta": {"content": "other"}}]}).to_string())
        .unwrap();
    stream.push(&end("stop")).unwrap();
    stream.push(&json!({"choices": [], "usage": {"total_tokens": 9}}).to_string()).unwrap();
    stream.push("data: [DONE]").unwrap();
    let response = stream.finish();
    let value: Value = serde_json::from_str(&response).unwrap();
    assert_eq!(value["usage"]["total_tokens"], 9);
    assert_eq!(value["id"], "chatcmpl-1");
    let (calls, message) = read(&response);
    assert!(calls.is_empty());
    assert_eq!(message, json!({"role": "assistant", "content": "Grüß Gott."}));
}

#[test]
fn other_kinds_of_pieces() {
    let mut stream = Stream::new();
    stream.push(&delta(json!({"reasoning_content": "Hm"}))).unwrap();
    stream.push(&delta(json!({"reasoning_content": "m."}))).unwrap();
    stream.push(&delta(json!({"reasoning_details": [{"a": 1}]}))).unwrap();
    let mut signed = piece(Some(0), Some("c"), Some("t"), "");
    signed["function"]["arguments"] = json!({"big": 1});
    signed["extra_content"] = json!({"google": {"thought_signature": "c2ln"}});
    stream
        .push(&delta(json!({"tool_calls": [signed]})).replace("1}", "12345678901234567890123}"))
        .unwrap();
    stream.push(&end("tool_calls")).unwrap();
    let (calls, message) = read(&stream.finish());
    assert_eq!(calls[0].arguments(), "{\"big\":12345678901234567890123}");
    assert_eq!(message["reasoning_content"], "Hmm.");
    assert_eq!(message["reasoning_details"], json!([{"a": 1}]));
    assert_eq!(message["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "c2ln");

    let mut old = Stream::new();
    old.push(&delta(json!({"function_call": {"name": "t", "arguments": "{\"a\""}}))).unwrap();
    old.push(&delta(json!({"function_call": {"arguments": ":1}"}}))).unwrap();
    old.push(&end("function_call")).unwrap();
    assert_eq!(shown(&read(&old.finish()).0), [("t".into(), "{\"a\":1}".into())]);

    let mut whole = Stream::new();
    whole.push(&json!({"choices": [{"message": {"content": "All at once."}, "finish_reason": "stop"}]}).to_string()).unwrap();
    assert_eq!(read(&whole.finish()).1["content"], "All at once.");
}
