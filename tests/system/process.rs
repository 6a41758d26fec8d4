//! Child processes: no shell, bounds on what is kept, and nothing that outlives its call.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolkit::prelude::*;
use toolkit::process::{Command, Exit, ProcessError};
use toolkit::{CancellationToken, Executed};

/// Run a program and return what it prints.
#[tool(name = "proc.run", risk = "destructive", timeout = "500ms")]
async fn run(
    /// The program and its arguments, e.g. `["cargo", "test"]`.
    argv: Vec<String>,
    #[context] cx: &CallContext,
) -> Result<Exit, ToolError> {
    let exit = Command::new(&argv[0]).args(&argv[1..]).run(cx).await;
    exit.map_err(|error| ToolError::expected(error.to_string()))
}

/// The same for as long as it takes.
#[tool(name = "proc.stay", risk = "write", timeout = "none")]
async fn stay(
    /// The program and its arguments, e.g. `["cargo", "test"]`.
    argv: Vec<String>,
    #[context] cx: &CallContext,
) -> Result<Exit, ToolError> {
    let exit = Command::new(&argv[0]).args(&argv[1..]).run(cx).await;
    exit.map_err(|error| ToolError::expected(error.to_string()))
}

async fn sh(script: &str) -> Exit {
    let command = Command::new("sh").args(["-c", script]);
    command.run(&CallContext::model()).await.unwrap()
}

/// A folder of this test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("toolkit-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Leaves a grandchild behind that writes its id into a file, and waits for it.
const PARENT: &str = r#"sleep 1000 & echo $! > "$0.new" && mv "$0.new" "$0"; wait"#;

/// Waits for something that others do, for as long as a slow machine may need.
async fn until(mut so: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never came about");
}

/// The process whose id is in this file.
async fn written(file: &str) -> String {
    until(|| Path::new(file).exists()).await;
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

/// Whether it is dead, be it not yet buried.
fn is_dead(process: &str) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')),
        Err(_) => true,
    }
}

#[tokio::test]
async fn a_process_gets_its_arguments_and_its_input_as_they_are() {
    let cx = CallContext::model();
    let command = Command::new("printf").args(["%s|%s", "$HOME `ls`; exit 1", "* \"x\""]);
    let exit = command.run(&cx).await.unwrap();
    assert_eq!(exit.stdout.text(), "$HOME `ls`; exit 1|* \"x\"");
    assert!(exit.is_ok() && exit.stderr.text().is_empty());

    let text = "äöü\n".repeat(100_000);
    let command = Command::new("cat").stdin(text.as_str()).output_limit(1 << 20);
    assert_eq!(command.run(&cx).await.unwrap().stdout.text(), text);
    // One that reads nothing of it isn't held up, nor one that gets nothing.
    let command = Command::new("true").stdin(text);
    assert!(command.run(&cx).await.unwrap().is_ok());
    assert_eq!(Command::new("cat").run(&cx).await.unwrap().stdout.text(), "");

    let command = Command::new("pwd").current_dir("/");
    assert_eq!(command.run(&cx).await.unwrap().stdout.text(), "/\n");
}

#[tokio::test]
async fn it_sees_little_of_our_environment() {
    let cx = CallContext::model();
    // Set by cargo for every test, so it is there to be seen.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let names = |exit: Exit| {
        let lines =
            exit.stdout.text().lines().map(|line| line.split('=').next().unwrap().to_owned());
        lines.collect::<Vec<_>>()
    };
    let seen = names(Command::new("env").run(&cx).await.unwrap());
    assert!(seen.iter().any(|name| name == "PATH"), "{seen:?}");
    let known = |name: &String| toolkit::process::INHERITED.contains(&name.as_str());
    assert!(seen.iter().all(known), "{seen:?}");
    let command = Command::new("/usr/bin/env").env_clear().env("A", "1").inherit("CARGO_PKG_NAME");
    let exit = command.env("A", "2").run(&cx).await.unwrap();
    let mut lines: Vec<_> = exit.stdout.text().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["A=2", "CARGO_PKG_NAME=tests"]);
}

#[tokio::test]
async fn its_exit_is_what_the_model_reads() {
    let exit = sh("echo out; echo err >&2; exit 3").await;
    assert_eq!((exit.code, exit.signal, exit.is_ok()), (Some(3), None, false));
    let json = serde_json::to_string(&exit).unwrap();
    assert_eq!(json, r#"{"code":3,"stdout":"out\n","stderr":"err\n"}"#);
    let exit = sh("kill -9 $$").await;
    assert_eq!((exit.code, exit.signal), (None, Some(9)));

    let cx = CallContext::model();
    let error = Command::new("no-such-program").run(&cx).await.unwrap_err();
    assert!(matches!(error, ProcessError::Start { .. }));
    assert!(error.to_string().starts_with("`no-such-program` can't be started: "), "{error}");
}

#[tokio::test]
async fn however_much_it_prints_little_is_kept() {
    let exit = sh("yes out | head -c 30000000; yes err | head -c 30000000 >&2; echo end").await;
    assert!(exit.is_ok());
    for (captured, total) in [(&exit.stdout, 30_000_004), (&exit.stderr, 30_000_000)] {
        let notice = format!("\n[… {} of {total} bytes left out …]\n", captured.left_out());
        assert!(captured.text().contains(&notice), "{}", captured.left_out());
        assert_eq!(captured.text().len() - notice.len(), 8 * 1024);
    }
    assert!(exit.stdout.text().starts_with("out\n") && exit.stdout.text().ends_with("end\n"));
}

#[tokio::test]
async fn what_it_leaves_behind_is_killed_and_holds_up_nobody() {
    let folder = Folder::new("left");
    let file = folder.file("id");
    // The grandchild holds both pipes open, and is in the background.
    let script = format!("{}; echo done", PARENT.trim_end_matches("; wait"));
    let command = Command::new("sh").args(["-c", &script, &file]);
    let exit = command.run(&CallContext::model()).await.unwrap();
    assert_eq!((exit.code, exit.stdout.text()), (Some(0), "done\n"));
    let grandchild = written(&file).await;
    until(|| is_dead(&grandchild)).await;
}

#[tokio::test]
async fn who_leaves_the_group_holds_up_nobody_either() {
    // Out of reach, and gone soon by itself.
    let exit = sh("setsid sleep 5 & echo done").await;
    assert_eq!((exit.code, exit.stdout.text()), (Some(0), "done\n"));
}

#[tokio::test]
async fn a_call_out_of_time_takes_its_processes_with_it() {
    let folder = Folder::new("late");
    let file = folder.file("id");
    let toolkit =
        Toolkit::builder().only([id(run)]).approver(toolkit::testing::Recorder::approving());
    let toolkit = toolkit.build().unwrap();
    let call = ToolCall::json("proc.run", &serde_json::json!({"argv": ["sh", "-c", PARENT, file]}));
    let reply = toolkit.call(&CallContext::model(), call.unwrap()).await;
    assert_eq!((reply.code(), reply.executed()), (Code::TimedOut, Executed::Yes));
    if Path::new(&file).exists() {
        let grandchild = written(&file).await;
        until(|| is_dead(&grandchild)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_cancelled_has_not_failed() {
    let folder = Folder::new("cancelled");
    let builder = Toolkit::builder().only([id(stay)]).policy(Policy::trusting());
    let toolkit = builder.build().unwrap();
    for round in 0..20 {
        let file = folder.file(&round.to_string());
        let token = CancellationToken::new();
        let cx = CallContext::model().cancellation(token.clone());
        let argv = serde_json::json!({"argv": ["sh", "-c", PARENT, file]});
        let running = tokio::spawn({
            let toolkit = toolkit.clone();
            async move { toolkit.call(&cx, ToolCall::json("proc.stay", &argv).unwrap()).await }
        });
        written(&file).await;
        token.cancel();
        let reply = running.await.unwrap();
        assert_eq!(reply.code(), Code::Cancelled, "{}", reply.text());
    }
}

#[tokio::test]
async fn a_cancelled_run_and_a_dropped_one_kill_the_whole_group() {
    let folder = Folder::new("stopped");
    for how in ["cancelled", "dropped"] {
        let file = folder.file(how);
        let token = CancellationToken::new();
        let cx = CallContext::model().cancellation(token.clone());
        let running = tokio::spawn({
            let command = Command::new("sh").args(["-c", PARENT, &file]);
            async move { command.run(&cx).await }
        });
        let grandchild = written(&file).await;
        assert!(!is_dead(&grandchild));
        if how == "cancelled" {
            token.cancel();
            let error = running.await.unwrap().unwrap_err();
            assert!(matches!(error, ProcessError::Stopped), "{error}");
        } else {
            running.abort();
            assert!(running.await.unwrap_err().is_cancelled());
        }
        until(|| is_dead(&grandchild)).await;
        // What is cancelled already doesn't start.
        token.cancel();
        let cx = CallContext::model().cancellation(token);
        let error = Command::new("true").run(&cx).await.unwrap_err();
        assert!(matches!(error, ProcessError::Stopped), "{error}");
    }
}
