//! A directory that tools work in, links out of it, and canaries around it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What stands in every file outside, and must be in no reply.
pub(crate) const CANARY: &str = "canary-58c1f0";

/// `in` is the tools' directory; what is beside it isn't theirs. Gone with the value.
pub(crate) struct Tree(PathBuf);

impl Tree {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolkit-policy-paths-{}-{next}", std::process::id());
        let tree = Self(std::env::temp_dir().canonicalize().unwrap().join(name));
        for dir in ["in", "in2", "out/dir/deep", "größe"] {
            fs::create_dir_all(tree.at(dir)).unwrap();
        }
        for file in ["canary", "in2/canary", "out/canary", "out/dir/canary", "größe/canary"] {
            fs::write(tree.at(file), CANARY).unwrap();
        }
        symlink("../in", tree.at("out/back")).unwrap();
        tree.refill();
        tree
    }

    /// Makes the inside what it was.
    pub(crate) fn refill(&self) {
        for entry in fs::read_dir(self.at("in")).unwrap() {
            let path = entry.unwrap().path();
            if path.symlink_metadata().unwrap().is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        fs::create_dir_all(self.at("in/dir/deep")).unwrap();
        for file in ["in/file", "in/dir/file", "in/dir/deep/file"] {
            fs::write(self.at(file), "inside").unwrap();
        }
        let whole = |path: &str| self.at(path).to_str().unwrap().to_owned();
        for (to, link) in [
            ("dir", "to_dir"),
            ("../out", "to_out"),
            (&*whole("out"), "to_whole_out"),
            ("to_out", "to_to_out"),
            ("..", "to_tree"),
            ("../../out", "dir/up_out"),
            ("/", "to_top"),
            ("../out/canary", "to_canary"),
            (&*whole("out/canary"), "to_whole_canary"),
            ("dir/up_out/canary", "to_far_canary"),
            ("../out/nothing", "to_nothing"),
            ("/proc/self/root", "to_proc"),
            ("loop", "loop"),
            ("loop_b", "loop_a"),
            ("loop_a", "loop_b"),
        ] {
            symlink(to, self.at("in").join(link)).unwrap();
        }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        self.at(path).to_str().unwrap().to_owned()
    }

    /// Everything outside: each path with what it is and holds.
    pub(crate) fn outside(&self) -> Vec<String> {
        fn walk(top: &Path, dir: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let what = path.symlink_metadata().unwrap();
                let name = path.strip_prefix(top).unwrap().display();
                if what.is_dir() {
                    found.push(format!("{name}/"));
                    if path != top.join("in") {
                        walk(top, &path, found);
                    }
                } else if what.is_symlink() {
                    found.push(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
                } else {
                    found.push(format!("{name}: {}", fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.0, &self.0, &mut found);
        found.sort();
        found
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
