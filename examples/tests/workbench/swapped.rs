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
    let swapper = Swapper::start(&tree, &["in", "in/dir"], "out");
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
    assert!(swapper.stop() > 0);
    assert!(calls > ROUNDS * 30 && went > ROUNDS && went < calls, "{went} of {calls}");
    assert_eq!(tree.outside(), before);
}

/// Between the listing of a directory and the opening of its last file it is swapped many times, for one
/// that has files of the same names.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_opens_what_is_inside_or_nothing() {
    let tree = Arc::new(Tree::new());
    for (dir, text) in [("in/a", "inside\n"), ("out/a", CANARY)] {
        fs::create_dir(tree.at(dir)).unwrap();
        for at in 0..200 {
            fs::write(tree.at(dir).join(format!("{at}")), text).unwrap();
        }
    }
    symlink(tree.at("out/a"), tree.at("in/b")).unwrap();
    let before = tree.outside();
    let bench = Bench::open(&tree.at("in"), Vec::new()).unwrap();
    let toolkit = bench.builder().unwrap().build().unwrap();
    let swapper = Swapper::start(&tree, &["in"], "out/a");
    let (mut found, mut missed) = (0, 0);
    // Until both have come about, for as long as a slow machine may need.
    for round in 0..2000 {
        if round >= 30 && found > 0 && missed > 0 {
            break;
        }
        let call = ToolCall::new("fs.search", json!({"pattern": ".", "limit": 1000}).to_string());
        let reply = toolkit.call(&CallContext::model(), call).await;
        let value = reply.value().unwrap();
        assert!(!value.to_string().contains(CANARY), "{}", reply.text());
        found += value["hits"].as_u64().unwrap();
        missed += u64::from(value["skipped"].to_string().contains("couldn't be opened"));
    }
    assert!(swapper.stop() > 0 && found > 0 && missed > 0, "{found} {missed}");
    assert_eq!(tree.outside(), before);
}

/// A thread that swaps `a`, a directory inside, for `b`, a link that leads out, over and over.
struct Swapper {
    done: Arc<AtomicBool>,
    swaps: Arc<AtomicUsize>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Swapper {
    fn start(tree: &Arc<Tree>, dirs: &'static [&'static str], out: &'static str) -> Self {
        let (done, swaps) = (Arc::default(), Arc::default());
        let (over, count) = (Arc::<AtomicBool>::clone(&done), Arc::<AtomicUsize>::clone(&swaps));
        let tree = Arc::clone(tree);
        let thread = thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                for dir in dirs {
                    let at = |name: &str| tree.at(dir).join(name);
                    for (from, to) in [("a", "t"), ("b", "a"), ("t", "b")] {
                        // Deleted by the other side, it is made anew.
                        if fs::rename(at(from), at(to)).is_err() {
                            let _ = fs::create_dir(at("a"));
                            let _ = symlink(tree.at(out), at("b"));
                        }
                    }
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self { done, swaps, thread: Some(thread) }
    }

    /// How often it has swapped.
    fn stop(mut self) -> usize {
        self.done.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.swaps.load(Ordering::Relaxed)
    }
}

/// Also where a test panics, or it would swap for ever.
impl Drop for Swapper {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
