//! Whole expansions, by cargo-expand: what `#[tool]` writes, as rustc then reads it, and what
//! `inventory` makes of its part. `UPDATE_SNAPSHOTS=1` writes the texts anew.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const SOURCES: [&str; 2] = ["ping", "search"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("expand")
}

/// What cargo-expand makes of a module of `expand_sources.rs`.
fn expand(module: &str) -> Result<String, String> {
    // A folder of its own: cargo-expand sets what makes build scripts run again.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expand");
    let output = Command::new(env!("CARGO"))
        .args(["expand", "--locked", "--color", "never", "--theme", "none"])
        .args(["-p", "tests", "--test", "expand_sources", module])
        .env("CARGO_TARGET_DIR", target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|error| error.to_string());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Why whole expansions can't be compared here, if they can't.
fn hindrance() -> Option<String> {
    if cfg!(not(target_os = "linux")) {
        return Some(
            "what inventory makes depends on the system, and these texts are Linux's".into(),
        );
    }
    let found = Command::new(env!("CARGO")).args(["expand", "--version"]).output();
    let found = found.is_ok_and(|output| output.status.success());
    (!found).then(|| "cargo-expand isn't installed: `cargo install cargo-expand --locked`".into())
}

#[test]
fn whole_expansions_are_as_reviewed() {
    if let Some(why) = hindrance() {
        assert!(env::var_os("CI").is_none(), "{why}");
        println!("SKIPPED: {why}");
        return;
    }
    let mut wrong = Vec::new();
    for module in SOURCES {
        let now = expand(module).unwrap();
        let path = folder().join(format!("{module}.expanded.rs"));
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&path, &now).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != now {
            wrong.push(now);
        }
    }
    assert!(wrong.is_empty(), "review, then set UPDATE_SNAPSHOTS=1:\n{}", wrong.join("\n"));
}

/// The text without white space and commas, which depend on the width that is left, and without the
/// place of the tool.
fn squashed(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    let (before, place) = text.split_once("source:(").unwrap();
    let (_, after) = place.split_once("..toolkit_::Facts").unwrap();
    format!("{before}..toolkit_::Facts{after}")
}

#[test]
fn an_expansion_adds_only_what_inventory_makes() {
    for module in SOURCES {
        let name = format!("{module}.expanded.rs");
        let whole = squashed(&fs::read_to_string(folder().join(&name)).unwrap());
        let ours = Path::new("../toolkit-macros/snapshots").join(&name);
        let ours = squashed(&fs::read_to_string(ours).unwrap());
        let (ours, submitted) = ours.split_once("toolkit_::inventory::submit!{").unwrap();
        let submitted = submitted.strip_suffix("}};").unwrap();
        let (_, rest) = whole.split_once(ours).unwrap();
        let inventory = rest.replacen(submitted, "", 1);
        assert_ne!(inventory, rest);
        assert!(!inventory.contains("toolkit"), "{inventory}");
        assert!(
            inventory.starts_with("#[allow(non_upper_case_globals)]const_:()={static__INVENTORY")
        );
    }
}
