//! Good paths, however they are spelt: everything works with every one, and does what was asked.

use std::fs;

use toolkit::prelude::*;

use super::tools::{Deed, toolkit};
use super::tree::Tree;

const DIRS: [&str; 10] = [
    "",
    "new/",
    "new/deep/er/",
    "with space/",
    "größe/",
    "gro\u{308}ße/",
    "目录/",
    "UPPER.d/",
    ".hidden/",
    "..almost/",
];

const FILES: [&str; 9] = [
    "plain",
    "a.b.c",
    ".env",
    "..twice",
    "two words.md",
    "50%.txt",
    "é.txt",
    "e\u{301}.txt",
    "می\u{200c}خواهم\u{2764}\u{fe0f}",
];

/// A file's path and one more spelling of it.
fn spelt(dir: &str, file: &str, way: usize) -> String {
    match way {
        0 => format!("{dir}{file}"),
        1 => format!("./{dir}{file}"),
        2 => format!("dir/../{}{file}", dir.replace('/', "//")),
        3 => format!("to_dir/deep/../../{dir}./{file}"),
        _ => format!("{}{file}", dir.replace('/', "/./")),
    }
}

/// Writes, reads, lists, renames there and back, and deletes; how many paths there were.
async fn through(family: &str, whole: bool, ways: &[usize]) -> usize {
    let tree = Tree::new();
    let toolkit = toolkit(&tree);
    let cx = CallContext::model();
    let before = tree.outside();
    for dir in DIRS {
        fs::create_dir_all(tree.at("in").join(dir)).unwrap();
    }
    let mut count = 0;
    for dir in DIRS {
        for file in FILES {
            for way in ways {
                let path = spelt(dir, file, *way);
                let path = if whole { format!("{}/{path}", tree.text("in")) } else { path };
                let place = if whole { tree.text("in") + "/" + dir } else { format!("./{dir}") };
                let other = format!("{place}moved");
                let deeds = [
                    (Deed::Write, &path, ""),
                    (Deed::Read, &path, "written"),
                    (Deed::List, &place, file),
                    (Deed::RenameFrom, &path, ""),
                    (Deed::RenameTo, &path, ""),
                    (Deed::Delete, &path, ""),
                ];
                for (deed, path, told) in deeds {
                    let reply = toolkit.call(&cx, deed.call(family, path, &other)).await;
                    let case = format!("{family} {deed:?} {path:?}: {}", reply.text());
                    assert_eq!(reply.code(), Code::Ok, "{case}");
                    assert!(reply.text().contains(told), "{case}");
                }
                assert!(!tree.at("in").join(dir).join(file).exists());
                count += 1;
            }
        }
    }
    assert_eq!(tree.outside(), before);
    count
}

#[tokio::test]
async fn a_rule_is_in_no_way() {
    assert_eq!(through("naive", false, &[0, 1, 2, 3, 4]).await, 450);
    assert_eq!(through("naive", true, &[0, 1, 2, 3, 4]).await, 450);
}

#[tokio::test]
async fn a_root_is_in_no_way() {
    assert_eq!(through("root", false, &[0, 3, 4]).await, 270);
}
