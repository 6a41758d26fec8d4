//! The workbench as a program: arguments in, text and exit code out.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use examples::workbench::{self, Program};

use super::Desk;

/// What a run left behind.
struct Done {
    code: u8,
    out: String,
    err: String,
}

async fn run(root: &Path, arguments: &[&str]) -> Done {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut all: Vec<_> = arguments.iter().map(Into::into).collect();
    all.extend(["--root".into(), root.as_os_str().to_owned()]);
    let terminal = root.join("no-terminal");
    let program = Program { arguments: all, out: &mut out, err: &mut err, screen: false, terminal };
    let code = workbench::run(program).await;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code, out: text(out), err: text(err) }
}

/// The example, which `cargo test` builds beside the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples/workbench");
    assert!(example.exists(), "build it: cargo build -p examples --example workbench");
    example
}

#[test]
fn a_search_of_this_repository_finds_its_mains() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(example())
        .args(["call", "fs.search", r#"{"pattern":"fn main"}"#])
        .current_dir(top)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{out}");
    assert!(out.contains("examples/examples/desk.rs\n6: async fn main() -> ExitCode {\n"), "{out}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("code      ok"));
}

#[tokio::test]
async fn the_tools_are_listed_and_called() {
    let desk = Desk::new("program");
    desk.file("a.txt", "one\n");
    for arguments in [&[][..], &["list"]] {
        let done = run(&desk.top, arguments).await;
        assert_eq!((done.code, done.out.lines().count()), (0, 14), "{}", done.out);
        assert!(
            done.out.contains("proc.run      destructive  ask     ask     Run a program"),
            "{}",
            done.out
        );
    }
    let cases: &[(&[&str], u8, &str, &str)] = &[
        (&["call", "fs.read", r#"{"path":"a.txt"}"#], 0, "one\n", "code      ok"),
        (
            &["call", "fs__read", r#"{"path":"a.tx"}"#],
            1,
            "did you mean `a.txt`?",
            "code      failed",
        ),
        (
            &["call", "fs.write", r#"{"path":"b","text":""}"#],
            0,
            "made `b`",
            "record: policy says record",
        ),
        (
            &["call", "fs.write", r#"{"path":"c","text":""}"#, "--as", "model"],
            1,
            "nobody can be asked",
            "no_approver",
        ),
        (&["call", "fs.delete", r#"{"path":"a.txt"}"#], 1, "nobody can be asked", "no_approver"),
        (
            &["call", "proc.run", r#"{"argv":["rm","a.txt"]}"#],
            1,
            "nobody can be asked",
            "no_approver",
        ),
        (
            &["call", "http.fetch", r#"{"url":"https://example.com"}"#],
            1,
            "no host is listed",
            "denied",
        ),
        (&["call", "calc.eval", r#"{"expression":"0.1+0.2"}"#], 0, "0.3\n", "code      ok"),
        (&["call", "clock.now", ""], 0, "{\"utc\":\"2", "code      ok"),
        (&["explain", "fs.delete", r#"{"path":"a.txt"}"#], 0, "would be refused (no_approver)", ""),
        (&["schema", "fs.read"], 0, "\"numbered\"", ""),
        (&["schema", "fs.raed"], 2, "", "there is no tool `fs.raed`; known: calc.eval, clock.now,"),
        (&["cal"], 2, "", "there is no subcommand `cal`"),
    ];
    for (arguments, code, out, err) in cases {
        let done = run(&desk.top, arguments).await;
        let all = format!("{arguments:?}\n{}\n{}", done.out, done.err);
        assert_eq!(done.code, *code, "{all}");
        assert!(done.out.contains(out) && done.err.contains(err), "{all}");
    }
    assert!(desk.at("a.txt").exists() && desk.at("b").exists() && !desk.at("c").exists());
    let done = run(&desk.at("none"), &[]).await;
    assert_eq!(done.code, 1);
    assert!(done.err.contains("none` can't be opened as a root"), "{}", done.err);
    let done = run(&desk.at("none"), &["--help"]).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out.contains("usage: workbench"));
}

#[tokio::test]
async fn the_clock_is_the_one_that_was_given() {
    use examples::workbench::clock::Clock;
    use toolkit::prelude::*;
    let then = Clock::set(|| "2026-03-02T11:30:09.5+02:00".parse().unwrap());
    let toolkit = Toolkit::builder().only([]).toolset(then).build().unwrap();
    let reply = toolkit.call(&CallContext::model(), ToolCall::new("clock.now", "")).await;
    assert_eq!(reply.text(), r#"{"utc":"2026-03-02T09:30:09Z","weekday":"Monday"}"#);
}
