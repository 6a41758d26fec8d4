//! What responses are taken in as: every shape that models send, and every one that is refused.

use serde_json::{Value, json};

use super::super::{IntakeError, assistant, calls, cut, results};
use super::{entry, read, response, with_calls};
use crate::call::{Code, ToolReply, Turn};

#[test]
fn a_common_answer() {
    let text = with_calls(json!([
        entry("call_1", "kb__search", json!("{\"query\": \"refund\"}")),
        entry("call_2", "clock__now", json!("{}")),
    ]));
    let (calls, message) = read(&text);
    assert_eq!(calls[0].name(), "kb__search");
    assert_eq!(calls[0].arguments(), "{\"query\": \"refund\"}");
    assert_eq!(calls[1].provider_id(), Some("call_2"));
    assert!(calls.iter().all(|call| call.cut.is_none()));
    assert_eq!(
        message,
        json!({"role": "assistant", "content": null, "tool_calls": [
            entry("call_1", "kb__search", json!("{\"query\": \"refund\"}")),
            entry("call_2", "clock__now", json!("{}")),
        ]})
    );
}

#[test]
fn arguments_in_every_shape() {
    for (given, read_as, shown) in [
        (json!("{\"a\":1}"), "{\"a\":1}", "{\"a\":1}"),
        (json!({"a": 1}), "{\"a\":1}", "{\"a\":1}"),
        (json!(null), "", "{}"),
        (json!(""), "", "{}"),
        (json!("null"), "null", "{}"),
        (json!([1]), "[1]", "{\"INVALID_JSON\":\"[1]\"}"),
        (json!("{\"a\":"), "{\"a\":", "{\"INVALID_JSON\":\"{\\\"a\\\":\"}"),
    ] {
        let text = with_calls(json!([entry("c", "t", given.clone())]));
        let (calls, message) = read(&text);
        assert_eq!(calls[0].arguments(), read_as, "{given}");
        assert_eq!(message["tool_calls"][0]["function"]["arguments"], shown, "{given}");
    }
    let (calls, message) = read(&with_calls(json!([{"id": "c", "function": {"name": "t"}}])));
    assert_eq!(calls[0].arguments(), "");
    assert_eq!(message["tool_calls"][0]["type"], "function");
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn an_object_of_arguments_stays_word_for_word() {
    let arguments = r#"{"n": 123456789012345678901234567890, "f": 1.0, "k": 1, "k": 2}"#;
    for text in [
        format!(
            r#"{{"choices":[{{"message":{{"tool_calls":[{{"id":"c","function":{{"name":"t","arguments":{arguments}}}}}]}}}}]}}"#
        ),
        format!(
            r#"{{"choices":[{{"message":{{"tool_calls":[{{"id":"c","name":"t","arguments":{arguments}}}]}}}}]}}"#
        ),
        format!(
            r#"{{"choices":[{{"message":{{"function_call":{{"name":"t","arguments":{arguments}}}}}}}]}}"#
        ),
    ] {
        let (calls, _) = read(&text);
        assert_eq!(calls[0].arguments(), arguments, "{text}");
        assert_eq!(calls[0].name(), "t");
    }
}

#[test]
fn no_calls() {
    for message in [
        json!({"role": "assistant", "content": "Hello."}),
        json!({"role": "assistant", "content": "Hello.", "tool_calls": null}),
        json!({"role": "assistant", "content": "Hello.", "tool_calls": [], "function_call": null}),
        json!({"role": "assistant", "content": "Hello.", "refusal": null, "annotations": [], "audio": null}),
    ] {
        let (calls, message) = read(&response(message, json!("stop")));
        assert!(calls.is_empty());
        assert_eq!(message, json!({"role": "assistant", "content": "Hello."}));
    }
    let (_, message) = read(&response(json!({"content": null, "refusal": "No."}), json!("stop")));
    assert_eq!(message, json!({"role": "assistant", "content": null, "refusal": "No."}));
    let (_, message) = read(&response(json!({}), json!("stop")));
    assert_eq!(message, json!({"role": "assistant", "content": ""}));
    let parts = json!([{"type": "text", "text": "Hello."}]);
    let (_, message) = read(&response(json!({"content": parts}), json!("stop")));
    assert_eq!(message["content"], parts);
}

#[test]
fn an_old_function_call() {
    let message =
        json!({"content": null, "function_call": {"name": "t", "arguments": "{\"a\":1}"}});
    let (calls, message) = read(&response(message, json!("function_call")));
    assert_eq!((calls[0].name(), calls[0].arguments()), ("t", "{\"a\":1}"));
    assert_eq!(message.get("function_call"), None);
    assert_eq!(message["tool_calls"][0]["function"]["name"], "t");
    let both =
        json!({"tool_calls": [entry("c", "new", json!("{}"))], "function_call": {"name": "old"}});
    assert_eq!(read(&response(both, json!("tool_calls"))).0[0].name(), "new");
}

#[test]
fn ids_are_there_and_differ() {
    let text = with_calls(json!([
        entry("call_1", "a", json!("{}")),
        entry("call_1", "b", json!("{}")),
        entry("", "c", json!("{}")),
        {"function": {"name": "d"}},
        {"id": null, "function": {"name": "e"}},
        {"id": 7, "function": {"name": "f"}},
    ]));
    let (calls, _) = read(&text);
    assert_eq!(calls[0].provider_id(), Some("call_1"));
    assert_eq!(calls[5].provider_id(), Some("7"));
    assert_eq!(read(&text).0[3].provider_id(), calls[3].provider_id(), "the same each time");
    let other = read(&text.replace("chatcmpl-1", "chatcmpl-2")).0;
    assert_ne!(other[3].provider_id(), calls[3].provider_id(), "two responses don't share ids");
    let taken = calls[3].provider_id().unwrap();
    assert!(taken.starts_with("call_"));
}

#[test]
fn names_pass_untouched_and_are_cleaned_in_the_history() {
    for (name, shown) in [
        ("functions.kb__search", "functions__kb__search"),
        ("multi_tool_use.parallel", "multi_tool_use__parallel"),
        ("kb.search", "kb__search"),
        ("bad name!", "bad_name_"),
        ("", "unnamed"),
    ] {
        let (calls, message) = read(&with_calls(json!([entry("c", name, json!("{}"))])));
        assert_eq!(calls[0].name(), name);
        assert_eq!(message["tool_calls"][0]["function"]["name"], shown);
    }
}

#[test]
fn responses_that_the_model_did_not_end_run_nothing() {
    let message =
        json!({"tool_calls": [entry("a", "x", json!("{}")), entry("b", "y", json!("{\"c"))]});
    for whole in [
        "stop",
        "tool_calls",
        "function_call",
        "tool_call",
        "tool_calling",
        "TOOL_CALLS",
        "STOP",
        "end_turn",
        "",
    ] {
        let (calls, _) = read(&response(message.clone(), json!(whole)));
        assert!(calls.iter().all(|call| call.cut.is_none()), "{whole}");
    }
    for whole in [
        response(message.clone(), json!(null)),
        json!({"choices": [{"message": message}]}).to_string(),
    ] {
        assert!(read(&whole).0.iter().all(|call| call.cut.is_none()));
    }
    for cut in
        ["length", "content_filter", "error", "max_tokens", "abort", "MALFORMED_FUNCTION_CALL", "?"]
    {
        let (calls, message) = read(&response(message.clone(), json!(cut)));
        assert_eq!(calls.len(), 2);
        assert!(calls.iter().all(|call| call.cut.as_deref() == Some(cut)), "{cut}");
        assert_eq!(
            message["tool_calls"][1]["function"]["arguments"],
            "{\"INVALID_JSON\":\"{\\\"c\"}"
        );
    }
    let failed = json!({"choices": [{"message": message, "finish_reason": "stop",
        "error": {"code": 502, "message": "upstream"}}]});
    assert!(read(&failed.to_string()).0.iter().all(|call| call.cut.as_deref() == Some("error")));
    let silent = json!({"choices": [{"index": 0, "finish_reason": "content_filter"}]});
    let (calls, shown) = read(&silent.to_string());
    assert!(calls.is_empty());
    assert_eq!(shown, json!({"role": "assistant", "content": ""}));
    let long = read(&response(message, json!("x".repeat(10_000)))).0;
    assert!(long[0].cut.as_deref().unwrap().len() < 100);
}

#[test]
fn only_the_first_choice_counts() {
    let text = json!({"choices": [
        {"index": 0, "message": {"tool_calls": [entry("a", "first", json!("{}"))]}},
        {"index": 1, "message": {"tool_calls": [entry("b", "second", json!("{}"))]}}]});
    let (calls, _) = read(&text.to_string());
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].name(), "first");
}

#[test]
fn what_servers_want_back_is_kept() {
    let mut held = entry("c", "t", json!("{}"));
    held["extra_content"] = json!({"google": {"thought_signature": "c2ln"}});
    held["index"] = json!(0);
    let message = json!({"tool_calls": [held], "reasoning_content": "Hm.", "reasoning": "Hm.",
        "reasoning_details": [{"type": "x"}], "annotations": [], "provider_specific_fields": {}});
    let (_, message) = read(&response(message, json!("tool_calls")));
    let mut call = entry("c", "t", json!("{}"));
    call["extra_content"] = json!({"google": {"thought_signature": "c2ln"}});
    assert_eq!(
        message,
        json!({"role": "assistant", "content": null, "tool_calls": [call],
        "reasoning_content": "Hm.", "reasoning_details": [{"type": "x"}]})
    );
}

#[test]
fn a_custom_tool_of_the_host_gets_its_reply_too() {
    let held = json!({"id": "c", "type": "custom", "custom": {"name": "grep", "input": "a|b"}});
    let (calls, message) = read(&with_calls(json!([held])));
    assert_eq!((calls[0].name(), calls[0].arguments()), ("grep", "a|b"));
    assert_eq!(message["tool_calls"][0], held);
    let (calls, _) = read(&with_calls(json!([{"id": "c", "type": "web_search"}])));
    assert_eq!(calls[0].name(), "");
}

#[test]
fn errors_of_the_provider_keep_their_text() {
    for (body, message, code) in [
        (
            json!({"error": {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}}),
            "slow down",
            Some("rate_limit_exceeded"),
        ),
        (
            json!({"error": {"message": "bad schema", "type": "invalid_request_error", "code": null}}),
            "bad schema",
            Some("invalid_request_error"),
        ),
        (json!({"error": {"code": 500, "message": "boom"}}), "boom", Some("500")),
        (json!({"error": "model not found"}), "model not found", None),
        (json!({"object": "error", "message": "too long", "code": 400}), "too long", Some("400")),
        (json!({"error": {"detail": "x"}}), r#"{"detail":"x"}"#, None),
    ] {
        match calls(&body.to_string()) {
            Err(IntakeError::Provider { message: text, code: word }) => {
                assert_eq!((text.as_str(), word.as_deref()), (message, code));
            }
            other => panic!("{body}: {other:?}"),
        }
        assert!(matches!(assistant(&body.to_string()), Err(IntakeError::Provider { .. })));
    }
    assert!(
        calls(&json!({"error": null, "choices": [{"message": {"content": "x"}}]}).to_string())
            .is_ok()
    );
}

#[test]
fn what_is_no_response_is_an_error_with_its_place() {
    for (body, expected) in [
        (json!({"choices": []}), "the response holds no choice"),
        (json!({"detail": "Not Found"}), "in the response, `choices` is absent, not an array"),
        (json!({"choices": {}}), "in the response, `choices` is an object, not an array"),
        (json!({"choices": [null]}), "in the response, `choices[0]` is null, not an object"),
        (
            json!({"choices": [{"text": "x"}]}),
            "in the response, `choices[0].message` is absent, not an object",
        ),
        (
            json!({"choices": [{"message": {"tool_calls": {}}}]}),
            "in the response, `choices[0].message.tool_calls` is an object, not an array",
        ),
        (
            json!({"choices": [{"message": {"tool_calls": [1]}}]}),
            "in the response, `choices[0].message.tool_calls[0]` is a number, not an object",
        ),
        (
            json!({"choices": [{"message": {"tool_calls": [{"function": "f"}]}}]}),
            "in the response, `choices[0].message.tool_calls[0].function` is a string, not an object",
        ),
        (
            json!({"choices": [{"message": {"tool_calls": [{"function": {"name": 1}}]}}]}),
            "in the response, `choices[0].message.tool_calls[0].function.name` is a number, not a string",
        ),
        (
            json!({"choices": [{"message": {"function_call": true}}]}),
            "in the response, `choices[0].message.function_call` is a boolean, not an object",
        ),
        (
            json!({"choices": [{"message": {}, "finish_reason": 1}]}),
            "in the response, `choices[0].finish_reason` is a number, not a string",
        ),
    ] {
        assert_eq!(calls(&body.to_string()).unwrap_err().to_string(), expected);
        assert_eq!(assistant(&body.to_string()).unwrap_err().to_string(), expected);
    }
    let twice =
        r#"{"choices":[{"message":{"tool_calls":[],"tool_calls":[{"function":{"name":"x"}}]}}]}"#;
    assert!(matches!(calls(twice), Err(IntakeError::DuplicateKey { .. })));
    assert!(matches!(calls("<html>"), Err(IntakeError::NotJson { .. })));
}

#[test]
fn one_message_for_each_reply_in_order() {
    let reply = |id: &str, text: &'static str| {
        let mut reply = ToolReply::not_run(Code::Denied, text);
        reply.id = Some(id.into());
        reply
    };
    let turn = Turn { replies: vec![reply("b", "no"), reply("a", "never"), reply("c", "")] };
    assert_eq!(
        results(&turn),
        [
            json!({"role": "tool", "tool_call_id": "b", "content": "no"}),
            json!({"role": "tool", "tool_call_id": "a", "content": "never"}),
            json!({"role": "tool", "tool_call_id": "c", "content": ""}),
        ] as [Value; 3]
    );
}

#[test]
fn a_text_that_was_cut_is_told() {
    let said = json!({"role": "assistant", "content": "It is sn"});
    for (reason, told) in [
        (json!("length"), Some("length")),
        (json!("content_filter"), Some("content_filter")),
        (json!("stop"), None),
        (json!(""), None),
        (json!(null), None),
    ] {
        assert_eq!(cut(&response(said.clone(), reason)).unwrap().as_deref(), told);
    }
    assert_eq!(cut(&with_calls(json!([]))).unwrap(), None);
    assert!(cut("{}").is_err());
}

#[test]
fn many_arguments_given_as_objects_are_read_as_they_stand() {
    // Would take minutes if the body were read again for each.
    let entries =
        (0..4_000).map(|at| entry(&format!("c{at}"), "a", json!({"at": at, "x": [1.50]})));
    let (calls, _) = read(&with_calls(Value::Array(entries.collect())));
    assert_eq!(calls.len(), 4_000);
    assert_eq!(calls[3_999].arguments(), r#"{"at":3999,"x":[1.5]}"#);
}
