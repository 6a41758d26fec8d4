//! Hooks around the body: their order, what they may replace, and what they can't.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolkit::hook::Failed;
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Probe;
use toolkit::{Builder, Executed, Output, Verdict};

use crate::blocking::{Latch, hold};
use crate::support::{Finished, GOOD, counters};

/// End in the way that is asked for.
#[tool(name = "around.end", timeout = "2s")]
async fn end(
    /// How to end, e.g. `well`.
    how: String,
    #[context] cx: &CallContext,
    #[state] probe: &Probe,
) -> Result<f64, ToolError> {
    let _running = probe.enter();
    match how.as_str() {
        "well" => Ok(7.0),
        "nan" => Ok(f64::NAN),
        "panic" => panic!("s3cret in the body"),
        "late" => {
            cx.cancelled().await;
            Ok(8.0)
        }
        "internal" => Err(std::io::Error::other("s3cret in an error").into()),
        text => Err(ToolError::expected(text.to_owned())),
    }
}

/// Take as long as it takes.
#[tool(name = "around.long", timeout = "none")]
async fn long(
    /// How many seconds, e.g. `100`.
    seconds: u64,
    #[state] probe: &Probe,
) -> &'static str {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    "long"
}

/// Write a text piece by piece.
#[tool(name = "around.stream")]
async fn stream(#[context] cx: &CallContext) -> Result<(), ToolError> {
    cx.output()?.append("streamed").await?;
    Ok(())
}

/// Work on a thread that is waited for.
#[tool(name = "around.waited", blocking = "wait")]
fn waited() -> &'static str {
    "waited"
}

/// Log in and say how that went.
#[tool(name = "around.login")]
async fn login(
    /// The password.
    #[arg(secret)]
    password: String,
) -> usize {
    password.len()
}

pub(crate) fn tools() -> (Builder, Probe) {
    let probe = Probe::new();
    (
        Toolkit::builder()
            .only([id(end), id(long), id(login), id(stream), id(waited)])
            .state(probe.clone()),
        probe,
    )
}

pub(crate) fn how(how: &str) -> ToolCall<'static> {
    ToolCall::json("around.end", &json!({ "how": how })).unwrap()
}

/// Makes something else of what the body gave, at once.
pub(crate) fn after(
    name: &'static str,
    change: impl Fn(Result<Output, Failed>) -> Result<Output, Failed> + Send + Sync + Clone + 'static,
) -> impl toolkit::Around + 'static {
    around(name, move |_, next| {
        let change = change.clone();
        Box::pin(async move { change(next.run().await) })
    })
}

#[tokio::test]
async fn the_first_that_was_added_is_the_outermost() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watch = |name: &'static str| {
        let seen = Arc::clone(&seen);
        around(name, move |call, next| {
            let seen = Arc::clone(&seen);
            Box::pin(async move {
                seen.lock().unwrap().push(format!("{name} before {}", call.arguments()));
                let output = next.run().await?;
                seen.lock().unwrap().push(format!("{name} after {}", output.text().unwrap()));
                let text = format!("{}-{name}", output.text().unwrap());
                Ok(Output::of(&text)?)
            })
        })
    };
    let (builder, probe) = counters();
    let toolkit = builder.around(watch("one")).around(watch("two")).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await;
    assert_eq!(reply.text(), "visits-two-one");
    assert_eq!(probe.entered(), 1);
    let before = |name: &str| format!("{name} before {GOOD}");
    let expected = [
        before("one"),
        before("two"),
        "two after visits".to_owned(),
        "one after visits-two".to_owned(),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn value_and_text_are_replaced_apart() {
    let text = after("text", |given| Ok(given?.with_text("seven")));
    let (builder, _) = tools();
    let reply =
        builder.around(text).build().unwrap().call(&CallContext::model(), how("well")).await;
    assert_eq!((reply.text(), reply.value()), ("seven", Some(json!(7.0))));
    let value = after("value", |given| {
        let text = given?.text().unwrap_or_default().to_owned();
        Ok(Output::of(&json!({"n": 7}))?.with_text(text))
    });
    let (builder, _) = tools();
    let reply =
        builder.around(value).build().unwrap().call(&CallContext::model(), how("well")).await;
    assert_eq!((reply.text(), reply.value()), ("7.0", Some(json!({"n": 7}))));
}

#[tokio::test]
async fn what_a_hook_gives_is_cut_and_redacted_as_what_a_body_gives() {
    let long = after("long", |given| Ok(given?.with_text("x".repeat(9_000))));
    let (builder, _) = tools();
    let toolkit = builder.around(long).output_budget(500).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), how("well")).await;
    assert!(reply.text().chars().count() <= 500, "{}", reply.text());
    assert!(reply.text().contains("of 9000 characters left out"), "{}", reply.text());
    assert_eq!(reply.value(), Some(json!(7.0)));

    let call = || ToolCall::new("around.login", r#"{"password": "s3cret"}"#);
    for fails in [false, true] {
        let leak = around("leak", move |call, next| {
            Box::pin(async move {
                let output = next.run().await?;
                if fails {
                    return Err(Failed::expected(format!("with {}", call.arguments())));
                }
                Ok(Output::of(&call.value()?)?.with_text(format!(
                    "{:?} {}",
                    output,
                    call.arguments()
                )))
            })
        });
        let (builder, _) = tools();
        let reply = builder.around(leak).build().unwrap().call(&CallContext::model(), call()).await;
        assert_eq!(reply.code(), if fails { Code::Failed } else { Code::Ok });
        let shown = format!("{} {:?}", reply.text(), reply.value());
        assert!(!shown.contains("s3cret") && shown.contains("[redacted]"), "{shown}");
    }
}

#[tokio::test]
async fn a_hook_sees_what_the_body_has_streamed() {
    let stamp = after("stamp", |given| {
        let output = given?;
        let text = format!("[{}]", output.text().unwrap_or_default());
        Ok(output.with_text(text))
    });
    let (builder, _) = tools();
    let toolkit = builder.around(stamp).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("around.stream", "")).await;
    assert_eq!(reply.text(), "[streamed]");
}

#[tokio::test]
async fn one_that_does_not_run_the_body_denies_the_call() {
    type Give = fn() -> Result<Output, Failed>;
    let gives: [(Give, &str); 3] = [
        (|| Ok(Output::of("all well")?), "a hook did not let it run"),
        (|| Err(Failed::expected("closed today")), "closed today"),
        (|| Err(Failed::fault("s3cret")), "a hook failed"),
    ];
    for (give, reason) in gives {
        // What a hook further out says of it changes nothing.
        for outer in [false, true] {
            let (store, finished) = (Memory::default(), Finished::default());
            let (builder, probe) = counters();
            let mut builder = builder.store(store.clone()).observer(finished.observer());
            if outer {
                builder = builder.around(after("outer", |_| Ok(Output::of("never mind")?)));
            }
            let closed = around("closed", move |_, _| Box::pin(async move { give() }));
            let toolkit = builder.around(closed).build().unwrap();
            let cx = CallContext::human();
            let reply = toolkit.call(&cx, ToolCall::new("count.write", GOOD)).await;
            assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
            let reason = if outer && reason == "closed today" {
                "a hook did not let it run"
            } else {
                reason
            };
            assert_eq!(reply.text(), format!("`count.write` was not run: {reason}"));
            assert_eq!((reply.value(), probe.entered()), (None, 0));
            let ended = store.records()[0].ended.unwrap();
            assert_eq!((ended.code, ended.executed), (Code::Denied, Executed::No));
            let records = finished.records();
            let last = records[0].decision.findings().last().unwrap();
            assert_eq!((&*last.source, last.verdict), ("around closed", Some(Verdict::Deny)));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_of_the_body_is_handed_on_or_replaced() {
    let cases = ["well", "no such way", "internal", "nan", "panic", "late"];
    let mut plain = Vec::new();
    for case in cases {
        let reply = tools().0.build().unwrap().call(&CallContext::model(), how(case)).await;
        plain.push((reply.code(), reply.executed()));
    }
    assert_eq!(plain.iter().filter(|(_, executed)| *executed == Executed::Yes).count(), 6);
    for (case, plain) in cases.into_iter().zip(plain) {
        let run = async |hook: fn(Result<Output, Failed>) -> Result<Output, Failed>| {
            let (builder, probe) = tools();
            let toolkit = builder.around(after("hook", hook)).build().unwrap();
            let reply = toolkit.call(&CallContext::model(), how(case)).await;
            assert_eq!(probe.entered(), 1);
            assert!(!reply.text().contains("s3cret"), "{}", reply.text());
            (reply.code(), reply.executed())
        };
        assert_eq!(run(|given| given).await, plain, "{case} handed on");
        // A defect of the body stands, and what comes too late isn't heard.
        let stands = matches!(plain.0, Code::Defect | Code::TimedOut);
        let good = if stands { plain } else { (Code::Ok, Executed::Yes) };
        assert_eq!(run(|_| Ok(Output::of(&1)?)).await, good, "{case} made good");
        let bad = if stands { plain } else { (Code::Failed, Executed::Yes) };
        let failed = run(|_| Err(Failed::expected("not good enough"))).await;
        assert_eq!(failed, bad, "{case} made an error");
    }
}

#[tokio::test]
async fn a_hook_sees_what_went_wrong_and_whom_it_is_for() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let watch = after("watch", move |given| {
        let failed = given.as_ref().unwrap_err();
        kept.lock().unwrap().push((failed.to_string(), failed.for_model().map(str::to_owned)));
        given
    });
    let (builder, _) = tools();
    let toolkit = builder.around(watch).build().unwrap();
    for case in ["no such way", "internal", "panic"] {
        toolkit.call(&CallContext::model(), how(case)).await;
    }
    let told = |text: &str, model: Option<&str>| (text.to_owned(), model.map(str::to_owned));
    assert_eq!(
        *seen.lock().unwrap(),
        [
            told("no such way", Some("no such way")),
            told("s3cret in an error", None),
            told("panicked: s3cret in the body", None),
        ]
    );
}

#[tokio::test]
async fn a_fault_further_in_stands() {
    type Break = fn() -> Result<Output, Failed>;
    let breaks: [Break; 2] = [|| Err(Failed::fault("s3cret")), || panic!("s3cret")];
    for broken in breaks {
        let (builder, probe) = tools();
        let toolkit = builder
            .around(after("outer", |_| Ok(Output::of("never mind")?)))
            .around(after("inner", move |_| broken()))
            .build()
            .unwrap();
        let reply = toolkit.call(&CallContext::model(), how("well")).await;
        assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
        assert_eq!(probe.entered(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_is_late_lets_no_body_in() {
    let late = around("late", |_, next| {
        Box::pin(async move {
            // After the deadline, and within the time that a body has to put things in order.
            tokio::time::sleep(Duration::from_millis(2_200)).await;
            next.run().await
        })
    });
    let (builder, probe) = tools();
    let reply =
        builder.around(late).build().unwrap().call(&CallContext::model(), how("well")).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Denied, Executed::No));
    assert_eq!((probe.entered(), reply.took()), (0, Duration::from_secs(2)));
}

#[tokio::test(start_paused = true)]
async fn a_hook_has_its_own_time_where_the_tool_has_none() {
    let wait = |before: u64, after: u64| {
        around("slow", move |_, next| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_secs(before)).await;
                let given = next.run().await;
                tokio::time::sleep(Duration::from_secs(after)).await;
                given
            })
        })
    };
    for (before, after, code, entered, took) in
        [(4, 4, Code::Ok, 1, 108), (60, 0, Code::Denied, 0, 5), (4, 60, Code::TimedOut, 1, 109)]
    {
        let (builder, probe) = tools();
        let toolkit = builder.around(wait(before, after)).build().unwrap();
        let call = ToolCall::new("around.long", r#"{"seconds": 100}"#);
        let reply = toolkit.call(&CallContext::model(), call).await;
        assert_eq!((reply.code(), probe.entered()), (code, entered), "{before} {after}");
        assert_eq!(reply.took(), Duration::from_secs(took));
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_a_hook_gives_up_has_been_executed() {
    let hasty = around("hasty", |_, next| {
        Box::pin(async move {
            match tokio::time::timeout(Duration::from_secs(1), next.run()).await {
                Ok(given) => given,
                Err(_) => Err(Failed::expected("it took too long; ask for less")),
            }
        })
    });
    let (builder, probe) = tools();
    let toolkit = builder.around(hasty).build().unwrap();
    let call = ToolCall::new("around.long", r#"{"seconds": 100}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Failed, Executed::Yes));
    assert_eq!((probe.entered(), probe.running()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn of_a_call_that_nobody_waits_for_it_is_told_whether_the_body_ran() {
    for (before, code, executed) in
        [(10, Code::CancelledBeforeStart, Executed::No), (0, Code::Cancelled, Executed::Yes)]
    {
        let slow = around("slow", move |_, next| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_secs(before)).await;
                next.run().await
            })
        });
        let (builder, _) = tools();
        let finished = Finished::default();
        let toolkit = builder.around(slow).observer(finished.observer()).build().unwrap();
        let cx = CallContext::model();
        let call = toolkit.call(&cx, ToolCall::new("around.long", r#"{"seconds": 100}"#));
        assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
        let record = &finished.records()[0];
        assert_eq!((record.code, record.executed), (code, executed));
    }
}

#[tokio::test]
async fn a_body_on_a_thread_that_a_hook_gives_up_may_still_run() {
    let (latch, probe) = (Latch::default(), Probe::new());
    let seen = probe.clone();
    let hasty = around("hasty", move |_, next| {
        let probe = seen.clone();
        Box::pin(async move {
            let begun = async {
                while probe.entered() == 0 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                given = next.run() => given,
                () = begun => Err(Failed::expected("that takes too long")),
            }
        })
    });
    let builder = Toolkit::builder().only([id(hold)]).state(latch.clone()).state(probe.clone());
    let toolkit = builder.around(hasty).build().unwrap();
    let reply = toolkit.call(&CallContext::human(), ToolCall::new("block.hold", "")).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Failed, Executed::Unknown));
    assert_eq!(toolkit.abandoned(), 1);
    // It isn't waited for, and it is counted.
    assert_eq!(toolkit.shutdown_within(Duration::ZERO).await, 1);
    latch.open();
    while toolkit.abandoned() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(probe.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_hook_has_its_own_time_where_the_body_is_waited_for() {
    let hangs = around("hangs", |_, next| {
        Box::pin(async move {
            let _given = next.run().await;
            std::future::pending().await
        })
    });
    let toolkit = tools().0.around(hangs).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("around.waited", "")).await;
    assert_eq!((reply.code(), reply.executed()), (Code::TimedOut, Executed::Yes));
    assert!(reply.took() <= Duration::from_secs(6));
}
