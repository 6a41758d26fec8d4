//! What the operator hears of drafts, and what nobody may hear.

use std::sync::{Arc, Mutex};

use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::{Event, Executed};

use super::{Letter, Post, person};
use crate::support::Finished;

const CANARY: &str = "correct-horse-battery";

/// Draft a letter that holds a password.
#[tool(name = "letter.secret", risk = "send")]
pub(super) fn secret(
    /// The password.
    #[arg(secret)]
    password: String,
) -> Draft<Letter> {
    Draft::new(Letter { to: "ada".to_owned(), body: format!("it is {password}") })
}

/// Everything that is told, as JSON.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<serde_json::Value>>>);

impl Told {
    fn observer(&self) -> impl toolkit::Observer + 'static {
        let told = Arc::clone(&self.0);
        move |event: &Event| told.lock().unwrap().push(serde_json::to_value(event).unwrap())
    }

    fn events(&self) -> Vec<serde_json::Value> {
        self.0.lock().unwrap().clone()
    }

    fn kinds(&self) -> Vec<String> {
        self.events().iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn it_is_told_who_confirmed() {
    let (told, store) = (Told::default(), Memory::default());
    let post = Post::with(|builder| builder.observer(told.observer()).store(store.clone()));
    let id = post.drafted().await;
    post.toolkit.confirm(&person(), &id).await;
    // Those who come later confirm nothing.
    post.toolkit.confirm(&person(), &id).await;
    assert_eq!(told.kinds(), ["drafted", "call_finished", "draft_confirmed", "call_finished"]);
    let [drafted, made, confirmed, sent] = <[_; 4]>::try_from(told.events()).unwrap();
    assert_eq!(drafted["draft"], id.as_str());
    assert_eq!((&drafted["principal"], &drafted["by"]), (&"agent".into(), &().into()));
    assert_eq!(made["code"], "needs_confirmation");
    assert_eq!((&made["executed"], &made["draft"]["id"]), (&"no".into(), &id.as_str().into()));
    assert_eq!(made["draft"].get("confirmed_by"), None);
    assert_eq!((&confirmed["by"], &confirmed["draft"]), (&"grace".into(), &id.as_str().into()));
    assert_eq!((&sent["code"], &sent["executed"]), (&"ok".into(), &"yes".into()));
    assert_eq!((&sent["origin"], &sent["principal"]), (&"human".into(), &"grace".into()));
    let link = serde_json::json!({"id": id, "confirmed_by": "grace", "edited": false});
    assert_eq!(sent["draft"], link);
    assert_eq!(sent["arguments"], serde_json::json!({"to": "ada", "body": "hello"}));
    assert_eq!(sent["digest"], confirmed["digest"]);
    // An intent and an outcome for each of the two bodies.
    let ends: Vec<_> = store
        .records()
        .iter()
        .map(|record| record.ended.map(|ended| (ended.code, ended.executed)))
        .collect();
    assert_eq!(
        ends,
        [Some((Code::NeedsConfirmation, Executed::No)), Some((Code::Ok, Executed::Yes))]
    );
}

#[tokio::test(start_paused = true)]
async fn the_other_ends_are_told_as_well() {
    let told = Told::default();
    let post = Post::with(|builder| builder.observer(told.observer()));
    let (first, second) = (post.drafted().await, post.drafted().await);
    post.toolkit.withdraw(&person(), &first).await;
    tokio::time::advance(2 * toolkit::DEFAULT_DRAFT_TIME).await;
    post.toolkit.drafts(&person()).await.unwrap();
    let ends = &told.events()[4..];
    assert_eq!((&ends[0]["kind"], &ends[0]["by"]), (&"draft_withdrawn".into(), &"grace".into()));
    assert_eq!((&ends[1]["kind"], &ends[1]["draft"]), (&"draft_expired".into(), &second.into()));
    assert_eq!(ends.len(), 2);
}

#[tokio::test]
async fn a_refused_confirmation_is_one_record() {
    let finished = Finished::default();
    let post = Post::with(|builder| builder.observer(finished.observer()));
    let id = post.drafted().await;
    post.toolkit.confirm(&super::model(), &id).await;
    let records = finished.records();
    assert_eq!(records.len(), 2);
    assert_eq!((records[1].code, records[1].executed), (Code::Denied, Executed::No));
    assert_eq!((&*records[1].tool, records[1].origin), ("letter.write", Origin::Model));
}

#[tokio::test]
async fn a_secret_is_sent_and_shown_nowhere() {
    let (told, store) = (Told::default(), Memory::default());
    let post =
        Post::with(|builder| builder.observer(told.observer()).store(store.clone()).show_errors());
    let call = ToolCall::json("letter.secret", &serde_json::json!({"password": CANARY})).unwrap();
    let reply = post.toolkit.call(&super::model(), call).await;
    assert_eq!(reply.code(), Code::NeedsConfirmation);
    let id = reply.draft_id().unwrap();
    assert!(reply.text().contains("it is [redacted]"), "{}", reply.text());
    let waiting = format!("{:?}", post.toolkit.drafts(&person()).await.unwrap());
    let refused = post.toolkit.confirm_edited(&person(), id, CANARY).await;
    let sent = post.toolkit.confirm(&person(), id).await;
    assert_eq!(post.outbox.sent(), [format!("ada: it is {CANARY} (grace)")]);
    let done = format!("{:?}", post.toolkit.drafts(&person()).await.unwrap());
    let sinks = [
        reply.text().to_owned(),
        refused.text().to_owned(),
        sent.text().to_owned(),
        waiting,
        done,
        format!("{:?}", told.events()),
        format!("{:?}", store.records()),
        format!("{store:?}"),
    ];
    for sink in sinks {
        assert!(!sink.contains(CANARY), "{sink}");
    }
}

#[tokio::test]
async fn a_person_is_shown_what_would_be_sent_and_nothing_that_hides() {
    let post = Post::new();
    let arguments = serde_json::json!({"to": "ada\u{202e}moc", "body": "hello\u{200b}\nbye"});
    let call = ToolCall::json("letter.write", &arguments).unwrap();
    let reply = post.toolkit.call(&super::model(), call).await;
    let id = reply.draft_id().unwrap();
    let draft = post.toolkit.draft(&person(), id).await.unwrap().unwrap();
    let expected = format!(
        "draft     {id}\ntool      letter.write\nrisk      send\norigin    model\nfor       agent\n\
         session   s-1\nsends     {{\"body\":\"hello\\u{{200b}}\\nbye\",\"to\":\"ada\\u{{202e}}moc\"}}\n\
         state     pending\n"
    );
    assert_eq!(draft.rendering(), expected);
}
