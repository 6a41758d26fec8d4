//! From the answer that makes a grant to its end, and what it does to the calls in between.

use super::*;

#[tokio::test]
async fn the_record_of_a_call_names_the_grant_that_answered() {
    let (finished, told) = (Finished::default(), Told::default());
    let mut desk =
        Desk::of(|builder| builder.observer(finished.observer()).observer(told.observer()));
    desk.grants("ticket.close", json!({"ticket": 1}), names(&["ticket"])).await;
    assert!(!desk.asks("ticket.close", json!({"ticket": 1, "reason": "x"})).await);
    let grants = desk.session.grants();
    let [grant] = &grants[..] else { panic!("one grant: {grants:?}") };
    assert_eq!((&*grant.session, &*grant.tool, grant.rung), ("s-1", "ticket.close", "arguments"));
    assert_eq!(&*grant.covers, "`ticket.close` whenever `ticket` is 1");
    assert_eq!((grant.principal.as_deref(), grant.by.as_deref()), (Some("ada"), Some("grace")));
    let records = finished.records();
    let answers: Vec<_> = records
        .iter()
        .map(|record| record.approval.as_ref().unwrap())
        .map(|approval| (&*approval.answer, approval.by.as_deref(), approval.grant.as_deref()))
        .collect();
    let id = Some(&*grant.id);
    let by = Some("grace");
    assert_eq!(answers, [("approved_for_session", by, id), ("granted", by, id)]);
    assert_eq!(records[1].decision.verdict(), Verdict::Ask);
    let found = records[1].decision.findings().last().unwrap();
    assert_eq!((&*found.source, found.verdict), (&*format!("grant {}", grant.id), None));
    // One question, one grant, one record a call.
    assert!(desk.session.revoke(&grant.id));
    assert!(!desk.session.revoke(&grant.id));
    assert_eq!(
        told.kinds(),
        [
            "approval_requested",
            "approval_decided",
            "granted",
            "call_finished",
            "call_finished",
            "grant_ended"
        ]
    );
    let last = serde_json::to_value(told.0.lock().unwrap().last().unwrap()).unwrap();
    assert_eq!((&last["ended"], &last["grant"]), (&json!("revoked"), &json!(&*grant.id)));
    assert_eq!(last["covers"], "`ticket.close` whenever `ticket` is 1");
}

#[tokio::test]
async fn what_waits_and_is_covered_is_answered_and_all_else_waits_on() {
    let finished = Finished::default();
    let mut desk = Desk::of(|builder| builder.observer(finished.observer()).concurrency(8));
    let other = desk.toolkit.session("s-2");
    let mut calls = Vec::new();
    let mut pending = Vec::new();
    for (session, arguments) in [
        ("s-1", json!({"ticket": 1, "reason": "spam"})),
        ("s-1", json!({"ticket": 2, "reason": "spam"})),
        ("s-1", json!({"ticket": 3, "reason": "ham"})),
        (other.id(), json!({"ticket": 4, "reason": "spam"})),
    ] {
        calls.push(desk.calls(cx(session), "ticket.close", arguments));
        pending.push(desk.questions.recv().await.unwrap());
    }
    let answer = Answer::ApproveForSession(names(&["reason"]), None);
    pending.remove(0).answer_as("grace", answer);
    for _ in 0..2 {
        assert!(calls.remove(0).await.unwrap().is_ok());
    }
    assert!(!pending[0].is_open(), "its question is over");
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(pending[1].is_open() && pending[2].is_open());
    assert!(calls.iter().all(|call| !call.is_finished()));
    assert_eq!(desk.probe.entered(), 2);
    let id = desk.session.grants()[0].id.clone();
    let approval = finished.records()[1].approval.clone().unwrap();
    assert_eq!((&*approval.answer, approval.grant), ("granted", Some(id)));
    for pending in pending.drain(1..) {
        pending.answer(Answer::Deny(None));
    }
    for call in calls {
        assert_eq!(call.await.unwrap().code(), Code::Rejected);
    }
}

#[tokio::test]
async fn a_question_of_a_session_that_ends_is_over() {
    let told = Told::default();
    let mut desk = Desk::of(|builder| builder.observer(told.observer()));
    desk.grants("count.write", json!({"name": "a"}), Rung::Tool).await;
    let call = desk.calls(cx("s-1"), "ticket.close", json!({"ticket": 1}));
    let pending = desk.questions.recv().await.unwrap();
    let session = desk.session.clone();
    session.end();
    let reply = call.await.unwrap();
    assert_eq!(
        (reply.code(), reply.text()),
        (Code::OutOfScope, "`ticket.close` was not run: its session has ended")
    );
    assert!(!pending.answer(Answer::Approve));
    assert!(session.grants().is_empty());
    let ended = told.0.lock().unwrap().iter().filter(|e| e.kind() == "grant_ended").count();
    assert_eq!(ended, 1);
    // Under its name a new one has none of it.
    let _again = desk.toolkit.session("s-1");
    assert!(desk.asks("count.write", json!({"name": "a"})).await);
}

#[tokio::test(start_paused = true)]
async fn a_grant_ends_when_its_time_is_up() {
    let mut desk = Desk::new();
    let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
    let answer = Answer::ApproveForSession(Rung::Tool, Some(minutes(30)));
    assert!(desk.answers("ticket.close", json!({"ticket": 1}), answer).await.is_ok());
    desk.grants("count.write", json!({"name": "a"}), Rung::Tool).await;
    tokio::time::sleep(minutes(29)).await;
    assert!(!desk.asks("ticket.close", json!({"ticket": 2})).await);
    tokio::time::sleep(minutes(1)).await;
    assert!(desk.asks("ticket.close", json!({"ticket": 2})).await);
    assert!(!desk.asks("count.write", json!({"name": "b"})).await);
    assert_eq!(desk.session.grants().len(), 1);
    tokio::time::sleep(minutes(8 * 60)).await;
    assert!(desk.asks("count.write", json!({"name": "b"})).await);
    assert!(desk.session.grants().is_empty());
}

#[tokio::test]
async fn a_grant_that_is_revoked_answers_nothing_not_even_what_waits_for_its_turn() {
    let gate = Gate::default();
    let mut desk = Desk::of(|builder| builder.state(gate.clone()).concurrency(1));
    desk.grants("ticket.close", json!({"ticket": 1}), Rung::Tool).await;
    let id = desk.session.grants()[0].id.clone();
    assert!(!desk.session.revoke("grant-0"));
    assert!(!desk.asks("ticket.close", json!({"ticket": 2})).await);
    // It answers a call, which then waits for its turn.
    let held = desk.calls(CallContext::human(), "gate.hold", json!({}));
    tokio::task::yield_now().await;
    let waiting = desk.calls(cx("s-1"), "ticket.close", json!({"ticket": 3}));
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert!(desk.session.revoke(&id));
    gate.0.notify_one();
    assert!(held.await.unwrap().is_ok());
    let reply = waiting.await.unwrap();
    assert_eq!((reply.code(), desk.probe.entered()), (Code::Denied, 2), "{}", reply.text());
    assert!(desk.asks("ticket.close", json!({"ticket": 2})).await);
}

/// Keeps every event.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<Event>>>);

impl Told {
    fn observer(&self) -> impl Observer + 'static {
        let kept = Arc::clone(&self.0);
        move |event: &Event| kept.lock().unwrap().push(event.clone())
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().iter().map(Event::kind).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_calls_at_once_each_is_asked_or_answered_by_a_grant_and_none_is_lost() {
    for round in 0..20 {
        let finished = Finished::default();
        let mut desk = Desk::of(|builder| builder.observer(finished.observer()).concurrency(64));
        let calls: Vec<_> = (0..16)
            .map(|ticket| desk.calls(cx("s-1"), "ticket.close", json!({"ticket": ticket})))
            .collect();
        let first = desk.questions.recv().await.unwrap();
        assert!(first.answer(Answer::ApproveForSession(Rung::Tool, None)), "{round}");
        // Nobody answers anything else.
        for call in calls {
            assert!(call.await.unwrap().is_ok(), "{round}");
        }
        let id = desk.session.grants()[0].id.clone();
        for record in finished.records() {
            assert_eq!(record.approval.as_ref().unwrap().grant.as_deref(), Some(&*id));
        }
        assert_eq!(desk.probe.entered(), 16);
    }
}

#[tokio::test]
async fn an_explanation_says_which_grant_would_answer() {
    let mut desk = Desk::new();
    desk.grants("ticket.close", json!({"ticket": 1}), Rung::Tool).await;
    let call = ToolCall::new("ticket.close", r#"{"ticket": 2}"#);
    let explained = desk.toolkit.explain(&cx("s-1"), call).await;
    assert_eq!((explained.would, explained.recorded), (toolkit::Would::Run, true));
    assert!(explained.to_string().contains(&*desk.session.grants()[0].id), "{explained}");
    assert_eq!(desk.probe.entered(), 1);
}
