//! Scripts: what a model is made to say, and what a test says of what it was shown.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::testing::{
    Ended, HumanDecision, Played, Probe, Says, ScriptError, ScriptedModel, Shown,
};

use crate::tools::{model, toolkit};

/// What a failing assertion prints.
fn failure<T>(assertion: impl FnOnce() -> T) -> String {
    let panicked = catch_unwind(AssertUnwindSafe(|| drop(assertion()))).unwrap_err();
    *panicked.downcast::<String>().unwrap()
}

/// What a model was shown by these requests.
fn shown(requests: &[Value]) -> Shown {
    let mut model = ScriptedModel::openai_chat();
    for request in requests {
        model.respond(request.clone());
    }
    model.shown()
}

async fn play(script: ScriptedModel) -> (Played, usize) {
    let probe = Probe::new();
    let played = script.run(&toolkit(&probe), &model()).await;
    (played, probe.entered())
}

#[tokio::test]
async fn all_that_a_provider_sends_is_played() {
    let search = |query: &str| json!({"query": query, "limit": null, "filters": null});
    let script = ScriptedModel::openai_chat()
        .user("Where is my refund?")
        .says(
            Says::new()
                .text("I look.")
                .call("kb__search", search("wire"))
                .call("kb.search", search("dotted"))
                .call("billing__refund", json!({}))
                .call_text("kb__search", r#"{"query": "bro"#)
                .call("kb__search", search("twice"))
                .id("call_1_0"),
        )
        .says(Says::new().call_text("kb__search", r#"{"query": "cu"#).cut())
        .says(Says::new().call("clock__now", json!({})).ends("content_filter"))
        .says(Says::new().refuses("I can't help with that."))
        .user("Why?")
        .says(Says::new().text("No word more."));
    let (played, entered) = play(script).await;
    assert_eq!(entered, 3, "{played}");
    played.assert_over().assert_codes([
        Code::Ok,
        Code::Ok,
        Code::UnknownTool,
        Code::MalformedArguments,
        Code::Ok,
        Code::IncompleteCall,
        Code::IncompleteCall,
    ]);
    assert_eq!(played.turns().len(), 3);
    let shown = played.shown();
    shown.assert_answered().assert_showed("dotted: 5 articles").assert_never_showed("s3cr3t");
    assert_eq!(shown.requests().len(), 5);
    let ids: Vec<_> = shown.last().messages()[1].calls.iter().map(|call| call.id.clone()).collect();
    let unique: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "an id that is repeated becomes one of its own: {ids:?}");
    let roles: Vec<_> = shown.last().messages().iter().map(|one| one.role.as_str()).collect();
    let tools = ["tool"; 5];
    let expected =
        [&["user", "assistant"], &tools[..], &["assistant", "tool"], &["assistant", "tool"]];
    assert_eq!(roles, [&expected.concat()[..], &["assistant", "user"]].concat());
    let text = played.to_string();
    for part in [
        "user       Where is my refund?\nmodel      I look.\nmodel      calls kb__search {",
        "reply      ok: wire: 5 articles, 0 filters\n",
        "reply      incomplete_call: ",
        "end        the model has said the last word",
    ] {
        assert!(text.contains(part), "{part} isn't in\n{text}");
    }
}

#[tokio::test]
async fn a_body_is_the_providers() {
    let says = Says::new().text("T").call("a", json!({"x": 1})).call_text("b", "{");
    let mut model = ScriptedModel::openai_chat()
        .says(Says::new())
        .says(says)
        .says(Says::new().refuses("No."))
        .says(Says::new().text("cu").cut());
    let mut body =
        || -> Value { serde_json::from_str(&model.respond(json!({})).unwrap()).unwrap() };
    assert_eq!(body()["choices"][0]["finish_reason"], "stop");
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    assert_eq!(
        body()["choices"][0],
        json!({
            "index": 0,
            "message": {
                "role": "assistant", "content": "T", "refusal": null, "annotations": [],
                "tool_calls": [call("call_2_0", "a", r#"{"x":1}"#), call("call_2_1", "b", "{")],
            },
            "logprobs": null,
            "finish_reason": "tool_calls",
        })
    );
    let refused = body();
    assert_eq!(refused["choices"][0]["message"]["refusal"], "No.");
    assert_eq!(refused["object"], "chat.completion");
    assert_eq!(body()["choices"][0]["finish_reason"], "length");
}

#[tokio::test]
async fn a_script_ends_as_it_ends() {
    let call = || Says::new().call("clock__now", json!({}));
    let (played, _) = play(ScriptedModel::openai_chat().says(call())).await;
    assert!(matches!(played.ended(), Ended::Unanswered));
    // It was asked once more, so that the reply was shown.
    played.shown().last().assert_showed("12:00");
    let text = failure(|| {
        played.assert_over();
    });
    assert!(text.starts_with("the script isn't over: the model owes an answer\n\nmodel"), "{text}");

    let down = r#"{"error": {"message": "overloaded", "type": "server_error"}}"#;
    let (played, entered) = play(ScriptedModel::openai_chat().sends(down).says(call())).await;
    assert!(matches!(played.ended(), Ended::Unreadable(_)), "{played}");
    assert_eq!(entered, 0);

    let confirm = ScriptedModel::openai_chat().human(HumanDecision::Confirm);
    let (played, _) = play(confirm.clone()).await;
    assert!(matches!(played.ended(), Ended::NoPerson), "{played}");
    let (played, _) = play(confirm.person(CallContext::human())).await;
    assert!(matches!(played.ended(), Ended::NoDraft), "{played}");
    let (played, _) = play(ScriptedModel::openai_chat()).await;
    assert!(matches!(played.ended(), Ended::Over), "{played}");
    assert!(failure(|| played.shown().last().messages().len()).contains("was asked nothing"));
}

/// Delete a ticket with its whole history.
#[tool(name = "script.delete", risk = "destructive")]
async fn delete(
    /// Number of the ticket, e.g. `1042`.
    ticket: u32,
) -> String {
    format!("{ticket} is gone")
}

#[tokio::test]
async fn the_scripts_human_answers_what_is_asked() {
    let call = |ticket: u32| Says::new().call("script__delete", json!({"ticket": ticket}));
    let script = ScriptedModel::openai_chat()
        .says(call(1))
        .human(HumanDecision::Deny)
        .says(call(2))
        .human(HumanDecision::Approve)
        .says(call(3))
        .says(Says::new().text("Done."));
    let human = script.approver();
    let toolkit = Toolkit::builder().only([id(delete)]).approver(human.clone()).build().unwrap();
    let played = script.run(&toolkit, &CallContext::model().session("s")).await;
    played.assert_over().assert_codes([Code::Rejected, Code::Ok, Code::Denied]);
    assert_eq!(human.requests().len(), 3, "the third question was put, and nobody answered it");
    played.shown().assert_answered().assert_showed("2 is gone");
}

/// Draft a note to somebody. A person reads it before it is sent.
#[tool(name = "script.note", risk = "send")]
async fn note(
    /// The text, e.g. `See you at noon.`
    text: String,
) -> Draft<Note> {
    Draft::new(Note(text))
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Note(String);

#[commit]
async fn deliver(note: Confirmed<Note>) -> String {
    format!("sent: {}", note.get().0)
}

#[tokio::test]
async fn the_scripts_person_decides_on_drafts() {
    let says = |text: &str| Says::new().call("script__note", json!({"text": text}));
    let played = ScriptedModel::openai_chat()
        .says(says("first"))
        .says(says("second"))
        .human(HumanDecision::Withdraw)
        .human(HumanDecision::Confirm)
        .says(Says::new().text("Sent."))
        .person(CallContext::human().session("s").principal("ada"))
        .run(
            &Toolkit::builder()
                .only([id(note)])
                .policy(Policy::trusting().drafts())
                .build()
                .unwrap(),
            &CallContext::model().session("s"),
        )
        .await;
    played.assert_over().assert_codes([Code::NeedsConfirmation, Code::NeedsConfirmation]);
    let decided: Vec<_> = played.decided().iter().map(|one| (one.code(), one.text())).collect();
    assert_eq!(decided[0].0, Code::Withdrawn, "the last one: {played}");
    assert_eq!(decided[1], (Code::Ok, "sent: first"), "{played}");
}

#[tokio::test]
async fn what_is_offered_is_held_to_a_catalog() {
    let probe = Probe::new();
    let toolkit = toolkit(&probe);
    let catalog = toolkit.catalog(&model());
    let played = ScriptedModel::openai_chat().user("Hi").run(&toolkit, &model()).await;
    let request = played.shown().last();
    let names: Vec<_> = catalog.tools().map(|tool| tool.spec().name().to_owned()).collect();
    request.assert_offers(names.iter().rev()).assert_offers_catalog(&catalog);
    let search = request.tool("kb.search").unwrap();
    assert_eq!((&search.name[..], request.tool("kb__search")), ("kb__search", Some(search)));
    assert!(search.description.starts_with("Search"), "{search:?}");
    assert_eq!(search.schema["properties"]["query"]["type"], "string");

    let text = failure(|| request.assert_offers(["kb.search", "kb.invented"]).raw().clone());
    for part in [
        "the request offers other tools\n--- expected\n+++ got\n",
        "\n-kb__invented\n",
        "\n+clock__now\n",
        "\ntools      clock__now, ",
        "\nuser       Hi\n",
    ] {
        assert!(text.contains(part), "{part} isn't in\n{text}");
    }
    // A word of one description.
    let mut other = request.raw().clone();
    other["tools"][0]["function"]["description"] = json!("Tell the time.");
    let text = failure(|| shown(&[other]).last().assert_offers_catalog(&catalog).raw().clone());
    assert!(text.contains("+  Tell the time.\n"), "{text}");
}

#[test]
fn a_reply_that_is_not_one_to_each_call_fails() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "n", "arguments": "{}"}});
    let said = json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]});
    let reply = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    let user = json!({"role": "user", "content": "Hi"});
    let of = |messages: &[&Value]| shown(&[json!({"messages": messages})]);
    of(&[&user, &said, &reply("a"), &reply("b"), &user]).assert_answered();
    for (wrong, says) in [
        (of(&[&user, &said, &reply("a")]), "message 2: its calls and the replies to them differ"),
        (of(&[&said, &reply("b"), &reply("a")]), "message 1: its calls"),
        (of(&[&said, &reply("a"), &reply("b"), &reply("b")]), "message 1: its calls"),
        (of(&[&said, &reply("a"), &user, &reply("b")]), "message 1: its calls"),
        (of(&[&said, &reply("a"), &reply("c")]), "\n-b\n+c\n"),
        (of(&[&user, &reply("a")]), "message 1: its calls"),
        (of(&[&reply("a")]), "message 1 replies to no call"),
        (
            of(&[&json!({"content": "x"})]),
            "the provider would refuse the request: `messages[0]`: no text `role`",
        ),
        (shown(&[json!({"tools": []})]), "the provider would refuse the request"),
    ] {
        let text = failure(|| wrong.assert_answered().requests().len());
        assert!(text.contains(says), "{says} isn't in\n{text}");
    }
}

#[test]
fn a_secret_is_found_wherever_it_is() {
    let secret = "can\"ary";
    let inner = json!({"note": secret}).to_string();
    let call = json!({"id": "a", "function": {"name": "n", "arguments": inner.clone()}});
    let twice = json!({"text": inner}).to_string();
    let tool = json!({"function": {"name": "n", "parameters": {"properties": {(secret): {}}}}});
    for request in [
        json!({"messages": [{"role": "user", "content": format!("x{secret}y")}]}),
        json!({"messages": [{"role": "assistant", "tool_calls": [call]}]}),
        json!({"messages": [{"role": "tool", "tool_call_id": "a", "content": twice}]}),
        json!({"messages": [], "tools": [tool]}),
    ] {
        let shown = shown(&[json!({"messages": []}), request]);
        let text = failure(|| shown.assert_never_showed(secret).requests().len());
        assert!(text.starts_with("what must never be shown is in request 2 at "), "{text}");
        assert!(!text.contains(secret), "{text}");
        shown.assert_showed(secret).assert_never_showed("canary");
        let text = failure(|| shown.assert_showed("canary").requests().len());
        assert!(text.starts_with("the model was never shown `canary`\n\n"), "{text}");
    }
    let number = shown(&[json!({"messages": [], "seed": 90_210})]);
    assert!(failure(|| number.assert_never_showed("9021").requests().len()).contains("at seed"));
}

#[test]
fn a_server_of_a_test_gives_bodies_for_bodies() {
    let mut model = ScriptedModel::openai_chat().user("Hi").says(Says::new().text("Hello."));
    let request = r#"{"messages": []}"#;
    assert!(matches!(model.respond_to("{"), Err(ScriptError::Request(_))));
    // The user has the word.
    assert!(matches!(model.respond_to(request), Err(ScriptError::NoAnswer { request: 1 })));
    model.next();
    assert!(model.respond_to(request).unwrap().contains("Hello."));
    let error = model.respond_to(request).unwrap_err();
    assert_eq!(error.to_string(), "the script has no answer to request 3");
}
