//! Drafts and what else has a say: hooks around what delivers it, a guard that takes its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use toolkit::hook::{Failed, guard_async};
use toolkit::prelude::*;
use toolkit::store::DraftState;
use toolkit::{Executed, HookCall};

use super::{Post, SENT, person};

async fn state(post: &Post, id: &str) -> DraftState {
    post.toolkit.draft(&person(), id).await.unwrap().unwrap().state
}

#[tokio::test]
async fn what_a_hook_did_not_let_out_waits_on() {
    let open = Arc::new(AtomicBool::new(false));
    let is_open = Arc::clone(&open);
    let post = Post::with(|builder| {
        builder.around(around("gate", move |call, next| {
            let lets = call.draft().is_none() || is_open.load(Ordering::Relaxed);
            Box::pin(async move {
                if lets { next.run().await } else { Err(Failed::expected("the gate is shut")) }
            })
        }))
    });
    let id = post.drafted().await;
    let edit = json!({"to": "bob", "body": "hi"});
    let reply = post.toolkit.confirm_edited(&person(), &id, &edit).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
    assert!(post.outbox.sent().is_empty());
    let draft = post.toolkit.draft(&person(), &id).await.unwrap().unwrap();
    assert_eq!((draft.state, draft.edited), (DraftState::Pending, false));
    // And as it was: whoever confirms it now hasn't seen the edit.
    assert_eq!(draft.value, r#"{"body":"hello","to":"ada"}"#);
    open.store(true, Ordering::Relaxed);
    assert_eq!(post.toolkit.confirm(&person(), &id).await.code(), Code::Ok);
    assert_eq!(post.outbox.sent(), [SENT]);
}

#[tokio::test(start_paused = true)]
async fn a_confirmation_that_nobody_waits_for_before_it_sends_sends_nothing() {
    let post = Post::with(|builder| {
        builder.around(around("slow", |call: HookCall<'_>, next| {
            let slow = call.draft().is_some();
            Box::pin(async move {
                if slow {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                next.run().await
            })
        }))
    });
    let id = post.drafted().await;
    let cx = person();
    let confirming = post.toolkit.confirm(&cx, &id);
    assert!(tokio::time::timeout(Duration::from_millis(10), confirming).await.is_err());
    assert_eq!(state(&post, &id).await, DraftState::Pending);
    assert_eq!(post.toolkit.confirm(&person(), &id).await.code(), Code::Ok);
    assert_eq!(post.outbox.sent(), [SENT]);
}

#[tokio::test(start_paused = true)]
async fn what_a_guard_held_beyond_a_shutdown_is_not_sent() {
    let post = Post::with(|builder| {
        builder.guard(guard_async("slow", |call: HookCall<'_>| {
            let slow = call.draft().is_some();
            Box::pin(async move {
                if slow {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                Ok(Ruling::Pass)
            })
        }))
    });
    let id = post.drafted().await;
    let cx = person();
    let close = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        post.toolkit.shutdown().await;
    };
    let (reply, ()) = tokio::join!(post.toolkit.confirm(&cx, &id), close);
    assert_eq!((reply.code(), reply.executed()), (Code::Busy, Executed::No));
    assert!(post.outbox.sent().is_empty());
    assert_eq!(state(&post, &id).await, DraftState::Pending);
}
