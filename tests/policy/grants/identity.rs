//! A grant is for one tool as it was when it was allowed.

use super::*;

#[tokio::test]
async fn another_tool_of_the_name_is_another_tool() {
    let recorder = Recorder::new([Answer::ApproveForSession(Rung::Tool, None), Answer::Deny(None)]);
    let toolkit = Toolkit::builder().only([]).approver(recorder.clone()).build().unwrap();
    let _session = toolkit.session("s-1");
    let call = || async { toolkit.call(&cx("s-1"), ToolCall::new("far.write", "{}")).await.code() };
    let first = toolkit.register_typed(far("Write to the first place.")).unwrap();
    assert_eq!((call().await, call().await), (Code::Ok, Code::Ok));
    drop(first);
    // From the same place, and all that it states is the same: it is the same.
    let same = toolkit.register_typed(far("Write to the first place.")).unwrap();
    assert_eq!(call().await, Code::Ok);
    drop(same);
    // It says something else of itself than it did when it was allowed.
    let changed = toolkit.register_typed(far("Write to the first place, and to another.")).unwrap();
    assert_eq!(call().await, Code::Rejected);
    drop(changed);
    // Another place has a tool of that name and of those words.
    let other = TypedTool::new("far.write", "Write to the first place.", Risk::Write, nothing);
    let other = toolkit.register_typed(other).unwrap();
    assert_eq!(call().await, Code::Rejected);
    drop(other);
    let _same = toolkit.register_typed(far("Write to the first place.")).unwrap();
    assert_eq!(call().await, Code::Ok);
    assert_eq!(recorder.requests().len(), 3);
}

#[tokio::test]
async fn a_tool_that_takes_other_arguments_or_more_risk_is_another_tool() {
    let recorder =
        Recorder::new([Answer::ApproveForSession(Rung::Exact, None), Answer::Deny(None)]);
    let toolkit = Toolkit::builder().only([]).approver(recorder).build().unwrap();
    let _session = toolkit.session("s-1");
    let call = || async { toolkit.call(&cx("s-1"), ToolCall::new("far.write", "{}")).await.code() };
    for (destructive, more, code) in [
        (false, false, Code::Ok),
        (false, false, Code::Ok),
        (true, false, Code::Rejected),
        (false, true, Code::Rejected),
        (false, false, Code::Ok),
    ] {
        let risk: &[Risk] =
            if destructive { &[Risk::Write, Risk::Destructive] } else { &[Risk::Write] };
        let tool = far_as(more, toolkit::RiskSet::of(risk));
        let _held = toolkit.register_typed(tool).unwrap();
        assert_eq!(call().await, code, "{destructive} {more}");
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code)]
struct More {
    /// How often.
    times: Option<u32>,
}

async fn nothing(_: Nothing, _: CallContext) -> Result<(), ToolError> {
    Ok(())
}

async fn more(_: More, _: CallContext) -> Result<(), ToolError> {
    Ok(())
}

/// Each time from the same place.
fn far(description: &str) -> TypedTool {
    TypedTool::new("far.write", description, Risk::Write, nothing)
}

/// The same tool, with other arguments or another risk.
fn far_as(takes_more: bool, risk: toolkit::RiskSet) -> TypedTool {
    // On one line, so that all are of one place.
    #[rustfmt::skip]
    let tool = if takes_more { TypedTool::new("far.write", "Write to a place.", risk, more) } else { TypedTool::new("far.write", "Write to a place.", risk, nothing) };
    tool
}
