//! Links that are swapped while the tools are at work: a thread swaps all the time.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use examples::workbench::host::Bench;
use serde_json::json;
use toolkit::prelude::*;
use toolkit::testing::Recorder;

use super::tree::{CANARY, Tree};

/// How often each thing is done.
const ROUNDS: usize = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_that_are_swapped_all_the_time_reach_nothing() {
    let tree = Arc::new(Tree::new());
    for (dir, link) in [("in/a", "in/b"), ("in/dir/a", "in/dir/b")] {
        fs::create_dir(tree.at(dir)).unwrap();
        symlink(tree.at("out"), tree.at(link)).unwrap();
    }
    let before = tree.outside();
    let bench = Bench::open(&tree.at("in"), Vec::new()).unwrap();
    let toolkit = bench.builder().unwrap().approver(Recorder::approving()).build().unwrap();
    let (done, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let swapper = {
        let (tree, done, swaps) = (Arc::clone(&tree), Arc::clone(&done), Arc::clone(&swaps));
        thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                for dir in ["in", "in/dir"] {
                    let at = |name: &str| tree.at(dir).join(name);
                    // `a` is the directory and then the link, over and over.
                    for (from, to) in [("a", "t"), ("b", "a"), ("t", "b")] {
                        // Deleted by the other side, it is made anew.
                        if fs::rename(at(from), at(to)).is_err() {
                            let _ = fs::create_dir(at("a"));
                            let _ = symlink(tree.at("out"), at("b"));
                        }
                    }
                }
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    // Also where this thread panics, or the other would swap for ever.
    let _done = Done(Arc::clone(&done));
    let cx = CallContext::human();
    let (mut calls, mut went) = (0, 0);
    for round in 0..ROUNDS {
        for dir in ["a", "dir/a", "b"] {
            let canary = format!("{dir}/canary");
            let calls_of = [
                ("fs.list", json!({"path": dir})),
                ("fs.list", json!({"deep": true})),
                ("fs.search", json!({"pattern": "."})),
                ("fs.search", json!({"pattern": ".", "path": dir})),
                ("fs.read", json!({"path": canary})),
                ("fs.edit", json!({"path": canary, "old": CANARY, "new": "x"})),
                ("fs.write", json!({"path": canary, "text": "mine"})),
                ("fs.write", json!({"path": format!("{dir}/new/mine"), "text": "mine"})),
                ("fs.delete", json!({"path": canary})),
                ("proc.run", json!({"argv": ["cat", "canary", "dir/canary"], "cwd": dir})),
                ("fs.delete", json!({"path": dir, "recursive": true})),
            ];
            for (tool, arguments) in calls_of {
                if tool == "fs.delete" && arguments["path"] == dir && round % 8 != 0 {
                    continue;
                }
                let reply = toolkit.call(&cx, ToolCall::new(tool, arguments.to_string())).await;
                let text = format!("{}\n{:?}", reply.text(), reply.value());
                assert!(!text.contains(CANARY), "{tool} {arguments}: {text}");
                // Names of what is outside; `canary` may be inside, written by this test.
                assert!(
                    !text.contains("/back") && !text.contains("dir/deep/canary"),
                    "{tool}: {text}"
                );
                calls += 1;
                went += usize::from(reply.is_ok());
            }
        }
    }
    done.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(calls > ROUNDS * 30 && went > ROUNDS && went < calls, "{went} of {calls}");
    assert!(swaps.load(Ordering::Relaxed) > 0);
    assert_eq!(tree.outside(), before);
}

/// Tells the other thread that this one is done.
struct Done(Arc<AtomicBool>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
