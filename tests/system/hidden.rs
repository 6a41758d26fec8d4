//! What is hidden can't be told from what isn't there.

use toolkit::prelude::*;
use toolkit::{ToolId, Verdict};

use crate::support::{GOOD, counters, ids};
use toolkit::testing::Probe;

fn lacking(gone: ToolId, policy: Policy) -> Toolkit {
    let rest = ids().into_iter().filter(|id| *id != gone);
    Toolkit::builder().only(rest).state(Probe::new()).policy(policy).build().unwrap()
}

#[tokio::test]
async fn a_hidden_tool_answers_like_one_that_is_not_there() {
    let hide = |risk| Policy::default().set(Origin::Model, risk, Verdict::Hide);
    let model = CallContext::model();
    let cases = [
        ("count.flagged", id(crate::support::flagged), Policy::default(), model.clone()),
        (
            "count.flagged",
            id(crate::support::flagged),
            Policy::default(),
            model.clone().flag("counters"),
        ),
        (
            "count.flagged",
            id(crate::support::flagged),
            Policy::default(),
            model.clone().scope("desk"),
        ),
        (
            "count.write",
            id(crate::support::write),
            Policy::default(),
            model.clone().ceiling(Risk::Read),
        ),
        ("count.write", id(crate::support::write), hide(Risk::Write), model.clone()),
        ("count.delete", id(crate::support::delete), hide(Risk::Destructive), model.clone()),
    ];
    for (name, gone, policy, cx) in cases {
        let (builder, probe) = counters();
        let with = builder.policy(policy.clone()).build().unwrap();
        let without = lacking(gone, policy);
        for spelled in [name.to_owned(), name.replace('.', "__")] {
            for arguments in [GOOD, "{}", "", "{\"name\":", r#"{"nmae": 1}"#, "nonsense"] {
                for cut in [false, true] {
                    let call = || {
                        let call = ToolCall::new(spelled.as_str(), arguments);
                        if cut { call.cut("length") } else { call }
                    };
                    let (a, b) = (with.call(&cx, call()).await, without.call(&cx, call()).await);
                    assert_eq!(a.text(), b.text());
                    assert_eq!(a.code(), Code::UnknownTool);
                    assert_eq!(b.code(), Code::UnknownTool);
                    assert_eq!((a.tool(), a.name()), (b.tool(), b.name()));
                    assert_eq!(a.executed(), b.executed());
                }
            }
        }
        assert_eq!(probe.entered(), 0);
        let listed = with.catalog(&cx);
        assert!(listed.find(name).is_none());
        let names = |catalog: &toolkit::Catalog| {
            catalog.tools().map(|tool| tool.spec().name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&listed), names(&without.catalog(&cx)));
    }
}

#[tokio::test]
async fn people_and_plans_hear_the_true_reason() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    for cx in [CallContext::human(), CallContext::plan()] {
        let code =
            async |cx: &CallContext, name| toolkit.call(cx, ToolCall::new(name, GOOD)).await.code();
        assert_eq!(code(&cx, "count.flagged").await, Code::FlagOff);
        assert_eq!(code(&cx.clone().flag("counters"), "count.flagged").await, Code::OutOfScope);
        assert_eq!(code(&cx.clone().ceiling(Risk::Read), "count.write").await, Code::AboveCeiling);
    }
}

#[tokio::test]
async fn a_denial_by_policy_is_told_to_a_model_and_the_tool_is_not_listed() {
    let (builder, _) = counters();
    let policy = Policy::default().set(Origin::Model, Risk::Write, Verdict::Deny);
    let toolkit = builder.policy(policy).build().unwrap();
    let cx = CallContext::model();
    let reply = toolkit.call(&cx, ToolCall::new("count.write", GOOD)).await;
    assert_eq!(reply.code(), Code::Denied);
    assert_eq!(reply.text(), "`count.write` was not run: the policy: write for model");
    assert!(toolkit.catalog(&cx).find("count.write").is_none());
}

#[tokio::test]
async fn an_unknown_name_is_answered_with_near_visible_ones() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    let text = async |name| {
        toolkit.call(&CallContext::model(), ToolCall::new(name, GOOD)).await.into_text()
    };
    assert_eq!(text("count.raed").await, "unknown tool `count.raed`; did you mean `count.read`?");
    assert_eq!(text("count__raed").await, "unknown tool `count__raed`; did you mean `count.read`?");
    // A near but hidden name isn't suggested.
    assert!(!text("count.flaged").await.contains("count.flagged"));
    assert_eq!(
        text("multi_tool_use.parallel").await,
        "unknown tool `multi_tool_use.parallel`; there are `count.delete`, `count.read`, `count.write`"
    );
    let long = text(&"x".repeat(5_000)).await;
    assert!(long.len() < 1024, "{}", long.len());
}

#[tokio::test]
async fn a_flag_source_that_fails_switches_its_flag_off_and_no_other() {
    let (builder, probe) = counters();
    let toolkit = builder
        .flags(|flag: &str, _: &CallContext| {
            assert!(flag != "counters", "the source breaks");
            Ok(true)
        })
        .build()
        .unwrap();
    let cx = CallContext::model().scope("desk");
    let reply = toolkit.call(&cx, ToolCall::new("count.flagged", GOOD)).await;
    assert_eq!(reply.code(), Code::UnknownTool);
    assert!(toolkit.catalog(&cx).find("count.flagged").is_none());
    assert!(toolkit.catalog(&cx).find("count.read").is_some());
    assert_eq!(probe.entered(), 0);

    let (builder, _) = counters();
    let toolkit = builder.flags(|_: &str, _: &CallContext| Ok(true)).build().unwrap();
    assert!(toolkit.catalog(&cx).find("count.flagged").is_some());
    assert!(toolkit.call(&cx, ToolCall::new("count.flagged", GOOD)).await.is_ok());
}
