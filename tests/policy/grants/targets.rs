//! Lists of targets, each of which is allowed by itself.

use super::*;

/// Delete files of a directory.
#[tool(name = "files.delete", risk = "write")]
async fn files_delete(
    /// The files, e.g. `["a.txt"]`.
    paths: Vec<String>,
    /// Whether those that are in use go as well, e.g. `true`.
    force: Option<bool>,
) {
    let _ = (paths, force);
}

/// Run a program.
#[tool(name = "proc.start", risk = "write")]
async fn start(
    /// The program and its arguments, e.g. `["ls"]`.
    argv: Vec<String>,
) {
    let _ = argv;
}

fn of_targets() -> Desk {
    let builder = Toolkit::builder().only([id(files_delete), id(start)]);
    let (approver, questions) = channel(64);
    let toolkit = builder.targets("files.delete", ["paths"]).approver(approver).build().unwrap();
    let session = toolkit.session("s-1");
    Desk { toolkit, questions, session, probe: Probe::new() }
}

#[tokio::test]
async fn a_call_on_several_targets_asks_for_those_that_are_not_granted() {
    let mut desk = of_targets();
    let one = |path: &str| json!({"paths": [path]});
    desk.grants("files.delete", one("a"), names(&["paths"])).await;
    desk.grants("files.delete", one("b"), names(&["paths"])).await;
    assert!(!desk.asks("files.delete", json!({"paths": ["b", "a", "b"], "force": true})).await);
    // One that is allowed covers no batch, and who is asked sees what is new.
    let call = desk.calls(cx("s-1"), "files.delete", json!({"paths": ["a", "c", "b", "d"]}));
    let pending = desk.questions.recv().await.unwrap();
    assert_eq!(pending.request().not_granted, [r#"paths: "c", "d""#]);
    assert!(pending.request().rendering().contains("new       paths: \"c\", \"d\"\n"));
    pending.answer(Answer::ApproveForSession(names(&["paths"]), None));
    assert!(call.await.unwrap().is_ok());
    assert!(!desk.asks("files.delete", json!({"paths": ["d", "b"]})).await);
    assert!(desk.asks("files.delete", json!({"paths": ["d", "e"]})).await);
    assert!(desk.asks("files.delete", json!({"paths": []})).await);
}

#[tokio::test]
async fn targets_are_allowed_with_what_was_allowed_beside_them() {
    let mut desk = of_targets();
    let both = || names(&["paths", "force"]);
    desk.grants("files.delete", json!({"paths": ["a"], "force": true}), both()).await;
    desk.grants("files.delete", json!({"paths": ["b"], "force": false}), both()).await;
    assert!(desk.asks("files.delete", json!({"paths": ["a", "b"], "force": true})).await);
    assert!(desk.asks("files.delete", json!({"paths": ["a", "b"], "force": false})).await);
    assert!(!desk.asks("files.delete", json!({"paths": ["a"], "force": true})).await);
    // A list that isn't one of targets is one value.
    desk.grants("proc.start", json!({"argv": ["git", "push", "--dry-run"]}), names(&["argv"]))
        .await;
    assert!(desk.asks("proc.start", json!({"argv": ["git", "push"]})).await);
    assert!(desk.asks("proc.start", json!({"argv": ["git", "--dry-run", "push"]})).await);
    assert!(!desk.asks("proc.start", json!({"argv": ["git", "push", "--dry-run"]})).await);
}

#[test]
fn targets_that_are_not_there_are_problems() {
    let build = |tool: &str, argument: &str| {
        let builder = Toolkit::builder().only([id(files_delete)]);
        builder.targets(tool, [argument]).build().unwrap_err().to_string()
    };
    assert!(build("files.delet", "paths").contains("did you mean `files.delete`?"));
    let error = build("files.delete", "path");
    assert!(error.contains("`path`; did you mean `paths`?"), "{error}");
}
