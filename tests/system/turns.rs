//! A model's turn: one reply a call, in order, side by side where that is safe.

use std::time::Duration;

use toolkit::Executed;
use toolkit::prelude::*;
use toolkit::testing::Probe;

/// Look something up, slowly.
#[tool(name = "turn.read")]
async fn read(
    /// How many milliseconds it takes, e.g. `10`.
    millis: u64,
    #[state] probe: &Probe,
) -> u64 {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_millis(millis)).await;
    millis
}

/// Write something down, slowly.
#[tool(name = "turn.write", risk = "write")]
async fn write(
    /// How many milliseconds it takes, e.g. `10`.
    millis: u64,
    #[state] probe: &Probe,
) -> u64 {
    let _running = probe.enter();
    assert_eq!(probe.running(), 1, "a writing call stands alone");
    tokio::time::sleep(Duration::from_millis(millis)).await;
    millis
}

/// Write something that bears company.
#[tool(name = "turn.append", risk = "write", parallel)]
async fn append(
    /// How many milliseconds it takes, e.g. `10`.
    millis: u64,
    #[state] probe: &Probe,
) -> u64 {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_millis(millis)).await;
    millis
}

fn build() -> (Toolkit, Probe) {
    let probe = Probe::new();
    let toolkit = Toolkit::builder()
        .only([id(read), id(write), id(append)])
        .policy(Policy::trusting())
        .state(probe.clone())
        .build()
        .unwrap();
    (toolkit, probe)
}

fn call(tool: &'static str, millis: u64) -> ToolCall<'static> {
    ToolCall::new(tool, format!(r#"{{"millis": {millis}}}"#))
}

#[tokio::test(start_paused = true)]
async fn reads_run_together_and_a_write_stands_alone() {
    let (toolkit, probe) = build();
    let started = tokio::time::Instant::now();
    let calls = [
        call("turn.read", 30),
        call("turn.read", 20),
        call("turn.read", 10),
        call("turn.write", 5),
        call("turn.write", 5),
        call("turn.read", 10),
        call("turn.append", 10),
    ];
    let turn = toolkit.turn(&CallContext::model(), calls).await;
    assert_eq!(started.elapsed(), Duration::from_millis(30 + 5 + 5 + 10));
    assert_eq!(probe.most(), 3);
    let texts: Vec<&str> = turn.replies().iter().map(toolkit::ToolReply::text).collect();
    assert_eq!(texts, ["30", "20", "10", "5", "5", "10", "10"]);
}

#[tokio::test(start_paused = true)]
async fn every_call_has_its_reply_whatever_happens() {
    let (toolkit, _) = build();
    let calls = [
        call("turn.read", 5).id("a"),
        ToolCall::new("turn.raed", "").id("a"),
        ToolCall::new("turn.read", "{").id(""),
        call("turn.read", 60_000).id("call_abc123"),
        call("turn.write", 1).cut("length"),
        call("turn.write", 1).id("d"),
    ];
    let turn = toolkit.turn(&CallContext::model(), calls).await;
    let got: Vec<_> =
        turn.replies().iter().map(|r| (r.provider_id(), r.code(), r.executed())).collect();
    assert_eq!(
        got,
        [
            (Some("a"), Code::Ok, Executed::Yes),
            (Some("a"), Code::UnknownTool, Executed::No),
            (Some(""), Code::MalformedArguments, Executed::No),
            (Some("call_abc123"), Code::TimedOut, Executed::Yes),
            (None, Code::IncompleteCall, Executed::No),
            (Some("d"), Code::Ok, Executed::Yes),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_is_first_the_bytes_are_the_same() {
    let mut seen = Vec::new();
    for round in 0..20_u64 {
        let (toolkit, _) = build();
        // Each call takes another time in each round, and what it says doesn't tell.
        let call = |i: u64| call("turn.delayed", (i * 7 + round * 13) % 40).id(format!("call_{i}"));
        let delayed = toolkit.register(delayed).unwrap();
        let turn = toolkit.turn(&CallContext::model(), (0..12).map(call)).await;
        drop(delayed);
        seen.push(serde_json::to_string(&toolkit::dialect::openai_chat::results(&turn)).unwrap());
    }
    assert!(seen.iter().all(|bytes| *bytes == seen[0]), "{seen:#?}");
    assert!(seen[0].contains("call_11"));
}

/// Take a while, and say nothing of it.
#[tool(name = "turn.delayed")]
async fn delayed(
    /// How many milliseconds it takes, e.g. `10`.
    millis: u64,
) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

#[tokio::test]
async fn an_empty_turn_has_no_replies() {
    let (toolkit, _) = build();
    assert!(toolkit.turn(&CallContext::model(), []).await.replies().is_empty());
}
