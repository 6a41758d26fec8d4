//! Texts against a real tree: what is inside, what isn't, and what nobody can say.

use std::sync::atomic::{AtomicUsize, Ordering};

use std::ffi::OsStr;

use super::*;

const CANT: Held = Held::Unclear("");

/// Without the words.
fn plain(held: Held) -> Held {
    if matches!(held, Held::Unclear(_)) { CANT } else { held }
}

#[test]
fn spellings_that_programs_read_in_several_ways() {
    let directory = Directory::new(std::env::temp_dir()).unwrap().based("/").unwrap();
    for text in [
        "",
        "  ",
        "a\0b",
        "a\nb",
        "a\u{202e}b",
        "a\u{200b}b",
        "a\u{feff}",
        "~",
        "~/x",
        "~root/x",
        " ~/x",
        "$HOME/x",
        "a/${X}",
        "$(pwd)",
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "https://example.com/x",
        ".. /x",
        "a/.../b",
        "a/. ./b",
        "a/.\u{a0}./b",
        "C:\\Windows",
        "c:/Windows",
        "\\\\server\\share",
        "/proc/self/cwd",
        "/proc/1/root/etc",
        "/x/../proc/self/fd/3",
        "/dev/fd/0",
        "/dev/stdin",
        &"a/".repeat(300),
        &"a".repeat(5000),
        &"a".repeat(300),
    ] {
        assert_eq!(plain(directory.holds(text)), CANT, "{text:?}");
    }
    for text in
        ["price 5$", "a$", "%2e%2e%2fx", "a?b*[c]", "می\u{200c}خواهم", "❤\u{fe0f}", "procs/1"]
    {
        assert_eq!(directory.holds(text), Held::No, "{text:?}");
    }
}

#[test]
fn what_windows_reads_in_a_way_of_its_own() {
    for text in [
        "\\\\server\\share\\x",
        "//server/share",
        "\\\\?\\C:\\x",
        "\\\\.\\pipe\\x",
        "\\/server/share",
        "C:",
        "C:x",
        "\\x",
        "/x",
        "C:\\a\\CON",
        "a\\nul.txt",
        "a/com1",
        "a/LPT² .log",
        "a\\x:stream",
        "a\\x::$DATA",
        "a\\x.",
        "a\\x \\b",
        "a\\x...",
        "%TEMP%\\x",
        "a\\PROGRA~1",
        "a\\x?",
    ] {
        assert!(spelling::on_windows(text).is_some(), "{text:?}");
    }
    for text in
        ["C:\\a\\b.txt", "c:/a/..", "a\\b", "a/./b", "console", "com", "com10", "%2e%2e", "50%"]
    {
        assert_eq!(spelling::on_windows(text), None, "{text:?}");
    }
}

#[test]
fn names_that_a_file_system_may_take_for_one() {
    for (a, b, one) in [
        ("a", "a", true),
        ("Secret", "sEcRET", true),
        ("secret", "secret. .", true),
        ("secret", "se\u{200c}cret", true),
        ("straße", "STRASSE", true),
        ("mask", "maſk", true),
        ("kelvin", "\u{212a}elvin", true),
        ("é", "e\u{301}", true),
        ("secret", "secrets", false),
        ("secret", "geheim", false),
        ("secret", "größe", false),
    ] {
        assert_eq!(spelling::alike(OsStr::new(a), OsStr::new(b)), one, "{a} {b}");
    }
}

#[test]
fn a_host_writes_a_whole_path_of_a_directory() {
    let tree = Tree::new();
    for (path, what) in [
        (PathBuf::from("data"), "is relative"),
        ("~/data".into(), "isn't expanded"),
        ("/a\0b".into(), "has a NUL"),
        (tree.at("in/file"), "is no directory"),
        (tree.at("in/file/x"), "goes on behind a file"),
    ] {
        let error = Directory::new(path).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    assert!(Directory::new(tree.at("in")).unwrap().based("x").is_err());
    assert!(Directory::new(tree.at("in")).unwrap().exists());
    assert!(!Directory::new(tree.at("later")).unwrap().exists());
}

#[cfg(unix)]
#[test]
fn links_are_resolved_and_the_rest_is_plain() {
    let tree = Tree::new();
    let directory = Directory::new(tree.at("in")).unwrap().based(tree.at("in")).unwrap();
    for (text, held) in [
        (".", Held::Yes),
        ("file", Held::Yes),
        ("./dir//deep/", Held::Yes),
        ("new/of/ours", Held::Yes),
        ("dir/../file", Held::Yes),
        ("dir\\file", Held::Yes),
        ("to_dir/file", Held::Yes),
        ("%2e%2e/x", Held::Yes),
        ("Größe/naïve", Held::Yes),
        (" spaced", Held::Yes),
        ("..", Held::No),
        ("../out/canary", Held::No),
        ("dir/../../out/canary", Held::No),
        ("../in2/x", Held::No),
        ("to_out", Held::No),
        ("to_out/canary", Held::No),
        ("to_out/new", Held::No),
        ("to_canary", Held::No),
        ("to_to_out/canary", Held::No),
        ("/", Held::No),
        ("/etc/passwd", Held::No),
        // Up behind a link: by the text inside, on the disk outside.
        ("to_out/../file", CANT),
        ("to_out/../x", CANT),
        ("new/../file", CANT),
        ("..\\out\\canary", CANT),
        ("\\etc\\passwd", CANT),
        (" /etc/passwd", CANT),
        ("file/x", CANT),
        ("dangling", CANT),
        ("dangling/", CANT),
        ("dangling/.", CANT),
        ("dangling/x", CANT),
        ("loop", CANT),
        ("loop/x", CANT),
        ("to_proc/x", CANT),
    ] {
        assert_eq!(plain(directory.holds(text)), held, "{text:?}: {:?}", directory.holds(text));
    }
    let whole = |path: &str| tree.at(path).to_str().unwrap().to_owned();
    let strict = Directory::new(tree.at("in")).unwrap();
    for (text, held) in [
        (whole("in"), Held::Yes),
        (whole("in/file"), Held::Yes),
        (whole("out/back/file"), Held::Yes),
        (whole("alias/file"), Held::Yes),
        (format!("/..{}", whole("in/file")), Held::Yes),
        (whole("in2/file"), Held::No),
        (whole("inn"), Held::No),
        (format!("/proc/self/root{}", whole("in/file")), CANT),
        ("file".to_owned(), CANT),
    ] {
        assert_eq!(plain(strict.holds(&text)), held, "{text:?}: {:?}", strict.holds(&text));
    }
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_a_link_or_moves_or_comes_later() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new();
    let at = |path: &str| tree.at(path).to_str().unwrap().to_owned();
    let linked = Directory::new(tree.at("alias")).unwrap();
    assert_eq!(linked.holds(&at("in/file")), Held::Yes);
    assert_eq!(linked.holds(&at("alias/file")), Held::Yes);
    fs::remove_file(tree.at("alias")).unwrap();
    symlink(tree.at("out"), tree.at("alias")).unwrap();
    for inside in ["in/file", "out/canary", "alias/canary"] {
        assert_eq!(plain(linked.holds(&at(inside))), CANT, "{inside}");
    }
    assert_eq!(linked.holds(&at("in2/x")), Held::No);

    let later = Directory::new(tree.at("later/still")).unwrap();
    for near in ["later/still", "later/still/x", "Later/STILL/x"] {
        assert_eq!(plain(later.holds(&at(near))), CANT, "{near}");
    }
    for far in ["later", "later/other", "in/later/still", "laterr/still"] {
        assert_eq!(later.holds(&at(far)), Held::No, "{far}");
    }
    fs::create_dir_all(tree.at("later/still")).unwrap();
    assert_eq!(plain(later.holds(&at("later/still/x"))), CANT);
    assert_eq!(later.holds(&at("later/other")), Held::No);
}

/// A tree of directories, files and links, gone with the value.
struct Tree(PathBuf);

impl Tree {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "toolkit-paths-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let tree = Self(std::env::temp_dir().canonicalize().unwrap().join(name));
        for dir in ["in/dir/deep", "in2", "out"] {
            fs::create_dir_all(tree.at(dir)).unwrap();
        }
        for file in ["in/file", "in/dir/file", "out/canary"] {
            fs::write(tree.at(file), "text").unwrap();
        }
        #[cfg(unix)]
        for (to, link) in [
            ("dir", "in/to_dir"),
            ("../out", "in/to_out"),
            ("../out/canary", "in/to_canary"),
            ("to_out", "in/to_to_out"),
            ("../nowhere", "in/dangling"),
            ("loop", "in/loop"),
            ("/proc/self/fd/987654", "in/to_proc"),
            ("../in", "out/back"),
            ("in", "alias"),
        ] {
            std::os::unix::fs::symlink(to, tree.at(link)).unwrap();
        }
        tree
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
