//! A person may write other arguments for the same tool: they are judged anew, what runs is what was
//! written, and the reply says so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolkit::approval::{Answer, channel};
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::{Probe, Recorder};
use toolkit::{Builder, Executed, Ruling, guard};

use crate::support::{Finished, GOOD, counters};

fn call() -> ToolCall<'static> {
    ToolCall::new("count.delete", GOOD)
}

fn edits<const N: usize>(written: [&str; N]) -> Recorder {
    Recorder::new(written.map(|text| Answer::Edit(text.to_owned())))
}

/// A recorder, and everything else that a test of an edit looks at.
fn with<const N: usize>(written: [&str; N]) -> (Builder, Recorder, Probe) {
    let recorder = edits(written);
    let (builder, probe) = counters();
    (builder.approver(recorder.clone()), recorder, probe)
}

#[tokio::test]
async fn what_a_person_wrote_runs_and_the_reply_says_so() {
    let (builder, recorder, probe) = with([r#"{ "name": "old visits" }"#]);
    let (store, finished) = (Memory::default(), Finished::default());
    let recorder_of = recorder.clone().person("ada");
    let toolkit = builder
        .approver(recorder_of)
        .store(store.clone())
        .observer(finished.observer())
        .build()
        .unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), reply.executed(), probe.entered()), (Code::Ok, Executed::Yes, 1));
    assert_eq!(
        reply.text(),
        "a person changed the arguments; what ran: {\"name\":\"old visits\"}\nold visits"
    );
    assert_eq!(reply.edited(), Some(r#"{"name":"old visits"}"#));
    // The value is that of the body, without the note.
    assert_eq!(reply.value(), Some("old visits".into()));
    let record = &finished.records()[0];
    assert_eq!(record.arguments.as_deref(), Some(r#"{"name":"old visits"}"#));
    let approval = record.approval.as_ref().unwrap();
    assert_eq!((&*approval.answer, approval.by.as_deref()), ("edited", Some("ada")));
    assert_eq!(*approval.digest, *recorder.requests()[0].digest);
    assert_ne!(record.digest.as_deref(), Some(&*approval.digest));
    // The intent is of what ran as well.
    let intent = &store.records()[0].intent;
    assert_eq!(Some(&*intent.digest), record.digest.as_deref());
}

#[tokio::test]
async fn an_edit_that_changes_nothing_is_a_yes() {
    let (builder, _, probe) = with([r#" {"n\u0061me" : "visits"} "#]);
    let finished = Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.text(), reply.edited(), probe.entered()), ("visits", None, 1));
    assert_eq!(finished.records()[0].approval.as_ref().unwrap().answer, "approved");
}

#[tokio::test]
async fn what_does_not_fit_is_asked_about_again_and_not_for_ever() {
    let (builder, recorder, probe) = with([r#"{"nmae": "a"}"#, "{", r#"{"name": "b"}"#]);
    let toolkit = builder.build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Ok, 1));
    let asked = recorder.requests();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0].problem, None);
    let second = asked[1].rendering();
    assert!(second.contains("did you mean `name`?"), "{second}");
    assert!(asked[2].problem.as_deref().unwrap().starts_with("malformed arguments"));
    // All three are one question about the same arguments.
    assert!(asked.iter().all(|one| one.call == asked[0].call && one.digest == asked[0].digest));

    for never in ["", "null", "[]", "{", "{}", r#"{"name": 7}"#, r#""{\"name\": \"a\"}""#] {
        let (builder, recorder, probe) = with([never]);
        let finished = Finished::default();
        let toolkit = builder.repair_all().observer(finished.observer()).build().unwrap();
        let reply = toolkit.call(&CallContext::model(), call()).await;
        assert_eq!((reply.code(), probe.entered()), (Code::Denied, 0), "{never}");
        assert_eq!(recorder.requests().len(), 3, "{never}");
        assert_eq!(
            reply.text(),
            "`count.delete` was not run: a person wanted other arguments and wrote none that fit; \
             don't retry, say so"
        );
        assert_eq!(reply.edited(), None);
        let record = &finished.records()[0];
        assert_eq!(record.approval.as_ref().unwrap().answer, "failed");
        assert!(record.cause.as_deref().unwrap().starts_with("what a person wrote instead: "));
        // What was asked about is what the record holds: nothing else took its place.
        assert_eq!(record.arguments.as_deref(), Some(r#"{"name":"visits"}"#));
    }
}

#[tokio::test(start_paused = true)]
async fn all_rounds_share_one_time() {
    let (approver, mut questions) = channel(1);
    let (builder, probe) = counters();
    let finished = Finished::default();
    let toolkit = builder.approver(approver).observer(finished.observer()).build().unwrap();
    let asking = tokio::spawn(async move { toolkit.call(&CallContext::model(), call()).await });
    let first = questions.recv().await.unwrap();
    assert_eq!(first.request().time, Duration::from_secs(300));
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert!(first.answer_as("ada", Answer::Edit("{}".to_owned())));
    let second = questions.recv().await.unwrap();
    assert_eq!(second.request().time, Duration::from_secs(100));
    let reply = asking.await.unwrap();
    assert_eq!((reply.code(), probe.entered()), (Code::Expired, 0));
    assert_eq!(reply.took(), Duration::from_secs(300));
    assert!(!second.answer(Answer::Approve));
    // It is nobody who let the time pass, whoever answered before.
    let approval = finished.records()[0].approval.clone().unwrap();
    assert_eq!((&*approval.answer, approval.by.as_deref()), ("expired", None));
}

#[tokio::test]
async fn an_edit_is_judged_anew_its_own_ask_is_answered_and_a_no_stands() {
    let judged = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&judged);
    let judge = move |builder: Builder| {
        let kept = Arc::clone(&kept);
        builder.guard(guard("names", move |call: toolkit::HookCall<'_>| {
            kept.lock().unwrap().push(call.arguments().to_owned());
            Ok(match call.value()?["name"].as_str() {
                Some("payroll") => Ruling::Deny("payroll is kept".into()),
                Some("odd") => Ruling::Ask("odd name".into()),
                _ => Ruling::Pass,
            })
        }))
    };
    let (builder, recorder, probe) = with([r#"{"name":"payroll"}"#]);
    let finished = Finished::default();
    let toolkit = judge(builder).observer(finished.observer()).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Denied, 0));
    assert_eq!(
        reply.text(),
        "a person changed the arguments to {\"name\":\"payroll\"}\n\
         `count.delete` was not run: payroll is kept"
    );
    assert_eq!((reply.executed(), recorder.requests().len()), (Executed::No, 1));
    // The decision is the one on what was written.
    let decision = &finished.records()[0].decision;
    assert_eq!(decision.deciding().unwrap().reason, "payroll is kept");
    assert_eq!(judged.lock().unwrap().split_off(0), [GOOD, r#"{"name":"payroll"}"#]);

    let (builder, recorder, probe) = with([r#"{"name":"odd"}"#]);
    let toolkit = judge(builder).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Ok, 1));
    assert_eq!(recorder.requests().len(), 1, "nobody is asked about their own answer");
}

#[tokio::test]
async fn an_edit_can_not_leave_the_listed_hosts_nor_the_tool() {
    let url = |host: &str| format!(r#"{{"name":"https://{host}/visits"}}"#);
    for (written, code) in [(url("evil.example"), Code::Denied), (url("example.com"), Code::Ok)] {
        let (builder, _, probe) = with([written.as_str()]);
        let toolkit = builder
            .hosts("count.fetch", ["example.com", "example.org"])
            .policy(Policy::default().set(Origin::Model, Risk::Network, toolkit::Verdict::Ask))
            .build()
            .unwrap();
        let call = ToolCall::new("count.fetch", url("example.org"));
        let reply = toolkit.call(&CallContext::model(), call).await;
        assert_eq!((reply.code(), probe.entered()), (code, usize::from(code == Code::Ok)));
        assert_eq!(reply.tool(), Some("count.fetch"));
    }
    // There is no way to name another tool: what looks like one is an unknown argument.
    let (builder, recorder, probe) = with([r#"{"tool": "count.write", "name": "visits"}"#]);
    let toolkit = builder.build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Denied, 0));
    assert!(recorder.requests()[1].problem.as_deref().unwrap().contains("unknown argument"));
}

/// What was paid.
#[derive(Clone, Default)]
struct Paid(Arc<Mutex<Vec<String>>>);

/// Pay an amount to an account.
#[tool(name = "edit.pay", risk = "destructive")]
async fn pay(
    /// The amount, e.g. `5`.
    amount: u32,
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    token: Vec<String>,
    /// Why, in a few words.
    #[arg(default)]
    note: String,
    #[state] paid: &Paid,
) -> String {
    assert_ne!(amount, 7, "the bank is closed");
    paid.0.lock().unwrap().push(format!("{amount} {token:?} {note}"));
    format!("paid {amount} with {}", token.join("+"))
}

#[tokio::test]
async fn a_mark_left_as_it_was_keeps_the_secret_and_never_runs() {
    let asked = r#"{"amount": 500, "token": ["hunter2", "swordfish"], "note": "with hunter2"}"#;
    let shown = r#"{"amount":500,"note":"with [redacted]","token":"[redacted]"}"#;
    let pay_with = async |written: &str| {
        let (recorder, paid) = (edits([written]), Paid::default());
        let finished = Finished::default();
        let toolkit = Toolkit::builder()
            .only([id(pay)])
            .state(paid.clone())
            .approver(recorder.clone())
            .observer(finished.observer())
            .build()
            .unwrap();
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("edit.pay", asked)).await;
        assert_eq!(recorder.requests()[0].arguments, shown);
        let said = format!("{} {:?} {:?}", reply.text(), finished.records(), recorder.requests());
        assert!(!said.contains("hunter2") && !said.contains("opensesame"), "{said}");
        (reply, paid.0.lock().unwrap().clone())
    };
    let mark = "[redacted]";
    // Kept: the secret where the mark stands for it, and the note that quotes it.
    let (reply, ran) = pay_with(&shown.replace("500", "5")).await;
    assert_eq!(ran, [r#"5 ["hunter2", "swordfish"] with hunter2"#]);
    assert_eq!(
        reply.text(),
        "a person changed the arguments; what ran: \
         {\"amount\":5,\"note\":\"with [redacted]\",\"token\":\"[redacted]\"}\n\
         paid 5 with [redacted]+[redacted]"
    );
    // Written anew: the new secret is one as well.
    let (_, ran) = pay_with(r#"{"amount":5,"token":["opensesame"]}"#).await;
    assert_eq!(ran, [r#"5 ["opensesame"] "#]);
    // A caller who wrote the mark as well meant it, and so does who leaves it.
    let literal = r#"{"amount":500,"token":["hunter2"],"note":"was [redacted]"}"#;
    let left = r#"{"amount":5,"token":"[redacted]","note":"was [redacted]"}"#;
    let paid = Paid::default();
    let builder = Toolkit::builder().only([id(pay)]).state(paid.clone()).approver(edits([left]));
    let toolkit = builder.build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("edit.pay", literal)).await;
    assert_eq!(reply.code(), Code::Ok);
    assert_eq!(*paid.0.lock().unwrap(), [r#"5 ["hunter2"] was [redacted]"#]);
    // Anywhere else the mark would be the value.
    for written in [
        format!(r#"{{"amount":5,"token":["{mark}"]}}"#),
        format!(r#"{{"amount":5,"token":["{mark}","swordfish"]}}"#),
        format!(r#"{{"amount":5,"token":"{mark}","note":"for {mark}"}}"#),
        r#"{"amount":5,"token":"\u005bredacted]","note":"\u005bredacted\u005d"}"#.to_owned(),
    ] {
        let (reply, ran) = pay_with(&written).await;
        assert_eq!((reply.code(), ran.len()), (Code::Denied, 0), "{written}");
    }
}

#[tokio::test]
async fn the_note_is_within_the_budget() {
    let long = format!(r#"{{"name":"{}"}}"#, "ä→".repeat(5_000));
    let (builder, _, _) = with([long.as_str()]);
    let toolkit = builder.output_budget(300).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert!(reply.is_ok());
    let text = reply.text();
    assert!(text.chars().count() <= 300, "{text}");
    assert!(text.starts_with("a person changed the arguments; what ran: {\"name\":\"ä→"), "{text}");
    assert!(text.contains("characters left out"), "{text}");
    assert_eq!(reply.edited(), Some(&*long));
    assert_eq!(reply.value().unwrap().as_str().unwrap().chars().count(), 10_000);
}

#[tokio::test]
async fn an_edited_body_that_fails_tells_of_the_edit_as_well() {
    let builder = Toolkit::builder().only([id(pay)]).state(Paid::default());
    let toolkit = builder.approver(edits([r#"{"amount":7,"token":[]}"#])).build().unwrap();
    let call = ToolCall::new("edit.pay", r#"{"amount":1,"token":[]}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
    let first = reply.text().lines().next().unwrap();
    assert_eq!(
        first,
        "a person changed the arguments; what ran: {\"amount\":7,\"token\":\"[redacted]\"}"
    );
}

#[tokio::test]
async fn what_a_person_wrote_is_not_rewritten() {
    let (builder, recorder, probe) = with([r#"{"name":"theirs"}"#]);
    let hook = toolkit::rewrite("shout", |call: toolkit::HookCall<'_>| {
        Ok(toolkit::Change::Replace(call.arguments().to_uppercase().replace("NAME", "name")))
    });
    let toolkit = builder.rewrite(hook).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!(recorder.requests()[0].arguments, r#"{"name":"VISITS"}"#);
    assert_eq!((reply.value(), probe.entered()), (Some("theirs".into()), 1));
}
