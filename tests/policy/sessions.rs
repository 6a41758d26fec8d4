//! A session bounds what its calls may, at every moment, and ends with what it bounded.

use toolkit::approval::{Answer, channel};
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{Executed, Session};

use crate::support::{Finished, GOOD, counters, read};

#[derive(Clone, Default)]
pub(crate) struct Gate(pub(crate) std::sync::Arc<tokio::sync::Notify>);

/// Wait until the gate is opened.
#[tool(name = "gate.hold")]
pub(crate) async fn hold(#[state] gate: &Gate) {
    gate.0.notified().await;
}

/// The names of the tools that calls of this session see.
fn seen(toolkit: &Toolkit, cx: &CallContext) -> Vec<String> {
    toolkit.catalog(cx).tools().map(|tool| tool.spec().name().to_owned()).collect()
}

fn human(session: &str) -> CallContext {
    CallContext::human().session(session.to_owned())
}

async fn code(toolkit: &Toolkit, cx: &CallContext, tool: &'static str) -> Code {
    toolkit.call(cx, ToolCall::new(tool, GOOD)).await.code()
}

#[tokio::test]
async fn a_ceiling_is_one_for_the_catalog_and_for_calls() {
    let (builder, probe) = counters();
    let toolkit = builder.build().unwrap();
    let (bounded, free) = (human("s-1"), human("s-2"));
    let session = toolkit.session("s-1");
    assert_eq!(seen(&toolkit, &bounded), ["count.delete", "count.read", "count.write"]);
    session.ceiling(Risk::Write);
    assert_eq!(seen(&toolkit, &bounded), ["count.read", "count.write"]);
    assert_eq!(code(&toolkit, &bounded, "count.delete").await, Code::AboveCeiling);
    assert_eq!(code(&toolkit, &bounded, "count.write").await, Code::Ok);
    // A second one only lowers the first, and that of the context counts as well.
    session.ceiling(Risk::Destructive);
    assert_eq!(session.ceiling_risk(), Some(Risk::Write));
    assert_eq!(seen(&toolkit, &bounded.clone().ceiling(Risk::Read)), ["count.read"]);
    session.ceiling(Risk::Read);
    assert_eq!(seen(&toolkit, &bounded.clone().ceiling(Risk::Write)), ["count.read"]);
    assert_eq!(code(&toolkit, &bounded, "count.write").await, Code::AboveCeiling);
    assert_eq!(seen(&toolkit, &free).len(), 3);
    assert_eq!(probe.entered(), 1);
}

#[tokio::test]
async fn a_model_cannot_tell_what_is_above_the_ceiling_from_what_is_not() {
    let (builder, probe) = counters();
    let finished = Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let session = toolkit.session("s-1");
    session.ceiling(Risk::Read);
    let cx = CallContext::model().session("s-1");
    let there = toolkit.call(&cx, ToolCall::new("count.write", GOOD)).await;
    let invented = toolkit.call(&cx, ToolCall::new("count.xrite", GOOD)).await;
    assert_eq!((there.code(), invented.code()), (Code::UnknownTool, Code::UnknownTool));
    assert_eq!(there.text(), invented.text().replace("xrite", "write"));
    let records = finished.records();
    let first = &records[0].decision.findings()[0];
    assert_eq!((&*first.source, first.verdict), ("ceiling", Some(Verdict::Hide)));
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn a_session_within_another_may_never_do_more() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    let outer = toolkit.session("s-1");
    let inner = outer.child("research");
    assert_eq!(inner.id(), "s-1/research");
    inner.ceiling(Risk::Write);
    let cx = human("s-1/research");
    assert_eq!(seen(&toolkit, &cx), ["count.read", "count.write"]);
    assert_eq!(seen(&toolkit, &human("s-1")).len(), 3);
    // At every moment, whichever was opened first, and however it is named.
    outer.ceiling(Risk::Read);
    assert_eq!(
        (seen(&toolkit, &cx), inner.ceiling_risk()),
        (vec!["count.read".to_owned()], Some(Risk::Read))
    );
    for name in ["s-1/never_opened", "s-1/research/deeper"] {
        assert_eq!(seen(&toolkit, &human(name)), ["count.read"], "{name}");
    }
    let late = toolkit.session("s-2/late");
    assert_eq!(seen(&toolkit, &human("s-2/late")).len(), 3);
    let above = toolkit.session("s-2");
    above.ceiling(Risk::Read);
    assert_eq!(late.ceiling_risk(), Some(Risk::Read));
    // A name that only begins alike is another one's.
    assert_eq!(seen(&toolkit, &human("s-12")).len(), 3);
}

#[tokio::test]
async fn nothing_is_left_of_a_session_that_has_ended() {
    for explicitly in [true, false] {
        let (builder, probe) = counters();
        let toolkit = builder.build().unwrap();
        let session = toolkit.session("s-1");
        session.ceiling(Risk::Write);
        let other = session.clone();
        let (inner, sibling) = (session.child("a"), toolkit.session("s-10"));
        if explicitly {
            session.end();
        } else {
            drop(session);
            assert!(!other.is_ended());
            drop(other);
        }
        assert!(inner.is_ended() && !sibling.is_ended());
        for name in ["s-1", "s-1/a", "s-1/b"] {
            for cx in [CallContext::human(), CallContext::plan(), CallContext::model()] {
                let cx = cx.session(name);
                assert!(toolkit.catalog(&cx).is_empty(), "{name}");
                let reply = toolkit.call(&cx, ToolCall::new("count.read", GOOD)).await;
                let code = match cx.origin() {
                    Origin::Model => Code::UnknownTool,
                    _ => Code::OutOfScope,
                };
                assert_eq!((reply.code(), reply.executed()), (code, Executed::No), "{name}");
            }
        }
        let reply = toolkit.call(&human("s-1"), ToolCall::new("count.read", GOOD)).await;
        assert_eq!(reply.text(), "`count.read` was not run: its session has ended");
        let reply =
            toolkit.call(&CallContext::model().session("s-1"), ToolCall::new("x", "")).await;
        assert_eq!(reply.text(), "unknown tool `x`; there is no tool here");
        assert_eq!(probe.entered(), 0);
        // Opened anew it is another one, without what that had.
        let session = toolkit.session("s-1");
        assert_eq!((session.ceiling_risk(), session.is_ended()), (None, false));
        assert_eq!(code(&toolkit, &human("s-1"), "count.write").await, Code::Ok);
        assert_eq!(code(&toolkit, &human("s-1/a"), "count.write").await, Code::OutOfScope);
        // Whoever held the old one can't end it.
        drop(inner);
        assert!(!session.is_ended());
    }
}

#[tokio::test]
async fn an_old_handle_does_nothing_to_a_session_that_is_opened_anew() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    let old = toolkit.session("s-1");
    old.end();
    let new = toolkit.session("s-1");
    old.ceiling(Risk::Read);
    let lost = old.child("a");
    assert!(old.is_ended() && lost.is_ended());
    old.end();
    drop(old);
    drop(lost);
    assert_eq!((new.is_ended(), new.ceiling_risk()), (false, None));
    assert_eq!(code(&toolkit, &human("s-1"), "count.write").await, Code::Ok);
}

#[tokio::test]
async fn what_waits_for_a_person_is_bound_by_what_its_session_is_then() {
    type Change = fn(&Session);
    let cases: [(Change, Code, &str); 3] = [
        (|session| session.end(), Code::OutOfScope, "its session has ended"),
        (
            |session| {
                session.ceiling(Risk::Send);
            },
            Code::AboveCeiling,
            "its risk destructive is above the ceiling send",
        ),
        (|_| {}, Code::Ok, ""),
    ];
    for (change, code, why) in cases {
        let (approver, mut questions) = channel(1);
        let (builder, probe) = counters();
        let toolkit = builder.approver(approver).build().unwrap();
        let session = toolkit.session("s-1");
        let asking = tokio::spawn({
            let toolkit = toolkit.clone();
            let cx = CallContext::model().session("s-1");
            async move { toolkit.call(&cx, ToolCall::new("count.delete", GOOD)).await }
        });
        let pending = questions.recv().await.unwrap();
        change(&session);
        pending.answer(Answer::Approve);
        let reply = asking.await.unwrap();
        assert_eq!((reply.code(), probe.entered()), (code, usize::from(code == Code::Ok)));
        assert!(reply.text().contains(why), "{}", reply.text());
    }
}

#[tokio::test]
async fn what_waits_for_its_turn_does_not_run_in_a_session_that_ends_meanwhile() {
    let probe = Probe::new();
    let gate = Gate::default();
    let builder = Toolkit::builder().only([id(hold), id(read)]).state(probe.clone());
    let toolkit = builder.state(gate.clone()).concurrency(1).build().unwrap();
    let session = toolkit.session("s-1");
    let calling = |tool: &'static str, arguments: &'static str, session: &'static str| {
        let toolkit = toolkit.clone();
        let cx = CallContext::human().session(session);
        tokio::spawn(async move { toolkit.call(&cx, ToolCall::new(tool, arguments)).await })
    };
    let held = calling("gate.hold", "{}", "s-2");
    tokio::task::yield_now().await;
    let waiting = calling("count.read", GOOD, "s-1");
    tokio::task::yield_now().await;
    session.end();
    gate.0.notify_one();
    assert_eq!(held.await.unwrap().code(), Code::Ok);
    let reply = waiting.await.unwrap();
    assert_eq!((reply.code(), probe.entered()), (Code::OutOfScope, 0), "{}", reply.text());
}

#[tokio::test]
async fn a_name_that_nobody_opened_is_a_name() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    let session = toolkit.session("s-1");
    session.ceiling(Risk::Read);
    assert_eq!(seen(&toolkit, &human("s-3")).len(), 3);
    assert_eq!(seen(&toolkit, &CallContext::human()).len(), 3);
    assert_eq!(code(&toolkit, &human("s-3"), "count.write").await, Code::Ok);
}

#[test]
fn handles_that_come_and_go_at_once_leave_one_session() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    let kept = toolkit.session("kept");
    kept.ceiling(Risk::Read);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..2_000 {
                    let held = toolkit.session("kept");
                    assert_eq!(held.ceiling_risk(), Some(Risk::Read));
                    let shared = toolkit.session(format!("shared-{}", round % 3));
                    assert!(!shared.clone().is_ended());
                    shared.ceiling(Risk::Write);
                    assert_eq!(shared.ceiling_risk(), Some(Risk::Write));
                }
            });
        }
    });
    assert!(!kept.is_ended());
    for name in 0..3 {
        let cx = human(&format!("shared-{name}"));
        assert!(toolkit.catalog(&cx).is_empty(), "the last handle of {name} is gone");
    }
}
