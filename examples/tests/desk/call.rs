//! The subcommands: one call by a person or as a model, the list, the schemas.

use super::{folder, has_ticket, number, run};

#[tokio::test]
async fn a_call_gives_its_text_and_exits_0_only_for_ok() {
    let db = folder("call").join("test.db");
    let cases: &[(&[&str], u8, &str, &str)] = &[
        (&["call", "kb.search", r#"{"query":"password"}"#], 0, "Reset a forgotten", "code      ok"),
        (&["call", "kb__search", r#"{"query":"password"}"#], 0, "[{\"id\":4,", "verdict   allow"),
        (&["call", "clock.now", ""], 0, "{\"utc\":\"2", "code      ok"),
        (&["call", "kb.search", r#"{"query":"?!"}"#], 1, "`query` has no word", "code      failed"),
        (&["call", "kb.search", r#"{"limit":0}"#], 1, "- query: required", "invalid_arguments"),
        (&["call", "kb.search", "{"], 1, "malformed arguments", "malformed_arguments"),
        (&["call", "kb.serach", "{}"], 1, "`kb.search`", "unknown_tool"),
        (&["call", "session.fetch", r#"{"session":"s-99"}"#], 1, "no session `s-99`", "failed"),
        (&["call", "session.fetch", r#"{"session":"x"}"#], 1, "session: expected", "invalid_arg"),
        (&["call", "web.fetch", r#"{"url":"{{page}}/status"}"#], 0, "incident", "code      ok"),
        (&["call", "web.fetch", r#"{"url":"{{page}}/none"}"#], 1, "404 Not Found", "failed"),
        (
            &["call", "web.fetch", r#"{"url":"{{page}}/moved"}"#],
            1,
            "redirects to `http://status.example.com`, which is on no host that this tool may reach",
            "code      failed",
        ),
        (
            &["call", "web.fetch", r#"{"url":"http://127.0.0.1:1/"}"#],
            1,
            "is on no host that this tool may reach",
            "code      denied",
        ),
        (
            &["call", "ticket.delete", r#"{"ticket":1042}"#],
            1,
            "nobody can be asked",
            "code      no_approver",
        ),
        (
            &["call", "ticket.delete", r#"{"ticket":1042}"#, "--as", "plan"],
            1,
            "nobody can be asked",
            "ask: policy says ask (destructive for plan)",
        ),
        (
            &["call", "--as=model", "ticket.create", r#"{"subject":"As model","body":"text"}"#],
            0,
            "{\"id\":1043,",
            "record: policy says record (write for model)",
        ),
        (
            &["call", "ticket.create", r#"{"subject":"As human","body":"text"}"#],
            0,
            "{\"id\":1044,",
            "record: policy says record (write for human)",
        ),
    ];
    for (arguments, code, out, err) in cases {
        let done = run(&db, arguments).await;
        let all = format!("{arguments:?}\n{}\n{}", done.out, done.err);
        assert_eq!(done.code, *code, "{all}");
        assert!(done.out.contains(out), "{all}");
        assert!(done.err.contains(err), "{all}");
        // The standard output has the text and nothing else.
        assert!(!done.out.contains("verdict"), "{all}");
    }
    assert!(has_ticket(&db, 1042).await);
    assert_eq!(number(&db, "select count(*) from ticket").await, 5);
}

#[tokio::test]
async fn what_makes_no_sense_exits_2_and_does_nothing() {
    let folder = folder("usage");
    let db = folder.join("test.db");
    for (arguments, says) in [
        (&["cal"][..], "there is no subcommand `cal`"),
        (&["call", "kb.search"], "`call` needs the arguments as JSON"),
        (&["schema", "kb.serach"], "there is no tool `kb.serach`; known: clock.now, kb.search,"),
        (&["call", "clock.now", "{}", "--as", "robot"], "known: human, plan, model"),
        (&["--frob"], "invalid option '--frob'"),
    ] {
        let done = run(&db, arguments).await;
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{arguments:?}");
        assert!(done.err.contains(says) && done.err.contains("--help"), "{}", done.err);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[tokio::test]
async fn the_tools_and_their_schemas_are_shown() {
    let folder = folder("tools");
    let db = folder.join("test.db");
    let done = run(&db, &["tools"]).await;
    assert_eq!(done.code, 0);
    assert_eq!(done.out.lines().count(), 8);
    assert!(done.out.contains("ticket.delete destructive  ask     ask     Delete a ticket"));

    let schema = async |name| run(&db, &["schema", name]).await.out;
    let text = schema("kb__search").await;
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["required"], serde_json::json!(["query"]));
    assert_eq!(value["properties"]["limit"]["maximum"], 20);
    assert_eq!(value["properties"]["limit"]["default"], 5);
    let value: serde_json::Value = serde_json::from_str(&schema("clock.now").await).unwrap();
    assert_eq!(value["properties"], serde_json::json!({}));
    // Neither looks into a database, so neither makes one.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[tokio::test]
async fn help_says_how() {
    let done = run(&folder("help").join("test.db"), &["--help"]).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out.contains("usage: desk"));
}

#[cfg(not(feature = "live"))]
#[tokio::test]
async fn chat_says_how_to_switch_it_on() {
    let done = run(&folder("chat-off").join("test.db"), &["chat"]).await;
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("cargo run --example desk --features live -- chat"));
}
