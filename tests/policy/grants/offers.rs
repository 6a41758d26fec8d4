//! What may be answered is what was offered, and nothing is where it could not hold.

use super::*;

#[tokio::test]
async fn an_answer_that_was_not_offered_is_refused() {
    let offered = Policy::new();
    let exact = Policy::new().grants(Origin::Model, Risk::Write, Widest::Exact, HOUR);
    let nothing = Policy::new().grants(Origin::Model, Risk::Write, Widest::Nothing, HOUR);
    let minute = Some(Duration::from_secs(60));
    let answers = [
        (&offered, names(&[]), None),
        (&offered, names(&["owner"]), None),
        (&offered, names(&["ticket", "owner"]), None),
        (&offered, names(&["reason"]), None),
        (&offered, Rung::Tool, Some(Duration::from_secs(9 * 60 * 60))),
        (&offered, Rung::Tool, Some(Duration::ZERO)),
        (&exact, names(&["ticket"]), None),
        (&exact, Rung::Tool, None),
        (&exact, Rung::Exact, Some(HOUR + Duration::from_secs(1))),
        (&nothing, Rung::Exact, minute),
    ];
    for (policy, rung, time) in answers {
        let finished = Finished::default();
        let observer = finished.observer();
        let mut desk = Desk::of(|builder| builder.policy(policy.clone()).observer(observer));
        let answer = Answer::ApproveForSession(rung.clone(), time);
        let reply = desk.answers("ticket.close", json!({"ticket": 1}), answer).await;
        assert_eq!((reply.code(), desk.probe.entered()), (Code::Denied, 0), "{rung:?} {time:?}");
        assert!(desk.session.grants().is_empty());
        let records = finished.records();
        assert_eq!(records[0].approval.as_ref().unwrap().answer, "failed");
        assert!(records[0].cause.as_ref().unwrap().contains("not offered"));
    }
    let mut desk = Desk::of(|builder| builder.policy(exact));
    desk.grants("ticket.close", json!({"ticket": 1}), Rung::Exact).await;
}

const HOUR: Duration = Duration::from_secs(60 * 60);

#[tokio::test]
async fn nothing_is_offered_where_it_could_not_hold() {
    let long = "x".repeat(10_000);
    let seen = |session: Option<&'static str>, arguments: Value, tool: &'static str| async move {
        let recorder = Recorder::denying();
        let (builder, _) = tickets();
        let toolkit = builder.approver(recorder.clone()).build().unwrap();
        let _session = session.map(|id| toolkit.session(id));
        toolkit.call(&cx("s-1"), ToolCall::json(tool, &arguments).unwrap()).await;
        recorder.requests().remove(0).for_session
    };
    let good = json!({"ticket": 1});
    assert!(seen(Some("s-1"), good.clone(), "ticket.close").await.is_some());
    // A session that nobody opened ends at no time.
    assert_eq!(seen(None, good.clone(), "ticket.close").await, None);
    assert_eq!(seen(Some("s-2"), good, "ticket.close").await, None);
    assert_eq!(seen(Some("s-1"), json!({"ticket": 1, "reason": long}), "ticket.close").await, None);
    // What is hard to undo is allowed as it is shown, or each time.
    let offer = seen(Some("s-1"), json!({"name": "a"}), "count.delete").await.unwrap();
    assert_eq!((offer.exact, offer.arguments.len(), offer.tool), (true, 0, false));
    // What nobody is shown is nothing to allow by itself.
    let secret = json!({"ticket": 1, "password": "s3cret-word"});
    let offer = seen(Some("s-1"), secret, "ticket.seal").await.unwrap();
    let names: Vec<&str> = offer.arguments.iter().map(|held| &*held.name).collect();
    assert_eq!(names, ["ticket"]);
}

/// An approver that shows the start of a question.
struct Narrow(Recorder);

impl Approver for Narrow {
    fn room(&self) -> usize {
        100
    }
    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> toolkit::BoxFuture<'a, Result<Answer, toolkit::HookError>> {
        self.0.ask(request)
    }
}

#[tokio::test]
async fn what_is_shown_in_part_is_allowed_once() {
    let recorder = Recorder::new([Answer::ApproveForSession(Rung::Exact, None)]);
    let (builder, probe) = tickets();
    let toolkit = builder.approver(Narrow(recorder.clone())).build().unwrap();
    let session = toolkit.session("s-1");
    let reply = toolkit.call(&cx("s-1"), ToolCall::new("count.write", GOOD)).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Denied, 0));
    assert_eq!(recorder.requests()[0].for_session, None);
    assert!(session.grants().is_empty());
}

#[tokio::test]
async fn a_session_has_so_many_grants_and_then_no_more_are_offered() {
    let recorder = Recorder::new([Answer::ApproveForSession(Rung::Exact, None)]);
    let (builder, probe) = tickets();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    let session = toolkit.session("s-1");
    let call = |ticket: usize| ToolCall::json("ticket.close", &json!({"ticket": ticket})).unwrap();
    for ticket in 0..256 {
        assert!(toolkit.call(&cx("s-1"), call(ticket)).await.is_ok());
    }
    assert_eq!(toolkit.call(&cx("s-1"), call(256)).await.code(), Code::Denied);
    assert_eq!(recorder.requests().last().unwrap().for_session, None);
    assert_eq!((session.grants().len(), probe.entered()), (256, 256));
    assert!(session.revoke(&session.grants()[7].id));
    assert!(toolkit.call(&cx("s-1"), call(256)).await.is_ok());
}
