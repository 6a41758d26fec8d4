//! The end of a child, and its shutdown.

use std::sync::Mutex;
use std::time::Duration;

use toolkit::Event;

use super::*;

#[tokio::test]
async fn it_ends_with_its_last_handle_and_all_above_it_with_it() {
    let (toolkit, cx) = (toolkit(), CallContext::model());
    let child = toolkit.child();
    let inner = child.child_shadowing(["kb.search"]);
    let of_child = child.load(basket("Ann")).unwrap();
    let _shadow = inner.register_typed(tool("kb.search", Risk::Read, "mine")).unwrap();
    let mut events = toolkit.events();
    let other = child.clone();
    drop(child);
    assert_eq!(text(&inner, &cx, "basket.owner").await, "Ann");
    drop(other);
    // Not even what it stood in the place of.
    for name in ["basket.owner", "kb.search", "kb.write"] {
        assert_eq!(said(&inner, &cx, name).await.0, Code::UnknownTool);
    }
    assert_eq!(names(&inner, &cx), Vec::<String>::new());
    let text = text(&inner, &CallContext::model(), "basket.owner").await;
    assert_eq!(text, "unknown tool `basket.owner`; there is no tool here");
    assert_eq!(said(&inner.child(), &cx, "kb.search").await.0, Code::UnknownTool);
    // Nor does it come back.
    let late = inner.register_typed(tool("late.one", Risk::Read, "late")).unwrap();
    assert_eq!(said(&inner, &cx, "late.one").await.0, Code::UnknownTool);
    drop((of_child, late));
    assert_eq!(names(&toolkit, &cx), OWN);
    let mut gone = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::Unregistered { tool } = event {
            gone.push(tool.to_string());
        }
    }
    gone.sort();
    assert_eq!(gone, ["basket.owner", "basket.put", "basket.wait", "kb.search", "late.one"]);
}

#[tokio::test]
async fn unloading_lets_a_body_finish_and_its_own_calls_find_nothing_more() {
    let (toolkit, cx) = (toolkit(), CallContext::model());
    let child = toolkit.child();
    struct Gate(Arc<Basket>);
    #[toolset(domain = "gate")]
    impl Gate {
        /// Wait at the gate until the test says go on.
        #[tool]
        async fn wait(&self, #[context] cx: &CallContext) -> String {
            self.0.wait(cx).await
        }
    }
    let inside = Arc::new(basket("Ann"));
    let loaded = child.load(Gate(Arc::clone(&inside))).unwrap();
    let _basket = child.load(basket("Bob")).unwrap();
    let call = {
        let (child, cx) = (child.clone(), cx.clone());
        tokio::spawn(async move { text(&child, &cx, "gate.wait").await })
    };
    inside.begun.notified().await;
    drop(loaded);
    assert_eq!(said(&child, &cx, "gate.wait").await.0, Code::UnknownTool);
    inside.go.notify_one();
    assert_eq!(call.await.unwrap(), "Ann and Bob");
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_shuts_what_stands_above_and_nothing_else() {
    let (toolkit, cx) = (toolkit(), CallContext::model());
    let (ann, bob) = (toolkit.child(), toolkit.child());
    let above = ann.child();
    let held = Arc::new(basket("Ann"));
    struct Slow(Arc<Basket>);
    #[toolset(domain = "slow")]
    impl Slow {
        /// Wait until the test says go on, and then say who it was.
        #[tool]
        async fn wait(&self, #[context] cx: &CallContext) -> String {
            self.0.wait(cx).await
        }
        /// Wait for ever.
        #[tool]
        async fn ever(&self) -> String {
            self.0.begun.notify_one();
            std::future::pending().await
        }
    }
    let _slow = above.load(Slow(Arc::clone(&held))).unwrap();
    let _basket = above.load(basket("inner")).unwrap();
    let call = |name: &'static str| {
        let (above, cx) = (above.clone(), cx.clone());
        tokio::spawn(async move { said(&above, &cx, name).await })
    };
    let waiting = call("slow.wait");
    held.begun.notified().await;
    let mut shutting = Box::pin(ann.shutdown());
    assert!(tokio::time::timeout(Duration::from_secs(5), &mut shutting).await.is_err());
    for child in [&ann, &above, &above.child()] {
        assert_eq!(said(child, &cx, "kb.search").await.0, Code::Busy);
    }
    for open in [&toolkit, &bob, &bob.child()] {
        assert_eq!(said(open, &cx, "kb.search").await.0, Code::Ok);
    }
    held.go.notify_one();
    shutting.await;
    // What the body called belonged to it.
    assert_eq!(waiting.await.unwrap(), (Code::Ok, "Ann and inner".to_owned()));

    let third = toolkit.child();
    let _slow = third.load(Slow(Arc::clone(&held))).unwrap();
    let ever = {
        let (third, cx) = (third.clone(), cx.clone());
        tokio::spawn(async move { said(&third, &cx, "slow.ever").await })
    };
    held.begun.notified().await;
    assert_eq!(toolkit.shutdown_within(Duration::from_secs(1)).await, 0);
    assert_eq!(ever.await.unwrap().0, Code::Cancelled);
    for shut in [&toolkit, &bob, &third, &toolkit.child()] {
        assert_eq!(said(shut, &cx, "kb.search").await.0, Code::Busy);
    }
}

#[tokio::test]
async fn events_tell_of_a_childs_tools_as_of_any() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let observer = move |event: &Event| kept.lock().unwrap().push(event.kind());
    let toolkit = Toolkit::builder().only([id(search)]).observer(observer).build().unwrap();
    let child = toolkit.child();
    let held = child.register_typed(tool("note.read", Risk::Read, "noted")).unwrap();
    assert_eq!(text(&child, &CallContext::model(), "note.read").await, "noted");
    drop((child, held));
    assert_eq!(*seen.lock().unwrap(), ["registered", "call_finished", "unregistered"]);
}
