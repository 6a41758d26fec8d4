//! Searching: what is a hit, what is left out, and what is said of what wasn't searched.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use toolkit::prelude::*;

use super::Desk;

#[tokio::test]
async fn hits_are_shown_by_files_with_their_lines() {
    let desk = Desk::new("search");
    desk.file("b.rs", "zero\nfn main() {\n    one\n}\n\n\n\nfn main() {}\n");
    desk.file("a/a.txt", "the fn main is here\n");
    desk.file("a/b.rs", "nothing\n");
    let shown = desk.ok("fs.search", json!({"pattern": "fn main"})).await;
    assert_eq!(
        shown,
        "a/a.txt\n1: the fn main is here\n\nb.rs\n2: fn main() {\n8: fn main() {}\n\n[3 hits in 2 of 3 files]"
    );
    let shown = desk
        .ok("fs.search", json!({"pattern": "^FN MAIN", "ignore_case": true, "context": 1}))
        .await;
    assert_eq!(
        shown,
        "b.rs\n1- zero\n2: fn main() {\n3-     one\n--\n7- \n8: fn main() {}\n\n[2 hits in 1 of 3 files]"
    );
    let shown = desk.ok("fs.search", json!({"pattern": "fn main", "limit": 2})).await;
    assert!(shown.contains("[2 hits in 2 of 3 files, and it stopped there: narrow"), "{shown}");
    let shown = desk.ok("fs.search", json!({"pattern": "fn main", "limit": 3})).await;
    assert!(shown.ends_with("[3 hits in 2 of 3 files]"), "exactly as many are all: {shown}");
    for (path, glob, files) in [
        (".", "*.rs", "1 of 2"),
        (".", "/*.rs", "1 of 1"),
        (".", "!*.rs", "1 of 1"),
        (".", "a/**", "1 of 2"),
        (".", "!a", "1 of 1"),
        ("a", "*.txt", "1 of 1"),
        ("a/../a/a.txt", "*", "1 of 1"),
    ] {
        let arguments = json!({"pattern": "fn main", "path": path, "glob": glob});
        let shown = desk.ok("fs.search", arguments).await;
        assert!(shown.contains(&format!("in {files} files]")), "{path} {glob}: {shown}");
    }
    let shown = desk.ok("fs.search", json!({"pattern": "nowhere"})).await;
    assert_eq!(shown, "[no hit in 3 files]");
}

#[tokio::test]
async fn what_cannot_be_searched_for_is_told_with_a_cure() {
    let desk = Desk::new("search-mistakes");
    desk.file("a", "a");
    for (arguments, says) in [
        (json!({"pattern": "a("}), "unclosed group; put `\\` before"),
        (json!({"pattern": "(a{1000}){1000}"}), "exceeds size limit"),
        (json!({"pattern": "a\nb"}), "a hit is one line"),
        (json!({"pattern": "(?=a)"}), "look-around"),
        (json!({"pattern": "a", "glob": "a["}), "`glob` can't be read"),
        (json!({"pattern": "a", "path": "b"}), "`b` isn't there"),
        (json!({"pattern": "a", "path": "a/b"}), "goes on behind a file"),
    ] {
        let said = desk.failed("fs.search", arguments).await;
        assert!(said.contains(says), "{said}");
    }
    // Deep nesting and hopeless repetition end soon, one way or the other.
    for pattern in
        ["(".repeat(2000) + &")".repeat(2000), "(a*)*b".to_owned(), "((((a*)*)*)*)*$".to_owned()]
    {
        let reply = desk.reply("fs.search", json!({"pattern": pattern})).await;
        assert!(matches!(reply.code(), Code::Ok | Code::Failed), "{}", reply.text());
    }
}

#[tokio::test]
async fn what_is_no_text_is_not_searched_and_said() {
    let desk = Desk::new("search-odd");
    desk.file("binary", b"find me\n\0\x01\x02 find me\n");
    desk.file("late", [b"find me\n".to_vec(), b"text\n".repeat(50_000), b"\0".to_vec()].concat());
    desk.file("latin", b"caf\xe9 find me\n");
    let utf16: Vec<u8> = "\u{feff}find me\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    desk.file("utf16", utf16);
    desk.file("crlf", "find me\r\n");
    desk.file("no_end", "find me");
    desk.file("empty", "");
    symlink("crlf", desk.at("link")).unwrap();
    let shown = desk.ok("fs.search", json!({"pattern": "find me$"})).await;
    assert_eq!(
        shown,
        "crlf\n1: find me\n\nlatin\n1: caf\u{fffd} find me\n\nno_end\n1: find me\n\nutf16\n1: find me\n\n\
         [4 hits in 4 of 5 files; not searched: 2 binary files (binary, late)]"
    );
    let shown = desk.ok("fs.search", json!({"pattern": "find", "path": "link"})).await;
    assert!(shown.starts_with("crlf\n1: find me"), "a link that is named is followed: {shown}");
}

#[tokio::test]
async fn lines_without_end_are_cut_and_bounded() {
    let desk = Desk::new("search-long");
    desk.file("long", format!("{}needle{}\n", "é".repeat(100_000), "é".repeat(100_000)));
    desk.file("longer", format!("needle 1\n{}needle\n", "x".repeat(3 << 20)));
    let shown = desk.ok("fs.search", json!({"pattern": "needle"})).await;
    assert!(shown.contains("needle") && shown.len() < 2_000, "{shown}");
    assert!(shown.contains("longer\n1: needle 1\n"), "{shown}");
    assert!(
        shown.contains("1 files with a line of more than 1 MiB, from there on (longer)"),
        "{shown}"
    );
    // Whatever the limit, the text is bounded.
    desk.file("many", format!("{}\n", "needle ".repeat(60)).repeat(1000));
    let reply =
        desk.reply("fs.search", json!({"pattern": "needle", "context": 10, "limit": 1000})).await;
    assert!(reply.text().chars().count() <= 20_000);
    let whole = reply.value().unwrap();
    assert!(whole["more"].as_bool().unwrap());
    assert!(whole.to_string().len() < 600_000, "{}", whole.to_string().len());
}

#[tokio::test]
async fn a_cancelled_search_stops() {
    let desk = Desk::new("search-cancelled");
    // Sparse, so that it is large and costs nothing; it has to be text, or it would end at once.
    desk.file("a", "needle\n");
    let token = toolkit::CancellationToken::new();
    token.cancel();
    let cx = CallContext::human().cancellation(token);
    let call = ToolCall::new("fs.search", json!({"pattern": "needle"}).to_string());
    let reply = desk.toolkit.call(&cx, call).await;
    assert!(!reply.is_ok(), "{}", reply.text());
}

#[tokio::test]
async fn the_tree_that_this_is_in_is_searched() {
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let desk = Desk::over(top);
    let arguments = json!({"pattern": "fn main", "path": "examples/examples"});
    let shown = desk.ok("fs.search", arguments).await;
    assert!(shown.contains("examples/examples/workbench.rs\n"), "{shown}");
    let shown = desk.ok("fs.search", json!({"pattern": "fn main", "limit": 1000})).await;
    assert!(!shown.contains("\ntarget/") && shown.contains("toolkit-macros/"), "{shown}");
    assert!(fs::metadata(top.join(".git")).is_err() || !shown.contains(".git/"), "{shown}");
}

/// Small numbers that look random, and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// What is searched is compared with what a few plain lines find.
#[tokio::test]
async fn hits_and_their_contexts_are_those_of_a_plain_search() {
    let mut dice = Dice(7);
    for round in 0..40 {
        let desk = Desk::new("search-plain");
        let end = if dice.below(2) == 0 { "\n" } else { "\r\n" };
        let count = dice.below(12);
        let lines: Vec<&str> = (0..count)
            .map(|_| ["", "a", "needle", "two needles", "b"][dice.below(5) as usize])
            .collect();
        let last = if dice.below(2) == 0 { end } else { "" };
        desk.file("file", lines.join(end) + last);
        let context = dice.below(4) as usize;
        let call = json!({"pattern": "needles?$", "context": context, "limit": 1000});
        let found = desk.reply("fs.search", call).await.value().unwrap();
        let is_hit = |at: usize| lines[at].contains("needle");
        let expected: Vec<_> = (0..lines.len())
            .filter(|at| (0..lines.len()).any(|hit| is_hit(hit) && hit.abs_diff(*at) <= context))
            // A last line that is empty and has no end isn't one.
            .filter(|at| !(*at + 1 == lines.len() && lines[*at].is_empty() && last.is_empty()))
            .map(|at| json!({"number": at + 1, "text": lines[at], "hit": is_hit(at)}))
            .collect();
        let shown = found["files"].get(0).map_or(json!([]), |file| file["lines"].clone());
        assert_eq!(shown, json!(expected), "round {round}, context {context}: {lines:?} {end:?}");
    }
}
