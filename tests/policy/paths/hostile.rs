//! Hostile paths of every kind: nothing outside is read, changed or told.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;

use toolkit::prelude::*;

use super::kinds::{Fate, paths};
use super::tools::{Deed, names_its_place, toolkit};
use super::tree::{CANARY, Tree};

/// How many paths there are.
const COUNT: usize = 1129;

#[test]
fn the_paths_are_a_thousand_and_more() {
    let tree = Tree::new();
    let open = File::open(tree.at("out/canary")).unwrap();
    let paths = paths(&tree, open.as_raw_fd());
    assert!(paths.kinds.iter().all(|(_, count)| *count > 0), "{:?}", paths.kinds);
    assert_eq!(paths.all.len(), COUNT);
}

/// Does everything with every path through one family of tools.
async fn through(family: &str) -> BTreeMap<&'static str, usize> {
    let tree = Tree::new();
    let open = File::open(tree.at("out/canary")).unwrap();
    let toolkit = toolkit(&tree);
    let cx = CallContext::model();
    let before = tree.outside();
    let mut counts = BTreeMap::new();
    for (path, fate) in paths(&tree, open.as_raw_fd()).all {
        for deed in Deed::ALL {
            if fate == Fate::Looked && !deed.only_looks() {
                continue;
            }
            let other = if deed == Deed::RenameTo { "file" } else { "moved" };
            let reply = toolkit.call(&cx, deed.call(family, &path, other)).await;
            let (code, text) = (reply.code(), reply.text());
            let case = || {
                format!("{family} {deed:?} {:?}: {code:?} {text}", path.get(..200).unwrap_or(&path))
            };
            assert!(!text.contains(CANARY), "{}", case());
            if !deed.only_looks() {
                assert_eq!(tree.outside(), before, "{}", case());
            }
            if family == "naive" && fate != Fate::Data {
                assert_eq!(code, Code::Denied, "{}", case());
            }
            if family == "root" {
                assert!(matches!(code, Code::Ok | Code::Failed), "{}", case());
                let reads = fate != Fate::Data && deed.only_looks();
                assert!(!(reads && code == Code::Ok), "{}", case());
                let echo = path.replace(' ', "");
                assert!(
                    names_its_place(&echo, &tree) || !names_its_place(text, &tree),
                    "{}",
                    case()
                );
            }
            *counts.entry("calls").or_default() += 1;
            *counts.entry(code.as_str()).or_default() += 1;
            if code == Code::Ok && !deed.only_looks() {
                tree.refill();
            }
        }
    }
    counts
}

#[tokio::test]
async fn a_rule_alone_holds_naive_tools() {
    let counts = through("naive").await;
    assert_eq!((counts["calls"], counts["denied"]), (6534, 5892), "{counts:?}");
}

#[tokio::test]
async fn a_root_alone_holds_its_tools() {
    let counts = through("root").await;
    assert_eq!(counts["calls"], 6534, "{counts:?}");
}
