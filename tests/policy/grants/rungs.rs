//! The rungs of the ladder: how far each goes, and not a step farther.

use super::*;

#[tokio::test]
async fn exactly_these_arguments_are_these_and_no_others() {
    let mut desk = Desk::new();
    desk.grants("ticket.close", json!({"ticket": 1, "reason": "spam"}), Rung::Exact).await;
    assert!(!desk.asks("ticket.close", json!({"reason": "spam", "ticket": 1})).await);
    for other in [
        json!({"ticket": 1}),
        json!({"ticket": 2, "reason": "spam"}),
        json!({"ticket": 1, "reason": "spam "}),
        json!({"ticket": 1, "reason": "spam", "tell": []}),
        json!({"ticket": 1, "reason": "spam", "tell": null}),
    ] {
        assert!(desk.asks("ticket.close", other.clone()).await, "{other}");
    }
    assert!(desk.asks("count.write", json!({"name": "a"})).await);
    assert_eq!(desk.probe.entered(), 2);
}

#[tokio::test]
async fn values_of_some_arguments_leave_the_others_open() {
    let mut desk = Desk::new();
    desk.grants("ticket.close", json!({"ticket": 1, "reason": "spam"}), names(&["reason"])).await;
    assert!(
        !desk.asks("ticket.close", json!({"ticket": 2, "reason": "spam", "tell": ["bo"]})).await
    );
    for other in [
        json!({"ticket": 1}),
        json!({"ticket": 1, "reason": null}),
        json!({"ticket": 1, "reason": "ham"}),
    ] {
        assert!(desk.asks("ticket.close", other.clone()).await, "{other}");
    }
    // By whichever name the argument goes.
    desk.grants("ticket.close", json!({"id": 7, "reason": "old"}), names(&["ticket"])).await;
    assert!(!desk.asks("ticket.close", json!({"ticket": 7})).await);
    assert!(!desk.asks("ticket.close", json!({"id": 7, "reason": "x"})).await);
    assert!(desk.asks("ticket.close", json!({"id": 8})).await);
}

#[tokio::test]
async fn the_whole_tool_is_that_tool_and_nothing_beside_it() {
    let mut desk = Desk::new();
    desk.grants("ticket.close", json!({"ticket": 1}), Rung::Tool).await;
    assert!(!desk.asks("ticket.close", json!({"ticket": 2, "reason": "x"})).await);
    assert!(desk.asks("ticket.seal", json!({"ticket": 2, "password": "s3cret-word"})).await);
    // Another session, one within it, another principal, another origin, no session.
    let other = desk.toolkit.session("s-2");
    let inner = desk.session.child("a");
    for context in [
        cx(other.id()),
        cx(inner.id()),
        CallContext::model().principal("ada"),
        cx("s-1").principal("bob"),
        CallContext::model().session("s-1"),
    ] {
        assert!(desk.asks_in(context, "ticket.close", json!({"ticket": 2})).await);
    }
    let policy = Policy::new().set(Origin::Plan, Risk::Write, Verdict::Ask);
    let mut desk = Desk::of(|builder| builder.policy(policy));
    desk.grants("ticket.close", json!({"ticket": 1}), Rung::Tool).await;
    let plan = CallContext::plan().session("s-1").principal("ada");
    assert!(desk.asks_in(plan, "ticket.close", json!({"ticket": 1})).await);
}

#[tokio::test]
async fn what_asks_beside_what_asked_then_asks_again_and_a_no_stands() {
    let says = Arc::new(Mutex::new(Ruling::Pass));
    let guard = {
        let says = Arc::clone(&says);
        guard("office_hours", move |_: toolkit::HookCall<'_>| Ok(says.lock().unwrap().clone()))
    };
    let mut desk = Desk::of(|builder| builder.guard(guard));
    let set = |ruling| *says.lock().unwrap() = ruling;
    desk.grants("ticket.close", json!({"ticket": 1}), Rung::Tool).await;
    assert!(!desk.asks("ticket.close", json!({"ticket": 2})).await);
    set(Ruling::Ask("it is late".into()));
    assert!(desk.asks("ticket.close", json!({"ticket": 2})).await);
    // A person who saw both allows both; one of them alone asks for no more.
    let call = desk.calls(cx("s-1"), "ticket.close", json!({"ticket": 3}));
    let pending = desk.questions.recv().await.unwrap();
    assert_eq!(pending.request().rule, "policy: write for model");
    assert_eq!(pending.request().also, ["guard office_hours: it is late"]);
    assert!(pending.request().rendering().contains("and       guard office_hours: it is late\n"));
    pending.answer(Answer::ApproveForSession(Rung::Tool, None));
    assert!(call.await.unwrap().is_ok());
    assert!(!desk.asks("ticket.close", json!({"ticket": 2})).await);
    set(Ruling::Pass);
    assert!(!desk.asks("ticket.close", json!({"ticket": 2})).await);
    set(Ruling::Deny("it is closed".into()));
    let reply = desk.calls(cx("s-1"), "ticket.close", json!({"ticket": 2})).await.unwrap();
    assert_eq!(reply.code(), Code::Denied);
}
