//! The catalog as files: what is missing, stale or too much fails, and a change is told for what it is.

use std::fs;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::prelude::*;
use toolkit::testing::{Change, Difference, SnapshotError, Snapshots};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "nothing is run")]
struct Query {
    /// Keywords, e.g. `refund invoice`.
    query: String,
    /// How many at most.
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "nothing is run")]
struct Narrower {
    /// Keywords, e.g. `refund invoice`.
    query: String,
    /// How many at most.
    #[schemars(range(min = 1, max = 10))]
    limit: Option<u8>,
    /// Where.
    area: String,
}

#[derive(Serialize, JsonSchema)]
struct Article {
    /// Its title.
    title: String,
}

fn tool<A>(name: &str, text: &str, risk: Risk) -> TypedTool
where
    A: toolkit::ToolParameter,
{
    let run = |_: A, _: CallContext| async {
        Ok::<_, ToolError>(vec![Article { title: "Refunds".to_owned() }])
    };
    TypedTool::new(name, text, risk, run)
}

fn set(tools: Vec<TypedTool>) -> Toolkit {
    let builder = tools.into_iter().fold(Toolkit::builder().only([]), |all, tool| all.tool(tool));
    builder.output_pages(true).build().unwrap()
}

/// List all articles, newest first. Not for drafts.
#[tool(name = "kb.list", title = "Articles", risk = "read", scopes = ["desk", "chat"])]
async fn list() -> Vec<Article> {
    vec![Article { title: "Refunds".to_owned() }]
}

const TEXT: &str = "Search the base.\n\nNot for customers.";

fn folder(test: &str) -> (PathBuf, Snapshots) {
    let folder =
        std::env::temp_dir().join(format!("toolkit-snapshots-{test}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    (folder.clone(), Snapshots::new(folder))
}

#[test]
fn missing_stale_and_extra_fail() {
    let (folder, snapshots) = folder("three");
    let before = set(vec![
        tool::<Query>("kb.search", TEXT, Risk::Read),
        tool::<Query>("kb.old", TEXT, Risk::Read),
    ]);
    let error = snapshots.check(&before).unwrap_err();
    let missing = |tool: &str| Difference::Missing { tool: tool.to_owned() };
    let SnapshotError::Different(all) = error else { panic!("{error}") };
    assert_eq!(all, [missing("kb.old"), missing("kb.search")], "and none for `output.read`");

    snapshots.update(&before).unwrap();
    snapshots.check(&before).unwrap();
    fs::write(folder.join("notes.txt"), "stays").unwrap();
    let now = set(vec![
        tool::<Narrower>("kb.search", &TEXT.replace("base", "whole base"), Risk::Write),
        tool::<Query>("kb.new", TEXT, Risk::Read),
    ]);
    let differences = snapshots.compare(&now).unwrap();
    let [new, changed, old] = &differences[..] else { panic!("{differences:?}") };
    assert_eq!(*new, missing("kb.new"));
    assert_eq!(*old, Difference::Extra { tool: "kb.old".to_owned() });
    let Difference::Changed { change, diff, .. } = changed else { panic!("{changed:?}") };
    let reasons = [
        "its risk has `write` as well",
        "`limit` has tighter bounds",
        "`area` is new and required",
    ];
    let Change::Breaking(found) = change else { panic!("{change}") };
    assert_eq!(found.len(), reasons.len(), "{found:?}");
    assert!(reasons.iter().all(|reason| found.iter().any(|found| found == reason)), "{found:?}");
    assert!(
        diff.contains("-    \"Search the base.\",\n+    \"Search the whole base.\",\n"),
        "{diff}"
    );
    let text = snapshots.check(&now).unwrap_err().to_string();
    assert!(text.contains("`kb.search` has changed: breaking: its risk"), "{text}");
    assert!(text.ends_with("TOOLKIT_UPDATE=1 in the environment"), "{text}");

    snapshots.update(&now).unwrap();
    snapshots.check(&now).unwrap();
    let mut left: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["kb.new.json", "kb.search.json", "notes.txt"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_word_is_seen_and_breaks_nothing() {
    let (folder, snapshots) = folder("word");
    snapshots.update(&set(vec![tool::<Query>("kb.search", TEXT, Risk::Read)])).unwrap();
    let text = fs::read_to_string(folder.join("kb.search.json")).unwrap();
    let start = "{\n  \"name\": \"kb.search\",\n  \"description\": [\n    \"Search the base.\",\n    \"\",\n    \
                 \"Not for customers.\"\n  ],\n  \"risk\": [\n    \"read\"\n  ],\n  \"parameters\": {\n";
    assert!(text.starts_with(start), "{text}");
    assert!(text.find("\"query\": {") < text.find("\"limit\": {"), "in declared order: {text}");
    let now = set(vec![tool::<Query>("kb.search", "Search the base.", Risk::Read)]);
    let differences = snapshots.compare(&now).unwrap();
    assert!(
        matches!(&differences[..], [Difference::Changed { change: Change::Compatible, .. }]),
        "{differences:?}"
    );
    // Whoever checks the files out may get other line ends.
    fs::write(folder.join("kb.search.json"), text.replace('\n', "\r\n")).unwrap();
    snapshots.check(&set(vec![tool::<Query>("kb.search", TEXT, Risk::Read)])).unwrap();
    // What isn't ours to read is told with its path.
    fs::remove_file(folder.join("kb.search.json")).unwrap();
    fs::create_dir(folder.join("kb.search.json")).unwrap();
    let error = snapshots.check(&now).unwrap_err();
    assert!(error.to_string().contains("kb.search.json: "), "{error}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_has_all_that_is_told_of_a_tool() {
    let (folder, snapshots) = folder("whole");
    snapshots.update(&Toolkit::builder().only([id(list)]).build().unwrap()).unwrap();
    let text = fs::read_to_string(folder.join("kb.list.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["title"], "Articles");
    assert_eq!(file["scopes"], serde_json::json!(["desk", "chat"]));
    assert!(text.contains("\"output\": {") && text.contains("Its title."), "{text}");
    fs::remove_dir_all(folder).unwrap();
}

/// A folder that is named by mistake loses nothing.
#[test]
fn what_is_no_snapshot_is_left_alone() {
    let (folder, snapshots) = folder("foreign");
    let tools = set(vec![tool::<Query>("kb.search", TEXT, Risk::Read)]);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in [
        ("package.json", "{\"name\": \"site\"}"),
        ("tsconfig.json", "{}"),
        ("list.json", "[1]"),
        ("kb.old.json", "<<<<<<< ours"),
    ] {
        let path = folder.join(file);
        fs::write(&path, text).unwrap();
        for result in [snapshots.check(&tools), snapshots.update(&tools)] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(&format!("{} is no snapshot", path.display())), "{error}");
            assert!(error.contains("a folder of their own"), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(!folder.join("kb.search.json").exists(), "nothing is written halfway");
        fs::remove_file(path).unwrap();
    }
    fs::write(folder.join("README.md"), "What this is.").unwrap();
    snapshots.update(&tools).unwrap();
    snapshots.check(&tools).unwrap();
    assert!(folder.join("README.md").exists());
    // Of a tool that there is, whatever its file has become is written anew.
    fs::write(folder.join("kb.search.json"), "<<<<<<< ours").unwrap();
    let error = snapshots.check(&tools).unwrap_err().to_string();
    assert!(error.contains("breaking: the snapshot is no JSON"), "{error}");
    snapshots.update(&tools).unwrap();
    snapshots.check(&tools).unwrap();
    fs::remove_dir_all(folder).unwrap();
}

/// Tests run side by side, and a run may be stopped: a file is the old one or the new one.
#[test]
fn a_file_is_never_seen_half_written() {
    let (folder, snapshots) = folder("whole-files");
    let of = |text: &str| set(vec![tool::<Query>("kb.search", text, Risk::Read)]);
    let long = TEXT.repeat(2_000);
    let (one, other) = (of(TEXT), of(&long));
    snapshots.update(&one).unwrap();
    let path = folder.join("kb.search.json");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::SeqCst) {
                let text = fs::read_to_string(&path).expect("it is there at any time");
                serde_json::from_str::<serde_json::Value>(&text).expect("and whole");
            }
        });
        let writer = |toolkit| {
            let snapshots = &snapshots;
            move || (0..200).for_each(|_| snapshots.update(toolkit).unwrap())
        };
        let writers = [scope.spawn(writer(&one)), scope.spawn(writer(&other))];
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, std::sync::atomic::Ordering::SeqCst);
        reader.join().unwrap();
    });
    let left: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["kb.search.json"]);
    fs::remove_dir_all(folder).unwrap();
}
