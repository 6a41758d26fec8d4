//! Hooks at fault: the table in the hooks' docs, row by row, through every way in.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use toolkit::hook::{Failed, guard_async, observer_async, rewrite_async};
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{Builder, CancellationToken, Event, Executed, HookError};

use crate::support::Finished;

/// What the docs say.
const DOCS: &str = include_str!("../../toolkit/src/hook/mod.rs");

/// Count that the body was entered.
#[tool(name = "hook.body", timeout = "8s")]
async fn body(#[state] probe: &Probe) -> &'static str {
    let _running = probe.enter();
    tokio::task::yield_now().await;
    "the body's"
}

/// Call the other tool.
#[tool(name = "hook.outer")]
async fn outer(#[context] cx: &CallContext) -> String {
    cx.call(ToolCall::new("hook.body", "")).await.code().to_string()
}

/// What goes wrong, in the words of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Fails,
    Panics,
    Hangs,
    IsCancelled,
}

impl Fault {
    fn named(name: &str) -> Self {
        match name {
            "fails" => Self::Fails,
            "panics" => Self::Panics,
            "hangs" => Self::Hangs,
            "the call is cancelled meanwhile" => Self::IsCancelled,
            other => panic!("no fault is called {other}"),
        }
    }

    /// Goes wrong, after a moment.
    async fn happen(self) -> Result<(), HookError> {
        tokio::task::yield_now().await;
        match self {
            Self::Fails => Err("s3cret in an error".into()),
            Self::Panics => panic!("s3cret in a panic"),
            Self::Hangs => std::future::pending().await,
            // Long enough to be cancelled meanwhile, and not too long.
            Self::IsCancelled => {
                tokio::time::sleep(Duration::from_secs(2)).await;
                Ok(())
            }
        }
    }
}

/// Whether the hook is asked about the tool that it is to fail at.
fn is_it(tool: &str) -> bool {
    tool == "hook.body"
}

/// A toolkit with a hook of this kind at fault.
fn with(builder: Builder, hook: &str, fault: Fault) -> Builder {
    match hook {
        "rewrite" => builder.rewrite(rewrite_async("bad", move |call| {
            Box::pin(async move {
                if is_it(call.tool().name()) {
                    fault.happen().await?;
                }
                Ok(Change::Keep)
            })
        })),
        "guard" => builder.guard(guard_async("bad", move |call| {
            Box::pin(async move {
                if is_it(call.tool().name()) {
                    fault.happen().await?;
                }
                Ok(Ruling::Pass)
            })
        })),
        "around, before the body" => builder.around(around("bad", move |call, next| {
            Box::pin(async move {
                if is_it(call.tool().name()) {
                    fault.happen().await.map_err(Failed::fault)?;
                }
                next.run().await
            })
        })),
        "around, after the body" => builder.around(around("bad", move |call, next| {
            Box::pin(async move {
                let given = next.run().await;
                if is_it(call.tool().name()) {
                    fault.happen().await.map_err(Failed::fault)?;
                }
                given
            })
        })),
        "observer" => builder.observer(observer_async("bad", move |event| {
            Box::pin(async move {
                match event {
                    Event::CallFinished(record) if is_it(&record.tool) => fault.happen().await,
                    _ => Ok(()),
                }
            })
        })),
        other => panic!("no hook is called {other}"),
    }
}

/// Every way in.
const ENTRIES: [&str; 6] = ["call", "turn", "read-only call", "read-only turn", "wire", "nested"];

/// The code of the reply, as far as the way in shows it.
async fn enter(toolkit: &Toolkit, cx: &CallContext, entry: &str) -> Option<Code> {
    let call = || ToolCall::new("hook.body", "");
    Some(match entry {
        "call" => toolkit.call(cx, call()).await.code(),
        "turn" => toolkit.turn(cx, [call()]).await.replies()[0].code(),
        "read-only call" => toolkit.read_only().call(cx, call()).await.code(),
        "read-only turn" => toolkit.read_only().turn(cx, [call()]).await.replies()[0].code(),
        "wire" => toolkit.call(cx, ToolCall::new("hook__body", "")).await.code(),
        _ => {
            toolkit.call(cx, ToolCall::new("hook.outer", "")).await;
            return None;
        }
    })
}

/// The rows of the table in the docs: the hook, and what the docs say of each fault.
fn table() -> Vec<(&'static str, Vec<(Fault, &'static str)>)> {
    let rows = DOCS.lines().filter_map(|line| line.strip_prefix("//! | "));
    let mut rows = rows.map(|row| row.trim_end_matches(" |").split(" | ").collect::<Vec<_>>());
    let heads: Vec<Fault> = rows.next().unwrap()[1..].iter().map(|n| Fault::named(n)).collect();
    rows.map(|row| (row[0], heads.iter().copied().zip(row[1..].iter().copied()).collect()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn every_fault_of_every_hook_is_answered_as_the_docs_say() {
    let table = table();
    assert_eq!(table.iter().map(|(_, faults)| faults.len()).sum::<usize>(), 20);
    for (hook, faults) in table {
        for (fault, says) in faults {
            for entry in ENTRIES {
                let (probe, finished) = (Probe::new(), Finished::default());
                let builder = Toolkit::builder().only([id(body), id(outer)]).state(probe.clone());
                let builder = with(builder, hook, fault).observer(finished.observer());
                let toolkit = builder.build().unwrap();
                let mut events = toolkit.events();
                let token = CancellationToken::new();
                let cx = CallContext::model().cancellation(token.clone());
                let cancel = async {
                    if fault == Fault::IsCancelled {
                        tokio::time::sleep(Duration::from_secs(1)).await;
                        token.cancel();
                    }
                };
                let (code, ()) = tokio::join!(enter(&toolkit, &cx, entry), cancel);

                let what = format!("{hook} {fault:?} through {entry}");
                let records = finished.records();
                let records: Vec<_> = records.iter().filter(|r| is_it(&r.tool)).collect();
                assert_eq!(records.len(), 1, "{what}");
                let record = records[0];
                let ran = if record.executed == Executed::Yes { "yes" } else { "no" };
                assert_eq!(format!("`{}`, {ran}", record.code), says, "{what}");
                assert!(code.is_none_or(|code| code == record.code), "{what}: {code:?}");
                assert_eq!(probe.entered(), usize::from(ran == "yes"), "{what}");
                assert_eq!(probe.running(), 0, "{what}");

                let mut faults = Vec::new();
                while let Ok(event) = events.try_recv() {
                    if let Event::HookFailed(fault) = event {
                        faults.push(fault);
                    }
                }
                assert_eq!(faults.len(), usize::from(fault != Fault::IsCancelled), "{what}");
                let Some(told) = faults.first() else { continue };
                assert_eq!(told.kind.as_str(), hook.split(',').next().unwrap(), "{what}");
                assert_eq!(
                    (&*told.hook, told.call.as_ref()),
                    ("bad", Some(&record.call)),
                    "{what}"
                );
                if hook != "observer" {
                    let cause = record.cause.as_deref().unwrap_or_default();
                    assert!(cause.contains(&*told.what), "{what}: {cause}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_caller_hears_no_more_than_that_a_hook_failed() {
    for (hook, _) in table() {
        for fault in [Fault::Fails, Fault::Panics] {
            let builder = Toolkit::builder().only([id(body)]).state(Probe::new());
            let toolkit = with(builder, hook, fault).build().unwrap();
            let reply = toolkit.call(&CallContext::model(), ToolCall::new("hook.body", "")).await;
            assert!(!reply.text().contains("s3cret"), "{hook}: {}", reply.text());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_at_fault_leave_nothing_behind() {
    let broken = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&broken);
    let builder = Toolkit::builder().only([id(body)]).state(Probe::new()).concurrency(1);
    let toolkit = builder
        .around(around("bad", move |_, next| {
            let broken = seen.load(Ordering::SeqCst);
            Box::pin(async move {
                if broken {
                    Fault::Hangs.happen().await.map_err(Failed::fault)?;
                }
                next.run().await
            })
        }))
        .build()
        .unwrap();
    for code in [Code::Denied, Code::Denied, Code::Ok] {
        broken.store(code != Code::Ok, Ordering::SeqCst);
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("hook.body", "")).await;
        assert_eq!(reply.code(), code);
    }
    tokio::time::timeout(Duration::from_millis(1), toolkit.shutdown()).await.unwrap();
}
