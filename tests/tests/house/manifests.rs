//! Manifests agree with each other and with what the documents say.

const MEMBERS: [&str; 4] = ["toolkit", "toolkit-macros", "examples", "tests"];

/// The lines of one table of a manifest, `key = value`, without comments.
fn table(manifest: &str, name: &str) -> Vec<(String, String)> {
    let text = super::read(manifest);
    let header = format!("[{name}]");
    text.lines()
        .skip_while(|line| line.trim() != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.trim_start().starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

fn value(manifest: &str, name: &str, key: &str) -> String {
    let found = table(manifest, name).into_iter().find(|(held, _)| held == key);
    let (_, value) = found.unwrap_or_else(|| panic!("{manifest} has no `{key}` in [{name}]"));
    value.trim_matches('"').to_owned()
}

fn version() -> String {
    value("Cargo.toml", "workspace.package", "version")
}

#[test]
fn members_inherit_version_edition_licence_and_lints() {
    let mut wrong = Vec::new();
    for member in MEMBERS {
        let manifest = format!("{member}/Cargo.toml");
        let package = table(&manifest, "package");
        // An example may ask for a newer compiler than the library.
        let library = member.starts_with("toolkit").then_some("rust-version");
        for key in ["version", "edition", "license"].into_iter().chain(library) {
            let key = format!("{key}.workspace");
            if !package.iter().any(|(held, value)| *held == key && value == "true") {
                wrong.push(format!("{manifest}: `{key} = true`"));
            }
        }
        let has = |name, key, value| {
            let held = table(&manifest, name);
            held.iter().any(|(k, v)| k == key && v.trim_matches('"') == value)
        };
        if !has("lints", "workspace", "true") && !has("lints.rust", "unsafe_code", "forbid") {
            wrong.push(format!("{manifest}: `[lints] workspace = true`"));
        }
    }
    super::none(&wrong, "missing lines");
}

/// The two crates are one: an expansion of one version never meets the engine of another.
#[test]
fn toolkit_wants_exactly_its_own_macros() {
    for name in ["toolkit", "toolkit-macros"] {
        let entry = value("Cargo.toml", "workspace.dependencies", name);
        let wanted = format!("version = \"={}\"", version());
        assert!(entry.contains(&wanted), "`{name} = {entry}` must have {wanted}");
    }
    let macros = value("toolkit/Cargo.toml", "dependencies", "toolkit-macros.workspace");
    assert_eq!(macros, "true", "toolkit takes its macros from the workspace");
}

#[test]
fn every_crate_forbids_unsafe_code() {
    assert_eq!(value("Cargo.toml", "workspace.lints.rust", "unsafe_code"), "forbid");
    for member in ["toolkit", "toolkit-macros"] {
        let lib = super::read(format!("{member}/src/lib.rs"));
        let forbids = lib.lines().any(|line| line == "#![forbid(unsafe_code)]");
        assert!(forbids, "{member}/src/lib.rs must say `#![forbid(unsafe_code)]`");
    }
    let allowed: Vec<String> = MEMBERS
        .iter()
        .flat_map(|member| super::rust_files(member))
        .filter(|file| super::read(file).contains(concat!("allow(unsafe", "_code")))
        .map(|file| file.display().to_string())
        .collect();
    super::none(&allowed, "files that allow unsafe code");
}

#[test]
fn dependencies_come_from_the_workspace() {
    let mut wrong = Vec::new();
    for member in ["toolkit", "toolkit-macros"] {
        let manifest = format!("{member}/Cargo.toml");
        for (key, value) in table(&manifest, "dependencies") {
            if !key.ends_with(".workspace") && !value.contains("workspace = true") {
                wrong.push(format!("{manifest}: {key} = {value}"));
            }
        }
    }
    super::none(&wrong, "a published crate's versions are stated once, in the workspace");
}

/// It would change the order of every map in the programs of those who depend on toolkit.
#[test]
fn serde_json_keeps_its_defaults_for_users() {
    let mut wrong = Vec::new();
    let found = table("Cargo.toml", "workspace.dependencies")
        .into_iter()
        .chain(table("toolkit/Cargo.toml", "dependencies"));
    for (key, value) in found {
        let switched = ["preserve_order", "arbitrary_precision", "float_roundtrip"];
        if switched.iter().any(|feature| value.contains(feature)) {
            wrong.push(format!("{key} = {value}"));
        }
    }
    super::none(&wrong, "features that change serde_json for others");
}

#[test]
fn documents_name_the_version() {
    let version = version();
    let short = version.rsplit_once('.').map_or(version.as_str(), |(short, _)| short);
    let readme = super::read("README.md");
    assert!(
        readme.contains(&format!("toolkit = \"{short}\"")),
        "README.md must show `toolkit = \"{short}\"`"
    );
    let rust = value("Cargo.toml", "workspace.package", "rust-version");
    assert!(readme.contains(&format!("Rust {rust}")), "README.md must name Rust {rust}");
    let changes = super::read("CHANGELOG.md");
    assert!(
        changes.contains("## [Unreleased]") || changes.contains(&format!("## [{version}]")),
        "CHANGELOG.md must have a heading for {version}, or for what is unreleased"
    );
}
