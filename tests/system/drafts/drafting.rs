//! Drafting: nothing is sent, whatever becomes of the body.

use toolkit::prelude::*;
use toolkit::store::{DraftState, Memory};
use toolkit::{Executed, TypedTool};

use super::{Post, cancelled, model, person};

/// Have a letter written by another tool.
#[tool(name = "letter.dictate")]
pub(super) async fn nested(#[context] cx: &CallContext) -> String {
    let call = ToolCall::new("letter.write", r#"{"to": "ada", "body": "dictated"}"#);
    let reply = cx.call(call).await;
    format!("{} {}", reply.code(), reply.draft_id().unwrap_or_default())
}

#[tokio::test]
async fn a_draft_is_shown_kept_and_not_sent() {
    let post = Post::new();
    let reply = post.call(&model()).await;
    let id = reply.draft_id().unwrap();
    assert_eq!((reply.code(), reply.executed()), (Code::NeedsConfirmation, Executed::No));
    assert!(!reply.code().is_error() && !reply.code().retryable());
    assert!(!reply.code().counts_as_failure());
    assert_eq!(
        reply.text(),
        format!(
            "`letter.write` sent nothing: {id} waits for a person to confirm it; say so, and don't \
             call it again for this\n{{\"to\":\"ada\",\"body\":\"hello\"}}"
        )
    );
    assert_eq!((post.probe.entered(), post.outbox.sent().len()), (1, 0));
    let draft = post.toolkit.draft(&person(), id).await.unwrap().unwrap();
    assert_eq!(draft.state, DraftState::Pending);
    assert_eq!(draft.value, r#"{"body":"hello","to":"ada"}"#);
    assert_eq!((draft.tool.as_str(), draft.origin), ("letter.write", Origin::Model));
    assert_eq!(draft.principal.as_deref(), Some("agent"));
    assert_eq!(post.toolkit.drafts(&person()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn each_draft_has_an_id_of_its_own_and_a_turn_that_is_made_again_drafts_nothing_new() {
    let post = Post::new();
    let draft = async |cx: &CallContext| {
        let call = ToolCall::new("letter.write", r#"{"to": "ada", "body": "hello"}"#).id("call_1");
        post.toolkit.turn(cx, [call]).await.replies()[0].draft_id().unwrap().to_owned()
    };
    let cx = model().turn(1);
    let first = draft(&cx).await;
    assert_eq!(draft(&cx).await, first);
    assert_ne!(draft(&model().turn(2)).await, first);
    assert_ne!(draft(&model()).await, draft(&model()).await);
    assert_eq!(post.toolkit.drafts(&person()).await.unwrap().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_to_a_draft_has_no_effect() {
    for (fate, code) in [
        ("drafting fails", Code::Failed),
        ("drafting panics", Code::Defect),
        ("drafting hangs", Code::TimedOut),
    ] {
        let post = Post::new();
        post.fate.set(fate);
        let reply = post.call(&model()).await;
        assert_eq!((reply.code(), reply.executed()), (code, Executed::No), "{fate}");
        assert_eq!(reply.draft_id(), None);
        assert!(post.toolkit.drafts(&person()).await.unwrap().is_empty());
    }
    let post = Post::new();
    let reply = post.call(&cancelled(model())).await;
    assert_eq!((reply.code(), post.probe.entered()), (Code::CancelledBeforeStart, 0));
}

#[tokio::test]
async fn whoever_may_not_draft_is_told_as_of_any_tool() {
    // By default a model knows of nothing that sends, and a plan is refused.
    let post = Post::with(|builder| builder.policy(Policy::default()));
    for (cx, code) in [
        (CallContext::model(), Code::UnknownTool),
        (CallContext::plan(), Code::Denied),
        (CallContext::human(), Code::NeedsConfirmation),
    ] {
        let shown = post.toolkit.catalog(&cx).find("letter.write").is_some();
        assert_eq!(shown, code == Code::NeedsConfirmation);
        assert_eq!(post.call(&cx).await.code(), code);
    }
    assert_eq!(post.probe.entered(), 1);
    // A read-only exit neither shows it nor calls it, whatever the policy.
    let post = Post::new();
    let read_only = post.toolkit.read_only();
    assert!(read_only.catalog(&person()).find("letter.write").is_none());
    let call = ToolCall::new("letter.write", r#"{"to": "ada", "body": "hello"}"#);
    assert_eq!(read_only.call(&person(), call).await.code(), Code::UnknownTool);
    assert_eq!(post.probe.entered(), 0);
}

#[tokio::test]
async fn a_nested_call_drafts_for_the_session_around_it() {
    let post = Post::new();
    let reply = post.toolkit.call(&model(), ToolCall::new("letter.dictate", "")).await;
    let id = reply.text().strip_prefix("needs_confirmation ").unwrap().to_owned();
    assert_eq!(post.outbox.sent().len(), 0);
    assert_eq!(post.toolkit.confirm(&person(), &id).await.text(), "posted");
    assert_eq!(post.outbox.sent(), ["ada: dictated (grace)"]);
}

#[tokio::test]
async fn a_store_without_room_refuses_rather_than_forget() {
    let store = Memory::with_capacity(2);
    let post = Post::with(|builder| builder.store(store.clone()));
    let first = post.drafted().await;
    let second = post.drafted().await;
    let reply = post.call(&model()).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
    assert_eq!(reply.text(), "`letter.write` sent nothing: its draft can't be kept now; try later");
    // One that has come to its end makes room; one that waits stays.
    assert_eq!(post.toolkit.withdraw(&person(), &first).await.code(), Code::Withdrawn);
    let third = post.drafted().await;
    let kept: Vec<_> =
        post.toolkit.drafts(&person()).await.unwrap().into_iter().map(|draft| draft.id).collect();
    assert_eq!(kept, [second, third]);
}

#[tokio::test]
async fn a_turn_with_a_draft_must_stop() {
    let post = Post::new();
    let good = || ToolCall::new("letter.write", r#"{"to": "ada", "body": "hello"}"#);
    let bad = || ToolCall::new("letter.write", "{}");
    assert!(!post.toolkit.turn(&model(), [bad()]).await.must_stop());
    let turn = post.toolkit.turn(&model(), [bad(), good()]).await;
    assert!(turn.must_stop());
}

#[tokio::test]
async fn a_long_draft_is_shown_within_the_budget() {
    let post = Post::with(|builder| builder.output_budget(400));
    let body = "ä".repeat(5_000);
    let call = ToolCall::json("letter.write", &serde_json::json!({"to": "ada", "body": body}));
    let reply = post.toolkit.call(&model(), call.unwrap()).await;
    assert_eq!(reply.code(), Code::NeedsConfirmation);
    assert!(reply.text().chars().count() <= 400, "{}", reply.text());
    assert!(reply.text().contains(reply.draft_id().unwrap()));
    post.toolkit.confirm(&person(), reply.draft_id().unwrap()).await;
    assert_eq!(post.outbox.sent(), [format!("ada: {body} (grace)")]);
}

#[test]
fn a_closure_cannot_send() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let tool = TypedTool::new(
        "letter.burn",
        "Burn a letter.",
        Risk::Send,
        |_: Nothing, _: CallContext| async { Ok::<_, ToolError>(()) },
    );
    let error = Toolkit::builder().only([]).tool(tool).build().unwrap_err();
    assert!(error.to_string().contains("can't send"), "{error}");
}

#[test]
fn the_states_of_what_delivers_are_missed_at_the_start() {
    let error = Toolkit::builder().only([id(super::write)]).build().unwrap_err().to_string();
    for state in ["Outbound<", "Fate", "Probe"] {
        assert!(error.contains(state), "{error}");
    }
}

/// A card to somebody outside.
#[derive(serde::Serialize, serde::Deserialize)]
struct Card {
    to: String,
    /// Written, and never read back.
    #[serde(skip_deserializing)]
    copies: Vec<String>,
}

/// Draft a card to somebody outside and to others.
#[tool(name = "card.write", risk = "send")]
fn card() -> Draft<Card> {
    Draft::new(Card { to: "ada".to_owned(), copies: vec!["bob".to_owned()] })
}

fn card_in_words(card: &Card) -> String {
    format!("to {} and {} others", card.to, card.copies.len())
}

/// Draft a card to somebody outside and to others, shown in words.
#[tool(name = "card.say", risk = "send", render = card_in_words)]
fn worded_card(
    /// Who else gets it, e.g. `bob`.
    copies: Vec<String>,
) -> Draft<Card> {
    Draft::new(Card { to: "ada".to_owned(), copies })
}

#[commit]
fn post_card(card: Confirmed<Card>) -> String {
    card_in_words(card.get())
}

#[tokio::test]
async fn a_person_reads_what_would_be_sent() {
    let post = Post::with(|builder| builder.only([id(card)]));
    let reply = post.toolkit.call(&model(), ToolCall::new("card.write", "")).await;
    let id = reply.draft_id().unwrap();
    let draft = post.toolkit.draft(&person(), id).await.unwrap().unwrap();
    let sent = post.toolkit.confirm(&person(), id).await;
    assert_eq!(sent.text(), "to ada and 0 others");
    assert_eq!(draft.value, r#"{"copies":[],"to":"ada"}"#);
}

#[tokio::test]
async fn words_that_are_not_of_what_would_be_sent_are_shown_to_nobody_who_confirms() {
    let post = Post::with(|builder| builder.only([id(worded_card)]));
    for (copies, words) in [("[]", Some("to ada and 0 others")), (r#"["bob"]"#, None)] {
        let call = ToolCall::new("card.say", format!(r#"{{"copies": {copies}}}"#));
        let reply = post.toolkit.call(&model(), call).await;
        let id = reply.draft_id().unwrap();
        let draft = post.toolkit.draft(&person(), id).await.unwrap().unwrap();
        assert_eq!(draft.text.as_deref(), words);
        let sent = post.toolkit.confirm(&person(), id).await;
        assert_eq!(sent.text(), "to ada and 0 others");
    }
}
