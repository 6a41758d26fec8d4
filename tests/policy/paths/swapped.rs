//! Links that are swapped after the rule has looked: what only a root holds against.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use toolkit::fs::Root;
use toolkit::policy::{only, under};
use toolkit::prelude::*;

use super::tools::{Deed, toolkit};
use super::tree::{CANARY, Tree};

/// Swaps a directory for a link out of the root.
fn swap(tree: &Tree) {
    fs::rename(tree.at("in/dir"), tree.at("in/was")).unwrap();
    symlink("../out", tree.at("in/dir")).unwrap();
}

/// Read a file after a while.
#[tool(name = "swapped.naive")]
fn naive(
    /// Path of the file.
    path: &str,
    #[state] tree: &Arc<Tree>,
) -> Result<String, ToolError> {
    swap(tree);
    Ok(fs::read_to_string(tree.at("in").join(path))?)
}

/// Read a file of a root after a while.
#[tool(name = "swapped.root")]
async fn held(
    /// Path of the file.
    path: &str,
    #[state] tree: &Arc<Tree>,
    #[state] root: &Root,
) -> Result<String, ToolError> {
    swap(tree);
    Ok(root.read_text(path).await?)
}

/// The rule can't know what comes later; this test would fail if it were the root that doesn't hold.
#[tokio::test]
async fn a_link_that_is_swapped_after_the_rule_reaches_nothing_through_a_root() {
    for (tool, code) in [("swapped.naive", Code::Ok), ("swapped.root", Code::Failed)] {
        let tree = Arc::new(Tree::new());
        fs::write(tree.at("in/dir/canary"), "inside").unwrap();
        let inside = tree.text("in");
        let rule = only("swapped.*").when("path", under(&inside).relative_to(&inside));
        let toolkit = Toolkit::builder()
            .only([id(naive), id(held)])
            .policy(Policy::default().rule(rule))
            .state(Arc::clone(&tree))
            .state(Root::open(&inside).unwrap())
            .build()
            .unwrap();
        let cx = CallContext::model();
        let call = || ToolCall::new(tool, r#"{"path": "dir/canary"}"#);
        let reply = toolkit.call(&cx, call()).await;
        assert_eq!(reply.code(), code, "{}", reply.text());
        assert_eq!(reply.text().contains(CANARY), code == Code::Ok);
        if code == Code::Failed {
            assert!(reply.text().contains("leads out"), "{}", reply.text());
        }
        // Once it is there, the rule sees it.
        assert_eq!(toolkit.call(&cx, call()).await.code(), Code::Denied);
    }
}

/// How often each thing is done while a thread swaps.
const ROUNDS: usize = 100;

#[test]
fn links_that_are_swapped_all_the_time_reach_nothing() {
    let tree = Tree::new();
    for (dir, link) in [("in/a", "in/b"), ("in/dir/a", "in/dir/b")] {
        fs::create_dir(tree.at(dir)).unwrap();
        symlink(tree.at("out"), tree.at(link)).unwrap();
    }
    let before = tree.outside();
    let root = Root::open(tree.at("in")).unwrap();
    let (done, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut ran = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
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
        });
        let root = root.blocking();
        // Also where this thread panics, or the other would swap for ever.
        let _done = Done(&done);
        for round in 0..ROUNDS {
            for dir in ["a", "dir/a", "b", "dir/b"] {
                let path = format!("{dir}/canary");
                let read = root.read_text(&path);
                assert!(!read.is_ok_and(|text| text.contains(CANARY)));
                for listing in [root.list(dir), root.walk(".")].into_iter().flatten() {
                    for entry in listing.entries {
                        let path = entry.path;
                        assert!(!path.ends_with("/canary") && !path.ends_with("/back"), "{path}");
                    }
                }
                let mine = format!("{dir}/mine");
                let _ = root.create(&mine, b"");
                let _ = root.append(&mine, b"mine");
                let _ = root.rename(&path, &format!("{dir}/canary2"));
                let _ = root.remove_file(&path);
                let _ = root.create_dir_all(&format!("{dir}/dir/more"));
                if round % 8 == 0 {
                    let _ = root.write(&mine, b"mine");
                    let _ = root.remove_dir_all(dir);
                }
                ran += 1;
            }
        }
    });
    assert_eq!(ran, 4 * ROUNDS);
    assert!(swaps.into_inner() > 0);
    assert_eq!(tree.outside(), before);
}

/// Tells the other thread that this one is done.
struct Done<'d>(&'d AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The same through tools, rule and root at once, so that both are in the way.
#[tokio::test]
async fn a_link_that_is_swapped_between_calls_is_seen() {
    let tree = Tree::new();
    let toolkit = toolkit(&tree);
    let cx = CallContext::model();
    for (family, refused) in [("naive", Code::Denied), ("root", Code::Failed)] {
        tree.refill();
        let read = || toolkit.call(&cx, Deed::Read.call(family, "dir/file", ""));
        assert_eq!(read().await.code(), Code::Ok);
        swap(&tree);
        assert_eq!(read().await.code(), refused);
    }
}
