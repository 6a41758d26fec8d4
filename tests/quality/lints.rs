//! Each lint on a tool that it is about, and none on one that is well described.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::lint::{self, Lint, Lints, Report};
use toolkit::prelude::*;

/// Search the knowledge base and return the best articles.
///
/// Not for customers: use `lint.worse` for those, and give a `limit`.
#[tool(name = "lint.good", risk = "read")]
async fn good(
    /// Keywords, e.g. `refund invoice`.
    query: &str,
    /// How many articles at most.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    /// Where to look.
    area: Option<Area>,
    /// Whether old ones count as well.
    old: bool,
) -> String {
    format!("{query} {limit} {area:?} {old}")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Area {
    Open,
    Archive,
}

/// Deletes whatever matches the query in the base. See `lint.god` and `max_hist`, or `example.com`.
#[tool(name = "lint.worse")]
fn worse(
    /// Name of the thing.
    query: String,
    /// Either `asc` or `desc`.
    order: String,
    /// Most hits.
    max_hits: u32,
    /// The conditions.
    conditions: Vec<Condition>,
) -> String {
    let Condition { field, value } = &conditions[0];
    format!("{query}{order}{max_hits}{field}{value:?}")
}

/// One condition.
#[derive(Deserialize, JsonSchema)]
struct Condition {
    /// Name of the field.
    field: String,
    /// What it must be.
    value: Option<i64>,
}

/// Delete a ticket. Only if the customer asks for it.
#[tool(name = "lint.delete", risk = "read")]
async fn delete() {}

/// Delete a ticket! Only if the customer asks for it…
#[tool(name = "lint.again", risk = ["write", "destructive"])]
async fn again() {}

fn set() -> Toolkit {
    let tools = [id(good), id(worse), id(delete), id(again)];
    Toolkit::builder().only(tools).output_pages(true).build().unwrap()
}

fn found(report: &Report) -> Vec<(String, Lint, String)> {
    let all = report.findings().iter();
    all.map(|f| (f.tool.clone(), f.lint, f.place.clone())).collect()
}

#[test]
fn each_finds_what_it_is_about_and_nothing_else() {
    let report = lint::check(&set());
    let expected = [
        ("lint.delete", Lint::NearIdentical, "description"),
        ("lint.delete", Lint::RiskUnlikeText, "risk"),
        ("lint.worse", Lint::NoVerb, "description"),
        ("lint.worse", Lint::NoLimits, "description"),
        ("lint.worse", Lint::NoExample, "parameter `conditions[].field`"),
        ("lint.worse", Lint::NoExample, "parameter `conditions[].value`"),
        ("lint.worse", Lint::NoExample, "parameter `max_hits`"),
        ("lint.worse", Lint::NoExample, "parameter `query`"),
        ("lint.worse", Lint::OptionsInProse, "parameter `order`"),
        ("lint.worse", Lint::NeedlessRequired, "parameter `order`"),
        ("lint.worse", Lint::UnknownName, "description"),
        ("lint.worse", Lint::UnknownName, "description"),
        ("lint.worse", Lint::RiskUnstated, "risk"),
        ("lint.worse", Lint::RunsInPlace, "timeout"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(tool, lint, place)| ((*tool).into(), *lint, (*place).into()))
        .collect();
    assert_eq!(found(&report), expected, "{report}");
    assert!(!report.is_clean());

    let text = report.to_string();
    for line in [
        "warning[no_verb]: `lint.worse`, description: begins with `deletes`, not with what the tool does",
        "  help: begin with the verb in its plain form: `Delete`",
        "names a tool `lint.god`, which isn't there",
        "  help: write `lint.good`, or take the name out",
        "names a parameter `max_hist`, which the tool hasn't",
        "note[runs_in_place]: `lint.worse`, timeout: ",
        "risk: is read, though the description says `delete`",
        "  at tests/quality/lints.rs:",
        "openai_chat: 4 tools in ",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(report.sizes()[0].tools, 4);
    let bytes = set().catalog(&CallContext::human()).openai_chat().as_str().len();
    let ours = report.sizes()[0].bytes;
    assert!(ours > 1_000 && ours < bytes, "{ours} of {bytes}, where `output.read` is as well");
}

#[test]
fn what_is_meant_is_allowed() {
    let lints = Lints::new()
        .verb("deletes")
        .allow_all(Lint::NoExample)
        .allow(Lint::UnknownName, "lint.worse")
        .allow(Lint::NoLimits, "lint.good");
    let report = lints.check(&set());
    let left = found(&report);
    assert!(!left.iter().any(|(_, lint, _)| {
        matches!(lint, Lint::NoVerb | Lint::NoExample | Lint::UnknownName)
    }));
    assert!(left.iter().any(|(_, lint, _)| *lint == Lint::NoLimits), "that was another tool");
}

#[test]
fn a_catalog_that_is_too_long_is_told() {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}
    let mut builder = Toolkit::builder().only([]).output_pages(false);
    for number in 0..129 {
        let run = |_: Nothing, _: CallContext| async { Ok::<_, ToolError>("done") };
        let text = format!("Get thing {number} of many. Not for others.");
        builder = builder.tool(TypedTool::new(format!("many.t{number}"), text, Risk::Read, run));
    }
    let lints = Lints::new().allow_all(Lint::NearIdentical);
    let report = lints.check(&builder.build().unwrap());
    assert_eq!(found(&report), [(String::new(), Lint::CatalogSize, "catalog".to_owned())]);
    assert!(report.to_string().starts_with("warning[catalog_size]: catalog: has 129 tools"));
}
