//! The README is short, and what it says of policy and commands is so.

use toolkit::{Origin, Policy, Risk, Verdict};

#[test]
fn it_is_short_and_has_the_two_commands() {
    let readme = super::read("README.md");
    let lines = readme.lines().count();
    assert!(lines < 150, "README.md has {lines} lines, 149 are allowed");
    for command in ["cargo run --example desk", "cargo test --workspace"] {
        assert!(readme.lines().any(|line| line == command), "README.md lacks `{command}`");
    }
}

#[test]
fn its_policy_table_is_the_default() {
    let readme = super::read("README.md");
    let policy = Policy::default();
    for risk in Risk::ALL {
        let start = format!("| `{risk}` |");
        let row = readme.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("README.md has no row `{start}`"));
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        // Level, what it means, then the origins in order.
        for (origin, cell) in [Origin::Human, Origin::Plan, Origin::Model].iter().zip(&cells[2..]) {
            let word = match policy.cell(*origin, risk).verdict {
                Verdict::Allow => "allow",
                Verdict::Record => "record",
                Verdict::Ask => "ask",
                Verdict::Deny => "deny",
                Verdict::Hide => "hide",
            };
            assert_eq!(*cell, word, "README.md: {risk} × {origin:?}");
        }
    }
}

#[test]
fn its_links_to_files_are_whole() {
    let readme = super::read("README.md");
    let targets = readme.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let broken: Vec<String> = targets
        .map(|(target, _)| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .filter(|target| !super::root().join(target).exists())
        .map(str::to_owned)
        .collect();
    super::none(&broken, "README.md links to what isn't there");
}
