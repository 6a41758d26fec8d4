//! A root over a real tree: what works, what is refused, and in which words.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::FsErrorKind::{
    AlreadyExists, BadPath, Denied, NotEmpty, NotFound, NotText, Outside, TooLarge, WrongKind,
};
use super::*;

/// A tree of its own for each test: `in` is the root's, `out` beside it; gone with the value.
struct Tree(PathBuf);

impl Tree {
    fn new() -> (Self, Root) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let tree =
            Self(std::env::temp_dir().join(format!("toolkit-fs-{}-{next}", std::process::id())));
        fs::create_dir_all(tree.at("in/notes")).unwrap();
        fs::create_dir_all(tree.at("out")).unwrap();
        fs::write(tree.at("in/notes/todo.md"), "one\ntwo\nthree\n").unwrap();
        fs::write(tree.at("in/a.txt"), "a").unwrap();
        fs::write(tree.at("out/canary"), "canary").unwrap();
        let root = Root::open(tree.at("in")).unwrap();
        (tree, root)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn paths(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| entry.path.as_str()).collect()
}

#[test]
fn what_is_inside_is_read_written_and_moved() {
    let (_tree, root) = Tree::new();
    let root = root.blocking();
    assert_eq!(root.read_text("notes/../a.txt").unwrap(), "a");
    root.write("a.txt", b"b").unwrap();
    root.append("a.txt", b"c").unwrap();
    root.append("new.txt", b"d").unwrap();
    root.create("notes/e", b"").unwrap();
    assert_eq!(root.read("a.txt").unwrap(), b"bc");
    assert_eq!(paths(&root.list(".").unwrap()), ["a.txt", "new.txt", "notes"]);
    assert_eq!(paths(&root.list("./notes/").unwrap()), ["notes/e", "notes/todo.md"]);
    root.create_dir_all("x/y/z").unwrap();
    root.create_dir_all("x/y").unwrap();
    root.rename("notes", "x/y/notes").unwrap();
    let all = ["x/y", "x/y/notes", "x/y/notes/e", "x/y/notes/todo.md", "x/y/z"];
    assert_eq!(paths(&root.walk("x").unwrap()), all);
    let sub = root.sub("x/y").unwrap();
    assert_eq!(sub.blocking().metadata("notes/todo.md").unwrap().size, Some(14));
    root.remove_file("x/y/notes/e").unwrap();
    root.remove_dir("x/y/z").unwrap();
    root.remove_dir_all("x").unwrap();
    assert_eq!(paths(&root.walk(".").unwrap()), ["a.txt", "new.txt"]);
}

#[test]
fn lines_are_read_in_part() {
    let (_tree, root) = Tree::new();
    let read = |most, first, count| {
        let lines =
            root.clone().max_read(most).blocking().read_lines("notes/todo.md", first, count);
        lines.map(|l| (l.text, l.first, l.last, l.more)).map_err(|error| error.kind())
    };
    let some = |text: &str, first, last, more| Ok((text.to_owned(), first, last, more));
    assert_eq!(read(100, 1, 2), some("one\ntwo\n", 1, 2, true));
    assert_eq!(read(100, 0, 1), some("one\n", 1, 1, true));
    assert_eq!(read(100, 2, u64::MAX), some("two\nthree\n", 2, 3, false));
    assert_eq!(read(100, 4, 9), some("", 4, 3, false));
    assert_eq!(read(100, 1, 0), some("", 1, 0, true));
    assert_eq!(read(9, 1, 3), some("one\ntwo\n", 1, 2, true));
    assert_eq!(read(3, 1, 3), Err(TooLarge));
    root.blocking().write("notes/todo.md", b"no end").unwrap();
    assert_eq!(read(100, 1, 1), some("no end", 1, 1, false));
    root.blocking().write("notes/todo.md", b"\xff\nok\n").unwrap();
    assert_eq!(read(100, 1, 1), Err(NotText));
    assert_eq!(read(100, 2, 1), some("ok\n", 2, 2, false));
    // Over several chunks of a reader.
    root.blocking().write("notes/todo.md", "0123456789abcde\n".repeat(9000).as_bytes()).unwrap();
    assert_eq!(read(1 << 20, 8999, 1), some("0123456789abcde\n", 8999, 8999, true));
    assert_eq!(read(1 << 20, 1, 9000).unwrap().0.len(), 144_000);
}

#[test]
fn limits_hold() {
    let (_tree, root) = Tree::new();
    let root = root.max_read(3).max_write(4).max_entries(2);
    let root = root.blocking();
    let kind = |result: Result<(), FsError>| result.map_err(|error| error.kind());
    assert_eq!(root.read("notes/todo.md").unwrap_err().kind(), TooLarge);
    let mut whole = String::new();
    root.open("notes/todo.md").unwrap().read_to_string(&mut whole).unwrap();
    assert_eq!(whole, "one\ntwo\nthree\n", "what is read piece by piece isn't limited");
    assert_eq!(kind(root.write("b", b"12345")), Err(TooLarge));
    assert_eq!(kind(root.create("b", b"12345")), Err(TooLarge));
    root.write("b", b"1234").unwrap();
    assert_eq!(kind(root.append("b", b"5")), Err(TooLarge));
    let listing = root.list(".").unwrap();
    assert_eq!((paths(&listing), listing.left_out), (vec!["a.txt", "b"], 1));
    root.create("notes/1", b"").unwrap();
    root.create("notes/2", b"").unwrap();
    let walk = root.walk(".").unwrap();
    assert_eq!((walk.entries.len(), walk.left_out > 0), (2, true));
    assert_eq!(kind(root.remove_dir_all("notes")), Err(TooLarge));
    assert_eq!(root.list("notes").unwrap().entries.len(), 2);
    let deep = vec!["d"; MAX_DEPTH + 2].join("/");
    root.create_dir_all(&deep).unwrap();
    let many = root.0.clone().max_entries(1000);
    assert!(many.blocking().walk("d").unwrap().left_out > 0);
    assert_eq!(kind(many.blocking().remove_dir_all("d")), Err(TooLarge));
}

#[test]
fn texts_say_what_to_do_and_name_nothing_outside() {
    let (tree, root) = Tree::new();
    let root = root.blocking();
    for (path, kind, text) in [
        ("notes/tood.md", NotFound, "`notes/tood.md` isn't there; did you mean `notes/todo.md`?"),
        ("note/todo.md", NotFound, "`note/todo.md` isn't there; did you mean `notes`?"),
        ("notes/garden", NotFound, "`notes/garden` isn't there; list `notes` to see what is"),
        ("garden", NotFound, "`garden` isn't there; list `.` to see what is"),
        ("notes", WrongKind, "`notes` is a directory"),
        ("a.txt/b", WrongKind, "`a.txt/b` is no directory, or goes on behind a file"),
        (
            "../out/canary",
            Outside,
            "`../out/canary` leads out of the directory that this tool works in",
        ),
        (
            "../out/nothing",
            Outside,
            "`../out/nothing` leads out of the directory that this tool works in",
        ),
        ("", BadPath, "the path is empty; `.` is the top of the directory that this tool works in"),
        ("a\0", BadPath, "the path has a NUL character"),
        ("~/a", BadPath, "`~` means nothing here; write the path from the top, e.g. `notes/a.txt`"),
        ("\u{202e}x", NotFound, "`\\u{202e}x` isn't there; list `.` to see what is"),
    ] {
        let error = root.read(path).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
        assert!(!text.contains("toolkit-fs"));
    }
    for absolute in [tree.at("in/a.txt").to_str().unwrap(), "/etc/passwd", "C:\\x", "\\\\s\\x"] {
        let error = root.read(absolute).unwrap_err();
        assert_eq!(error.kind(), BadPath);
        assert!(error.to_string().contains("is absolute"), "{error}");
    }
    let long = "n".repeat(300);
    assert_eq!(root.read(&long).unwrap_err().kind(), BadPath);
    assert_eq!(root.read(&"a/".repeat(300)).unwrap_err().kind(), BadPath);
    let model = crate::ToolError::from(root.read("b").unwrap_err());
    assert_eq!(model.for_model(), Some("`b` isn't there; list `.` to see what is"));
}

#[test]
fn what_is_in_the_way_is_told() {
    let (_tree, root) = Tree::new();
    let root = root.blocking();
    let kind = |result: Result<(), FsError>| result.unwrap_err().kind();
    assert_eq!(kind(root.create("a.txt", b"")), AlreadyExists);
    assert_eq!(kind(root.rename("a.txt", "notes/todo.md")), AlreadyExists);
    assert_eq!(kind(root.rename("notes", "notes/in/itself")), NotFound);
    assert_eq!(kind(root.rename("notes", "notes/itself")), WrongKind);
    assert_eq!(kind(root.create_dir_all("a.txt")), AlreadyExists);
    assert_eq!(kind(root.create_dir_all("a.txt/b")), WrongKind);
    assert_eq!(kind(root.remove_dir("notes")), NotEmpty);
    assert_eq!(kind(root.remove_dir("a.txt")), WrongKind);
    assert_eq!(kind(root.remove_dir_all("a.txt")), WrongKind);
    assert_eq!(kind(root.remove_file("notes")), WrongKind);
    assert_eq!(kind(root.remove_file("a.txt/")), WrongKind);
    assert_eq!(kind(root.write("notes", b"")), WrongKind);
    assert_eq!(kind(root.write("b/", b"")), WrongKind);
    assert_eq!(kind(root.append("notes", b"")), WrongKind);
    assert_eq!(kind(root.write("no/b", b"")), NotFound);
    for itself in [".", "notes/..", "./", "notes/."] {
        let expected = if itself == "notes/." { NotEmpty } else { BadPath };
        assert_eq!(kind(root.remove_dir(itself)), expected, "{itself}");
    }
    for new in ["a\u{200b}b", "a\\b", " a", "a\n", "notes/ y"] {
        assert_eq!(kind(root.write(new, b"")), BadPath, "{new:?}");
        assert_eq!(kind(root.create(new, b"")), BadPath, "{new:?}");
        assert_eq!(kind(root.rename("a.txt", new)), BadPath, "{new:?}");
        assert_eq!(kind(root.create_dir_all(new)), BadPath, "{new:?}");
    }
    assert_eq!(kind(root.create_dir_all("x/ y/z")), BadPath);
    assert_eq!(root.list("a.txt").unwrap_err().kind(), WrongKind);
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_out() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (tree, root) = Tree::new();
    for (to, link) in [
        ("notes/todo.md", "in/to_todo"),
        ("notes", "in/to_notes"),
        ("../out", "in/to_out"),
        ("../out/canary", "in/to_canary"),
        ("../out/nothing", "in/to_nothing"),
        ("nowhere", "in/dangling"),
        ("loop", "in/loop"),
    ] {
        symlink(to, tree.at(link)).unwrap();
    }
    symlink(tree.at("in/a.txt"), tree.at("in/to_whole")).unwrap();
    let root = root.blocking();
    assert_eq!(root.read_text("to_notes/todo.md").unwrap(), "one\ntwo\nthree\n");
    fs::set_permissions(tree.at("in/notes/todo.md"), fs::Permissions::from_mode(0o640)).unwrap();
    root.write("to_todo", b"led").unwrap();
    assert_eq!(fs::read(tree.at("in/notes/todo.md")).unwrap(), b"led");
    let mode = fs::metadata(tree.at("in/notes/todo.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(root.metadata("to_todo").unwrap().kind, EntryKind::File);
    root.append("to_todo", b"!").unwrap();
    assert!(fs::symlink_metadata(tree.at("in/to_todo")).unwrap().is_symlink());
    for path in ["to_out/canary", "to_out/nothing", "to_canary", "to_nothing", "to_whole"] {
        assert_eq!(root.read(path).unwrap_err().kind(), Outside, "{path}");
        assert_eq!(root.open(path).unwrap_err().kind(), Outside, "{path}");
        assert_eq!(root.write(path, b"x").unwrap_err().kind(), Outside, "{path}");
        assert_eq!(root.append(path, b"x").unwrap_err().kind(), Outside, "{path}");
        assert_eq!(root.metadata(path).unwrap_err().kind(), Outside, "{path}");
    }
    assert_eq!(root.list("to_out").unwrap_err().kind(), Outside);
    assert_eq!(root.write("dangling", b"x").unwrap_err().kind(), WrongKind);
    assert_eq!(root.read("loop").unwrap_err().kind(), BadPath);
    let kinds = root.walk(".").unwrap();
    let links = kinds.entries.iter().filter(|entry| entry.kind == EntryKind::Link).count();
    assert_eq!((links, kinds.left_out), (8, 0));
    root.rename("to_out", "moved").unwrap();
    root.remove_file("moved").unwrap();
    root.remove_file("to_canary").unwrap();
    assert_eq!(fs::read(tree.at("out/canary")).unwrap(), b"canary");
}

#[cfg(unix)]
#[test]
fn what_would_hang_or_change_elsewhere_is_refused() {
    use std::os::unix::net::UnixListener;
    let (tree, root) = Tree::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, tree.at("in/pipe"), rustix::fs::Mode::RWXU).unwrap();
    let _socket = UnixListener::bind(tree.at("in/socket")).unwrap();
    let root = root.blocking();
    for special in ["pipe", "socket"] {
        assert_eq!(root.read(special).unwrap_err().kind(), WrongKind);
        assert_eq!(root.read_lines(special, 1, 1).unwrap_err().kind(), WrongKind);
        assert_eq!(root.open(special).unwrap_err().kind(), WrongKind);
        assert_eq!(root.write(special, b"x").unwrap_err().kind(), WrongKind);
        assert_eq!(root.append(special, b"x").unwrap_err().kind(), WrongKind);
        assert_eq!(root.metadata(special).unwrap().kind, EntryKind::Other);
    }
    fs::hard_link(tree.at("out/canary"), tree.at("in/hard")).unwrap();
    assert_eq!(root.append("hard", b"x").unwrap_err().kind(), Denied);
    root.write("hard", b"x").unwrap();
    assert_eq!(fs::read(tree.at("out/canary")).unwrap(), b"canary");
    let mut permissions = fs::metadata(tree.at("in/a.txt")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(tree.at("in/a.txt"), permissions).unwrap();
    assert_eq!(root.write("a.txt", b"x").unwrap_err().kind(), Denied);
    assert_eq!(fs::read_dir(tree.at("in")).unwrap().count(), 5);
}

#[tokio::test]
async fn async_methods_do_the_same() {
    let (_tree, root) = Tree::new();
    root.write("b", "text").await.unwrap();
    assert_eq!(root.read_text("b").await.unwrap(), "text");
    assert_eq!(root.read_lines("notes/todo.md", 3, 1).await.unwrap().last, 3);
    let sub = root.sub("notes").await.unwrap();
    sub.rename("todo.md", "done.md").await.unwrap();
    assert_eq!(sub.walk(".").await.unwrap().entries[0].path, "done.md");
    assert_eq!(root.read("../x").await.unwrap_err().kind(), Outside);
}

#[test]
fn a_root_that_is_not_there_is_told_to_the_host() {
    let (tree, _) = Tree::new();
    let error = Root::open(tree.at("none")).unwrap_err();
    assert!(error.to_string().contains("none` can't be opened as a root"), "{error}");
    assert!(Root::open(tree.at("in/a.txt")).is_err());
}
