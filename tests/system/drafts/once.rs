//! Sent at most once, whatever becomes of it.

use std::time::Duration;

use toolkit::prelude::*;
use toolkit::store::DraftState;
use toolkit::{CancellationToken, Executed};

use super::{Post, SENT, person};

#[tokio::test(start_paused = true)]
async fn of_64_confirmations_at_once_one_sends() {
    let post = Post::with(|builder| builder.concurrency(64));
    post.fate.set("posting takes a while");
    let id = post.drafted().await;
    let confirming: Vec<_> = (0..64)
        .map(|_| {
            let (toolkit, id) = (post.toolkit.clone(), id.clone());
            tokio::spawn(async move { toolkit.confirm(&person(), &id).await })
        })
        .collect();
    let mut codes = Vec::new();
    for one in confirming {
        let reply = one.await.unwrap();
        codes.push((reply.code(), reply.executed()));
    }
    assert_eq!(codes.iter().filter(|end| **end == (Code::Ok, Executed::Yes)).count(), 1);
    assert_eq!(codes.iter().filter(|end| **end == (Code::Busy, Executed::No)).count(), 63);
    assert_eq!(post.outbox.sent(), [SENT]);
    // Whoever comes later gets the same reply.
    let again = post.toolkit.confirm(&person(), &id).await;
    assert_eq!((again.code(), again.text()), (Code::Ok, "posted"));
    let withdrawn = post.toolkit.withdraw(&person(), &id).await;
    assert_eq!((withdrawn.code(), withdrawn.text()), (Code::Ok, "posted"));
    assert_eq!(post.outbox.sent(), [SENT]);
}

#[tokio::test(start_paused = true)]
async fn what_fails_is_not_tried_again() {
    for (fate, code, state) in [
        ("posting fails", Code::Failed, "failed"),
        ("posting panics", Code::Defect, "unknown"),
        ("posting hangs", Code::TimedOut, "unknown"),
    ] {
        let post = Post::new();
        post.fate.set(fate);
        let id = post.drafted().await;
        let started = tokio::time::Instant::now();
        let reply = post.toolkit.confirm(&person(), &id).await;
        assert_eq!((reply.code(), reply.executed()), (code, Executed::Yes), "{fate}");
        if code == Code::TimedOut {
            // The time of the commit, not the tool's, and a drain after it.
            assert_eq!(started.elapsed(), Duration::from_millis(2_500));
        }
        let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
        assert_eq!(draft.state.as_str(), state);
        post.fate.set("");
        let again = post.toolkit.confirm(&person(), &id).await;
        assert_eq!((again.code(), again.text()), (code, reply.text()));
        assert_eq!(post.outbox.sent(), [SENT], "{fate}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_delivery_is_one_of_unknown_end() {
    let post = Post::new();
    post.fate.set("posting hangs");
    let id = post.drafted().await;
    let token = CancellationToken::new();
    let cx = person().cancellation(token.clone());
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        token.cancel();
    };
    let (reply, ()) = tokio::join!(post.toolkit.confirm(&cx, &id), cancel);
    assert_eq!((reply.code(), reply.executed()), (Code::Cancelled, Executed::Yes));
    let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
    assert_eq!(draft.state.as_str(), "unknown");
}

#[tokio::test(start_paused = true)]
async fn a_confirmation_that_nobody_waits_for_leaves_no_draft_claimed() {
    let post = Post::new();
    post.fate.set("posting hangs");
    let id = post.drafted().await;
    let cx = person();
    let confirming = post.toolkit.confirm(&cx, &id);
    assert!(tokio::time::timeout(Duration::from_millis(10), confirming).await.is_err());
    post.fate.set("");
    let reply = post.toolkit.confirm(&person(), &id).await;
    assert_eq!((reply.code(), reply.executed()), (Code::OutcomeUnknown, Executed::Unknown));
    assert_eq!(
        reply.text(),
        format!("whether {id} was sent can't be known: its delivery was cut off")
    );
    assert_eq!(post.outbox.sent(), [SENT]);
}

#[tokio::test]
async fn without_an_intent_nothing_is_sent_and_the_draft_waits_on() {
    // A store whose only place for an intent is taken by a call under way.
    let store = toolkit::store::Memory::with_capacity(1);
    let post = Post::with(|builder| builder.store(store.clone()));
    let id = post.drafted().await;
    post.fate.set("drafting hangs");
    let (toolkit, cx) = (post.toolkit.clone(), super::model());
    let hanging = tokio::spawn(async move {
        let call = ToolCall::new("letter.write", r#"{"to": "bob", "body": "x"}"#);
        toolkit.call(&cx, call).await;
    });
    while post.probe.running() == 0 {
        tokio::task::yield_now().await;
    }
    let reply = post.toolkit.confirm(&person(), &id).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
    assert!(post.outbox.sent().is_empty());
    let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
    assert_eq!(draft.state, DraftState::Pending);
    hanging.abort();
}
