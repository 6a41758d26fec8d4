//! Writing, editing and deleting: all or nothing, and who is asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;
use toolkit::prelude::*;

use super::Desk;

/// All names below the top.
fn names(desk: &Desk) -> Vec<String> {
    let walk = toolkit::fs::Root::open(&desk.top).unwrap();
    let walk = walk.blocking().walk(".").unwrap();
    walk.entries.into_iter().map(|entry| entry.path).collect()
}

#[tokio::test]
async fn files_are_made_and_replaced_as_a_whole() {
    let desk = Desk::new("write");
    let write = async |path, text| desk.ok("fs.write", json!({"path": path, "text": text})).await;
    assert_eq!(write("a.txt", "one").await, "made `a.txt`: 3 bytes");
    assert_eq!(write("a.txt", "").await, "replaced `a.txt`: 0 bytes");
    assert_eq!(write("x/y/z.txt", "é\r\n").await, "made `x/y/z.txt`: 4 bytes");
    assert_eq!(desk.text("x/y/z.txt"), "é\r\n");
    fs::set_permissions(desk.at("a.txt"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(desk.at("a.txt"), desk.at("b.txt")).unwrap();
    symlink("x/y/z.txt", desk.at("link")).unwrap();
    write("a.txt", "two").await;
    write("link", "through").await;
    assert_eq!(fs::metadata(desk.at("a.txt")).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!((desk.text("b.txt"), desk.text("x/y/z.txt")), (String::new(), "through".into()));
    assert!(fs::symlink_metadata(desk.at("link")).unwrap().is_symlink());
    for (path, says) in [
        ("x", "`x` is a directory"),
        ("x/", "names a directory"),
        ("../y", "leads out"),
        ("none/../y", "isn't there"),
        ("a.txt/b", "goes on behind a file"),
        ("tab\tx", "characters that nobody sees"),
        (" x", "spaces at an end"),
    ] {
        let said = desk.failed("fs.write", json!({"path": path, "text": "x"})).await;
        assert!(said.contains(says), "{path}: {said}");
    }
    // Nothing is left beside what was written.
    assert_eq!(names(&desk), ["a.txt", "b.txt", "link", "x", "x/y", "x/y/z.txt"]);
}

#[tokio::test]
async fn one_place_is_edited_or_none() {
    let desk = Desk::new("edit");
    desk.file("a", "one\n  two\nthree\n  two\n");
    let edit = |old, new| json!({"path": "a", "old": old, "new": new});
    let said = desk.failed("fs.edit", edit("two", "2")).await;
    assert_eq!(
        said,
        "nothing was changed in `a`: `old` is there 2 times, at lines 2 and 4; give more of the lines \
         around it"
    );
    let said = desk.failed("fs.edit", edit("two\nfour", "2")).await;
    assert!(said.contains("its first line is much like lines 2 and 4"), "{said}");
    assert_eq!(desk.text("a"), "one\n  two\nthree\n  two\n");
    let shown = desk.ok("fs.edit", edit("two\nthree", "2\n3\n3")).await;
    assert_eq!(shown, "edited `a`: the new text is lines 2 to 4");
    assert_eq!(desk.text("a"), "one\n  2\n3\n3\n  two\n");
    assert_eq!(
        desk.ok("fs.edit", edit("  two\n", "")).await,
        "edited `a`: the old text is gone from line 5"
    );
    desk.file("a", "x\r\ny\r\n");
    desk.ok("fs.edit", edit("x\ny", "x\nz")).await;
    assert_eq!(desk.text("a"), "x\r\nz\r\n");
    for (path, says) in [("b", "isn't there"), (".", "is a directory"), ("../b", "leads out")] {
        let said = desk.failed("fs.edit", json!({"path": path, "old": "a", "new": "b"})).await;
        assert!(said.contains(says), "{said}");
    }
    desk.file("latin", b"caf\xe9");
    let said = desk.failed("fs.edit", json!({"path": "latin", "old": "c", "new": "b"})).await;
    assert!(said.contains("no UTF-8"), "{said}");
    let reply = desk.reply("fs.edit", edit("", "x")).await;
    assert_eq!(reply.code(), Code::InvalidArguments);
}

/// Each reads, replaces and writes: side by side, none may be lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn edits_at_the_same_time_are_all_made() {
    let desk = Desk::new("edits");
    let words: Vec<String> = (0..4).map(|at| format!("<{at}>")).collect();
    desk.file("a", words.concat());
    for round in 0..20 {
        let edits = (0..4).map(|at| {
            let (old, new) = (format!("<{}>", at + round * 4), format!("<{}>", at + 4 + round * 4));
            let call =
                ToolCall::new("fs.edit", json!({"path": "a", "old": old, "new": new}).to_string());
            let toolkit = desk.toolkit.clone();
            tokio::spawn(async move { toolkit.call(&CallContext::human(), call).await.code() })
        });
        for edit in edits.collect::<Vec<_>>() {
            assert_eq!(edit.await.unwrap(), Code::Ok);
        }
    }
    assert_eq!(desk.text("a"), "<80><81><82><83>");
}

#[tokio::test]
async fn deleting_asks_and_takes_what_is_named() {
    let desk = Desk::new("delete");
    desk.file("a", "");
    desk.file("full/b", "");
    desk.file("kept/c", "");
    fs::create_dir(desk.at("none")).unwrap();
    symlink("kept", desk.at("link")).unwrap();
    let delete = async |path| desk.ok("fs.delete", json!({"path": path})).await;
    assert_eq!(delete("a").await, "deleted `a`");
    assert_eq!(delete("none").await, "deleted the empty directory `none`");
    assert_eq!(delete("link").await, "deleted `link`");
    let said = desk.failed("fs.delete", json!({"path": "full"})).await;
    assert!(
        said.contains("isn't empty; look at it with `fs.list`, and give `recursive`"),
        "{said}"
    );
    desk.ok("fs.delete", json!({"path": "full", "recursive": true})).await;
    assert_eq!(names(&desk), ["kept", "kept/c"]);
    for path in [".", "..", "kept/..", "none"] {
        desk.failed("fs.delete", json!({"path": path, "recursive": true})).await;
    }
    assert_eq!(names(&desk), ["kept", "kept/c"]);
    let asked = desk.asked.requests();
    assert!(asked.len() >= 9 && asked.iter().all(|asked| asked.tool == "fs.delete"));
}

#[tokio::test]
async fn a_model_asks_before_it_writes_and_nothing_runs_without_an_answer() {
    let desk = Desk::new("asks");
    desk.file("a", "old");
    let bench = examples::workbench::host::Bench::open(&desk.top, Vec::new()).unwrap();
    let alone = bench.builder().unwrap().build().unwrap();
    for (tool, arguments) in [
        ("fs.write", json!({"path": "a", "text": "new"})),
        ("fs.edit", json!({"path": "a", "old": "old", "new": "new"})),
        ("fs.delete", json!({"path": "a"})),
        ("proc.run", json!({"argv": ["rm", "a"]})),
    ] {
        let call = || ToolCall::new(tool, arguments.to_string());
        assert_eq!(alone.call(&CallContext::model(), call()).await.code(), Code::NoApprover);
        assert_eq!(
            alone.call(&CallContext::plan(), call()).await.code(),
            match tool {
                "fs.write" => Code::Ok,
                "fs.edit" => Code::Failed,
                _ => Code::NoApprover,
            }
        );
        fs::write(desk.at("a"), if tool == "fs.write" { "other" } else { "old" }).unwrap();
    }
    assert!(desk.at("a").exists());
}

#[tokio::test]
async fn nobody_changes_what_is_gits() {
    let desk = Desk::new("git");
    desk.file(".git/config", "x");
    desk.file("sub/.git", "gitdir: x");
    fs::create_dir_all(desk.at("plain")).unwrap();
    symlink(".git", desk.at("plain/hidden")).unwrap();
    symlink("../.git", desk.at("plain/led")).unwrap();
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        ".GIT/x",
        "./plain/../.git/x",
        "sub/.git",
        "plain/led/config",
        "plain/led/new/x",
        ".git./x",
    ] {
        for (tool, arguments) in [
            ("fs.write", json!({"path": path, "text": "y"})),
            ("fs.edit", json!({"path": path, "old": "x", "new": "y"})),
            ("fs.delete", json!({"path": path, "recursive": true})),
        ] {
            let said = desk.failed(tool, arguments).await;
            let meant = tool != "fs.edit" || desk.at(path).is_file();
            assert!(!meant || said.contains("changed by git alone"), "{tool} {path}: {said}");
        }
    }
    assert_eq!((desk.text(".git/config"), desk.text("sub/.git")), ("x".into(), "gitdir: x".into()));
    assert_eq!(fs::read_dir(desk.at(".git")).unwrap().count(), 1);
    desk.ok("fs.write", json!({"path": ".gitignore", "text": "y"})).await;
    desk.ok("fs.read", json!({"path": ".git/config"})).await;
}
