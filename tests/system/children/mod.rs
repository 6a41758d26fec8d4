//! Scoped registries: a child sees its parent's tools and adds its own, which nobody beside it sees.

mod bindings;
mod ends;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use toolkit::policy::{ask, deny, only, waive_ask};
use toolkit::prelude::*;
use toolkit::{BuildProblem, RiskSet, Would};

/// Look up an article.
#[tool(name = "kb.search")]
fn search() -> &'static str {
    "the parent's article"
}

/// Write an article.
#[tool(name = "kb.write", risk = "write")]
fn write() -> &'static str {
    "written by the parent"
}

/// Call another tool, and give its code and text.
#[tool(name = "call.on")]
async fn call_on(
    /// Name of the tool, e.g. `kb.search`.
    name: String,
    #[context] cx: &CallContext,
) -> String {
    let reply = cx.call(ToolCall::new(name, "{}")).await;
    format!("{}: {}", reply.code(), reply.text())
}

/// A basket of somebody.
#[derive(Default)]
struct Basket {
    of: &'static str,
    begun: Notify,
    go: Notify,
    runs: Arc<AtomicUsize>,
}

#[toolset(domain = "basket")]
impl Basket {
    /// Say whose basket it is.
    #[tool]
    async fn owner(&self) -> &'static str {
        self.runs.fetch_add(1, Ordering::SeqCst);
        self.of
    }

    /// Put something into the basket.
    #[tool(risk = "write")]
    fn put(
        &self,
        /// What to put in, e.g. `apple`.
        what: String,
    ) -> String {
        self.runs.fetch_add(1, Ordering::SeqCst);
        format!("{what} for {}", self.of)
    }

    /// Wait until the test says go on.
    #[tool]
    async fn wait(&self, #[context] cx: &CallContext) -> String {
        self.begun.notify_one();
        self.go.notified().await;
        let inner = cx.call(ToolCall::new("basket.owner", "{}")).await;
        format!("{} and {}", self.of, inner.text())
    }
}

fn basket(of: &'static str) -> Basket {
    Basket { of, ..Basket::default() }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn tool(name: &str, risk: Risk, text: &'static str) -> TypedTool {
    let run = move |_: Nothing, _| async move { Ok::<_, ToolError>(text) };
    TypedTool::new(name, "Say who is speaking here.", RiskSet::of(&[risk]), run)
}

fn toolkit() -> Toolkit {
    let builder = Toolkit::builder().only([id(search), id(write), id(call_on)]);
    builder.policy(Policy::trusting()).build().unwrap()
}

fn names(toolkit: &Toolkit, cx: &CallContext) -> Vec<String> {
    toolkit.catalog(cx).tools().map(|tool| tool.spec().name().to_owned()).collect()
}

async fn said(toolkit: &Toolkit, cx: &CallContext, name: &str) -> (Code, String) {
    let reply = toolkit.call(cx, ToolCall::new(name, "{}")).await;
    (reply.code(), reply.into_text())
}

async fn text(toolkit: &Toolkit, cx: &CallContext, name: &str) -> String {
    said(toolkit, cx, name).await.1
}

const OWN: [&str; 3] = ["call.on", "kb.search", "kb.write"];

#[tokio::test]
async fn a_child_sees_its_parents_tools_and_its_own_and_nobody_beside_it_does() {
    let (toolkit, plain, cx) = (toolkit(), toolkit(), CallContext::model());
    let (ann, bob) = (toolkit.child(), toolkit.child());
    // A catalog that was asked for before shows nothing old afterwards.
    assert_eq!(names(&ann, &cx), OWN);
    let of_ann = ann.load(basket("Ann")).unwrap();
    let _of_bob = bob.load(basket("Bob")).unwrap();
    let all = ["basket.owner", "basket.put", "basket.wait", "call.on", "kb.search", "kb.write"];
    for (child, owner) in [(&ann, "Ann"), (&bob, "Bob")] {
        assert_eq!(names(child, &cx), all);
        assert_eq!(child.tools().count(), all.len());
        assert_eq!(text(child, &cx, "basket.owner").await, owner);
        assert_eq!(text(child, &cx, "kb.search").await, "the parent's article");
        let read = child.read_only();
        assert_eq!(read.catalog(&cx).tools().len(), all.len() - 2);
        assert_eq!(read.call(&cx, ToolCall::new("basket.owner", "{}")).await.text(), owner);
        let turn =
            child.turn(&cx, [ToolCall::new("basket.owner", "{}"), ToolCall::new("no.such", "")]);
        let turn = turn.await.into_replies();
        assert_eq!((turn[0].text(), turn[1].code()), (owner, Code::UnknownTool));
        assert!(turn[1].text().contains("basket.owner"), "{}", turn[1].text());
    }
    assert_eq!(names(&toolkit, &cx), OWN);
    assert_eq!(toolkit.tools().count(), OWN.len());
    drop(of_ann);
    assert_eq!(names(&ann, &cx), OWN);
    // Whether a sibling has it or nobody: byte for byte the same.
    for by in [CallContext::model(), CallContext::human()] {
        for name in ["basket.owner", "basket__owner", "basket.ower", "basket"] {
            let unknown = said(&plain, &by, name).await;
            assert_eq!(unknown.0, Code::UnknownTool);
            assert_eq!(said(&toolkit, &by, name).await, unknown);
            assert_eq!(said(&ann, &by, name).await, unknown);
            let explained = ann.explain(&by, ToolCall::new(name, "{}")).await;
            assert_eq!(explained.to_string(), {
                plain.explain(&by, ToolCall::new(name, "{}")).await.to_string()
            });
        }
    }
}

#[tokio::test]
async fn a_body_calls_through_the_child_that_its_own_call_came_through() {
    let (toolkit, cx) = (toolkit(), CallContext::model());
    let (ann, bob) = (toolkit.child(), toolkit.child_shadowing(["kb.search"]));
    let _of_ann = ann.load(basket("Ann")).unwrap();
    let _shadow = bob.register_typed(tool("kb.search", Risk::Read, "Bob's article")).unwrap();
    let on = |name: &str| ToolCall::new("call.on", format!(r#"{{"name": "{name}"}}"#));
    // The body is the parent's each time.
    for (toolkit, name, said) in [
        (&ann, "basket.owner", "ok: Ann"),
        (&ann, "kb.search", "ok: the parent's article"),
        (&bob, "kb.search", "ok: Bob's article"),
        (&toolkit, "kb.search", "ok: the parent's article"),
    ] {
        assert_eq!(toolkit.call(&cx, on(name)).await.text(), said);
    }
    for toolkit in [&bob, &toolkit] {
        let reply = toolkit.call(&cx, on("basket.owner")).await;
        assert!(reply.text().starts_with("unknown_tool: "), "{}", reply.text());
        assert!(!reply.text().contains("basket.put"), "{}", reply.text());
    }
}

#[tokio::test]
async fn a_name_of_the_parents_is_taken_unless_it_may_be_shadowed() {
    let (toolkit, cx) = (toolkit(), CallContext::model());
    let strict = toolkit.child();
    let error = strict.register_typed(tool("kb.search", Risk::Read, "mine")).unwrap_err();
    assert!(
        matches!(error.problems(), [BuildProblem::Duplicate { name, .. }] if name == "kb.search")
    );
    assert_eq!(names(&strict, &cx), OWN);

    let child = toolkit.child_shadowing(["kb.search", "no.such"]);
    let held = child.register_typed(tool("kb.search", Risk::Read, "the child's article")).unwrap();
    // One permission is no other, nor that for a second tool of the name.
    for name in ["kb.search", "kb.write"] {
        let error = child.register_typed(tool(name, Risk::Read, "mine")).unwrap_err();
        assert!(matches!(error.problems(), [BuildProblem::Duplicate { .. }]), "{error}");
    }
    assert_eq!(names(&child, &cx), OWN);
    for name in ["kb.search", "kb__search"] {
        assert_eq!(text(&child, &cx, name).await, "the child's article");
        assert_eq!(text(&toolkit, &cx, name).await, "the parent's article");
        assert_eq!(text(&strict, &cx, name).await, "the parent's article");
    }
    assert!(child.tool(search).is_none());
    drop(held);
    assert_eq!(text(&child, &cx, "kb.search").await, "the parent's article");
    assert!(child.tool(search).is_some());
}

#[tokio::test]
async fn what_the_parent_changes_its_children_see_at_once() {
    let (toolkit, cx) = (toolkit(), CallContext::model());
    let child = toolkit.child();
    let inner = child.child();
    let loaded = toolkit.load(basket("all")).unwrap();
    for seen in [&toolkit, &child, &inner] {
        assert_eq!(text(seen, &cx, "basket.owner").await, "all");
    }
    // While they have it, it is theirs.
    assert!(child.load(basket("Ann")).is_err());
    drop(loaded);
    for seen in [&toolkit, &child, &inner] {
        assert_eq!(said(seen, &cx, "basket.owner").await.0, Code::UnknownTool);
    }

    // A child's name keeps no parent from having it, and no child has it then without permission.
    let _of_ann = child.load(basket("Ann")).unwrap();
    let may = toolkit.child_shadowing(["basket.owner"]);
    let _of_bob = may.load(basket("Bob")).unwrap();
    assert_eq!(text(&inner, &cx, "basket.owner").await, "Ann");
    let loaded = toolkit.load(basket("all")).unwrap();
    assert_eq!(text(&inner, &cx, "basket.owner").await, "all");
    assert_eq!(text(&child, &cx, "basket.owner").await, "all");
    assert_eq!(text(&may, &cx, "basket.owner").await, "Bob");
    let put = may.call(&cx, ToolCall::new("basket.put", r#"{"what": "tea"}"#)).await;
    assert_eq!(put.text(), "tea for all");
    drop(loaded);
    assert_eq!(text(&inner, &cx, "basket.owner").await, "Ann");
    assert_eq!(text(&may, &cx, "basket.owner").await, "Bob");
    assert_eq!(names(&toolkit, &cx), OWN);
}

#[tokio::test]
async fn rules_scenes_and_ceilings_hold_for_a_childs_tools() {
    let policy = Policy::default()
        .rule(deny("basket.put").later())
        .rule(only("kb.search").when("word", toolkit::policy::equals("tea")).later())
        .rule(waive_ask("kb.write"))
        .rule(ask("basket.owner").later().origin(Origin::Human));
    let toolkit = Toolkit::builder()
        .only([id(write), id(call_on)])
        .policy(policy)
        .scene("shop", ["basket"])
        .later_domains(["basket"])
        .build()
        .unwrap();
    let (cx, shop) = (CallContext::model(), CallContext::model().scene("shop"));
    let child = toolkit.child_shadowing(["kb.write"]);
    let _loaded = child.load(basket("Ann")).unwrap();
    assert_eq!(said(&child, &cx, "basket.owner").await.0, Code::UnknownTool);
    assert_eq!(said(&child, &shop, "basket.owner").await, (Code::Ok, "Ann".to_owned()));
    assert_eq!(
        said(&child, &CallContext::human().scene("shop"), "basket.owner").await.0,
        Code::NoApprover
    );
    assert_eq!(said(&child, &shop, "basket.put").await.0, Code::Denied);
    // The rule looks at an argument that this one hasn't.
    assert!(child.register_typed(tool("kb.search", Risk::Read, "mine")).is_err());
    // What was waived of the parent's is asked of what stands in its place.
    assert_eq!(said(&toolkit, &cx, "kb.write").await.0, Code::Ok);
    let shadow = child.register_typed(tool("kb.write", Risk::Write, "by the child")).unwrap();
    assert_eq!(said(&child, &cx, "kb.write").await.0, Code::NoApprover);
    assert_eq!(said(&toolkit, &cx, "kb.write").await.0, Code::Ok);
    drop(shadow);

    let reader = child.child();
    reader.ceiling(Risk::Read).ceiling(Risk::Destructive);
    let deeper = reader.child();
    let _other = deeper.register_typed(tool("note.write", Risk::Write, "noted")).unwrap();
    for low in [&reader, &deeper] {
        assert_eq!(names(low, &shop), ["basket.owner", "basket.wait", "call.on"]);
        assert_eq!(said(low, &cx, "kb.write").await.0, Code::UnknownTool);
        let human = said(low, &CallContext::human(), "kb.write").await;
        assert_eq!(human.0, Code::AboveCeiling);
        let explained = low.explain(&cx, ToolCall::new("kb.write", "{}")).await;
        assert_eq!(explained.would, Would::Refuse(Code::UnknownTool));
    }
    for high in [&child, &toolkit] {
        assert_eq!(said(high, &cx, "kb.write").await.0, Code::Ok);
    }
}
