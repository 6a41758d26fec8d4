//! Rewriting of arguments: before the gate and nowhere else, and what leaves it is what is judged,
//! shown, recorded and run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolkit::hook::rewrite_async;
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::{Probe, Recorder};
use toolkit::{Builder, Change, Detail, Event, Executed, HookCall, HookKind, Verdict};

use crate::support::{Finished, GOOD, counters};

/// Keep a number under a name.
#[tool(name = "rewrite.keep", risk = "write")]
fn keep(
    /// The name, e.g. `visits`.
    name: String,
    /// The number.
    #[arg(default = 1, range = 1..=9)]
    number: u8,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{name} {number}")
}

/// Look a number up that only reads, so that its arguments may be repaired.
#[tool(name = "rewrite.read")]
fn read(
    /// The number.
    number: u8,
    #[state] probe: &Probe,
) -> u8 {
    let _running = probe.enter();
    number
}

/// Log in somewhere.
#[tool(name = "rewrite.login", risk = "write")]
fn login(
    /// The password.
    #[arg(secret)]
    password: String,
) -> Result<String, ToolError> {
    Err(ToolError::expected(format!("no account has `{password}`, not even `first-secret`")))
}

fn tools() -> (Builder, Probe) {
    let probe = Probe::new();
    let ids = [id(keep), id(read), id(login)];
    let policy = Policy::trusting().detail(Origin::Model, Risk::Write, Detail::Arguments);
    (Toolkit::builder().only(ids).state(probe.clone()).policy(policy), probe)
}

/// Sets one argument.
fn set(name: &'static str, key: &'static str, value: serde_json::Value) -> impl toolkit::Rewrite {
    rewrite(name, move |call| {
        let mut arguments = call.value()?;
        arguments[key] = value.clone();
        Ok(Change::to(&arguments)?)
    })
}

#[tokio::test]
async fn each_hook_sees_what_the_last_one_left() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let watch = rewrite("watch", move |call: HookCall<'_>| {
        kept.lock().unwrap().push(call.arguments().to_owned());
        Ok(Change::Keep)
    });
    let (builder, _) = tools();
    let append = |name: &'static str| {
        rewrite_async(name, move |call| {
            Box::pin(async move {
                tokio::task::yield_now().await;
                let mut arguments = call.value()?;
                arguments["name"] =
                    format!("{}-{name}", arguments["name"].as_str().unwrap()).into();
                Ok(Change::to(&arguments)?)
            })
        })
    };
    let toolkit =
        builder.rewrite(append("one")).rewrite(watch).rewrite(append("two")).build().unwrap();
    let call = ToolCall::new("rewrite.keep", r#"{"name": "x"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(reply.text(), "x-one-two 1");
    assert_eq!(*seen.lock().unwrap(), [r#"{"name":"x-one"}"#]);
}

#[tokio::test]
async fn one_value_is_judged_shown_recorded_and_run() {
    let (recorder, store, finished) =
        (Recorder::approving(), Memory::default(), Finished::default());
    let seen = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&seen);
    let (builder, probe) = tools();
    let toolkit = builder
        .policy(Policy::default().set(Origin::Model, Risk::Write, Verdict::Ask).detail(
            Origin::Model,
            Risk::Write,
            Detail::Arguments,
        ))
        .approver(recorder.clone())
        .store(store.clone())
        .observer(finished.observer())
        .rewrite(set("nine", "number", 9.into()))
        .guard(guard("watch", move |call: HookCall<'_>| {
            *kept.lock().unwrap() = call.value()?.to_string();
            Ok(Ruling::Pass)
        }))
        .build()
        .unwrap();
    let call = ToolCall::new("rewrite.keep", r#"{"name": "x", "number": 3}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(reply.text(), "x 9");
    assert_eq!(probe.entered(), 1);
    let last = r#"{"name":"x","number":9}"#;
    let (request, record) = (&recorder.requests()[0], &finished.records()[0]);
    let kept = &store.records()[0].intent;
    assert_eq!(*seen.lock().unwrap(), last);
    assert_eq!(request.arguments, last);
    assert_eq!(record.arguments.as_deref(), Some(last));
    assert_eq!(kept.arguments.as_deref(), Some(last));
    assert_eq!(record.digest.as_deref(), Some(&*request.digest));
    assert_eq!(kept.digest, request.digest);
}

#[tokio::test]
async fn the_gate_judges_what_was_rewritten() {
    let (builder, probe) = counters();
    let toolkit = builder
        .hosts("count.fetch", ["example.com"])
        .rewrite(set("astray", "name", "https://evil.test/".into()))
        .build()
        .unwrap();
    let call = ToolCall::new("count.fetch", r#"{"name": "https://example.com/"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Denied, 0));
    assert!(reply.text().contains("evil.test"), "{}", reply.text());
}

#[tokio::test]
async fn a_refusal_tells_the_caller_why() {
    let (builder, probe) = counters();
    let finished = Finished::default();
    let refuse = rewrite("wary", |_| Ok(Change::Refuse("that name is taken".into())));
    let toolkit = builder.rewrite(refuse).observer(finished.observer()).build().unwrap();
    let mut events = toolkit.events();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
    assert_eq!(reply.text(), "`count.read` was not run: that name is taken");
    assert_eq!(probe.entered(), 0);
    let decision = finished.records()[0].decision.to_string();
    assert_eq!(decision, "deny; rewrite wary: deny (that name is taken)");
    // A refusal is no fault.
    assert!(matches!(events.try_recv(), Ok(Event::CallFinished(_))));
}

#[tokio::test]
async fn what_a_hook_broke_is_denied_and_only_the_operator_hears_how() {
    for (tool, broken, story) in [
        ("rewrite.keep", r#"{"name": "x", "number": 10}"#, "number: expected integer from 1 to 9"),
        ("rewrite.keep", r#"{"name": "x", "nmuber": 1}"#, "nmuber: unknown argument"),
        ("rewrite.keep", "{}", "name: required, missing"),
        ("rewrite.keep", "", "name: required, missing"),
        ("rewrite.keep", r#"{"name": "x""#, "malformed"),
        ("rewrite.keep", r#"{"name": "x", "name": "y"}"#, "name"),
        // What a model may be forgiven isn't repaired here.
        ("rewrite.read", r#"{"number": "7"}"#, "number: expected integer"),
    ] {
        let (builder, probe) = tools();
        let finished = Finished::default();
        let toolkit = builder
            .observer(finished.observer())
            .rewrite(rewrite("calm", |_| Ok(Change::Keep)))
            .rewrite(rewrite("clumsy", |_| Ok(Change::Replace(broken.to_owned()))))
            .build()
            .unwrap();
        let mut events = toolkit.events();
        let arguments =
            if tool == "rewrite.read" { r#"{"number": 7}"# } else { r#"{"name": "x"}"# };
        let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await;
        assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No), "{broken}");
        assert_eq!(reply.text(), format!("`{tool}` was not run: a hook failed"));
        assert_eq!(probe.entered(), 0);
        let Ok(Event::HookFailed(fault)) = events.try_recv() else { panic!("nobody was told") };
        assert_eq!((fault.kind, &*fault.hook), (HookKind::Rewrite, "clumsy"));
        assert!(fault.what.contains(story), "{}", fault.what);
        let record = &finished.records()[0];
        assert_eq!(fault.call.as_deref(), Some(&*record.call));
        assert!(record.cause.as_deref().unwrap().contains(story), "{:?}", record.cause);
        // What is recorded is what the caller sent: it was valid.
        assert!(record.digest.is_some());
    }
}

#[tokio::test]
async fn another_spelling_of_what_fits_is_no_fault() {
    let (builder, probe) = tools();
    let toolkit = builder
        .rewrite(rewrite("float", |_| Ok(Change::Replace(r#"{"number": 7.0}"#.into()))))
        .build()
        .unwrap();
    let reply = toolkit
        .call(&CallContext::model(), ToolCall::new("rewrite.read", r#"{"number": 1}"#))
        .await;
    assert_eq!((reply.text(), probe.entered()), ("7", 1));
}

#[tokio::test]
async fn a_hook_sees_only_calls_that_passed_validation() {
    let asked = Probe::new();
    let counted = asked.clone();
    let (builder, _) = counters();
    let toolkit = builder
        .rewrite(rewrite("count", move |_| {
            drop(counted.enter());
            Ok(Change::Keep)
        }))
        .build()
        .unwrap();
    for (tool, arguments) in [
        ("count.read", "{"),
        ("count.read", "{}"),
        ("count.raed", GOOD),
        ("count.flagged", GOOD),
        ("count.read", r#"{"name": [1]}"#),
    ] {
        let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await;
        assert!(!reply.is_ok(), "{tool} {arguments}");
    }
    assert_eq!(asked.entered(), 0);
    let call = ToolCall::new("count.read", r#"{"name": "x"}"#);
    assert!(toolkit.call(&CallContext::model(), call).await.is_ok());
    assert_eq!(asked.entered(), 1);
}

#[tokio::test]
async fn secrets_that_came_and_secrets_that_went_are_redacted() {
    for fails in [false, true] {
        let (builder, _) = tools();
        let finished = Finished::default();
        let toolkit = builder
            .observer(finished.observer())
            .rewrite(set("second", "password", "second-secret".into()))
            .rewrite(set("third", "password", "third-secret".into()))
            .rewrite(rewrite("last", move |call| match fails {
                true => Err(format!("no {} here", call.arguments()).into()),
                false => Ok(Change::Keep),
            }))
            .build()
            .unwrap();
        let mut events = toolkit.events();
        let call = ToolCall::new("rewrite.login", r#"{"password": "first-secret"}"#);
        let reply = toolkit.call(&CallContext::model(), call).await;
        let mut texts = format!("{}\n{:?}\n", reply.text(), finished.records());
        while let Ok(event) = events.try_recv() {
            texts.push_str(&format!("{event:?}\n"));
        }
        for secret in ["first-secret", "second-secret", "third-secret"] {
            assert!(!texts.contains(secret), "{texts}");
        }
        assert!(texts.contains("[redacted]"), "{texts}");
        assert_eq!(reply.code(), if fails { Code::Denied } else { Code::Failed });
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_hook_is_not_the_bodys() {
    let (builder, _) = counters();
    let wait = rewrite_async("slow", |_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            Ok(Change::Keep)
        })
    });
    let toolkit = builder.rewrite(wait).build().unwrap();
    let token = toolkit::CancellationToken::new();
    let cx = CallContext::model().cancellation(token.clone());
    assert!(toolkit.call(&cx, ToolCall::new("count.read", GOOD)).await.is_ok());
    // A cancellation ends the waiting.
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let call = toolkit.call(&cx, ToolCall::new("count.read", GOOD));
    let (reply, ()) = tokio::join!(call, cancel);
    assert_eq!(reply.code(), Code::CancelledBeforeStart);
    assert_eq!(reply.took(), Duration::from_secs(1));
}
