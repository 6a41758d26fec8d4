//! One mistake a fixture, with the whole text of its one error. `TRYBUILD=overwrite` writes the texts
//! anew.

/// The texts depend on the compiler, so they are those of the pinned one.
const PINNED: &str = "1.95.0";

#[test]
fn mistakes_are_reported_as_reviewed() {
    if let Err(why) = pinned() {
        assert!(std::env::var_os("CI").is_none(), "{why}");
        println!("SKIPPED: {why}");
        return;
    }
    let fixtures = trybuild::TestCases::new();
    for area in ["attr", "hook", "name", "output", "param", "send", "signature", "toolset"] {
        fixtures.compile_fail(format!("ui/{area}/*.rs"));
    }
}

/// Whether the compiler is the pinned one.
fn pinned() -> Result<(), String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = std::process::Command::new(rustc).arg("-V").output();
    let version = version.map_err(|error| format!("`rustc -V` can't be run: {error}"))?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    if version.split_whitespace().nth(1) == Some(PINNED) {
        return Ok(());
    }
    Err(format!("the texts of compile errors are those of rustc {PINNED}, and this is {version}"))
}
