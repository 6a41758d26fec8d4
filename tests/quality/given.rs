//! Tools from a JSON Schema: held to it as types are, under the same rules, marks and reports.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolkit::approval::Answer;
use toolkit::policy::{deny, equals, only, under};
use toolkit::prelude::*;
use toolkit::testing::{Change, Difference, Probe, Recorder, SnapshotError, Snapshots};
use toolkit::{Builder, Detail, Event, Executed, SchemaTool};

/// A tool of this name, risk and schema, that gives back what it got; and what counts its entries.
fn tool(name: &str, risk: Risk, schema: Value) -> (SchemaTool, Probe) {
    let probe = Probe::new();
    let counts = probe.clone();
    let run = move |args: Value, _: CallContext| {
        let running = counts.enter();
        async move {
            let _running = running;
            Ok::<_, ToolError>(args.to_string())
        }
    };
    let tool = SchemaTool::new(name, "Find things in the archive by words.", risk, schema, run);
    (tool, probe)
}

fn find() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "Keywords, e.g. `refund`." },
            "limit": { "type": "integer", "minimum": 1, "maximum": 20, "default": 5 },
            "in": {
                "type": "object",
                "properties": { "path": { "type": "string", "default": "/etc" } },
            },
            "token": { "type": "string", "multipleOf": 1 },
        },
        "required": ["query"],
    })
}

fn builder(tool: SchemaTool) -> Builder {
    Toolkit::builder().only([]).output_pages(false).tool(tool)
}

async fn call(toolkit: &Toolkit, name: &str, args: &str) -> ToolReply {
    toolkit.call(&CallContext::model(), ToolCall::new(name, args)).await
}

#[tokio::test]
async fn the_body_gets_what_was_sent_and_nothing_that_does_not_fit() {
    let (tool, probe) = tool("a.find", Risk::Read, find());
    let toolkit = builder(tool).build().unwrap();
    let reply = call(&toolkit, "a.find", r#"{"query":"x","limit":3}"#).await;
    assert_eq!((reply.code(), reply.text()), (Code::Ok, r#"{"limit":3,"query":"x"}"#));
    // A default is told, and not filled in.
    let reply = call(&toolkit, "a__find", r#"{"query":"x"}"#).await;
    assert_eq!(reply.text(), r#"{"query":"x"}"#);
    assert_eq!(probe.entered(), 2);
    let reply = call(&toolkit, "a.find", r#"{"qurey":"x","limit":99,"in":{"pat":1}}"#).await;
    assert_eq!((reply.code(), reply.executed()), (Code::InvalidArguments, Executed::No));
    assert_eq!(
        reply.text(),
        "invalid arguments for `a.find`:\n\
         - limit: expected integer from 1 to 20, got 99\n\
         - in.pat: unknown argument; did you mean `path`?\n\
         - qurey: unknown argument; did you mean `query`?\n\
         - query: required, missing"
    );
    for args in ["[]", r#"{"query":"x","query":"y"}"#, r#"{"query":"x"} "#.trim_end_matches("} ")] {
        let reply = call(&toolkit, "a.find", args).await;
        assert_eq!(reply.code(), Code::MalformedArguments, "{args}");
    }
    for args in ["", "null", "{}"] {
        let reply = call(&toolkit, "a.find", args).await;
        assert!(reply.text().ends_with("- query: required, missing"), "{args}: {}", reply.text());
    }
    let reply = call(&toolkit, "a.find", r#"{"query":"x","limit":"3"}"#).await;
    assert_eq!((reply.repairs().len(), reply.text()), (1, r#"{"limit":3,"query":"x"}"#));
    assert_eq!(probe.entered(), 3);
}

#[test]
fn what_is_wrong_with_a_schema_is_said_at_the_start() {
    let problem = |schema: Value| {
        let (tool, _) = tool("a.find", Risk::Read, schema);
        builder(tool).build().err().unwrap().to_string()
    };
    for (schema, words) in [
        (
            json!({ "properties": { "query": {} }, "required": ["qurey"] }),
            "at `#/required`: `qurey` is required, and `properties` doesn't have it; did you mean `query`?",
        ),
        (
            json!({ "properties": { "a": { "$ref": "https://example.com/a.json" } } }),
            "at `#/properties/a/$ref`: the reference `https://example.com/a.json` leads out of the schema",
        ),
        (json!({ "type": "array" }), "at `#/type`: arguments are an object"),
    ] {
        let text = problem(schema);
        let (place, said) = text.split_once(": tool `a.find` has bad arguments: ").expect(&text);
        assert!(place.contains("tests/quality/given.rs:"), "{text}");
        assert!(said.starts_with(words), "{text}");
    }
    let (marked, _) = tool("a.find", Risk::Read, find());
    let text = builder(marked.secret("tokn")).build().err().unwrap().to_string();
    assert!(text.contains("doesn't have: `tokn`; did you mean `token`?"), "{text}");
    let (nested, _) = tool("a.find", Risk::Read, find());
    let text = builder(nested.secret("in.path")).build().err().unwrap().to_string();
    assert!(text.ends_with("a mark is on an argument with all that is in it: `in`"), "{text}");
    let (network, _) = tool("a.find", Risk::Network, find());
    let text = builder(network).build().err().unwrap().to_string();
    assert!(text.contains("no host is listed for it"), "{text}");
}

#[tokio::test]
async fn rules_hold_for_arguments_by_path_and_for_what_stands_for_them() {
    let with = |rule| {
        let (tool, probe) = tool("a.find", Risk::Read, find());
        (builder(tool).policy(Policy::default().rule(rule)), probe)
    };
    let (built, probe) = with(only("a.find").when("in.path", under("/srv")));
    let toolkit = built.build().unwrap();
    let reply = call(&toolkit, "a.find", r#"{"query":"x","in":{"path":"/srv/a"}}"#).await;
    assert_eq!(reply.code(), Code::Ok, "{}", reply.text());
    // What is left out stands for its default, here and in what is nested.
    for args in [r#"{"query":"x","in":{"path":"/etc/a"}}"#, r#"{"query":"x","in":{}}"#] {
        assert_eq!(call(&toolkit, "a.find", args).await.code(), Code::Denied, "{args}");
    }
    let (built, _) = with(deny("a.find").when("limit", equals(5)));
    let toolkit = built.build().unwrap();
    assert_eq!(call(&toolkit, "a.find", r#"{"query":"x"}"#).await.code(), Code::Denied);
    assert_eq!(call(&toolkit, "a.find", r#"{"query":"x","limit":4}"#).await.code(), Code::Ok);
    let (built, _) = with(deny("a.find").when("in.pth", under("/srv")));
    let text = built.build().err().unwrap().to_string();
    assert!(text.contains("did you mean `path`?"), "{text}");
    assert_eq!(probe.entered(), 1);
}

#[tokio::test]
async fn hosts_hold_for_urls() {
    let schema = json!({ "properties": { "page": { "type": "string", "format": "uri" } },
        "required": ["page"] });
    let (tool, probe) = tool("a.fetch", Risk::Network, schema);
    let toolkit = builder(tool.url("page").hosts(["example.com"])).build().unwrap();
    let reply = call(&toolkit, "a.fetch", r#"{"page":"https://example.com/a"}"#).await;
    assert_eq!(reply.code(), Code::Ok, "{}", reply.text());
    for page in ["https://example.org/a", "http://127.0.0.1/", "mailto:ada@example.com"] {
        let args = json!({ "page": page }).to_string();
        assert_eq!(call(&toolkit, "a.fetch", &args).await.code(), Code::Denied, "{page}");
    }
    let reply = call(&toolkit, "a.fetch", r#"{"page":"not a url"}"#).await;
    assert_eq!(reply.code(), Code::InvalidArguments);
    assert!(
        reply.text().contains("- page: expected string (uri), e.g. `https://"),
        "{}",
        reply.text()
    );
    assert_eq!(probe.entered(), 1);
}

#[tokio::test]
async fn a_secret_is_in_no_text() {
    let mut schema = find();
    schema["properties"]["token"] = json!({
        "type": "object", "properties": { "v": { "type": "string", "pattern": "^k-" } }, "default": { "v": "k-canary" },
    });
    let (tool, probe) = tool("a.find", Risk::Write, schema);
    // All that leaves the path of a call, with as much of it as a policy can ask for.
    let told = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&told);
    let recorder = Recorder::approving();
    let toolkit = builder(tool.secret("token"))
        .policy(Policy::default().detail(Origin::Model, Risk::Write, Detail::Results))
        .approver(recorder.clone())
        .observer(move |event: &Event| {
            let json = serde_json::to_string(event).unwrap();
            sink.lock().unwrap().push_str(&format!("{event:?}\n{json}\n"));
        })
        .build()
        .unwrap();
    let catalog = toolkit.catalog(&CallContext::model()).openai_chat().to_string();
    assert!(!catalog.contains("canary"), "{catalog}");
    for args in [
        r#"{"query":"x","token":{"v":"canary"}}"#,
        r#"{"query":"x","token":{"canary":"k-1"}}"#,
        r#"{"query":"x","token":"canary"}"#,
        r#"{"query":"x","token":["canary",{"v":"k-canary"}]}"#,
        r#"{"query":"x","token":{"v":"canary","v":"k-canary"}}"#,
    ] {
        let reply = call(&toolkit, "a.find", args).await;
        assert!(!reply.is_ok() && reply.executed() == Executed::No);
        assert!(
            reply.text().contains("token") && !reply.text().contains("canary"),
            "{}",
            reply.text()
        );
    }
    let reply = call(&toolkit, "a.find", r#"{"query":"x","token":{"v":"k-canary"}}"#).await;
    assert_eq!((reply.code(), probe.entered()), (Code::Ok, 1));
    assert!(!reply.text().contains("canary"), "{}", reply.text());
    let shown = recorder.requests()[0].rendering();
    assert!(shown.contains("token") && !shown.contains("canary"), "{shown}");
    let told = told.lock().unwrap();
    assert!(told.contains("\"query\"") && !told.contains("canary"), "{told}");
}

#[tokio::test]
async fn a_person_sees_the_arguments_and_an_edit_is_held_to_the_schema() {
    let (tool, probe) = tool("a.change", Risk::Write, find());
    let written = [r#"{"query":"x","limit":99}"#, r#"{"query":"y"}"#];
    let recorder = Recorder::new(written.map(|text| Answer::Edit(text.to_owned())));
    let toolkit = builder(tool).approver(recorder.clone()).build().unwrap();
    let reply = call(&toolkit, "a.change", r#"{"query":"x","limit":3}"#).await;
    assert!(reply.text().contains("what ran: {\"query\":\"y\"}"), "{}", reply.text());
    assert_eq!(probe.entered(), 1);
    let shown = recorder.requests()[0].rendering();
    assert!(shown.contains("query") && shown.contains("limit"), "{shown}");
}

#[tokio::test]
async fn it_comes_and_goes_while_the_toolkit_runs() {
    let (first, _) = tool("a.find", Risk::Read, find());
    let (second, probe) = tool("b.find", Risk::Read, json!({ "type": "object" }));
    let toolkit = builder(first).build().unwrap();
    let added = toolkit.register_typed(second).unwrap();
    assert_eq!(call(&toolkit, "b.find", "").await.code(), Code::Ok);
    drop(added);
    assert_eq!(call(&toolkit, "b.find", "").await.code(), Code::UnknownTool);
    assert_eq!(probe.entered(), 1);
    let (bad, _) = tool("b.find", Risk::Read, json!({ "$ref": "#/$defs/none" }));
    assert!(toolkit.register_typed(bad).err().unwrap().to_string().contains("leads nowhere"));
}

/// What OpenAI is sent is what is held, and what strict mode can't say is told.
#[test]
fn a_provider_is_sent_the_schema() {
    let catalog = |schema: Value| {
        let (tool, _) = tool("a.find", Risk::Read, schema);
        let catalog = builder(tool).build().unwrap().catalog(&CallContext::model());
        let sent: Value = serde_json::from_str(&catalog.openai_chat().to_string()).unwrap();
        let losses: Vec<_> = catalog.openai_chat_losses().iter().map(ToString::to_string).collect();
        (sent[0]["function"].clone(), losses)
    };
    let plain = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Find",
        "properties": { "q": { "type": "string" }, "n": { "$ref": "#/definitions/n" } },
        "required": ["q"],
        "definitions": { "n": { "type": ["integer", "null"] } },
    });
    let (sent, losses) = catalog(plain);
    assert_eq!(
        (sent["strict"].clone(), sent["parameters"].clone(), losses),
        (
            json!(true),
            json!({
                "type": "object",
                "properties": { "q": { "type": "string" }, "n": { "type": ["integer", "null"] } },
                "required": ["q", "n"],
                "additionalProperties": false,
            }),
            Vec::<String>::new()
        )
    );
    let odd = json!({
        "properties": { "kind": { "enum": ["a", "b"] } },
        "if": { "properties": { "kind": { "const": "a" } } },
        "then": { "properties": { "n": { "type": "integer" } }, "required": ["n"] },
    });
    let (sent, losses) = catalog(odd);
    assert_ne!(sent["strict"], true, "{sent}");
    assert!(losses.iter().any(|loss| loss.contains("`if`")), "{losses:?}");
    assert_eq!(sent["parameters"]["then"]["required"], json!(["n"]), "{sent}");
}

#[test]
fn a_snapshot_tells_what_a_change_means() {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("toolkit-given-{}", std::process::id()));
    let toolkit = |schema: Value| builder(tool("a.find", Risk::Read, schema).0).build().unwrap();
    let snapshots = Snapshots::new(&folder);
    snapshots.update(&toolkit(find())).unwrap();
    snapshots.check(&toolkit(find())).unwrap();
    let mut narrower = find();
    narrower["properties"]["limit"]["maximum"] = json!(10);
    let error = snapshots.check(&toolkit(narrower)).unwrap_err();
    let SnapshotError::Different(differences) = &error else { panic!("{error}") };
    let [Difference::Changed { change: Change::Breaking(why), .. }] = differences.as_slice() else {
        panic!("{error}")
    };
    assert!(why.iter().any(|why| why.contains("limit")), "{why:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Order {
    #[schemars(range(min = 1, max = 9))]
    count: u8,
    code: Option<String>,
    kind: Kind,
    #[serde(default)]
    lines: Vec<Line>,
    next: Option<Box<Order>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "of")]
#[allow(dead_code)]
enum Kind {
    Round { radius: f64 },
    Square { side: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Line {
    text: String,
    #[serde(default)]
    bold: bool,
}

/// The same type as a type and as the schema that schemars makes of it.
#[tokio::test]
async fn a_schema_of_a_type_takes_what_the_type_takes_and_says_the_same() {
    let run = |_: Order, _: CallContext| async { Ok::<_, ToolError>("ran") };
    let typed = TypedTool::new("a.order", "Order things by number.", Risk::Read, run);
    let typed = Toolkit::builder().only([]).tool(typed).output_pages(false).build().unwrap();
    let run = |_: Value, _: CallContext| async { Ok::<_, ToolError>("ran") };
    let schema = schemars::schema_for!(Order).to_value();
    let given = SchemaTool::new("a.order", "Order things by number.", Risk::Read, schema, run);
    let given = builder(given).build().unwrap();
    let round = r#""kind":{"of":"round","radius":1.5}"#;
    let mut ran = 0;
    for args in [
        format!(r#"{{"count":1,{round}}}"#),
        format!(r#"{{"count":1.0,{round},"code":null}}"#),
        format!(r#"{{"count":"1",{round}}}"#),
        format!(r#"{{"count":0,{round}}}"#),
        format!(r#"{{"count":10,{round},"code":5}}"#),
        format!(r#"{{"conut":1,{round}}}"#),
        format!(r#"{{"count":1,{round},"lines":[{{"text":"a"}},{{"txt":1,"bold":"no"}}]}}"#),
        format!(r#"{{"count":1,{round},"next":{{"count":1,{round},"x":1}}}}"#),
        format!(r#"{{"count":1,{round},"next":{{"count":1,{round},"next":null}}}}"#),
        r#"{"count":1,"kind":{"of":"square","radius":1}}"#.to_owned(),
        r#"{"count":1,"kind":{"of":"square","side":300}}"#.to_owned(),
        r#"{"count":1,"kind":{"of":"oval"}}"#.to_owned(),
        r#"{"count":1,"kind":"round"}"#.to_owned(),
        r#"{"count":1e400}"#.to_owned(),
        "{}".to_owned(),
        "[1]".to_owned(),
        r#"{"count":1,"count":2}"#.to_owned(),
        r#""{\"count\":1}""#.to_owned(),
    ] {
        let (as_type, as_schema) =
            (call(&typed, "a.order", &args).await, call(&given, "a.order", &args).await);
        // To a type, `null` and nothing are the same; to who wrote a schema they may not be.
        let said = as_schema.text().replace("string or null", "string");
        assert_eq!(as_type.text(), said, "{args}");
        assert_eq!(as_type.code(), as_schema.code(), "{args}");
        ran += u32::from(as_type.code() == Code::Ok);
    }
    assert_eq!(ran, 4);
}
