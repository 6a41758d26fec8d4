//! Each lint on a tool that it is about, and none on one that is well described.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolkit::SchemaTool;
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
        ("lint.worse", Lint::RiskUnlikeText, "risk"),
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

fn described(name: &str, text: &str, schema: Value) -> SchemaTool {
    let run = |_: Value, _: CallContext| async { Ok::<_, ToolError>("done") };
    SchemaTool::new(name, text, Risk::Read, schema, run)
}

fn linted(tools: impl IntoIterator<Item = SchemaTool>) -> Report {
    let builder = Toolkit::builder().only([]).output_pages(false);
    let built = tools.into_iter().fold(builder, toolkit::Builder::tool).build();
    lint::check(&built.unwrap())
}

/// Everything that a text of a schema mentions, nested ones as well, with and without marks.
#[test]
fn names_are_looked_for_wherever_a_text_stands() {
    let search = json!({
        "properties": {
            "max_hits": { "type": "integer", "maximum": 9, "description": "At most, e.g. `5`; see `min_hits`." },
            "min_hits": { "type": "integer", "maximum": 9 },
            "filter": { "type": "object", "properties": {
                "field": { "type": "string", "description": "As `kb.feilds` tells, e.g. `id`." },
            } },
        },
    });
    let text =
        "Search the base by `max_hits` and `filter`. Not for one: kb__read or kb.raed does that.";
    let plain = "List the fields. Not for values, which `get_valeus` and `example.com` and e.g. `x.y` have.";
    let report = linted([
        described("kb.search", text, search),
        described("kb.fields", plain, json!({})),
        described("kb.read", "Read one `kb__serach` found. Not for all.", json!({})),
        described("get_values", "Get values of one. Not for all.", json!({})),
    ]);
    let found: Vec<_> = report
        .findings()
        .iter()
        .filter(|finding| finding.lint == Lint::UnknownName)
        .map(|f| (f.tool.as_str(), f.place.as_str(), f.what.as_str(), f.cure.as_str()))
        .collect();
    let gone = |name: &str| format!("names a tool `{name}`, which isn't there");
    let (values, feilds, raed, serach) =
        (gone("get_valeus"), gone("kb.feilds"), gone("kb.raed"), gone("kb__serach"));
    assert_eq!(
        found,
        [
            ("kb.fields", "description", &*values, "write `get_values`, or take the name out"),
            ("kb.read", "description", &*serach, "write `kb.search`, or take the name out"),
            ("kb.search", "description", &*raed, "write `kb.read`, or take the name out"),
            (
                "kb.search",
                "parameter `filter.field`",
                &*feilds,
                "write `kb.fields`, or take the name out"
            ),
        ],
        "{report}"
    );
}

#[test]
fn what_a_parameter_says_is_read_by_words() {
    let string = |text: &str| json!({ "type": "string", "description": text });
    let report = linted([described(
        "kb.search",
        "Search the base. Not for one.",
        json!({
            "properties": {
                "about": string("Further information."),
                "other": string("What to make a comparison with, in isolation."),
                "when": string("ISO date."),
                "like": string("A regular expression like `a|b`."),
                "who": string("One of the customer's names, e.g. `Ada`."),
                "key": string("Name or number, e.g. `7`; either works."),
                "way": string("One of: up, down."),
                "maxResults": { "type": "integer", "maximum": 9 },
                "lines": { "type": "array", "items": { "type": "object", "properties": {
                    "limit": { "type": "integer", "maximum": 9 },
                }, "required": ["limit"] } },
            },
            "required": ["maxResults"],
        }),
    )]);
    let expected = [
        (Lint::NoExample, "about"),
        (Lint::NoExample, "other"),
        (Lint::NoExample, "way"),
        (Lint::OptionsInProse, "way"),
        (Lint::NeedlessRequired, "lines[].limit"),
        (Lint::NeedlessRequired, "maxResults"),
    ];
    let found: Vec<_> = report.findings().iter().map(|f| (f.lint, f.place.clone())).collect();
    let expected = expected.map(|(lint, place)| (lint, format!("parameter `{place}`")));
    assert_eq!(found, expected, "{report}");
    let text = report.to_string();
    assert!(text.contains("take `maxResults` out of what is required"), "{text}");
    assert!(!text.contains("#[arg"), "that is for parameters of a function: {text}");
    let text = lint::check(&set()).to_string();
    assert!(text.contains("`#[arg(default = …)]`, or make `order` an `Option`"), "{text}");
}

/// Rules that look for English words say nothing of texts that have none.
#[test]
fn a_text_in_another_script_is_judged_by_nothing_that_knows_english() {
    let query = json!({ "properties": { "q": { "type": "string", "description": "关键词。" } } });
    let report = linted([
        described("kb.search", "在知识库中搜索文章，返回最相关的结果。", query.clone()),
        described("kb.again", "在知识库中搜索文章，返回最相关的结果！", query.clone()),
        described("kb.delete", "チケットを履歴ごと完全に削除する。", query),
    ]);
    let found: Vec<_> = report.findings().iter().map(|f| (f.lint, f.tool.as_str())).collect();
    assert_eq!(found, [(Lint::NearIdentical, "kb.search")], "{report}");
}

#[test]
fn a_verb_in_another_form_is_held_to_its_risk_as_well() {
    let report = linted([described("a.b", "Deletes a ticket. Only on request.", json!({}))]);
    let found: Vec<_> = report.findings().iter().map(|f| f.lint).collect();
    assert_eq!(found, [Lint::NoVerb, Lint::RiskUnlikeText], "{report}");
    let verbs = "Acknowledge Browse Concatenate Dispatch Enqueue Gather Highlight Initialize Lint Obtain \
                 Prune Reconcile Retry Route Sync Truncate Upsert Use";
    for verb in verbs.split_whitespace() {
        let report = linted([described("a.b", &format!("{verb} this. Not that."), json!({}))]);
        assert!(report.findings().is_empty(), "{report}");
    }
}
