//! Holds `cases.toml` to the tree: every rule is shown by a test that is there, or waits for a
//! capability that is known.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// What rules may wait for. One that none waits for any more goes.
const CAPABILITIES: &[&str] = &["dialects", "mcp", "resumption", "webhooks"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

/// One rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// What must hold, in one line.
    rule: String,
    /// What shows it.
    test: Option<Names>,
    /// The capability that it waits for.
    open: Option<String>,
    /// What shows a part of it already.
    so_far: Option<Names>,
}

/// One name or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

impl Names {
    fn iter(&self) -> std::slice::Iter<'_, String> {
        match self {
            Self::One(name) => std::slice::from_ref(name).iter(),
            Self::Several(names) => names.iter(),
        }
    }
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A file of the repository, or nothing.
fn read(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

/// What is wrong with a name of a test or of a fixture.
fn wrong_with(name: &str) -> Option<String> {
    match name.split_once("::") {
        Some((file, function)) => wrong_with_test(file, function),
        None => wrong_with_fixture(name),
    }
}

fn wrong_with_fixture(file: &str) -> Option<String> {
    let fails = file.starts_with("tests/ui/") && !file.starts_with("tests/ui/pass/");
    if !fails || !file.ends_with(".rs") {
        return Some("is neither `file::function` nor a program that must not compile".to_owned());
    }
    let text = PathBuf::from(file).with_extension("stderr");
    (read(file).is_none() || read(text).is_none()).then(|| "isn't there with its text".to_owned())
}

fn wrong_with_test(file: &str, function: &str) -> Option<String> {
    let Some(source) = read(file) else { return Some("names no file".to_owned()) };
    if !is_compiled(Path::new(file)) {
        return Some("is in a file that no target holds".to_owned());
    }
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let heads = [format!("fn {function}("), format!("async fn {function}(")];
    let at = lines.iter().position(|line| heads.iter().any(|head| line.starts_with(head)));
    let Some(at) = at else { return Some(format!("has no `fn {function}`")) };
    let above = lines[..at].iter().rev();
    let above: Vec<_> =
        above.take_while(|line| line.starts_with("#[") || line.starts_with("//")).collect();
    if !above.iter().any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test")) {
        return Some("is no test".to_owned());
    }
    let ignored = above.iter().any(|line| line.starts_with("#[ignore") || line.contains("ignore)"));
    ignored.then(|| "is ignored".to_owned())
}

/// Whether a target of the workspace holds the file: as its root, or by a `mod`.
fn is_compiled(file: &Path) -> bool {
    let (Some(folder), Some(stem)) = (file.parent(), file.file_stem()) else { return false };
    let stem = stem.to_string_lossy();
    if folder == Path::new("tests/tests") || folder == Path::new("tests/ui/pass") {
        // Each file is a target, or a module that `build.rs` lists.
        return true;
    }
    if file.starts_with("tests") {
        let path = file.strip_prefix("tests").map(|path| format!("path = {path:?}"));
        let manifest = read("tests/Cargo.toml").unwrap_or_default();
        if path.is_ok_and(|path| manifest.contains(&path)) {
            return true;
        }
    }
    if matches!(&*stem, "lib" | "main") {
        return true;
    }
    let (folder, stem) = match (&*stem, folder.parent(), folder.file_name()) {
        ("mod", Some(above), Some(name)) => (above, name.to_string_lossy()),
        _ => (folder, stem),
    };
    let mut parents = ["mod.rs", "lib.rs", "main.rs"].map(|name| folder.join(name)).to_vec();
    parents.push(folder.with_extension("rs"));
    let declared = format!("mod {stem};");
    parents.iter().filter_map(read).any(|parent| {
        let mut lines = parent.lines().map(str::trim);
        lines.any(|line| !line.starts_with("//") && line.ends_with(&declared))
    })
}

#[test]
fn every_rule_is_shown_or_waits_for_something() {
    let text = read("tests/cases.toml").expect("tests/cases.toml is there");
    let cases: Cases = toml::from_str(&text).unwrap_or_else(|error| panic!("cases.toml: {error}"));
    let mut wrong = Vec::new();
    let mut ids = BTreeSet::new();
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    let mut closed = 0;
    for case in &cases.case {
        let Case { id, rule, test, so_far, .. } = case;
        let mut say = |what: String| wrong.push(format!("{id}: {what}"));
        if !ids.insert(id) {
            say("stands twice".to_owned());
        }
        if rule.trim().is_empty() || rule.contains('\n') || !rule.ends_with('.') {
            say("its rule is one sentence on one line".to_owned());
        }
        match (test, &case.open) {
            (Some(_), None) if so_far.is_some() => say("`so_far` is for open rules".to_owned()),
            (Some(_), None) => closed += 1,
            (None, Some(capability)) => {
                if !CAPABILITIES.contains(&capability.as_str()) {
                    say(format!("waits for `{capability}`, which nobody knows"));
                }
                *open.entry(capability).or_default() += 1;
            }
            _ => say("has either a test or something that it waits for".to_owned()),
        }
        for names in [test, so_far].into_iter().flatten() {
            if names.iter().len() == 0 {
                say("names no test".to_owned());
            }
            for name in names.iter() {
                if let Some(what) = wrong_with(name) {
                    say(format!("`{name}` {what}"));
                }
            }
        }
    }
    for capability in CAPABILITIES.iter().filter(|capability| !open.contains_key(**capability)) {
        wrong.push(format!("no rule waits for `{capability}` any more"));
    }
    let waiting: usize = open.values().sum();
    println!("{} rules: {closed} shown, {waiting} open", cases.case.len());
    for (capability, count) in &open {
        println!("  {capability}: {count}");
    }
    assert!(wrong.is_empty(), "{} of `cases.toml` is wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_name_that_shows_nothing_is_told() {
    for (name, what) in [
        ("tests/cases.rs::every_rule_is_shown_or_waits_for_something", None),
        ("tests/cases.rs::no_such_test", Some("has no `fn")),
        ("tests/cases.rs::wrong_with", Some("is no test")),
        ("tests/no_such_file.rs::a", Some("names no file")),
        ("tests/fixtures/tools_a/src/lib.rs", Some("is neither")),
        ("tests/ui/pass/keys.rs", Some("is neither")),
        ("tests/ui/attr/no_such.rs", Some("isn't there")),
        ("tests/ui/attr/risk_unknown.rs", None),
    ] {
        match (wrong_with(name), what) {
            (None, None) => {}
            (Some(told), Some(what)) => assert!(told.contains(what), "{name}: {told}"),
            (told, what) => panic!("{name}: {told:?} is not {what:?}"),
        }
    }
    assert!(!is_compiled(Path::new("tests/system/no_module_of_this_name.rs")));
}
