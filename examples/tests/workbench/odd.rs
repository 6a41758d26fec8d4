//! Odd things in a directory: what would hang or act, names that are none, and far too many of them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::json;

use super::Desk;

#[tokio::test]
async fn what_would_hang_is_told_and_left_alone() {
    let desk = Desk::new("special");
    let made = Command::new("mkfifo").arg(desk.at("pipe")).status().unwrap();
    assert!(made.success());
    // The path of a socket has to be short.
    let short = std::env::temp_dir().join(format!("toolkit-workbench-{}", std::process::id()));
    let _socket = UnixListener::bind(&short).unwrap();
    fs::rename(&short, desk.at("socket")).unwrap();
    desk.file("file", "text\n");
    symlink("/dev/zero", desk.at("zero")).unwrap();
    symlink("nowhere", desk.at("dangling")).unwrap();
    fs::create_dir(desk.at(".gitignore")).unwrap();
    let shown = desk.ok("fs.list", json!({})).await;
    for line in [
        "pipe  (no ordinary file)",
        "socket  (no ordinary file)",
        "zero  (a link)",
        "dangling  (a link)",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{shown}");
    }
    let shown = desk.ok("fs.search", json!({"pattern": "."})).await;
    assert_eq!(
        shown,
        "file\n1: text\n\n[1 hits in 1 of 1 files; not searched: 2 no ordinary files (pipe, socket)]"
    );
    for path in ["pipe", "socket"] {
        for (tool, arguments) in [
            ("fs.read", json!({"path": path})),
            ("fs.write", json!({"path": path, "text": ""})),
            ("fs.edit", json!({"path": path, "old": "a", "new": "b"})),
        ] {
            let said = desk.failed(tool, arguments).await;
            assert!(said.contains("is no ordinary file"), "{tool} {path}: {said}");
        }
        let shown = desk.ok("fs.search", json!({"pattern": ".", "path": path})).await;
        assert!(
            shown.starts_with("[no hit in 0 files; not searched: 1 no ordinary files"),
            "{shown}"
        );
    }
    let said = desk.failed("fs.read", json!({"path": "zero"})).await;
    assert!(said.contains("leads out") && !said.contains("/dev"), "{said}");
    assert!(desk.failed("fs.read", json!({"path": "dangling"})).await.contains("isn't there"));
}

#[tokio::test]
async fn names_are_shown_so_that_they_fool_nobody() {
    let desk = Desk::new("names");
    for name in [&b"bad\xffname"[..], b"two\nlines", b"turned\xe2\x80\xaetxt.exe", b"plain"] {
        fs::write(desk.top.join(OsStr::from_bytes(name)), "needle\n").unwrap();
    }
    let bad = desk.top.join(OsStr::from_bytes(b"dir\xff"));
    fs::create_dir(&bad).unwrap();
    fs::write(bad.join("inside"), "needle\n").unwrap();
    let shown = desk.ok("fs.list", json!({"deep": true})).await;
    assert_eq!(shown.lines().count(), 6, "{shown}");
    assert!(
        shown.contains("bad\u{fffd}name  7 bytes") && shown.contains("\"two\\nlines\"  7"),
        "{shown}"
    );
    assert!(shown.contains("\"turned\\u{202e}txt.exe\""), "{shown}");
    assert!(shown.ends_with("[1 directories couldn't be read]"), "{shown}");
    // Where a name is no Unicode, nobody can give it.
    let shown = desk.ok("fs.search", json!({"pattern": "needle"})).await;
    assert!(shown.contains("[3 hits in 3 of 3 files") && !shown.contains("inside"), "{shown}");
    assert!(shown.contains("1 files that couldn't be opened (bad\u{fffd}name)"), "{shown}");
    assert!(shown.contains("1 directories that couldn't be read"), "{shown}");
    let said = desk.failed("fs.read", json!({"path": "bad\u{fffd}name"})).await;
    assert!(said.contains("isn't there"), "{said}");
    // What is there by a strange name is read all the same.
    assert_eq!(desk.ok("fs.read", json!({"path": "two\nlines"})).await, "needle\n");
}

#[tokio::test]
async fn a_hundred_thousand_entries_are_too_many_to_show_and_are_counted() {
    let desk = Desk::new("many");
    fs::create_dir(desk.at("full")).unwrap();
    for at in 0..100_000 {
        fs::File::create(desk.at(&format!("full/{at:06}.txt"))).unwrap();
    }
    fs::write(desk.at("full/099999.txt"), "needle").unwrap();
    let shown = desk.ok("fs.list", json!({"path": "full"})).await;
    assert_eq!(shown.lines().count(), 201);
    assert!(
        shown.starts_with("full/000000.txt")
            && shown.ends_with("[99800 more; give a `glob`, or a larger `limit`]")
    );
    let arguments = json!({"path": "full", "glob": "*99.txt", "limit": 1000});
    let listed = desk.reply("fs.list", arguments).await.value().unwrap();
    assert_eq!(
        (listed["entries"].as_array().unwrap().len(), &listed["left_out"]),
        (1000, &json!(0))
    );
    let shown = desk.ok("fs.search", json!({"pattern": "needle"})).await;
    assert!(
        shown.contains("full/099999.txt\n1: needle\n\n[1 hits in 1 of 100000 files]"),
        "{shown}"
    );
    // One more than is walked through is said to be left out.
    fs::write(desk.at("full/1"), "").unwrap();
    let shown = desk.ok("fs.search", json!({"pattern": "needle"})).await;
    assert!(shown.contains("too full or too deep"), "{shown}");
    fs::remove_dir_all(desk.at("full")).unwrap();
}

#[tokio::test]
async fn a_tree_without_bottom_has_one() {
    let desk = Desk::new("deep");
    desk.file(&format!("{}file", "d/".repeat(80)), "needle");
    let shown = desk.ok("fs.search", json!({"pattern": "needle"})).await;
    assert!(shown.starts_with("[no hit") && shown.contains("too full or too deep"), "{shown}");
    let shown = desk.ok("fs.search", json!({"pattern": "needle", "path": "d/".repeat(40)})).await;
    assert!(shown.contains("1: needle"), "from further down it is found: {shown}");
    fs::remove_dir_all(desk.at("d")).unwrap();
}

#[tokio::test]
async fn hostile_rules_cost_little() {
    let desk = Desk::new("rules");
    // Each is heeded alone; all of them at once would hold much.
    let rules: String = (0..5000).map(|at| format!("*a{at}*b?c[d-f]*\n")).collect();
    let mut dir = String::new();
    for _ in 0..12 {
        desk.file(&format!("{dir}.gitignore"), &rules);
        desk.file(&format!("{dir}left_out"), "needle");
        dir += "d/";
    }
    desk.file(".ignore", "left_out\n[broken\n{a,{b\n");
    desk.file(&format!("{dir}file"), "needle");
    let shown = desk.ok("fs.search", json!({"pattern": "needle", "glob": "!.*ignore"})).await;
    assert_eq!(shown, format!("{dir}file\n1: needle\n\n[1 hits in 1 of 1 files]"));
}
