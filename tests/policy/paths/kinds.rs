//! Kinds of hostile paths by their spellings. The tests of other members use them as well.

use std::collections::BTreeMap;

use super::tree::Tree;

/// A path, and what must become of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// It leads out, or may: the rule denies it, and the root neither reads nor lists it.
    Denied,
    /// The same; it leads to the system's own files, so nothing tries to change it.
    Looked,
    /// Letter by letter it is a name inside, and works or doesn't.
    Data,
}

/// Every path once, by kind.
#[derive(Default)]
pub(crate) struct Paths {
    /// Each with what must become of it.
    pub(crate) all: BTreeMap<String, Fate>,
    /// How many there are of each kind.
    pub(crate) kinds: Vec<(&'static str, usize)>,
}

impl Paths {
    fn kind(&mut self, kind: &'static str, fate: Fate, paths: impl IntoIterator<Item = String>) {
        let before = self.all.len();
        for path in paths {
            self.all.entry(path).or_insert(fate);
        }
        self.kinds.push((kind, self.all.len() - before));
    }
}

/// What is outside, from the tree's top.
const TARGETS: [&str; 6] =
    ["canary", "in2/canary", "out", "out/canary", "out/dir/new", "größe/canary"];

const ENDS: [&str; 5] = ["", "/", "/.", "//", "/./"];

fn spelt(starts: &[&str], middles: &[&str], ends: &[&str]) -> Vec<String> {
    let mut paths = Vec::new();
    for start in starts {
        for middle in middles {
            paths.extend(ends.iter().map(|end| format!("{start}{middle}{end}")));
        }
    }
    paths
}

/// The open file's number is that of a canary.
pub(crate) fn paths(tree: &Tree, open: i32) -> Paths {
    use Fate::{Data, Denied, Looked};
    let mut paths = Paths::default();
    let name = tree.at("in").parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    let again = format!("../../{name}/");
    let climbs = [
        "../",
        "./../",
        "..//",
        ".././",
        "../in/../",
        "dir/../../",
        "dir/deep/../../../",
        "dir/.././/../",
        "to_dir/../../",
        "to_dir/deep/../../../",
        "new/../../",
        "file/../../",
        &again,
    ];
    paths.kind("climbs", Denied, spelt(&climbs, &TARGETS, &ENDS));
    paths.kind("climbs", Denied, ["..", "../", "../..", "dir/../.."].map(str::to_owned));

    let inside = tree.text("in");
    let whole: Vec<String> = ["", "/.", "/..", "/", "/proc/self/root", "/proc/thread-self/root/."]
        .iter()
        .flat_map(|start| TARGETS.map(|target| format!("{start}{}", tree.text(target))))
        .collect();
    paths.kind("absolute", Denied, whole);
    let back = ["/../", "/dir/../../", "/./../", "/to_out/../", "/new/../../"];
    let back: Vec<String> = back.iter().map(|back| format!("{inside}{back}")).collect();
    let back: Vec<&str> = back.iter().map(String::as_str).collect();
    paths.kind("absolute, then up", Denied, spelt(&back, &TARGETS, &["", "/"]));
    paths.kind(
        "a longer name",
        Denied,
        ["2", "2/canary", "2/new", " 2", "/../in2"].map(|end| format!("{inside}{end}")),
    );

    let starts = ["", "./", "dir/../", "to_dir/../"];
    let links =
        ["to_out", "to_whole_out", "to_to_out", "dir/up_out", "to_tree/out", "to_dir/up_out"];
    let ends = ["", "/", "/canary", "/new", "/./canary", "/dir/../canary", "/../out/canary"];
    paths.kind("links to directories", Denied, spelt(&starts, &links, &ends));
    let links = ["to_canary", "to_whole_canary", "to_far_canary", "to_nothing", "loop", "loop_a"];
    paths.kind("links to files", Denied, spelt(&starts, &links, &["", "/", "/x"]));
    paths.kind("links, then up", Denied, spelt(&["to_out/../", "to_tree/../"], &TARGETS, &[""]));
    paths.kind(
        "links, then up",
        Denied,
        ["to_out/../file", "to_tree/in2/canary"].map(str::to_owned),
    );

    let up = "../".repeat(20);
    let system = [
        "/etc/hostname",
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/cwd/Cargo.toml",
        "/proc/self/cwd",
        "/proc/1/root/etc/passwd",
        "/proc/1/cwd",
        "/dev/stdin",
        "/dev/null",
        "/dev/zero",
        "/",
    ];
    paths.kind("the system's", Looked, system.map(str::to_owned));
    paths.kind("the system's", Looked, system.map(|path| format!("{up}.{path}")));
    paths.kind("the system's", Looked, system.map(|path| format!("to_top{path}")));
    paths.kind("the system's", Looked, system.map(|path| format!("to_proc{path}")));
    let own = std::process::id();
    let fds = [
        format!("/proc/self/fd/{open}"),
        format!("/proc/{own}/fd/{open}"),
        format!("/proc/thread-self/fd/{open}"),
        format!("/dev/fd/{open}"),
    ];
    paths.kind("open files", Looked, fds.clone());
    paths.kind(
        "open files",
        Looked,
        fds.iter().flat_map(|fd| [format!("to_top{fd}"), format!("{up}{fd}"), format!("{fd}/")]),
    );

    let dots = [
        "%2e%2e/",
        "%2E%2E%2F",
        "..%2f",
        "%252e%252e%252f",
        "..%c0%af",
        "%c0%ae%c0%ae/",
        "．．/",
        "．．／",
        "․․/",
        "..∕",
        "..⁄",
        "&#46;&#46;/",
        "0x2e0x2e/",
        "%u002e%u002e/",
        "%2e./",
    ];
    paths.kind("encodings", Data, spelt(&dots, &TARGETS, &[""]));
    let dots =
        ["..\\", "..\\/", "dir\\..\\..\\", ".\\..\\", "..\\\\", "\\x2e\\x2e/", "\\u002e\\u002e\\"];
    paths.kind("backslashes", Data, spelt(&dots, &TARGETS, &[""]));
    let slashed = TARGETS.map(|target| target.replace('/', "\\"));
    paths.kind(
        "backslashes",
        Denied,
        slashed
            .iter()
            .flat_map(|to| [format!("..\\{to}"), format!("\\{to}"), format!("dir\\..\\..\\{to}")]),
    );
    let windows = [
        "C:\\Windows\\win.ini",
        "c:/Windows/win.ini",
        "Z:\\",
        "\\\\server\\share\\x",
        "\\\\?\\C:\\x",
        "\\\\.\\PhysicalDrive0",
        "\\\\?\\UNC\\server\\share",
        "\\??\\C:\\x",
    ];
    paths.kind("Windows", Denied, windows.map(str::to_owned));
    let names = [
        "CON",
        "NUL",
        "nul.txt",
        "COM1",
        "LPT9",
        "AUX.",
        "file::$DATA",
        "file:stream",
        "C:file",
        "dir:$i30:$INDEX_ALLOCATION",
        "PROGRA~1",
        "file.",
        "file ",
    ];
    paths.kind("Windows", Data, names.map(str::to_owned));

    let hidden = [
        "\0",
        "\u{1}",
        "\u{1b}[2K",
        "\u{7f}",
        "\u{85}x",
        "\u{200b}",
        "\u{202e}",
        "\u{2066}",
        "\u{feff}",
        "\u{ad}",
        "\u{e0041}",
        "\r\nx",
    ];
    paths.kind(
        "unseen",
        Denied,
        hidden.iter().flat_map(|c| {
            [
                format!("../out/canary{c}x"),
                format!("..{c}/out/canary"),
                format!("file{c}/../../out/canary"),
                format!("file{c}x"),
                format!("{}{c}x", inside),
            ]
        }),
    );
    let spaces = [" ", "\t", "\n", "\r\n", "\u{a0}", "\u{2003}"];
    paths.kind(
        "spaces",
        Denied,
        spaces.iter().flat_map(|c| {
            let whole = tree.text("out/canary");
            [
                format!("{c}../out/canary"),
                format!("../out/canary{c}"),
                format!("..{c}/out/canary"),
                format!("{c}{whole}"),
                format!("{whole}{c}"),
            ]
        }),
    );
    paths.kind(
        "dots",
        Denied,
        [
            ".../out/canary",
            "..../out/canary",
            ". ./out/canary",
            ".. /out",
            "dir/... /x",
            ".  .",
            "....",
        ]
        .map(str::to_owned),
    );
    paths.kind("nothing", Denied, ["", " ", "\t\n", "\u{3000}"].map(str::to_owned));
    paths.kind(
        "itself",
        Data,
        [".", "./", "dir/..", "./.", "dir/deep/../..", "to_dir/.."].map(str::to_owned),
    );

    let expanded = [
        "~",
        "~/x",
        "~root/.ssh/id_rsa",
        "~+/../out/canary",
        "~-",
        "$HOME/x",
        "${PWD}/../out/canary",
        "$PWD/../out/canary",
        "$(pwd)/../out/canary",
        "dir/$OLDPWD/x",
        "$_/x",
    ];
    paths.kind("expanded", Denied, expanded.map(str::to_owned));
    let urls = ["file://", "file:", "FILE://", "vfs:/", "https://example.com", "smb://server"];
    paths.kind("URLs", Denied, urls.map(|url| format!("{url}{}", tree.text("out/canary"))));

    let cases = [
        "../OUT/canary",
        "../Out/Canary",
        "../IN2/canary",
        "../In/file",
        "../gro\u{308}ße/canary",
        "../GRÖSSE/canary",
        "../gr\u{f6}sse/canary",
        "../ｏｕｔ/canary",
        "../o\u{200c}ut/canary",
        "../ın2/canary",
    ];
    paths.kind("letters", Denied, cases.map(str::to_owned));
    let long = [2, 5, 50, 120, 200, 500, 1300]
        .map(|n| format!("{}{}out/canary", "dir/", "../".repeat(n) + &name + "/"));
    paths.kind("long", Denied, long);
    let long = [100, 250, 1000, 2000, 2048, 100_000]
        .map(|n| format!("{}{}out/canary", "a/".repeat(n), "../".repeat(n + 1)));
    paths.kind("long", Denied, long);
    paths.kind(
        "long",
        Denied,
        [4000, 4096, 70_000].map(|n| format!("{}../out/canary", "./".repeat(n))),
    );
    paths.kind("long", Denied, [256, 1000, 5000].map(|n| "n".repeat(n)));
    paths.kind("long", Denied, [300, 5000].map(|n| format!("../out/{}/../canary", "x".repeat(n))));
    paths
}
