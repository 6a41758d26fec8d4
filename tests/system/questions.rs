//! Whatever becomes of a question, an audit hears of one request and one decision, and of who made
//! it.

use std::sync::{Arc, Mutex};

use toolkit::approval::{Answer, ApprovalRequest, Approver, channel};
use toolkit::prelude::*;
use toolkit::testing::Recorder;
use toolkit::{BoxFuture, Builder, CancellationToken, Event, HookError, Observer};

use crate::support::{GOOD, counters};

fn call() -> ToolCall<'static> {
    ToolCall::new("count.delete", GOOD)
}

/// What an audit of questions writes, a line an event.
#[derive(Clone, Default)]
struct Audit(Arc<Mutex<Vec<String>>>);

impl Audit {
    fn note(&self, event: &Event) {
        let line = match event {
            Event::ApprovalRequested(record) => {
                assert_eq!((&record.answer, &record.by), (&None, &None));
                format!("{} asked", record.call)
            }
            Event::ApprovalDecided(record) => {
                let answer = record.answer.as_deref().unwrap();
                format!("{} {answer} by {}", record.call, record.by.as_deref().unwrap_or("-"))
            }
            Event::CallFinished(record) => {
                let answer = record.approval.as_ref().map_or("-", |approval| &approval.answer);
                format!("{} ends {} after {answer}", record.call, record.code)
            }
            _ => return,
        };
        self.0.lock().unwrap().push(line);
    }

    /// The lines, whose ids of calls are all one.
    fn lines(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        let parts: Vec<_> = lines.iter().filter_map(|line| line.split_once(' ')).collect();
        assert!(parts.iter().all(|(call, _)| *call == parts[0].0), "{lines:?}");
        parts.into_iter().map(|(_, what)| what.to_owned()).collect()
    }
}

impl Observer for Audit {
    fn observe<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            self.note(event);
            // A slow sink: whatever is dropped may be dropped while it is told of something.
            tokio::task::yield_now().await;
            Ok(())
        })
    }

    fn observe_now(&self, event: &Event) {
        self.note(event);
    }
}

/// What an approver does that nobody should.
#[derive(Clone, Copy)]
enum Fault {
    Unavailable,
    Panics,
    PanicsLate,
    PanicsWhenDropped,
    Fails,
    Hangs,
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "dropped");
    }
}

impl Approver for Fault {
    fn available(&self) -> bool {
        assert!(!matches!(self, Self::Unavailable), "can't say");
        true
    }

    fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        match self {
            Self::Panics | Self::Unavailable => panic!("at once"),
            Self::PanicsLate => Box::pin(async { panic!("later") }),
            Self::PanicsWhenDropped => Box::pin(async {
                let _bomb = Bomb;
                std::future::pending().await
            }),
            Self::Fails => Box::pin(async { Err("no".into()) }),
            Self::Hangs => Box::pin(std::future::pending()),
        }
    }
}

fn audited(approver: impl Approver + 'static) -> (Builder, Audit) {
    let (builder, _) = counters();
    let audit = Audit::default();
    (builder.approver(approver).observer(audit.clone()), audit)
}

#[tokio::test(start_paused = true)]
async fn each_question_is_one_request_and_one_decision() {
    let edit = || Answer::edit(&serde_json::json!({"name": "other"})).unwrap();
    let bad = || Answer::Edit("{}".to_owned());
    let by = |answers: Vec<Answer>| Recorder::new(answers).person("ada");
    let cases: [(Box<dyn Approver>, &[&str]); 12] = [
        (Box::new(by(vec![Answer::Approve])), &["approved by ada", "ends ok after approved"]),
        (
            Box::new(by(vec![Answer::Deny(None)])),
            &["rejected by ada", "ends rejected after rejected"],
        ),
        (Box::new(by(vec![edit()])), &["edited by ada", "ends ok after edited"]),
        (Box::new(by(vec![bad(), edit()])), &["edited by ada", "ends ok after edited"]),
        (
            Box::new(by(vec![bad(), Answer::Deny(None)])),
            &["rejected by ada", "ends rejected after rejected"],
        ),
        (Box::new(by(vec![bad()])), &["failed by ada", "ends denied after failed"]),
        (Box::new(Recorder::approving()), &["approved by -", "ends ok after approved"]),
        (Box::new(Fault::Panics), &["failed by -", "ends denied after failed"]),
        (Box::new(Fault::PanicsLate), &["failed by -", "ends denied after failed"]),
        (Box::new(Fault::Fails), &["failed by -", "ends denied after failed"]),
        (Box::new(Fault::Hangs), &["expired by -", "ends expired after expired"]),
        (Box::new(Fault::PanicsWhenDropped), &["failed by -", "ends denied after failed"]),
    ];
    for (approver, expected) in cases {
        let (builder, audit) = audited(approver);
        let toolkit = builder.build().unwrap();
        toolkit.call(&CallContext::model(), call()).await;
        assert_eq!(audit.lines(), [&["asked"], expected].concat());
    }
    // Where nobody can be asked there is no question.
    let (builder, audit) = audited(Fault::Unavailable);
    let toolkit = builder.build().unwrap();
    toolkit.call(&CallContext::model(), call()).await;
    assert_eq!(audit.lines(), ["ends no_approver after -"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_and_an_abandoned_question_end_as_well() {
    for fault in [Fault::Hangs, Fault::PanicsWhenDropped] {
        let token = CancellationToken::new();
        let (builder, audit) = audited(fault);
        let toolkit = builder.build().unwrap();
        let cx = CallContext::model().cancellation(token.clone());
        let (reply, ()) = tokio::join!(toolkit.call(&cx, call()), async {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            token.cancel();
        });
        assert_eq!(reply.code(), Code::CancelledBeforeStart);
        assert_eq!(
            audit.lines(),
            ["asked", "cancelled by -", "ends cancelled_before_start after cancelled"]
        );
    }
    // Dropped at each of its steps: an approver that answers after some, an audit that waits.
    let mut ends = Vec::new();
    for polls in 1..40 {
        let (approver, mut questions) = channel(1);
        let (builder, audit) = audited(approver);
        let toolkit = builder.build().unwrap();
        tokio::spawn(async move {
            if let Some(pending) = questions.recv().await {
                tokio::task::yield_now().await;
                pending.answer_as("ada", Answer::Approve);
            }
        });
        let cx = CallContext::model();
        let mut calling = Box::pin(toolkit.call(&cx, call()));
        let mut polls_left = polls;
        let done = std::future::poll_fn(|task| {
            let done = calling.as_mut().poll(task).is_ready();
            polls_left -= 1;
            match polls_left {
                _ if done => std::task::Poll::Ready(true),
                0 => std::task::Poll::Ready(false),
                _ => {
                    task.waker().wake_by_ref();
                    std::task::Poll::Pending
                }
            }
        })
        .await;
        drop(calling);
        let lines = audit.lines();
        assert_eq!(lines.len(), 3, "after {polls} polls: {lines:?}");
        assert_eq!(lines[0], "asked");
        assert!(lines[1] == "cancelled by -" || lines[1] == "approved by ada", "{lines:?}");
        assert!(lines[2].starts_with("ends "), "{lines:?}");
        ends.push(lines[2].clone());
        if done {
            break;
        }
    }
    assert_eq!(ends.last().unwrap(), "ends ok after approved");
    assert!(ends.contains(&"ends cancelled_before_start after -".to_owned()), "{ends:?}");
    assert!(ends.contains(&"ends cancelled_before_start after approved".to_owned()), "{ends:?}");
}

#[tokio::test]
async fn a_question_that_is_dropped_or_answered_late_is_told_once() {
    let (approver, mut questions) = channel(1);
    let (builder, audit) = audited(approver);
    let toolkit = builder.build().unwrap();
    let cx = CallContext::model();
    let (reply, ()) = tokio::join!(toolkit.call(&cx, call()), async {
        drop(questions.recv().await.unwrap());
    });
    assert_eq!(reply.code(), Code::Denied);
    assert_eq!(audit.lines(), ["asked", "failed by -", "ends denied after failed"]);
}
