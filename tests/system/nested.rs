//! Calls from within a body: inherited surroundings, a lent permit, a bound on the depth.

use std::time::Duration;

use toolkit::prelude::*;
use toolkit::testing::Probe;

/// Call itself until told not to, and say how deep that went.
#[tool(name = "nest.deep")]
async fn deep(
    /// How many levels are left, e.g. `3`.
    left: u32,
    #[context] cx: &CallContext,
) -> String {
    if left == 0 {
        return "bottom".to_owned();
    }
    let call = ToolCall::new("nest.deep", format!(r#"{{"left": {}}}"#, left - 1));
    let reply = cx.call(call).await;
    format!("{}:{}", reply.code(), reply.text())
}

/// Say who called, and within which limits.
#[tool(name = "nest.who")]
async fn who(#[context] cx: &CallContext) -> String {
    format!("{} {:?} {:?}", cx.origin(), cx.principal_name(), cx.ceiling_risk())
}

/// Pass a call on to another tool.
#[tool(name = "nest.pass")]
async fn pass(
    /// Name of the tool, e.g. `nest.who`.
    tool: String,
    #[context] cx: &CallContext,
) -> String {
    let reply = cx.call(ToolCall::new(tool, "")).await;
    format!("{}:{}", reply.code(), reply.text())
}

/// Erase everything there is, for good.
#[tool(name = "nest.erase", risk = "destructive")]
async fn erase(#[state] probe: &Probe) {
    let _running = probe.enter();
}

/// Wait until the outer call is stopped.
#[tool(name = "nest.wait", timeout = "none")]
async fn wait(#[state] probe: &Probe) {
    let _running = probe.enter();
    std::future::pending::<()>().await;
}

/// Pass two calls on at the same time.
#[tool(name = "nest.two")]
async fn two(#[context] cx: &CallContext) -> String {
    let call = || cx.call(ToolCall::new("nest.who", ""));
    let (a, b) = tokio::join!(call(), call());
    format!("{} {}", a.code(), b.code())
}

fn nest() -> (toolkit::Builder, Probe) {
    let probe = Probe::new();
    let ids = [id(deep), id(who), id(pass), id(erase), id(wait), id(two)];
    (Toolkit::builder().only(ids).state(probe.clone()), probe)
}

#[tokio::test]
async fn calls_nest_eight_deep_and_no_deeper() {
    let (builder, _) = nest();
    // One permit is enough: it is lent all the way down.
    let toolkit = builder.concurrency(1).build().unwrap();
    let run = async |left: u32| {
        let call = ToolCall::new("nest.deep", format!(r#"{{"left": {left}}}"#));
        toolkit.call(&CallContext::model(), call).await.into_text()
    };
    assert_eq!(run(8).await, format!("{}bottom", "ok:".repeat(8)));
    let text = run(9).await;
    assert!(text.starts_with(&format!("{}denied:", "ok:".repeat(8))), "{text}");
}

#[tokio::test]
async fn origin_principal_and_ceiling_are_inherited() {
    let (builder, _) = nest();
    let toolkit = builder.build().unwrap();
    let cx = CallContext::model().principal("ada").ceiling(Risk::Write);
    let call = || ToolCall::new("nest.pass", r#"{"tool": "nest.who"}"#);
    let reply = toolkit.call(&cx, call()).await;
    assert_eq!(reply.text(), r#"ok:model Some("ada") Some(Write)"#);
    let reply = toolkit.read_only().call(&CallContext::human(), call()).await;
    assert_eq!(reply.text(), "ok:model None Some(Read)");
}

#[tokio::test]
async fn an_inner_call_passes_the_same_gates() {
    let (builder, probe) = nest();
    let toolkit = builder.build().unwrap();
    let call = || ToolCall::new("nest.pass", r#"{"tool": "nest.erase"}"#);
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert!(reply.text().starts_with("no_approver:"), "{}", reply.text());
    let reply = toolkit.read_only().call(&CallContext::model(), call()).await;
    assert!(reply.text().starts_with("unknown_tool:"), "{}", reply.text());
    assert_eq!(probe.entered(), 0);
}

#[tokio::test]
async fn a_body_may_make_several_calls_on_one_permit() {
    let (builder, _) = nest();
    let toolkit = builder.concurrency(1).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("nest.two", "")).await;
    assert_eq!(reply.text(), "ok ok");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_outer_call_ends_the_inner_one() {
    let (builder, probe) = nest();
    let toolkit = builder.build().unwrap();
    let call = ToolCall::new("nest.pass", r#"{"tool": "nest.wait"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(reply.code(), Code::TimedOut);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((probe.entered(), probe.running()), (1, 0));
}

#[tokio::test]
async fn a_context_of_the_host_has_no_toolkit() {
    let reply = CallContext::model().call(ToolCall::new("nest.who", "")).await;
    assert_eq!(reply.code(), Code::Defect);
}
