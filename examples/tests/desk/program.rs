//! The built example itself: with no terminal, and on one.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{folder, has_ticket};

/// The example, which `cargo test` builds beside the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples/desk");
    assert!(example.exists(), "build it: cargo build -p examples --example desk");
    example
}

/// Whether a program of util-linux is there; says so where it isn't.
fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("SKIPPED: `{program}` isn't installed");
    }
    found
}

#[tokio::test]
async fn without_a_terminal_it_plays_to_the_end() {
    if !installed("setsid") {
        return;
    }
    let folder = folder("program");
    // A session of its own has no controlling terminal, whatever started the tests.
    let output = Command::new("setsid")
        .arg("--wait")
        .arg(example())
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{out}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("no_approver") && !out.contains('\u{1b}'), "{out}");
    // Where nothing else is said, the database is in the current directory.
    assert!(has_ticket(&folder.join("desk.db"), 1042).await);
}

#[tokio::test]
async fn on_a_terminal_a_person_is_asked() {
    if !installed("script") || !cfg!(target_os = "linux") {
        return;
    }
    for (typed, code, there) in [("n\n", "rejected", true), ("y\n", "ok", false)] {
        let folder = folder(&format!("terminal-{code}"));
        // `script` runs it on a pseudo-terminal.
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--flush", "--command"])
            .arg(example())
            .arg("/dev/null")
            .current_dir(&folder)
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let shown = converse(&mut child, "approve? [y/N, e: edit] ", typed);
        assert!(child.wait().unwrap().success(), "{shown}");
        let asked = shown.find("arguments {\"ticket\":1042}").expect(&shown);
        assert!(shown[asked..].contains(&format!("reply     {code}: the body")), "{shown}");
        assert_eq!(has_ticket(&folder.join("desk.db"), 1042).await, there);
    }
}

/// Types a line as a person would, a moment after the question is there; gives all that was shown.
fn converse(child: &mut Child, question: &str, answer: &str) -> String {
    let mut keyboard = child.stdin.take().unwrap();
    let mut screen = child.stdout.take().unwrap();
    let mut shown = Vec::new();
    let mut answered = false;
    let started = Instant::now();
    let mut chunk = [0; 4096];
    loop {
        match screen.read(&mut chunk) {
            // A pseudo-terminal that is gone ends in an error.
            Ok(0) | Err(_) => return String::from_utf8_lossy(&shown).replace('\r', ""),
            Ok(read) => shown.extend_from_slice(&chunk[..read]),
        }
        if !answered && String::from_utf8_lossy(&shown).contains(question) {
            std::thread::sleep(Duration::from_millis(600));
            keyboard.write_all(answer.as_bytes()).unwrap();
            keyboard.flush().unwrap();
            answered = true;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{}", String::from_utf8_lossy(&shown));
    }
}
