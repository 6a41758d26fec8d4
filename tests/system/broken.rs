//! What a stranger broke, and doesn't break any more.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::approval::{Answer, ApprovalRequest, Approver};
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Recorder;
use toolkit::{BoxFuture, Event, Guard, HookCall, HookError, Ruling, TypedTool, guard};

use crate::support::{Finished, GOOD, counters};

/// Hand over a password, with effects.
#[tool(name = "broken.login", risk = "write", flag = "logins")]
async fn login(
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: String,
) -> String {
    password
}

#[tokio::test]
async fn a_call_that_is_refused_before_it_is_read_shows_no_secret() {
    let finished = Finished::default();
    let builder = Toolkit::builder().only([id(login)]).observer(finished.observer());
    let toolkit = builder.build().unwrap();
    for cx in [
        CallContext::human(),
        CallContext::plan(),
        CallContext::model(),
        CallContext::human().flag("logins").ceiling(Risk::Read),
    ] {
        let call = ToolCall::new("broken.login", r#"{"password": "hunter2"}"#);
        assert!(!toolkit.call(&cx, call).await.is_ok());
    }
    for record in finished.records() {
        assert!(!format!("{record:?}").contains("hunter2"), "{record:?}");
        assert_eq!((&record.arguments, &record.digest), (&None, &None), "nobody read them");
    }
}

/// What a safe is opened with.
#[derive(Serialize)]
struct Safe {
    wide: u128,
    note: String,
}

/// Open a safe by its numbers.
#[tool(name = "broken.safe", risk = "destructive")]
async fn safe(
    /// A number of many digits, e.g. `1`.
    wide: u128,
    /// A secret number, e.g. `1.5`.
    #[arg(secret)]
    pin: f64,
    /// A secret text, e.g. `abc`.
    #[arg(secret)]
    word: String,
) -> Result<Safe, ToolError> {
    Ok(Safe { wide, note: format!("{pin} {pin:?} {word:?}") })
}

#[tokio::test]
async fn a_person_is_shown_every_digit_beside_a_secret() {
    let recorder = Recorder::approving();
    let finished = Finished::default();
    let builder = Toolkit::builder().only([id(safe)]).approver(recorder.clone());
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let wide = "123456789012345678901234567890";
    let arguments = format!(r#"{{"wide": {wide}, "pin": 90210e2, "word": "a\u0001bcdef"}}"#);
    let reply = toolkit.call(&CallContext::human(), ToolCall::new("broken.safe", arguments)).await;
    assert_eq!(reply.code(), Code::Ok, "{}", reply.text());
    assert!(reply.text().contains(wide), "{}", reply.text());
    for part in ["9021000", "90210e2", "bcdef"] {
        assert!(!reply.text().contains(part), "{}", reply.text());
    }
    let shown = format!(r#"{{"pin":"[redacted]","wide":{wide},"word":"[redacted]"}}"#);
    assert_eq!(recorder.requests()[0].arguments, shown);
    assert_eq!(finished.records()[0].arguments.as_deref(), Some(shown.as_str()));
}

/// Arguments with room for more.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
struct Roomy {
    /// The path.
    path: String,
    /// A password.
    password: String,
}

fn roomy() -> TypedTool {
    TypedTool::new("broken.roomy", "Read a file by its path.", Risk::Read, |args: Roomy, _| {
        async move { Ok::<_, ToolError>(format!("{} {}", args.path, args.password)) }
    })
    .secret("password")
}

#[tokio::test]
async fn a_guard_is_never_given_other_arguments_than_the_body() {
    let judge = |call: HookCall<'_>| {
        let value = call.value()?;
        Ok(match value["path"].as_str() {
            Some("/etc/shadow") => Ruling::Deny("not this one".into()),
            _ => Ruling::Pass,
        })
    };
    let builder = Toolkit::builder().only([]).tool(roomy());
    let toolkit = builder.guard(guard("paths", judge)).build().unwrap();
    let run = async |more: &str| {
        let arguments = format!(r#"{{"path": "/etc/shadow", "password": "hunter2"{more}}}"#);
        toolkit.call(&CallContext::model(), ToolCall::new("broken.roomy", arguments)).await
    };
    assert_eq!(run("").await.code(), Code::Denied);
    // A number that serde_json's `Value` can't hold, under a key that nobody reads.
    assert_eq!(run(r#", "x": 1e400"#).await.code(), Code::Denied);
    let toolkit = Toolkit::builder().only([]).tool(roomy()).build().unwrap();
    let arguments = r#"{"path": "/tmp", "password": "hunter2", "x": 1e400}"#;
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("broken.roomy", arguments)).await;
    assert_eq!((reply.code(), reply.text()), (Code::Ok, "/tmp [redacted]"));
}

/// Hand on what another server said.
#[tool(name = "broken.relay")]
async fn relay(
    /// The token, e.g. `abc`.
    #[arg(secret)]
    token: String,
) -> Box<serde_json::value::RawValue> {
    let spelled: String = token.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
    serde_json::value::RawValue::from_string(format!("[\"{spelled}\", 1]")).unwrap()
}

#[tokio::test]
async fn a_secret_spelled_in_escapes_is_one() {
    let toolkit = Toolkit::builder().only([id(relay)]).build().unwrap();
    let call = ToolCall::new("broken.relay", r#"{"token": "hunter2"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(reply.text(), r#"["[redacted]", 1]"#);
}

#[tokio::test]
async fn a_shutdown_waits_for_the_report() {
    struct Slow(Arc<AtomicBool>);
    impl toolkit::Observer for Slow {
        fn observe<'a>(&'a self, _: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                self.0.store(true, Ordering::SeqCst);
                Ok(())
            })
        }
    }
    let heard = Arc::new(AtomicBool::new(false));
    let (builder, probe) = counters();
    let toolkit = builder.observer(Slow(Arc::clone(&heard))).build().unwrap();
    let other = toolkit.clone();
    let call = tokio::spawn(async move {
        other.call(&CallContext::model(), ToolCall::new("count.read", GOOD)).await
    });
    while probe.entered() == 0 {
        tokio::task::yield_now().await;
    }
    toolkit.shutdown().await;
    assert!(heard.load(Ordering::SeqCst));
    assert!(call.await.unwrap().is_ok());
}

/// An approver and a guard that panic wherever they can.
struct Broken;

impl Approver for Broken {
    fn available(&self) -> bool {
        panic!("no idea")
    }
    fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async { Ok(Answer::Approve) })
    }
}

impl Guard for Broken {
    fn name(&self) -> &str {
        panic!("nameless")
    }
    fn judge<'a>(&'a self, _: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        Box::pin(async { Ok(Ruling::Pass) })
    }
}

#[tokio::test]
async fn hooks_that_panic_beside_their_work_unwind_nothing() {
    let (builder, probe) = counters();
    let toolkit = builder.approver(Broken).guard(Broken).build().unwrap();
    let call = |name| ToolCall::new(name, GOOD);
    let reply = toolkit.call(&CallContext::human(), call("count.delete")).await;
    assert_eq!(reply.code(), Code::NoApprover);
    assert_eq!(probe.entered(), 0);
    assert!(toolkit.call(&CallContext::human(), call("count.read")).await.is_ok());
}

fn hopeless() -> u8 {
    panic!("no default today")
}

/// Count with a default that panics.
#[tool(name = "broken.default")]
fn with_default(
    /// How many, e.g. `1`.
    #[arg(default = hopeless())]
    many: u8,
) -> u8 {
    many
}

#[tokio::test]
async fn a_default_that_panics_is_a_defect() {
    let toolkit = Toolkit::builder().only([id(with_default)]).build().unwrap();
    let cx = CallContext::model();
    for arguments in ["{}", r#"{"many": "x"}"#, "{"] {
        let reply = toolkit.call(&cx, ToolCall::new("broken.default", arguments)).await;
        assert_eq!(reply.code(), Code::Defect, "{arguments}");
    }
    assert_eq!(
        toolkit.call(&cx, ToolCall::new("broken.default", r#"{"many": 2}"#)).await.text(),
        "2"
    );
    // The host that lists its tools doesn't go down with one of them.
    let catalog = toolkit.catalog(&cx);
    assert!(catalog.tools().next().unwrap().parameters_text().is_err());
    assert_eq!(catalog.openai_chat().as_str(), "[]");
}

#[tokio::test]
async fn a_name_of_a_megabyte_costs_nothing() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    let start = Instant::now();
    let call = ToolCall::new("count.read".repeat(100_000), GOOD);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(reply.code(), Code::UnknownTool);
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}

/// Wait until two run at once, or give up.
#[tool(name = "broken.pair")]
async fn pair(#[state] running: &Arc<AtomicUsize>) -> String {
    running.fetch_add(1, Ordering::SeqCst);
    for _ in 0..20 {
        if running.load(Ordering::SeqCst) > 1 {
            return "together".to_owned();
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    running.fetch_sub(1, Ordering::SeqCst);
    "alone".to_owned()
}

#[tokio::test]
async fn a_hidden_tool_parts_its_neighbours_no_more_than_an_unknown_one() {
    for hidden in ["broken.login", "broken__login", "no.such"] {
        let builder = Toolkit::builder().only([id(pair), id(login)]);
        let toolkit = builder.state(Arc::new(AtomicUsize::new(0))).build().unwrap();
        let calls = ["broken.pair", hidden, "broken.pair"].map(|name| ToolCall::new(name, ""));
        let turn = toolkit.turn(&CallContext::model(), calls).await;
        let texts: Vec<_> = turn.replies().iter().map(ToolReply::text).collect();
        assert_eq!((texts[0], texts[2]), ("together", "together"), "{hidden}");
    }
}

/// Write with a pause in between.
#[tool(name = "broken.write", risk = "write")]
async fn write() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

#[tokio::test]
async fn a_call_made_twice_in_one_turn_leaves_no_open_intent() {
    let store = Memory::default();
    let builder = Toolkit::builder().only([id(write)]).store(store.clone());
    let toolkit = builder.build().unwrap();
    let cx = CallContext::human().session("s").turn(1);
    let call = || toolkit.call(&cx, ToolCall::new("broken.write", ""));
    let (a, b) = tokio::join!(call(), call());
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(store.records().len(), 2);
    assert!(store.records().iter().all(|record| record.ended.is_some()), "{:?}", store.records());
}

#[test]
fn a_channel_of_any_capacity_is_made() {
    for capacity in [0, 1, usize::MAX] {
        drop(toolkit::approval::channel(capacity));
    }
}

/// A body that keeps its context and calls on after its end.
#[tokio::test]
async fn a_context_that_outlives_its_body_runs_nothing() {
    let kept: Arc<Mutex<Option<CallContext>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let keeper = TypedTool::new(
        "broken.keeper",
        "Keep the context of a call for later.",
        Risk::Read,
        move |(): (), cx: CallContext| {
            *keep.lock().unwrap() = Some(cx);
            async { Ok::<_, ToolError>("kept") }
        },
    );
    let (builder, probe) = counters();
    let toolkit = builder.tool(keeper).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("broken.keeper", "")).await;
    assert!(reply.is_ok(), "{}", reply.text());
    toolkit.shutdown().await;
    let cx = kept.lock().unwrap().take().unwrap();
    for cx in [cx.clone(), cx.cancellation(toolkit::CancellationToken::new())] {
        let reply = cx.call(ToolCall::new("count.read", GOOD)).await;
        assert_eq!(reply.code(), Code::CancelledBeforeStart, "{}", reply.text());
    }
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn a_closure_is_entered_only_behind_the_gate() {
    let entered = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&entered);
    let wipe = TypedTool::new(
        "broken.wipe",
        "Wipe the disk before a future is made.",
        Risk::Destructive,
        move |(): (), _| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, ToolError>("wiped") }
        },
    );
    let approver = Recorder::new([Answer::Deny(None), Answer::Approve]);
    let builder = Toolkit::builder().only([]).tool(wipe).approver(approver);
    let toolkit = builder.build().unwrap();
    let call = async || toolkit.call(&CallContext::model(), ToolCall::new("broken.wipe", "")).await;
    assert_eq!((call().await.code(), entered.load(Ordering::SeqCst)), (Code::Rejected, 0));
    assert_eq!((call().await.code(), entered.load(Ordering::SeqCst)), (Code::Ok, 1));
}

#[test]
fn a_closure_that_marks_a_url_goes_over_the_network() {
    let tool = roomy().url("path");
    let error = Toolkit::builder().only([]).tool(tool).build().unwrap_err();
    assert!(error.to_string().contains("its risk is not `network`"), "{error}");
}

/// One of several shapes.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Round { radius: f64 },
    Square { side: f64 },
}

/// A shape with a name.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Named {
    name: String,
    #[serde(flatten)]
    shape: Shape,
}

/// Look at a shape with a name.
#[tool(name = "broken.shape")]
fn shape(
    /// The shape.
    named: Named,
) -> Named {
    named
}

#[tokio::test]
async fn keys_that_no_schema_knows_cost_no_square_of_their_number() {
    let toolkit = Toolkit::builder().only([id(shape)]).build().unwrap();
    let run = async |keys: usize| {
        let keys: String = (0..keys).map(|i| format!("\"k{i}\":1,")).collect();
        let named = format!(r#"{{{keys}"name":"x","kind":"round","radius":1}}"#);
        let call = ToolCall::new("broken.shape", format!(r#"{{"named":{named}}}"#));
        toolkit.call(&CallContext::model(), call).await
    };
    assert!(run(0).await.is_ok());
    // Would take minutes if each key looked at all the others.
    let reply = run(3_000).await;
    assert_eq!(reply.code(), Code::InvalidArguments);
    assert!(reply.text().contains("named.k0: unknown argument"), "{}", reply.text());
}
