//! A draft waits for a time, and no longer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolkit::prelude::*;
use toolkit::store::{DraftState, Memory};
use toolkit::{DEFAULT_DRAFT_TIME, Event, Executed};

use super::{Post, SENT, person};

#[tokio::test(start_paused = true)]
async fn what_nobody_confirms_expires() {
    let post = Post::new();
    let id = post.drafted().await;
    tokio::time::advance(DEFAULT_DRAFT_TIME + Duration::from_secs(60)).await;
    let reply = post.toolkit.confirm(&person(), &id).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Expired, Executed::No));
    assert_eq!(
        reply.text(),
        format!("{id} was not confirmed in time; nothing was sent, so draft it again")
    );
    assert_eq!(post.toolkit.withdraw(&person(), &id).await.code(), Code::Expired);
    assert!(post.outbox.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn until_then_it_can_be_confirmed() {
    let hour = Duration::from_secs(3600);
    let post = Post::with(|builder| builder.draft_time(hour));
    let (first, second) = (post.drafted().await, post.drafted().await);
    tokio::time::advance(hour - Duration::from_secs(60)).await;
    assert_eq!(post.toolkit.confirm(&person(), &first).await.code(), Code::Ok);
    tokio::time::advance(Duration::from_secs(120)).await;
    let drafts = post.toolkit.drafts(&person()).await.unwrap();
    assert_eq!(drafts[1].id, second);
    assert_eq!(drafts[1].state, DraftState::Expired);
    assert_eq!(drafts[1].expires, drafts[1].made + hour);
    assert_eq!(post.outbox.sent(), [SENT]);
}

#[tokio::test(start_paused = true)]
async fn what_is_being_sent_does_not_expire() {
    let post = Post::with(|builder| builder.draft_time(Duration::from_secs(1)));
    post.fate.set("posting hangs");
    let id = post.drafted().await;
    let reply = post.toolkit.confirm(&person(), &id).await;
    // Its own time is longer than that of the draft.
    assert_eq!(reply.code(), Code::TimedOut);
}

#[tokio::test]
async fn what_is_withdrawn_is_never_sent() {
    let post = Post::new();
    let id = post.drafted().await;
    let reply = post.toolkit.withdraw(&person(), &id).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Withdrawn, Executed::No));
    assert!(!reply.code().is_error());
    assert_eq!(reply.draft_id(), Some(id.as_str()));
    let reply = post.toolkit.confirm(&person(), &id).await;
    assert_eq!(reply.code(), Code::Withdrawn);
    assert_eq!(reply.text(), format!("{id} was withdrawn; nothing was sent"));
    assert!(post.outbox.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_has_expired_makes_room_though_nobody_asked_for_it() {
    let (heard, store) = (Arc::new(Mutex::new(Vec::new())), Memory::with_capacity(2));
    let kept = Arc::clone(&heard);
    let expired = move |event: &Event| {
        if let Event::DraftExpired(record) = event {
            kept.lock().unwrap().push(record.draft.to_string());
        }
    };
    let post = Post::with(|builder| builder.observer(expired).store(store));
    let (first, second) = (post.drafted().await, post.drafted().await);
    assert_eq!(post.call(&super::model()).await.code(), Code::Denied);
    tokio::time::advance(DEFAULT_DRAFT_TIME + Duration::from_secs(60)).await;
    // Of a session that nobody looks at any more, too.
    assert_eq!(post.call(&super::model().session("s-2")).await.code(), Code::NeedsConfirmation);
    assert_eq!(*heard.lock().unwrap(), [first, second]);
}

#[tokio::test]
async fn a_time_beyond_all_clocks_is_no_limit() {
    let post = Post::with(|builder| builder.draft_time(Duration::MAX));
    let id = post.drafted().await;
    assert_eq!(post.toolkit.confirm(&person(), &id).await.code(), Code::Ok);
    assert_eq!(post.outbox.sent(), [SENT]);
}
