//! Turns of a model, from response to messages.

use serde_json::{Value, json};
use toolkit::dialect::openai_chat::{self, Stream};
use toolkit::testing::{HumanDecision, Probe, ScriptedModel, Step};
use toolkit::{Code, Toolkit, Turn};

use crate::tools::{model, toolkit};

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn response(finish_reason: &str, calls: &[Value]) -> String {
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]})
        .to_string()
}

/// One turn of a loop, held to what every provider wants: each call has its message, right after.
async fn turn(toolkit: &Toolkit, response: &str, messages: &mut Vec<Value>) -> Turn {
    let assistant = openai_chat::assistant(response).unwrap();
    let turn = toolkit.turn(&model(), openai_chat::calls(response).unwrap()).await;
    let results = openai_chat::results(&turn);
    let asked: Vec<Value> = assistant["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| one["id"].clone())
        .collect();
    let answered: Vec<Value> = results.iter().map(|one| one["tool_call_id"].clone()).collect();
    assert_eq!(asked, answered);
    for result in &results {
        assert_eq!(result["role"], "tool");
        assert!(result["content"].is_string());
    }
    messages.push(assistant);
    messages.extend(results);
    turn
}

fn codes(turn: &Turn) -> Vec<Code> {
    turn.replies().iter().map(toolkit::ToolReply::code).collect()
}

#[tokio::test]
async fn every_way_out_gives_one_message() {
    let probe = Probe::new();
    let toolkit = toolkit(&probe);
    let text = response(
        "tool_calls",
        &[
            call("call_ok", "kb__search", r#"{"query":"refund","limit":null,"filters":null}"#),
            call("call_unknown", "functions.kb__search", "{}"),
            call("call_malformed", "kb__search", r#"{"query":"#),
            call("call_invalid", "kb__search", r#"{"query":"x","limit":"many"}"#),
            call("call_denied", "ticket__delete", r#"{"ticket":1042}"#),
            call("call_slow", "odd__sleep", ""),
            call("call_panic", "odd__panic", "{}"),
            call("call_ok", "clock__now", "null"),
            call("", "kb.search", r#"{"query":"dotted"}"#),
        ],
    );
    let mut messages = Vec::new();
    let turn = turn(&toolkit, &text, &mut messages).await;
    assert_eq!(
        codes(&turn),
        [
            Code::Ok,
            Code::UnknownTool,
            Code::MalformedArguments,
            Code::InvalidArguments,
            Code::Rejected,
            Code::TimedOut,
            Code::Defect,
            Code::Ok,
            Code::Ok,
        ]
    );
    assert_eq!(probe.entered(), 5);
    assert_eq!(messages.len(), 10);
    assert_eq!(messages[1]["content"], "refund: 5 articles, 0 filters");
    assert_eq!(messages[8]["content"], "12:00");
    // What goes back is what the API takes: names, and arguments that can be read.
    for one in messages[0]["tool_calls"].as_array().unwrap() {
        let arguments = one["function"]["arguments"].as_str().unwrap();
        assert!(
            serde_json::from_str::<serde_json::Map<String, Value>>(arguments).is_ok(),
            "{arguments}"
        );
        assert!(!one["function"]["name"].as_str().unwrap().contains('.'));
    }
}

#[tokio::test]
async fn a_cut_response_runs_nothing() {
    let probe = Probe::new();
    let toolkit = toolkit(&probe);
    let calls = [call("a", "clock__now", "{}"), call("b", "kb__search", r#"{"query":"ref"#)];
    for reason in ["length", "content_filter", "error", "something_new"] {
        let mut messages = Vec::new();
        let turn = turn(&toolkit, &response(reason, &calls), &mut messages).await;
        assert_eq!(codes(&turn), [Code::IncompleteCall, Code::IncompleteCall], "{reason}");
        assert_eq!(messages.len(), 3);
    }
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn a_stream_runs_when_it_is_over_and_not_before() {
    let probe = Probe::new();
    let toolkit = toolkit(&probe);
    let pieces = [r#"{"query""#, r#":"refund"}"#];
    let chunk = |delta: Value, reason: Value| {
        json!({"choices": [{"delta": delta, "finish_reason": reason}]}).to_string()
    };
    for (ends, code) in [(true, Code::Ok), (false, Code::IncompleteCall)] {
        let mut stream = Stream::new();
        for (at, piece) in pieces.iter().enumerate() {
            let mut entry = json!({"index": 0, "function": {"arguments": piece}});
            if at == 0 {
                entry["id"] = json!("call_1");
                entry["function"]["name"] = json!("kb__search");
            }
            stream
                .push(&format!("data: {}", chunk(json!({"tool_calls": [entry]}), json!(null))))
                .unwrap();
        }
        if ends {
            stream.push(&chunk(json!({}), json!("tool_calls"))).unwrap();
        }
        let turn = turn(&toolkit, &stream.finish(), &mut Vec::new()).await;
        assert_eq!(codes(&turn), [code]);
    }
    assert_eq!(probe.entered(), 1);
}

#[tokio::test]
async fn a_script_plays_a_whole_conversation() {
    let lines = [
        json!({"user": "Where is my refund?"}).to_string(),
        response("tool_calls", &[call("call_1", "kb__search", r#"{"query":"refund"}"#)]),
        response("tool_calls", &[call("call_2", "ticket__delete", r#"{"ticket":1042}"#)]),
        json!({"human": {"deny": "last"}}).to_string(),
        json!({"choices": [{"message": {"role": "assistant", "content": "It is on its way."},
            "finish_reason": "stop"}]})
        .to_string(),
    ];
    let probe = Probe::new();
    let toolkit = toolkit(&probe);
    let tools = toolkit.catalog(&model()).openai_chat();
    let mut script = ScriptedModel::from_jsonl(&lines.join("\n")).unwrap();
    let mut messages = Vec::new();
    let mut denied = 0;
    while let Some(step) = script.peek().cloned() {
        match step {
            Step::User(text) => messages.push(json!({"role": "user", "content": text})),
            Step::Human(decision) => {
                assert_eq!(decision, HumanDecision::Deny);
                denied += 1;
            }
            Step::Response(_) => {
                let request = json!({"model": "scripted", "messages": messages, "tools": tools});
                let response = script.respond(request).unwrap();
                turn(&toolkit, &response, &mut messages).await;
                continue;
            }
            other => panic!("{other:?}"),
        }
        script.next();
    }
    assert_eq!((denied, probe.entered()), (1, 1));
    let roles: Vec<&str> = messages.iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool", "assistant"]);
    assert_eq!(messages[5]["content"], "It is on its way.");
    let requests = script.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(
        requests[0]["tools"].as_array().unwrap().len(),
        7,
        "the text of the catalog is JSON"
    );
    assert_eq!(requests[2]["messages"].as_array().unwrap().len(), 5);
}
