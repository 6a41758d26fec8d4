//! Listing and reading: what is shown, how it is cut, and what is said of what can't be read.

use serde_json::json;
use toolkit::prelude::*;

use super::Desk;

#[tokio::test]
async fn a_directory_is_listed_by_name() {
    let desk = Desk::new("list");
    desk.file("b.txt", "12345");
    desk.file("a/c.rs", "");
    desk.file("a/d/e.rs", "");
    desk.file(".hidden", "");
    let shown = desk.ok("fs.list", json!({})).await;
    let names: Vec<&str> = shown.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(names, [".hidden", "a/", "b.txt"]);
    assert!(shown.contains("b.txt  5 bytes, 20"), "{shown}");
    let shown = desk.ok("fs.list", json!({"path": "a"})).await;
    assert!(shown.starts_with("a/c.rs  0 bytes"), "{shown}");
    let shown = desk.ok("fs.list", json!({"glob": "*.rs", "deep": true})).await;
    let names: Vec<&str> = shown.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(names, ["a/c.rs", "a/d/e.rs"]);
    assert_eq!(desk.ok("fs.list", json!({"glob": "*.none"})).await, "nothing");
    let shown = desk.ok("fs.list", json!({"deep": true, "limit": 2})).await;
    assert!(shown.ends_with("[4 more; give a `glob`, or a larger `limit`]"), "{shown}");
    for path in ["b.txt", "b.tx"] {
        let said = desk.failed("fs.list", json!({"path": path, "deep": true})).await;
        assert_eq!(said, desk.failed("fs.list", json!({"path": path})).await);
    }
    let said = desk.failed("fs.list", json!({"path": "a/dd"})).await;
    assert_eq!(said, "`a/dd` isn't there; did you mean `a/d`?");
}

#[tokio::test]
async fn a_tree_leaves_out_what_its_rules_leave_out() {
    let desk = Desk::new("ignored");
    desk.file(".gitignore", "/target\n*.log\n!keep.log\n");
    desk.file("target/x", "");
    desk.file("sub/target/x", "");
    desk.file("sub/a.log", "");
    desk.file("sub/keep.log", "");
    desk.file("sub/.ignore", "private/\n");
    desk.file("sub/private/x", "");
    desk.file("sub/deep/.gitignore", "!b.log\n");
    desk.file("sub/deep/b.log", "");
    desk.file(".git/config", "");
    let listed = async |path: &str| {
        let shown = desk.ok("fs.list", json!({"path": path, "deep": true})).await;
        let names = shown.lines().map(|line| line.split("  ").next().unwrap().to_owned());
        names.filter(|name| !name.ends_with('/') && !name.contains("ignore")).collect::<Vec<_>>()
    };
    let all = ["sub/deep/b.log", "sub/keep.log", "sub/target/x"];
    assert_eq!(listed(".").await, all);
    // From further down, and on other ways there, the same rules hold.
    assert_eq!(listed("sub").await, all);
    assert_eq!(listed("sub/deep/..").await, all);
    assert_eq!(listed("sub/deep").await, ["sub/deep/b.log"]);
    // What is named is meant.
    assert_eq!(listed("target").await, ["target/x"]);
}

#[tokio::test]
async fn lines_are_read_with_what_to_know_of_them() {
    let desk = Desk::new("read");
    desk.file("a", "one\ntwo\nthree\n");
    let read = async |arguments| desk.ok("fs.read", arguments).await;
    assert_eq!(read(json!({"path": "a"})).await, "one\ntwo\nthree\n");
    assert_eq!(
        read(json!({"path": "a", "count": 2, "numbered": true})).await,
        "    1  one\n    2  two\n[lines 1 to 2; it goes on, read from 3]"
    );
    assert_eq!(read(json!({"path": "a", "from": 3})).await, "three\n[lines 3 to 3, the last]");
    let said = desk.failed("fs.read", json!({"path": "a", "from": 4})).await;
    assert_eq!(said, "the file ends before line 4; give a smaller `from`");
    desk.file("empty", "");
    assert_eq!(read(json!({"path": "empty"})).await, "[the file is empty]");
    desk.file("crlf", "one\r\ntwo");
    let shown = read(json!({"path": "crlf"})).await;
    assert_eq!(shown, "one\ntwo\n[its lines end in CRLF; its last line has no end]");
    desk.file("mixed", "one\r\ntwo\n");
    assert_eq!(read(json!({"path": "mixed"})).await, "one\r\ntwo\n");
    desk.file("latin", b"caf\xe9\n");
    assert_eq!(desk.failed("fs.read", json!({"path": "latin"})).await, "`latin` is no UTF-8 text");
    assert_eq!(desk.failed("fs.read", json!({"path": "."})).await, "`.` is a directory");
    assert_eq!(
        desk.failed("fs.read", json!({"path": "b"})).await,
        "`b` isn't there; did you mean `a`?"
    );
}

#[tokio::test]
async fn what_is_long_is_read_on() {
    let desk = Desk::new("long");
    let line = format!("{}\n", "é".repeat(30_000));
    desk.file("wide", &line);
    // A line that is longer than what is shown lies in the store, for whoever goes on in this session.
    let cx = CallContext::model().session("s-1");
    let call = |tool: &'static str, arguments: serde_json::Value| {
        desk.toolkit.call(&cx, ToolCall::new(tool, arguments.to_string()))
    };
    let reply = call("fs.read", json!({"path": "wide"})).await;
    assert!(reply.is_ok() && reply.text().chars().count() <= 20_000);
    let (_, rest) = reply.text().split_once("read on with `output.read`: handle `").unwrap();
    let handle = rest.split('`').next().unwrap();
    let reply = call("output.read", json!({"handle": handle, "offset": 40_000})).await;
    assert!(reply.is_ok() && reply.text().ends_with("éé\n"), "{}", reply.text());
    desk.file("wider", "é".repeat(600_000));
    let said = desk.failed("fs.read", json!({"path": "wider"})).await;
    assert!(said.ends_with("find what you need in it with `fs.search`"), "{said}");
    assert!(said.contains("has a line 1 of more than 1048576 bytes"), "{said}");
    // Many lines are read in parts, each as many as there is room for.
    desk.file("tall", "0123456789abcdef\n".repeat(200_000));
    let shown = desk.ok("fs.read", json!({"path": "tall", "from": 199_999})).await;
    assert_eq!(shown.lines().last().unwrap(), "[lines 199999 to 200000, the last]");
    assert_eq!(shown.lines().count(), 3);
}
