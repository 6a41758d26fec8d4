//! Confirming: who may, what is asked again, and what an edit may change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use toolkit::prelude::*;
use toolkit::store::DraftState;
use toolkit::{Executed, HookCall};

use super::{Post, SENT, cancelled, model, person};

#[tokio::test]
async fn a_person_confirms_and_it_is_sent() {
    let post = Post::new();
    let id = post.drafted().await;
    let reply = post.toolkit.confirm(&person(), &id).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Ok, Executed::Yes));
    assert_eq!((reply.text(), reply.tool()), ("posted", Some("letter.write")));
    assert_eq!(reply.draft_id(), Some(id.as_str()));
    assert_eq!(post.outbox.sent(), [SENT]);
    let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
    let DraftState::Done(end) = draft.state else { panic!("{:?}", draft.state) };
    assert_eq!((end.decided.by.as_deref(), end.code), (Some("grace"), Code::Ok));
}

#[tokio::test]
async fn only_a_person_confirms_or_withdraws() {
    let post = Post::new();
    let id = post.drafted().await;
    for cx in [model(), CallContext::plan().session("s-1")] {
        for reply in [post.toolkit.confirm(&cx, &id).await, post.toolkit.withdraw(&cx, &id).await] {
            assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
            assert!(reply.text().starts_with("only a person may"), "{}", reply.text());
        }
    }
    assert!(post.outbox.sent().is_empty());
    assert_eq!(post.toolkit.confirm(&person(), &id).await.code(), Code::Ok);
}

/// Confirm a draft of one's own, which no tool may.
#[tool(name = "letter.trick")]
async fn trick(
    /// The draft.
    draft: String,
    #[state] toolkit: &Arc<std::sync::OnceLock<Toolkit>>,
    #[context] cx: &CallContext,
) -> String {
    toolkit.get().unwrap().confirm(cx, &draft).await.text().to_owned()
}

#[tokio::test]
async fn a_body_that_a_person_called_is_no_person() {
    let own = Arc::new(std::sync::OnceLock::new());
    let state = Arc::clone(&own);
    let post = Post::with(|builder| builder.only([id(trick)]).state(state));
    own.set(post.toolkit.clone()).ok().unwrap();
    let draft = post.drafted().await;
    let call = ToolCall::json("letter.trick", &json!({"draft": draft})).unwrap();
    let reply = post.toolkit.call(&person(), call).await;
    assert_eq!(
        reply.text(),
        "only a person may confirm a draft, and a running tool can't decide for one"
    );
    assert!(post.outbox.sent().is_empty());
}

#[tokio::test]
async fn a_draft_is_of_its_session_and_of_no_other() {
    let post = Post::new();
    let id = post.drafted().await;
    let others = [person().session("s-2"), CallContext::human().principal("grace")];
    for cx in &others {
        for (reply, of) in [
            (post.toolkit.confirm(cx, &id).await, id.as_str()),
            (post.toolkit.withdraw(cx, &id).await, id.as_str()),
            (post.toolkit.confirm(&person(), "draft-0").await, "draft-0"),
        ] {
            assert_eq!((reply.code(), reply.executed()), (Code::InvalidArguments, Executed::No));
            assert_eq!(reply.text(), format!("there is no draft `{of}` in this session"));
        }
        assert!(post.toolkit.draft(cx, &id).await.unwrap().is_none());
        assert!(post.toolkit.drafts(cx).await.unwrap().is_empty());
    }
    assert!(post.outbox.sent().is_empty());
}

#[tokio::test]
async fn the_rules_are_asked_again() {
    let on = Arc::new(AtomicBool::new(true));
    let allowed = Arc::clone(&on);
    let post = Post::with(|builder| {
        builder.guard(guard("post_office", move |call: HookCall<'_>| {
            Ok(match (call.draft(), allowed.load(Ordering::Relaxed)) {
                (Some(_), false) => Ruling::Deny("it is closed".into()),
                // That it asks for a person is answered by the one who confirms.
                (Some(_), true) => Ruling::Ask("is it stamped?".into()),
                (None, _) => Ruling::Pass,
            })
        }))
    });
    let id = post.drafted().await;
    on.store(false, Ordering::Relaxed);
    let reply = post.toolkit.confirm(&person(), &id).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
    assert_eq!(reply.text(), "`letter.write` was not run: it is closed");
    // A ceiling below, as for any call.
    let reply = post.toolkit.confirm(&person().ceiling(Risk::Write), &id).await;
    assert_eq!(reply.code(), Code::AboveCeiling);
    assert!(post.outbox.sent().is_empty());
    on.store(true, Ordering::Relaxed);
    assert_eq!(post.toolkit.confirm(&person(), &id).await.code(), Code::Ok);
    assert_eq!(post.outbox.sent(), [SENT]);
}

#[tokio::test]
async fn a_guard_sees_what_was_asked_for_and_what_would_be_sent() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let post = Post::with(|builder| {
        builder.guard(guard("clerk", move |call: HookCall<'_>| {
            let draft = call.draft().map(str::to_owned);
            kept.lock().unwrap().push((call.arguments().to_owned(), draft));
            Ok(Ruling::Pass)
        }))
    });
    let id = post.drafted().await;
    post.toolkit.confirm_edited(&person(), &id, &json!({"to": "bob", "body": "hi"})).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], (r#"{"to": "ada", "body": "hello"}"#.to_owned(), None));
    let edited = r#"{"to":"bob","body":"hi"}"#.to_owned();
    assert_eq!(seen[1], (r#"{"body":"hello","to":"ada"}"#.to_owned(), Some(edited)));
}

#[tokio::test]
async fn a_policy_that_forbids_a_person_to_send_stands() {
    let policy = Policy::new().drafts().set(Origin::Human, Risk::Send, Verdict::Deny);
    let post = Post::with(|builder| builder.policy(policy));
    let id = post.drafted().await;
    assert_eq!(post.toolkit.confirm(&person(), &id).await.code(), Code::Denied);
    assert!(post.outbox.sent().is_empty());
}

/// Draft a letter that only one desk may send.
#[tool(name = "letter.flagged", risk = "send", flag = "letters", scopes = ["desk"])]
fn flagged(#[state] fate: &super::Fate) -> Draft<super::Letter> {
    Draft::new(super::Letter { to: fate.get().to_owned(), body: String::new() })
}

#[tokio::test]
async fn flag_and_scope_hold_at_the_confirmation() {
    let post = Post::with(|builder| builder.only([id(flagged)]));
    let cx = model().flag("letters").scope("desk");
    let reply = post.toolkit.call(&cx, ToolCall::new("letter.flagged", "")).await;
    let id = reply.draft_id().unwrap();
    for (cx, code) in [
        (person(), Code::FlagOff),
        (person().flag("letters"), Code::OutOfScope),
        (person().flag("letters").scope("chat"), Code::OutOfScope),
    ] {
        let reply = post.toolkit.confirm(&cx, id).await;
        assert_eq!((reply.code(), reply.executed()), (code, Executed::No));
    }
    assert!(post.outbox.sent().is_empty());
    let cx = person().flag("letters").scope("desk");
    assert_eq!(post.toolkit.confirm(&cx, id).await.code(), Code::Ok);
}

#[tokio::test]
async fn an_edit_is_read_like_the_draft() {
    let post = Post::new();
    let id = post.drafted().await;
    for edit in [json!({"to": "ada"}), json!([]), json!(null), json!({"to": 1, "body": ""})] {
        let reply = post.toolkit.confirm_edited(&person(), &id, &edit).await;
        assert_eq!((reply.code(), reply.executed()), (Code::InvalidArguments, Executed::No));
        assert!(reply.text().contains("as it was edited it can't be sent"), "{}", reply.text());
    }
    let huge = json!({"to": "ada", "body": "a".repeat(toolkit::MAX_DRAFT)});
    let reply = post.toolkit.confirm_edited(&person(), &id, &huge).await;
    assert_eq!(reply.code(), Code::InvalidArguments);
    assert!(post.outbox.sent().is_empty());
    let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
    assert_eq!((draft.state, draft.edited), (DraftState::Pending, false));

    let edit = json!({"to": "bob", "body": "hi"});
    assert_eq!(post.toolkit.confirm_edited(&person(), &id, &edit).await.code(), Code::Ok);
    assert_eq!(post.outbox.sent(), ["bob: hi (grace)"]);
    let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
    assert_eq!((draft.value.as_str(), draft.edited), (r#"{"body":"hi","to":"bob"}"#, true));
}

/// A transfer to somebody outside.
#[derive(serde::Serialize, serde::Deserialize)]
struct Transfer {
    amount: Option<f64>,
}

/// Draft a transfer to somebody outside.
#[tool(name = "letter.pay", risk = "send")]
fn pay() -> Draft<Transfer> {
    Draft::new(Transfer { amount: Some(1.5) })
}

#[commit]
fn transfer(transfer: Confirmed<Transfer>) -> String {
    format!("{:?}", transfer.get().amount)
}

/// An edit whose author made a mistake.
struct Broken;

impl serde::Serialize for Broken {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("no words")
    }
}

#[tokio::test]
async fn an_edit_that_is_no_json_is_not_sent_as_something_else() {
    let post = Post::with(|builder| builder.only([id(pay)]));
    let reply = post.toolkit.call(&model(), ToolCall::new("letter.pay", "")).await;
    let id = reply.draft_id().unwrap();
    let edit = Transfer { amount: Some(f64::NAN) };
    let reply = post.toolkit.confirm_edited(&person(), id, &edit).await;
    assert_eq!((reply.code(), reply.executed()), (Code::InvalidArguments, Executed::No));
    let reply = post.toolkit.confirm_edited(&person(), id, &Broken).await;
    assert_eq!((reply.code(), reply.executed()), (Code::InvalidArguments, Executed::No));
    assert!(reply.text().ends_with("no words"), "{}", reply.text());
    assert_eq!(post.toolkit.confirm(&person(), id).await.text(), "Some(1.5)");
}

#[tokio::test]
async fn a_tool_that_is_gone_or_has_changed_sends_nothing() {
    let post = Post::with(|builder| builder.only([]));
    let registered = post.toolkit.register(flagged).unwrap();
    let cx = model().flag("letters").scope("desk");
    let reply = post.toolkit.call(&cx, ToolCall::new("letter.flagged", "")).await;
    let id = reply.draft_id().unwrap();
    drop(registered);
    let cx = person().flag("letters").scope("desk");
    let gone = post.toolkit.confirm(&cx, id).await;
    assert_eq!(
        (gone.code(), gone.text()),
        (Code::Denied, "`letter.flagged` is no tool here any more; nothing was sent")
    );
    let _registered = post.toolkit.register(flagged).unwrap();
    assert_eq!(post.toolkit.confirm(&cx, id).await.code(), Code::Ok);
}

#[tokio::test]
async fn after_a_shutdown_and_a_cancellation_nothing_is_sent() {
    let post = Post::new();
    let id = post.drafted().await;
    let reply = post.toolkit.confirm(&cancelled(person()), &id).await;
    assert_eq!((reply.code(), reply.executed()), (Code::CancelledBeforeStart, Executed::No));
    post.toolkit.shutdown().await;
    assert_eq!(post.toolkit.confirm(&person(), &id).await.code(), Code::Busy);
    assert!(post.outbox.sent().is_empty());
    let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
    assert_eq!(draft.state, DraftState::Pending);
}
