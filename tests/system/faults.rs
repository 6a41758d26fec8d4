//! Whatever an author's or a host's code does wrong, a call ends in a reply: nothing unwinds.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolkit::approval::{Answer, ApprovalRequest, Approver};
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Probe;
use toolkit::{BoxFuture, Event, Executed, Guard, HookCall, HookError, Ruling};

use crate::support::Finished;

/// A type that goes wrong wherever it is asked to.
#[derive(Clone, Debug)]
struct Rash(&'static str);

impl JsonSchema for Rash {
    fn schema_name() -> Cow<'static, str> {
        "Rash".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        panic!("s3cret in a schema")
    }
}

impl<'de> Deserialize<'de> for Rash {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("s3cret in a decoder")
    }
}

impl Serialize for Rash {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("s3cret in an encoder")
    }
}

impl std::fmt::Display for Rash {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("s3cret in a text")
    }
}

impl Drop for Rash {
    fn drop(&mut self) {
        // Not while another panic is on its way: that would end the process, and rightly.
        if self.0 == "drop" && !std::thread::panicking() {
            panic!("s3cret in a drop")
        }
    }
}

/// A decoder alone that goes wrong.
#[derive(JsonSchema)]
struct Torn {}

impl<'de> Deserialize<'de> for Torn {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("s3cret in a decoder")
    }
}

/// Take a value whose schema can't be made.
#[tool(name = "fault.schema")]
fn schema(
    /// The value.
    value: Rash,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{value:?}")
}

/// Take a value that can't be decoded.
#[tool(name = "fault.decoder")]
fn decoder(
    /// The value.
    value: Torn,
    #[state] probe: &Probe,
) {
    let _running = (value, probe.enter());
}

/// Give a value that can't be encoded.
#[tool(name = "fault.encoder")]
fn encoder() -> Rash {
    Rash("")
}

/// Fail with an error that has no text.
#[tool(name = "fault.text")]
fn text() -> Result<(), Rash> {
    Err(Rash(""))
}

/// Hold a value that can't be let go of.
#[tool(name = "fault.drop", timeout = "1s")]
async fn holds() {
    let _held = Rash("drop");
    std::future::pending::<()>().await;
}

/// An argument that can't be let go of.
#[derive(Deserialize, JsonSchema)]
struct Sticky {
    times: u8,
}

impl Drop for Sticky {
    fn drop(&mut self) {
        if self.times == 7 && !std::thread::panicking() {
            panic!("s3cret in a drop")
        }
    }
}

/// Keep what must not be kept, for good.
#[tool(name = "fault.sticky", risk = "destructive")]
fn sticky(
    /// What to keep.
    what: Sticky,
) -> u8 {
    what.times
}

/// Be well, so that something is.
#[tool(name = "fault.none")]
fn none() -> &'static str {
    "well"
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_the_authors_is_a_reply_and_nothing_unwinds() {
    let (probe, finished) = (Probe::new(), Finished::default());
    let ids = [id(schema), id(decoder), id(encoder), id(text), id(holds), id(none)];
    let toolkit = Toolkit::builder()
        .only(ids)
        .state(probe.clone())
        .observer(finished.observer())
        .build()
        .unwrap();
    for (tool, arguments, code, executed) in [
        ("fault.schema", r#"{"value": 1}"#, Code::Defect, Executed::No),
        ("fault.schema", r#"{"valeu": 1}"#, Code::Defect, Executed::No),
        ("fault.schema", "{", Code::Defect, Executed::No),
        ("fault.decoder", r#"{"value": {}}"#, Code::Defect, Executed::No),
        ("fault.encoder", "", Code::Defect, Executed::Yes),
        ("fault.text", "", Code::Defect, Executed::Yes),
        ("fault.drop", "", Code::TimedOut, Executed::Yes),
        ("fault.none", "", Code::Ok, Executed::Yes),
    ] {
        let before = finished.records().len();
        let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await;
        assert_eq!((reply.code(), reply.executed()), (code, executed), "{tool}: {}", reply.text());
        assert!(!reply.text().contains("s3cret"), "{}", reply.text());
        assert_eq!(finished.records().len(), before + 1, "{tool}");
    }
    assert_eq!(probe.entered(), 0);
    // What has no schema or can't be read isn't offered, and the rest is.
    let catalog = toolkit.catalog(&CallContext::model());
    let offers = catalog.openai_chat().to_value();
    assert_eq!(offers.as_array().unwrap().len(), 4);
    let losses = catalog.openai_chat_losses();
    let left_out: Vec<_> = losses.iter().filter_map(toolkit::dialect::Loss::tool).collect();
    assert_eq!(left_out, ["fault.decoder", "fault.schema"]);
}

/// A hook that goes wrong before it is even asked.
struct Early;

impl Guard for Early {
    fn name(&self) -> &str {
        panic!("s3cret in a name")
    }
    fn judge<'a>(&'a self, _: HookCall<'a>) -> BoxFuture<'a, Result<Ruling, HookError>> {
        Box::pin(async { Ok(Ruling::Pass) })
    }
}

impl Approver for Early {
    fn available(&self) -> bool {
        panic!("s3cret in a look around")
    }
    fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async { Ok(Answer::Approve) })
    }
}

/// Delete something, for good.
#[tool(name = "fault.erase", risk = "destructive")]
async fn erase(#[state] probe: &Probe) {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn what_may_not_run_is_dropped_and_nothing_unwinds() {
    let toolkit = Toolkit::builder().only([id(sticky)]).build().unwrap();
    let call = || ToolCall::new("fault.sticky", r#"{"what": {"times": 7}}"#);
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), reply.executed()), (Code::NoApprover, Executed::No));
    let approver = toolkit::testing::Recorder::approving();
    let toolkit = Toolkit::builder().only([id(sticky)]).approver(approver).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
}

#[tokio::test]
async fn a_fault_of_the_hosts_denies_and_nothing_unwinds() {
    let probe = Probe::new();
    let build = || Toolkit::builder().only([id(erase)]).state(probe.clone());
    for builder in [build().guard(Early), build().approver(Early)] {
        let toolkit = builder.build().unwrap();
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("fault.erase", "")).await;
        assert!(matches!(reply.code(), Code::Denied | Code::NoApprover), "{}", reply.code());
        assert!(!reply.text().contains("s3cret"), "{}", reply.text());
    }
    assert_eq!(probe.entered(), 0);
}

/// An observer that takes its time.
struct Slow;

impl toolkit::Observer for Slow {
    fn observe<'a>(&'a self, _: &'a Event) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_any_more_is_told_of() {
    let (probe, store) = (Probe::new(), Memory::default());
    let toolkit = Toolkit::builder()
        .only([id(erase), id(none)])
        .state(probe.clone())
        .store(store.clone())
        .policy(Policy::default().set(Origin::Model, Risk::Destructive, toolkit::Verdict::Record))
        .build()
        .unwrap();
    let mut events = toolkit.events();
    // Four run, one waits for its turn, and then nobody waits for any of them.
    let calls: Vec<_> = ["a", "b", "c", "d", "e"]
        .map(|name| {
            let toolkit = toolkit.clone();
            tokio::spawn(async move {
                let call = ToolCall::new("fault.erase", "").id(name);
                toolkit.call(&CallContext::model(), call).await
            })
        })
        .into();
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(probe.running(), 4);
    calls.iter().for_each(tokio::task::JoinHandle::abort);
    for call in calls {
        assert!(call.await.unwrap_err().is_cancelled());
    }
    assert_eq!((probe.entered(), probe.running()), (4, 0));
    let mut ends = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::CallFinished(record) = event {
            let name = record.provider_id.clone().unwrap();
            ends.push((name.to_string(), record.code, record.executed));
        }
    }
    ends.sort_by(|a, b| a.0.cmp(&b.0));
    let ran = |name: &str| (name.to_owned(), Code::Cancelled, Executed::Yes);
    let queued = ("e".to_owned(), Code::CancelledBeforeStart, Executed::No);
    assert_eq!(ends, [ran("a"), ran("b"), ran("c"), ran("d"), queued]);
    // An intent without an outcome says what is known: it was begun.
    let open = store.records().iter().filter(|record| record.ended.is_none()).count();
    assert_eq!((open, store.records().len()), (4, 4));
    // Nobody waits for the telling either: what had happened is told.
    let slow = Toolkit::builder().only([id(none)]).observer(Slow).build().unwrap();
    let mut events = slow.events();
    let cx = CallContext::model();
    let call = slow.call(&cx, ToolCall::new("fault.none", ""));
    assert!(tokio::time::timeout(Duration::from_millis(10), call).await.is_err());
    let Ok(Event::CallFinished(record)) = events.try_recv() else { panic!("nothing was told") };
    assert_eq!((record.code, record.executed), (Code::Ok, Executed::Yes));
    assert!(events.try_recv().is_err(), "and told once");
    // Nothing is left behind: a shutdown waits for nobody.
    tokio::time::timeout(Duration::from_millis(1), toolkit.shutdown()).await.unwrap();
}

/// Take numbers of every size.
#[tool(name = "fault.numbers")]
fn numbers(
    /// A small fraction.
    #[arg(default)]
    small: f32,
    /// A large fraction.
    #[arg(default)]
    large: f64,
    /// A whole number.
    #[arg(default)]
    whole: u64,
    /// Fractions in a list.
    #[arg(default)]
    list: Vec<f32>,
) -> String {
    format!("{small} {large} {whole} {list:?}")
}

#[tokio::test]
async fn a_number_that_its_type_cannot_hold_is_refused() {
    let toolkit = Toolkit::builder().only([id(numbers)]).build().unwrap();
    for bad in [
        r#"{"small": 1e39}"#,
        r#"{"small": -3.5e38}"#,
        r#"{"large": 1e309}"#,
        r#"{"large": -1e400}"#,
        r#"{"whole": 1e20}"#,
        r#"{"whole": -1}"#,
        r#"{"list": [1, 1e39]}"#,
    ] {
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("fault.numbers", bad)).await;
        assert_eq!(reply.code(), Code::InvalidArguments, "{bad}: {}", reply.text());
    }
    for (good, text) in [
        (r#"{"small": 3.4e38}"#, "340000000000000000000000000000000000000 0 0 []"),
        (r#"{"whole": 1.8446744073709551615e19}"#, "0 0 18446744073709551615 []"),
        (r#"{"whole": -0}"#, "0 0 0 []"),
        (r#"{"list": [1, 0.5]}"#, "0 0 0 [1.0, 0.5]"),
    ] {
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("fault.numbers", good)).await;
        assert_eq!((reply.code(), reply.text()), (Code::Ok, text), "{good}");
    }
}
