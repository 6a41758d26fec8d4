//! Tools that share a value: loaded with it, and gone with their guard.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use toolkit::policy::deny;
use toolkit::prelude::*;
use toolkit::{BuildProblem, Event, Loaded};

/// A shelf of one kind.
#[derive(Default)]
struct Shelf {
    label: &'static str,
    begun: Notify,
    go: Notify,
    lent: Arc<AtomicUsize>,
}

/// What no toolkit of these tests is given.
struct Missing;

#[toolset(domain = "shelf", ceiling = "write")]
impl Shelf {
    /// Read the label of the shelf.
    #[tool]
    async fn label(&self) -> &'static str {
        self.label
    }

    /// Wait until the test says go on.
    #[tool]
    async fn wait(&self) -> String {
        self.begun.notify_one();
        self.go.notified().await;
        format!("waited at {}", self.label)
    }

    /// Lend the shelf's book to somebody.
    #[tool(risk = "write")]
    fn lend(
        &self,
        /// Whom to lend to, e.g. `Ann`.
        to: &str,
    ) -> usize {
        assert!(!to.is_empty());
        self.lent.fetch_add(1, Ordering::SeqCst) + 1
    }
}

/// Needs what isn't given.
struct Needy;

#[toolset(domain = "needy")]
impl Needy {
    /// Borrow a state that nobody gives.
    #[tool]
    fn first(&self, #[state] _missing: &Missing) {}

    /// Needs nothing but its toolset.
    #[tool]
    fn second(&self) {}
}

/// Has a name that another toolset has.
struct Rival;

#[toolset(domain = "shelf")]
impl Rival {
    /// Read the label of the rival.
    #[tool]
    fn label(&self) {}

    /// Is not on the other shelf.
    #[tool]
    fn other(&self) {}
}

fn shelf(label: &'static str) -> Shelf {
    Shelf { label, ..Shelf::default() }
}

fn names(toolkit: &Toolkit, cx: &CallContext) -> Vec<String> {
    toolkit.catalog(cx).tools().map(|tool| tool.spec().name().to_owned()).collect()
}

fn empty() -> Toolkit {
    Toolkit::builder().only([]).policy(Policy::trusting()).build().unwrap()
}

async fn text(toolkit: &Toolkit, cx: &CallContext, name: &str, arguments: &str) -> (Code, String) {
    let reply = toolkit.call(cx, ToolCall::new(name, arguments)).await;
    (reply.code(), reply.into_text())
}

#[tokio::test]
async fn unloading_during_a_call_lets_it_finish_and_nothing_else() {
    let toolkit = empty();
    let cx = CallContext::model();
    let loaded = toolkit.load(shelf("A")).unwrap();
    let specs: Vec<&str> = loaded.specs().map(toolkit::ToolSpec::name).collect();
    assert_eq!(specs, ["shelf.label", "shelf.wait", "shelf.lend"]);
    assert_eq!(names(&toolkit, &cx), ["shelf.label", "shelf.lend", "shelf.wait"]);
    drop(loaded);
    assert!(names(&toolkit, &cx).is_empty());

    // The value is the test's as well, to say when the body goes on.
    struct Gate(Arc<Shelf>);
    #[toolset(domain = "gate")]
    impl Gate {
        /// Wait at the gate until the test says go on.
        #[tool]
        async fn wait(&self) -> String {
            self.0.wait().await
        }
    }
    let inside = Arc::new(shelf("B"));
    let loaded = toolkit.load(Gate(Arc::clone(&inside))).unwrap();
    let call = {
        let (toolkit, cx) = (toolkit.clone(), cx.clone());
        tokio::spawn(async move { text(&toolkit, &cx, "gate.wait", "").await })
    };
    inside.begun.notified().await;
    let mut events = toolkit.events();
    drop(loaded);
    assert!(names(&toolkit, &cx).is_empty());
    let (code, said) = text(&toolkit, &cx, "gate.wait", "").await;
    assert_eq!(
        (code, &*said),
        (Code::UnknownTool, "unknown tool `gate.wait`; there is no tool here")
    );
    // A person hears the same: there is no such tool any more.
    assert_eq!(text(&toolkit, &CallContext::human(), "gate.wait", "").await.0, Code::UnknownTool);
    inside.go.notify_one();
    assert_eq!(call.await.unwrap(), (Code::Ok, "waited at B".to_owned()));
    // With the call ended nothing holds the value but the test.
    assert_eq!(Arc::strong_count(&inside), 1);
    let gone = std::iter::from_fn(|| events.try_recv().ok()).find_map(|event| match event {
        Event::Unregistered { tool } => Some(tool.to_string()),
        _ => None,
    });
    assert_eq!(gone.as_deref(), Some("gate.wait"));
}

#[tokio::test]
async fn all_come_or_none_and_every_reason_is_told() {
    let toolkit = empty();
    let cx = CallContext::human();
    let _held = toolkit.load(shelf("A")).unwrap();
    let again = toolkit.load(shelf("B")).unwrap_err();
    assert_eq!(again.problems().len(), 3);
    let rival = toolkit.load(Rival).unwrap_err();
    assert!(
        matches!(rival.problems(), [BuildProblem::Duplicate { name, first, second }]
        if name == "shelf.label" && first.line != second.line),
        "{rival}"
    );
    assert!(rival.to_string().contains("system/toolsets.rs:"), "{rival}");
    let needy = toolkit.load(Needy).unwrap_err();
    assert!(needy.to_string().contains("Missing"), "{needy}");
    assert_eq!(names(&toolkit, &cx), ["shelf.label", "shelf.lend", "shelf.wait"]);
    assert_eq!(text(&toolkit, &cx, "shelf.label", "").await.1, "A");
}

#[tokio::test]
async fn a_method_names_its_tool_and_borrows_the_value_that_was_loaded() {
    // A state of the same type is another value.
    let builder = Toolkit::builder().only([]).state(shelf("state")).toolset(shelf("loaded"));
    let toolkit = builder.policy(Policy::trusting()).expect(["shelf.label"]).build().unwrap();
    assert_eq!(toolkit.tool(Shelf::lend).unwrap().name(), "shelf.lend");
    assert_eq!(<Shelf as toolkit::Toolset>::DOMAIN, "shelf");
    let cx = CallContext::model();
    assert_eq!(text(&toolkit, &cx, "shelf__label", "").await, (Code::Ok, "loaded".to_owned()));
    assert_eq!(text(&toolkit, &cx, "shelf.lend", r#"{"to": "Ann"}"#).await.1, "1");
    assert_eq!(text(&toolkit, &cx, "shelf.lend", r#"{"to": "Bob"}"#).await.1, "2");
    assert_eq!(
        text(&toolkit, &cx, "shelf.lend", r#"{"two": "Bob"}"#).await.0,
        Code::InvalidArguments
    );
}

#[tokio::test]
async fn rules_hold_for_what_is_loaded_later() {
    let policy = Policy::trusting()
        .rule(deny("shelf.lend").when("to", toolkit::policy::equals("Eve")).later());
    let toolkit = Toolkit::builder().only([]).policy(policy).build().unwrap();
    let value = shelf("A");
    let lent = Arc::clone(&value.lent);
    let loaded: Loaded = toolkit.load(value).unwrap();
    let cx = CallContext::model();
    assert_eq!(text(&toolkit, &cx, "shelf.lend", r#"{"to": "Eve"}"#).await.0, Code::Denied);
    assert_eq!(lent.load(Ordering::SeqCst), 0);
    assert_eq!(text(&toolkit, &cx, "shelf.lend", r#"{"to": "Ann"}"#).await.0, Code::Ok);
    assert_eq!(lent.load(Ordering::SeqCst), 1);
    drop(loaded);
    // The next value begins anew.
    let _loaded = toolkit.load(shelf("B")).unwrap();
    assert_eq!(text(&toolkit, &cx, "shelf.lend", r#"{"to": "Ann"}"#).await.1, "1");
}

#[tokio::test]
async fn a_guard_may_outlive_its_toolkit() {
    let toolkit = empty();
    let loaded = toolkit.load(shelf("A")).unwrap();
    drop(toolkit);
    drop(loaded);
}

#[test]
fn each_tool_of_a_toolset_is_known_by_its_own_line() {
    let toolkit = Toolkit::builder().only([]).toolset(shelf("A")).build().unwrap();
    let here = include_str!("toolsets.rs");
    for tool in toolkit.tools() {
        let source = tool.source();
        let line = here.lines().nth(source.line as usize - 1).unwrap();
        let method = tool.name().strip_prefix("shelf.").unwrap();
        assert!(line.contains(&format!("fn {method}(")), "{source}: {line}");
    }
}
