//! A person is asked about exactly what would run, and only a clear yes runs it.

use std::time::Duration;

use toolkit::approval::{Answer, ApprovalRequest, Approver, Terminal, channel};
use toolkit::prelude::*;
use toolkit::testing::Recorder;
use toolkit::{BoxFuture, CancellationToken, HookError};

use crate::support::{GOOD, counters};

fn call() -> ToolCall<'static> {
    ToolCall::new("count.delete", GOOD)
}

#[tokio::test]
async fn a_yes_runs_it_once() {
    let recorder = Recorder::approving();
    let (builder, probe) = counters();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    let cx = CallContext::model().session("s-1").principal("ada");
    let reply = toolkit.call(&cx, call()).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Ok, 1));
    let request = &recorder.requests()[0];
    assert_eq!(request.arguments, r#"{"name":"visits"}"#);
    assert_eq!(request.rule, "policy: destructive for model");
    assert_eq!(request.session.as_deref(), Some("s-1"));
    assert_eq!(request.time, Duration::from_secs(300));
    // The next call asks again.
    toolkit.call(&cx, call()).await;
    assert_eq!(recorder.requests().len(), 2);
}

#[tokio::test]
async fn a_no_runs_nothing_and_is_no_error() {
    let no = Answer::Deny(Some("keep it".into()));
    let (builder, probe) = counters();
    let toolkit = builder.approver(Recorder::new([no])).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Rejected, 0));
    assert!(!reply.code().is_error());
    assert_eq!(
        reply.text(),
        "`count.delete` was not run: a person said no: keep it; don't try it again"
    );
}

#[tokio::test]
async fn bad_arguments_are_refused_before_anybody_is_asked() {
    let recorder = Recorder::approving();
    let (builder, probe) = counters();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    for arguments in ["", "[]", "{", r#"{"name": 1}"#, r#"{"name": "a", "x": 1}"#] {
        let reply =
            toolkit.call(&CallContext::model(), ToolCall::new("count.delete", arguments)).await;
        assert!(reply.code().is_error());
    }
    assert_eq!((recorder.requests().len(), probe.entered()), (0, 0));
}

#[tokio::test]
async fn with_nobody_to_ask_nothing_runs() {
    let (builder, probe) = counters();
    let toolkit = builder.build().unwrap();
    for origin in [CallContext::human(), CallContext::plan(), CallContext::model()] {
        for _ in 0..2 {
            assert_eq!(toolkit.call(&origin, call()).await.code(), Code::NoApprover);
        }
    }
    let (builder, _) = counters();
    let nowhere = Terminal::on("/nowhere/tty");
    assert!(!nowhere.available());
    let toolkit = builder.approver(nowhere).build().unwrap();
    assert_eq!(toolkit.call(&CallContext::model(), call()).await.code(), Code::NoApprover);
    assert_eq!(probe.entered(), 0);
}

/// What can go wrong with an approver.
#[derive(Clone, Copy)]
enum Fault {
    Panics,
    PanicsLate,
    Fails,
    Hangs,
}

impl Approver for Fault {
    fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        match self {
            Self::Panics => panic!("s3cret at once"),
            Self::PanicsLate => Box::pin(async { panic!("s3cret later") }),
            Self::Fails => Box::pin(async { Err("s3cret failure".into()) }),
            Self::Hangs => Box::pin(std::future::pending()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_goes_wrong_means_no() {
    for (fault, code) in [
        (Fault::Panics, Code::Denied),
        (Fault::PanicsLate, Code::Denied),
        (Fault::Fails, Code::Denied),
        (Fault::Hangs, Code::Expired),
    ] {
        let (builder, probe) = counters();
        let toolkit = builder.approver(fault).build().unwrap();
        let reply = toolkit.call(&CallContext::model(), call()).await;
        assert_eq!((reply.code(), probe.entered()), (code, 0));
        assert!(!reply.text().contains("s3cret"), "{}", reply.text());
    }
}

#[tokio::test(start_paused = true)]
async fn the_policy_says_how_long_there_is_to_answer() {
    let policy =
        Policy::default().approval_time(Origin::Model, Risk::Destructive, Duration::from_secs(7));
    let (builder, _) = counters();
    let toolkit = builder.policy(policy).approver(Fault::Hangs).build().unwrap();
    let asked = tokio::time::Instant::now();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!(asked.elapsed(), Duration::from_secs(7));
    assert_eq!(reply.text(), "`count.delete` was not run: nobody answered within 7 s");
}

#[tokio::test(start_paused = true)]
async fn an_answer_over_the_channel_holds_no_permit_and_costs_no_time() {
    let (approver, mut questions) = channel(8);
    let (builder, probe) = counters();
    let toolkit = builder.approver(approver).concurrency(1).build().unwrap();
    let asking = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.call(&CallContext::model(), call()).await }
    });
    let pending = questions.recv().await.unwrap();
    // While the person decides, the only permit is free.
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await;
    assert!(reply.is_ok());
    // Far longer than the tool's own limit of 30 s.
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert!(pending.is_open());
    assert!(pending.answer(Answer::Approve));
    let reply = asking.await.unwrap();
    assert_eq!((reply.code(), probe.entered()), (Code::Ok, 2));
    assert!(reply.took() >= Duration::from_secs(200));
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_goes_nowhere() {
    let (approver, mut questions) = channel(8);
    let (builder, probe) = counters();
    let toolkit = builder.approver(approver).build().unwrap();
    let asking = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.call(&CallContext::model(), call()).await }
    });
    let pending = questions.recv().await.unwrap();
    let reply = asking.await.unwrap();
    assert_eq!(reply.code(), Code::Expired);
    assert!(!pending.is_open());
    assert!(!pending.answer(Answer::Approve));
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn a_dropped_question_denies_and_a_gone_listener_is_nobody() {
    let (approver, mut questions) = channel(1);
    let (builder, probe) = counters();
    let toolkit = builder.approver(approver).build().unwrap();
    let asking = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.call(&CallContext::model(), call()).await }
    });
    drop(questions.recv().await.unwrap());
    assert_eq!(asking.await.unwrap().code(), Code::Denied);
    drop(questions);
    assert_eq!(toolkit.call(&CallContext::model(), call()).await.code(), Code::NoApprover);
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn a_cancellation_ends_the_waiting_for_a_person() {
    let token = CancellationToken::new();
    let (builder, probe) = counters();
    let toolkit = builder.approver(Fault::Hangs).build().unwrap();
    let cx = CallContext::model().cancellation(token.clone());
    let asking = tokio::spawn(async move { toolkit.call(&cx, call()).await });
    tokio::task::yield_now().await;
    token.cancel();
    assert_eq!(asking.await.unwrap().code(), Code::CancelledBeforeStart);
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn what_is_shown_hides_nothing() {
    let recorder = Recorder::denying();
    let (builder, _) = counters();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    let hostile = "safe\u{202e}gnihtyreve\u{200b}\nrisk      read\u{7}";
    let call = ToolCall::json("count.delete", &serde_json::json!({"name": hostile})).unwrap();
    toolkit.call(&CallContext::model(), call).await;
    let shown = recorder.requests()[0].rendering();
    assert!(shown.contains("\\u{202e}"), "{shown}");
    assert!(shown.contains("\\u{200b}"), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with("risk")).count(), 1, "{shown}");
    assert!(!shown.contains('\u{7}'), "{shown}");
}

#[tokio::test]
async fn the_digest_is_of_what_is_asked_not_of_its_spelling() {
    let recorder = Recorder::denying();
    let (builder, _) = counters();
    let toolkit = builder.approver(recorder.clone()).build().unwrap();
    for arguments in [r#"{"name":"a"}"#, r#" { "name" : "\u0061" } "#, r#"{"name":"b"}"#] {
        toolkit.call(&CallContext::model(), ToolCall::new("count.delete", arguments)).await;
    }
    let digests: Vec<String> = recorder.requests().into_iter().map(|r| r.digest).collect();
    assert_eq!(digests[0], digests[1]);
    assert_ne!(digests[0], digests[2]);
}
