//! How well the desk's tools are described: what lints find, which tool a task leads to, and what a
//! reviewer sees of a changed text.

mod copies;

use std::path::{Path, PathBuf};

use examples::desk::database::Database;
use examples::desk::host;
use examples::desk::mail::Mailer;
use toolkit::lint::{Lint, Lints};
use toolkit::testing::{
    Difference, Lexical, Selection, SnapshotError, Snapshots, Sweep, Task, select,
};
use toolkit::{Origin, Toolkit};

/// Tasks in the words of a help desk.
const TASKS: &str = include_str!("tasks.jsonl");

/// The desk, whose tools aren't called here.
async fn desk() -> Toolkit {
    let database = Database::in_memory().await.unwrap();
    let mailer = Mailer::beside(Path::new("no.db"));
    let builder = host::builder(&database, None, mailer).unwrap();
    builder.hosts("web.fetch", ["127.0.0.1"]).build().unwrap()
}

async fn selected(toolkit: &Toolkit) -> Selection {
    let catalog = toolkit.catalog(&host::context(Origin::Model));
    select(&Lexical::new(), &catalog, Task::from_jsonl(TASKS).unwrap()).await
}

#[tokio::test]
async fn lints_find_nothing() {
    // It only looks at the clock, so there is nothing that a timeout would have to interrupt.
    let lints = Lints::new().allow(Lint::RunsInPlace, "clock.now");
    let report = lints.check(&desk().await);
    assert!(report.findings().is_empty(), "{report}");
}

#[tokio::test]
async fn every_task_leads_to_its_tool() {
    let desk = desk().await;
    let selection = selected(&desk).await;
    assert!(selection.is_ok(), "{selection}");
    for tool in desk.tools().filter(|tool| tool.name() != "output.read") {
        let expects = format!("\"expect\": \"{}\"", tool.name());
        assert!(TASKS.matches(&expects).count() >= 2, "two tasks for {}", tool.name());
    }
}

#[tokio::test]
async fn any_two_descriptions_that_are_swapped_fail() {
    let desk = desk().await;
    let copy = copies::of(&desk, |_, text| text.to_owned());
    assert!(selected(&copy).await.is_ok(), "a copy is as good: {}", selected(&copy).await);
    let tools: Vec<_> = copy.tools().collect();
    for (at, one) in tools.iter().enumerate() {
        for other in &tools[at + 1..] {
            let swapped = copies::of(&desk, |name, text| match name {
                name if name == one.name() => other.description().to_owned(),
                name if name == other.name() => one.description().to_owned(),
                _ => text.to_owned(),
            });
            let selection = selected(&swapped).await;
            assert!(!selection.is_ok(), "{} and {}: {selection}", one.name(), other.name());
        }
    }
}

#[tokio::test]
async fn snapshots_stand_for_the_catalog() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/desk/quality/snapshots");
    Snapshots::new(folder).check(&desk().await).unwrap_or_else(|error| panic!("{error}"));
}

#[tokio::test]
async fn a_description_that_is_edited_fails_with_a_diff() {
    let desk = desk().await;
    let folder: PathBuf = super::folder("snapshots");
    let snapshots = Snapshots::new(folder);
    snapshots.update(&copies::of(&desk, |_, text| text.to_owned())).unwrap();
    let edited = copies::of(&desk, |_, text| text.replace("explicit request", "request"));
    let differences = snapshots.compare(&edited).unwrap();
    let [Difference::Changed { tool, .. }] = &differences[..] else { panic!("{differences:?}") };
    assert_eq!(tool, "ticket.delete");
    // What `check` says, which writes where the environment asks for it.
    let text = SnapshotError::Different(differences).to_string();
    super::in_order(
        &text,
        &[
            "`ticket.delete` has changed: compatible",
            "-    \"Delete a ticket with its whole history, for good. Only on the customer's explicit \
             request.\",",
            "+    \"Delete a ticket with its whole history, for good. Only on the customer's request.\",",
            "TOOLKIT_UPDATE=1",
        ],
    );
}

#[tokio::test]
async fn every_tool_takes_what_its_schema_allows_and_nothing_else() {
    let desk = desk().await;
    let swept = Sweep::new().seed(42).run(&desk, &host::context(Origin::Model)).await;
    swept.assert_ok();
    assert_eq!(swept.tools().len(), 7, "{swept}");
    assert!(swept.tools().iter().all(|tool| tool.skipped.is_empty()), "{swept}");
    // What writes, sends, fetches or deletes is only explained.
    for tool in swept.tools() {
        let reads = ["clock.now", "kb.search", "session.fetch"].contains(&tool.tool.as_str());
        assert_eq!(tool.called, reads, "{swept}");
    }
}
