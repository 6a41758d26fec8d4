//! A process that is killed while it writes its audit, again and again: what was acknowledged is
//! there, and every line is whole.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use toolkit::audit::{self, Fsync, Jsonl};
use toolkit::prelude::*;

use crate::support::{GOOD, counters};

/// Where a child finds its file.
const FILE: &str = "TOOLKIT_TEST_CRASH_FILE";

fn open(path: &Path) -> Jsonl {
    // Small files, so that many a kill meets a rotation.
    Jsonl::builder(path).max_bytes(1_500).fsync(Fsync::Never).open().unwrap()
}

/// Calls without an end, and says which have their replies. Nothing but where it is a child.
#[tokio::test]
async fn child() {
    let Ok(path) = std::env::var(FILE) else { return };
    let (builder, _) = counters();
    let toolkit = builder.observer(open(Path::new(&path))).build().unwrap();
    for number in 0.. {
        let call = ToolCall::new("count.read", GOOD).id(format!("{}-{number}", std::process::id()));
        assert!(toolkit.call(&CallContext::model(), call).await.is_ok());
        println!("acknowledged {}-{number}", std::process::id());
    }
}

#[test]
fn a_killed_process_leaves_what_it_acknowledged() {
    let folder = std::env::temp_dir().join(format!("toolkit-crashes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path: PathBuf = folder.join("audit.jsonl");
    let mut acknowledged = Vec::new();
    for run in 0..6 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crashes::child", "--nocapture"])
            .env(FILE, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let number = |line: String| line.split("acknowledged ").nth(1).map(str::to_owned);
        acknowledged.extend(lines.by_ref().filter_map(number).take(20 + run * 7));
        child.kill().unwrap();
        child.wait().unwrap();
        // What came out before the end was acknowledged as well; the last may be cut.
        let mut rest: Vec<_> = lines.filter_map(number).collect();
        rest.pop();
        acknowledged.extend(rest);
    }
    drop(open(&path));
    let records: Vec<Value> = audit::read(&path).unwrap().collect::<Result<_, _>>().unwrap();
    let written: Vec<_> =
        records.iter().filter_map(|record| record["provider_id"].as_str()).collect();
    let missing: Vec<_> =
        acknowledged.iter().filter(|id| !written.contains(&id.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(acknowledged.len() >= 6 * 20);
    let mut once = written.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), written.len());
    std::fs::remove_dir_all(&folder).unwrap();
}
