//! The set of tools: checked at the start, changed while it runs.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{BuildProblem, Event, TypedTool};

use crate::support::{GOOD, counters};

/// A twin in a module of its own.
mod twin {
    use toolkit::prelude::*;

    /// Read the value of another counter.
    #[tool(name = "count.read")]
    pub(crate) fn read() -> String {
        String::new()
    }
}

/// Not annotated, so no tool.
fn no_tool() {}

/// Borrow a state that nobody gives.
#[tool(name = "needs.state")]
fn needs(#[state] _nothing: &std::collections::BTreeMap<u8, u8>) {}

/// Borrow a value that the context must hold.
#[tool(name = "needs.value")]
fn needs_value(#[context] agent: &Agent) -> String {
    agent.0.clone()
}

struct Agent(String);

/// Look for a text that matches.
#[tool(name = "bad.pattern")]
fn pattern(
    /// The text, e.g. `abc`.
    #[arg(pattern = "(unclosed")]
    text: String,
) -> String {
    text
}

#[test]
fn the_start_tells_everything_at_once_with_its_place() {
    let error = Toolkit::builder()
        .only([id(crate::support::read), id(twin::read), id(needs), id(pattern), id(no_tool)])
        .expect(["count.raed", "other.tool"])
        .hosts("count.fetsch", ["example.com"])
        .hosts("needs.state", ["http://example.com"])
        .without(["nothing"])
        .concurrency(0)
        .output_budget(10)
        .build()
        .unwrap_err();
    let text = error.to_string();
    for part in [
        "two tools are named `count.read`: tests/system/registry.rs:",
        "tests/system/support.rs:",
        "tool `needs.state` needs a state of type `alloc::collections::btree::map::BTreeMap<u8, u8>`",
        "the pattern of `text` of tool `bad.pattern`",
        "no_tool` is not a tool",
        "tool `count.raed` is expected but not linked; did you mean `count.read`?",
        "`use its_crate as _;`",
        "tool `other.tool` is expected but not linked;",
        "`hosts` names a tool `count.fetsch` that isn't there",
        "a host of tool `needs.state`: `http://example.com`",
        "`without` names a tool `nothing`",
        "`concurrency` must be",
        "`output_budget` must be",
        // The twins need a probe each, which nobody gave.
        "needs a state of type `toolkit::testing::probe::Probe`",
    ] {
        assert!(text.contains(part), "{part:?} not in\n{text}");
    }
    let lines = text.lines().count();
    assert_eq!(lines, error.problems().len() + 1, "{text}");
    // What a `main` that returns it prints.
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn an_empty_set_is_an_error_unless_it_is_meant() {
    let all: Vec<String> = Toolkit::builder()
        .crates(["no_such_crate"])
        .build()
        .unwrap_err()
        .problems()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        all,
        [
            "crate `no_such_crate` has no tool here; if it is a dependency, write `use no_such_crate as _;`"
        ]
    );
    assert_eq!(Toolkit::builder().only([]).build().unwrap().tools().count(), 0);
}

#[tokio::test]
async fn a_value_that_the_context_lacks_is_a_defect() {
    let toolkit = Toolkit::builder().only([id(needs_value)]).build().unwrap();
    let call = || ToolCall::new("needs.value", "");
    let reply = toolkit.call(&CallContext::model(), call()).await;
    assert_eq!(reply.code(), Code::Defect);
    assert!(!reply.text().contains("Agent"), "{}", reply.text());
    let cx = CallContext::model().with(Agent("ada".to_owned()));
    assert_eq!(toolkit.call(&cx, call()).await.text(), "ada");
}

#[tokio::test]
async fn a_tool_is_named_by_its_function_and_filtered_by_its_facts() {
    let (builder, _) = counters();
    let toolkit = builder.build().unwrap();
    assert_eq!(toolkit.tool(crate::support::read).unwrap().name(), "count.read");
    assert!(toolkit.tool(no_tool).is_none());
    let names =
        |tools: toolkit::ToolQuery| tools.map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        names(toolkit.tools()),
        ["count.delete", "count.fetch", "count.flagged", "count.read", "count.write"]
    );
    assert_eq!(names(toolkit.tools().risk(Risk::Network)), ["count.fetch"]);
    assert_eq!(names(toolkit.tools().domain("count").risk(Risk::Write)), ["count.write"]);
    assert!(names(toolkit.tools().domain("coun")).is_empty());
    assert_eq!(names(toolkit.tools().scope("mail")).len(), 4);
    assert_eq!(names(toolkit.read_only().tools()), ["count.flagged", "count.read"]);
}

#[tokio::test(start_paused = true)]
async fn tools_come_and_go_and_calls_under_way_finish() {
    let probe = Probe::new();
    let toolkit = Toolkit::builder().only([]).state(probe.clone()).build().unwrap();
    let mut events = toolkit.events();
    let cx = CallContext::human();
    let call = || ToolCall::new("count.read", GOOD);
    assert_eq!(toolkit.call(&cx, call()).await.code(), Code::UnknownTool);

    let held = toolkit.register(crate::support::read).unwrap();
    assert_eq!(held.spec().name(), "count.read");
    assert!(toolkit.call(&cx, call()).await.is_ok());
    assert!(toolkit.catalog(&cx).find("count.read").is_some());
    let error = toolkit.register(twin::read).unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::Duplicate { .. }]), "{error}");
    assert!(toolkit.register(no_tool).is_err());
    assert!(toolkit.register(needs).is_err());

    let slow =
        TypedTool::new("slow.one", "Take a while to answer.", Risk::Read, |_: Nothing, _| async {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            Ok::<_, ToolError>("done at last")
        });
    let slow = toolkit.register_typed(slow).unwrap();
    let running = tokio::spawn({
        let (toolkit, cx) = (toolkit.clone(), cx.clone());
        async move { toolkit.call(&cx, ToolCall::new("slow.one", "")).await }
    });
    tokio::task::yield_now().await;
    drop(slow);
    drop(held);
    assert_eq!(toolkit.call(&cx, call()).await.code(), Code::UnknownTool);
    assert!(toolkit.catalog(&cx).is_empty());
    assert_eq!(running.await.unwrap().text(), "done at last");

    let mut kinds = Vec::new();
    while let Ok(event) = events.try_recv() {
        if !matches!(event, Event::CallFinished(_)) {
            kinds.push(event.kind());
        }
    }
    assert_eq!(kinds, ["registered", "registered", "unregistered", "unregistered"]);
}

/// No arguments at all.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Where to look.
#[derive(Deserialize, JsonSchema)]
struct Place {
    /// Name of the town, e.g. `Oslo`.
    town: String,
    /// How many days ahead.
    #[serde(default)]
    #[schemars(range(max = 7))]
    days: u8,
}

/// Either this or that: no object, so no arguments.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
enum Either {
    This(u8),
    That(u8),
}

fn forecast() -> TypedTool {
    TypedTool::new(
        "weather.forecast",
        "Forecast the weather of a town.",
        Risk::Read,
        |place: Place, cx: CallContext| async move {
            if place.town == "Atlantis" {
                return Err(ToolError::expected("no such town"));
            }
            Ok(format!("{} {} {}", place.town, place.days, cx.origin()))
        },
    )
}

#[tokio::test]
async fn a_closure_is_a_tool_like_any_other() {
    let toolkit = Toolkit::builder().only([]).tool(forecast()).build().unwrap();
    let run = async |arguments: &str| {
        let call = ToolCall::new("weather__forecast", arguments.to_owned());
        let reply = toolkit.call(&CallContext::model(), call).await;
        (reply.code(), reply.text().to_owned())
    };
    assert_eq!(run(r#"{"town": "Oslo"}"#).await, (Code::Ok, "Oslo 0 model".to_owned()));
    assert_eq!(run(r#"{"town": "Atlantis"}"#).await, (Code::Failed, "no such town".to_owned()));
    let (code, text) = run(r#"{"twon": "Oslo", "days": 8}"#).await;
    assert_eq!(code, Code::InvalidArguments);
    for part in
        ["days: ", "got 8", "twon: unknown", "did you mean `town`?", "town: required, missing"]
    {
        assert!(text.contains(part), "{part:?} not in {text}");
    }
    for malformed in ["{", "[]", r#"{"town": "a", "town": "b"}"#] {
        assert_eq!(run(malformed).await.0, Code::MalformedArguments, "{malformed}");
    }
}

#[tokio::test]
async fn a_closure_is_held_to_the_rules_of_the_attribute() {
    let make = |name: &str, description: &str, risk: Risk| {
        TypedTool::new(name, description, risk, |_: Nothing, _| async { Ok::<_, ToolError>(()) })
    };
    let error = Toolkit::builder()
        .only([])
        .tool(make("Bad Name", "A good description.", Risk::Read))
        .tool(make("good.name", "short", Risk::Read))
        .tool(make("mail.send", "Send a mail to somebody.", Risk::Send))
        .build()
        .unwrap_err();
    let text = error.to_string();
    for part in ["registry.rs:", "has a bad name", "under 10 characters", "can't send"] {
        assert!(text.contains(part), "{part:?} not in {text}");
    }
    // A closure that crosses the border would reach nothing unless a host is listed.
    let network = || make("web.ping", "Ping a host out there.", Risk::Network);
    let error = Toolkit::builder().only([]).tool(network()).build().unwrap_err();
    assert!(error.to_string().contains("no host is listed for it"), "{error}");
    let builder = Toolkit::builder().only([]).tool(network());
    let toolkit = builder.hosts("web.ping", ["example.com"]).build().unwrap();
    let reply = toolkit.call(&CallContext::human(), ToolCall::new("web.ping", "")).await;
    assert_eq!(reply.code(), Code::Ok);
    // So too while the toolkit runs.
    let empty = Toolkit::builder().only([]).build().unwrap();
    assert!(empty.register_typed(network()).is_err());
    assert!(empty.register_typed(network().hosts(["example.com"])).is_ok());
}

/// Fails of something that has a cause.
#[derive(Debug)]
struct Caused(std::num::ParseIntError);

impl std::fmt::Display for Caused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no number came back")
    }
}

impl std::error::Error for Caused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[tokio::test]
async fn the_causes_of_a_closures_boxed_error_reach_the_operator() {
    let failing = TypedTool::new(
        "odd.caused",
        "Fail of something that has a cause.",
        Risk::Read,
        |_: Nothing, _| async {
            let error = Caused("x".parse::<u8>().unwrap_err());
            Err::<(), Box<dyn std::error::Error + Send + Sync>>(Box::new(error))
        },
    );
    let toolkit = Toolkit::builder().only([]).tool(failing).show_errors().build().unwrap();
    let reply = toolkit.call(&CallContext::human(), ToolCall::new("odd.caused", "")).await;
    let text = reply.text();
    assert!(text.contains("no number came back: invalid digit"), "{text}");
}

#[test]
fn what_is_expected_but_left_out_isnt_called_not_linked() {
    let excluded = |builder: toolkit::Builder| {
        let error = builder.expect(["count.read"]).build().unwrap_err();
        let by = error.problems().iter().find_map(|problem| match problem {
            BuildProblem::Excluded { name, by, .. } if name == "count.read" => Some(*by),
            _ => None,
        });
        by.unwrap_or_else(|| panic!("{error}"))
    };
    let builder = || Toolkit::builder().allow_empty();
    assert_eq!(excluded(builder().only([])), "only");
    assert_eq!(excluded(builder().only([]).without(["count.read"])), "without");
    assert_eq!(excluded(builder().only([]).crates(["elsewhere"])), "crates");
}

#[test]
fn a_closure_whose_arguments_are_no_object_is_refused_at_the_start() {
    let either = TypedTool::new(
        "odd.either",
        "Take either this or that.",
        Risk::Read,
        |_: Either, _| async { Ok::<_, ToolError>(()) },
    );
    let error = Toolkit::builder().only([]).tool(either).build().unwrap_err();
    assert!(error.to_string().contains("object"), "{error}");
}
