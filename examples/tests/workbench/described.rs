//! How the tools are described: what a lint finds, which tool a task leads to, and the catalog as files.

use std::path::Path;

use toolkit::lint::{Lint, Lints};
use toolkit::prelude::*;
use toolkit::testing::{Lexical, Snapshots, Sweep, Task, select};

use super::Desk;

/// With a host, so that a model sees the tool for it.
fn toolkit(test: &str) -> Toolkit {
    let bench =
        examples::workbench::host::Bench::open(&Desk::new(test).top, vec!["example.com".into()]);
    bench.unwrap().builder().unwrap().build().unwrap()
}

#[test]
fn nothing_is_to_be_mended() {
    // Arithmetic on short texts is quick enough to run in place.
    let quick = ["calc.eval", "dates.add", "dates.between"];
    let lints =
        quick.iter().fold(Lints::new(), |lints, tool| lints.allow(Lint::RunsInPlace, *tool));
    let report = lints.check(&toolkit("lints"));
    assert!(report.is_clean() && report.findings().is_empty(), "{report}");
}

#[test]
fn a_changed_contract_is_seen() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workbench/catalog");
    Snapshots::new(folder).check(&toolkit("snapshots")).unwrap_or_else(|error| panic!("{error}"));
}

#[tokio::test]
async fn tasks_lead_to_the_right_tool() {
    let tasks = Task::from_jsonl(include_str!("tasks.jsonl")).unwrap();
    let selection =
        select(&Lexical::new(), &toolkit("selection").catalog(&CallContext::model()), tasks).await;
    assert!(selection.is_ok(), "{selection}");
}

#[tokio::test]
async fn every_tool_takes_what_its_schema_allows_and_nothing_else() {
    let toolkit = toolkit("sweep");
    let swept = Sweep::new().seed(42).run(&toolkit, &CallContext::human()).await;
    swept.assert_ok();
    let tools = toolkit.tools().filter(|tool| tool.name() != "output.read").count();
    assert_eq!(swept.tools().len(), tools, "{swept}");
    for tool in swept.tools() {
        // A list of hundreds isn't made for its length alone.
        assert!(tool.skipped.iter().all(|skipped| skipped.contains("a list of 256")), "{swept}");
        // What writes, runs, fetches or deletes is only explained.
        let reads = toolkit.tools().any(|one| one.name() == tool.tool && one.risk().is_read());
        assert_eq!(tool.called, reads, "{swept}");
    }
}
