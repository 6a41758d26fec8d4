//! Running programs: what they get, what comes back, and where they start.

use serde_json::json;
use toolkit::prelude::*;

use super::Desk;

#[tokio::test]
async fn what_a_program_says_and_how_it_ends_is_data() {
    let desk = Desk::new("run");
    desk.file("sub/file", "inside\n");
    let run = async |arguments| desk.ok("proc.run", arguments).await;
    let shown = run(json!({"argv": ["cat", "file", "$HOME; ls"], "cwd": "sub"})).await;
    assert!(shown.starts_with("exit code 1\nstdout:\ninside\nstderr:\ncat:"), "{shown}");
    let shown = run(json!({"argv": ["sh", "-c", "exit 3"]})).await;
    assert_eq!(shown, "exit code 3\nstdout: nothing\nstderr: nothing");
    let shown = run(json!({"argv": ["sh", "-c", "kill -9 $$"]})).await;
    assert!(shown.starts_with("ended by signal 9"), "{shown}");
    // It is in the directory itself, not in one that is called otherwise.
    let shown = run(json!({"argv": ["pwd", "-P"], "cwd": "./sub/../sub"})).await;
    assert!(shown.contains("/workbench/run/sub\n"), "{shown}");
    let shown = run(json!({"argv": ["sh", "-c", "yes | head -c 10000000"]})).await;
    assert!(shown.len() < 20_000, "{}", shown.len());
    let asked = desk.asked.requests();
    assert_eq!(asked.len(), 5);
    assert!(asked[0].arguments.contains("$HOME; ls"), "a person sees what would run");
    for (arguments, says) in [
        (json!({"argv": ["no-such-program-58c1"]}), "no-such-program-58c1"),
        (json!({"argv": [""]}), "names no program"),
        (json!({"argv": ["ls", "a\0b"]}), "NUL"),
        (json!({"argv": ["ls"], "cwd": "sbu"}), "did you mean `sub`?"),
        (json!({"argv": ["ls"], "cwd": "sub/file"}), "is no directory"),
        (json!({"argv": ["ls"], "cwd": "/etc"}), "the path is absolute"),
        (json!({"argv": ["ls"], "cwd": ".."}), "leads out"),
    ] {
        let said = desk.failed("proc.run", arguments).await;
        assert!(said.contains(says), "{said}");
    }
    assert_eq!(desk.reply("proc.run", json!({"argv": []})).await.code(), Code::InvalidArguments);
}
