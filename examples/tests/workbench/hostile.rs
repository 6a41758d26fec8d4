//! Hostile paths of every kind against every tool that takes one: nothing outside is read, listed, searched,
//! written, deleted or named.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;

use examples::workbench::host::Bench;
use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::testing::Recorder;

use super::kinds::{Fate, paths};
use super::tree::{CANARY, Tree};

/// What is done with a path.
const DEEDS: [(&str, bool); 10] = [
    ("list", true),
    ("list deep", true),
    ("read", true),
    ("search", true),
    ("glob", true),
    ("write", false),
    ("edit", false),
    ("delete", false),
    ("delete all", false),
    ("run", false),
];

fn call(deed: &str, path: &str) -> ToolCall<'static> {
    let (tool, arguments) = match deed {
        "list" => ("fs.list", json!({"path": path})),
        "list deep" => ("fs.list", json!({"path": path, "deep": true})),
        "read" => ("fs.read", json!({"path": path})),
        "search" => ("fs.search", json!({"path": path, "pattern": "."})),
        "glob" => ("fs.search", json!({"glob": path, "pattern": "."})),
        "write" => ("fs.write", json!({"path": path, "text": "written"})),
        "edit" => ("fs.edit", json!({"path": path, "old": CANARY, "new": "x"})),
        "delete" => ("fs.delete", json!({"path": path})),
        "delete all" => ("fs.delete", json!({"path": path, "recursive": true})),
        _ => ("proc.run", json!({"argv": ["cat", "canary", "out/canary"], "cwd": path})),
    };
    ToolCall::new(tool, arguments.to_string())
}

/// The value of a reply and its text, without the path that was given.
fn told(reply: &ToolReply) -> String {
    let value = reply.value().unwrap_or(Value::Null);
    format!("{}\n{value}", reply.text())
}

#[tokio::test]
async fn hostile_paths_reach_nothing() {
    let tree = Tree::new();
    let open = File::open(tree.at("out/canary")).unwrap();
    let bench = Bench::open(&tree.at("in"), Vec::new()).unwrap();
    let toolkit = bench.builder().unwrap().approver(Recorder::approving()).build().unwrap();
    let cx = CallContext::human();
    let before = tree.outside();
    let place = tree.at("in").parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    let mut counts = BTreeMap::<&str, usize>::new();
    let all = paths(&tree, open.as_raw_fd());
    assert!(all.kinds.iter().all(|(_, count)| *count > 0));
    for (at, (path, fate)) in all.all.into_iter().enumerate() {
        for (deed, only_looks) in DEEDS {
            if (fate == Fate::Looked && !only_looks) || (deed == "glob" && at % 4 > 0) {
                continue;
            }
            let reply = toolkit.call(&cx, call(deed, &path)).await;
            let (code, told) = (reply.code(), told(&reply));
            let case = || format!("{deed} {:?}: {code:?} {told}", path.get(..200).unwrap_or(&path));
            assert!(!told.contains(CANARY), "{}", case());
            // As a glob it is held against names inside, and so may match none or all.
            let leads = fate != Fate::Data && deed != "glob";
            assert!(!(leads && only_looks && code == Code::Ok), "{}", case());
            if deed == "run" && code == Code::Ok {
                assert!(!told.contains("exit code 0"), "{}", case());
            }
            let long = deed == "glob" && code == Code::InvalidArguments;
            assert!(matches!(code, Code::Ok | Code::Failed) || long, "{}", case());
            assert!(path.replace(' ', "").contains(&place) || !told.contains(&place), "{}", case());
            if !only_looks {
                assert_eq!(tree.outside(), before, "{}", case());
            }
            *counts.entry("calls").or_default() += 1;
            *counts.entry(code.as_str()).or_default() += 1;
            if code == Code::Ok && !only_looks {
                tree.refill();
            }
        }
    }
    assert!(counts["calls"] > 9_000 && counts["ok"] > 100, "{counts:?}");
    assert_eq!(tree.outside(), before);
}

#[tokio::test]
async fn links_out_are_told_and_not_followed() {
    let tree = Tree::new();
    let bench = Bench::open(&tree.at("in"), Vec::new()).unwrap();
    let toolkit = bench.builder().unwrap().build().unwrap();
    let cx = CallContext::model();
    let reply = toolkit.call(&cx, call("list deep", ".")).await;
    let text = reply.text();
    let links = text.lines().filter(|line| line.ends_with("(a link)")).count();
    assert_eq!(links, 15, "{text}");
    assert!(!text.contains("canary\n") && !text.contains("to_out/") && !text.contains(" -> "));
    let reply = toolkit.call(&cx, call("search", ".")).await;
    assert_eq!(reply.value().unwrap()["searched"], 3, "{}", reply.text());
}
