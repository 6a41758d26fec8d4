//! The tools that are called, and what a program without toolkit would write for each.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::prelude::*;

pub(crate) const ADD: &str = r#"{"a": 40, "b": 2}"#;
pub(crate) const SEARCH: &str = r#"{"query": "rust async tool dispatch", "limit": 10, "filters": [{"field": "lang", "op": "eq", "value": "rust"}, {"field": "stars", "op": "gt", "value": "100"}, {"field": "topic", "op": "contains", "value": "llm"}]}"#;
pub(crate) const MIXED: &str = r#"{"title": "Printer on the third floor is out of toner again", "body": "It has been blinking since this morning, and the spare cartridge does not fit: the notch is on the other side. The one that was ordered last week went to the second floor.", "priority": 3, "urgent": false, "tags": ["printer", "toner", "third floor", "hardware", "cartridge", "order", "second floor", "urgent for payroll", "reported by phone", "week 48"], "assignee": "ada.lovelace@example.com", "score": 0.75, "watchers": [17, 1042, 77, 5, 12345, 98, 4, 11]}"#;

/// Add two whole numbers and return their sum.
#[tool]
async fn add(
    /// The first number, e.g. `40`.
    a: i64,
    /// The second number, e.g. `2`.
    b: i64,
) -> i64 {
    a + b
}

/// How a value is compared.
#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Op {
    Eq,
    Gt,
    Contains,
}

/// One condition.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Filter {
    /// Name of the field.
    field: String,
    /// How to compare.
    op: Op,
    /// What to compare with.
    value: String,
}

#[derive(Serialize)]
struct Hit {
    id: u64,
    title: String,
    score: f64,
}

/// Search the index and return the best hits.
#[tool]
async fn search(
    /// Keywords, e.g. `refund invoice`.
    query: String,
    /// How many hits to return at most.
    limit: Option<u32>,
    /// Conditions that all must hold.
    filters: Vec<Filter>,
) -> Vec<Hit> {
    black_box((&query, &filters));
    (0..u64::from(limit.unwrap_or(10)))
        .map(|i| Hit {
            id: 1000 + i,
            title: String::from("A result title of ordinary length"),
            score: 0.987 - i as f64 * 0.03125,
        })
        .collect()
}

/// File a ticket with everything that is known.
#[tool]
#[allow(clippy::too_many_arguments)]
async fn mixed(
    /// One line, e.g. `Printer is out of toner`.
    title: String,
    /// The whole story, in the customer's words.
    body: String,
    /// From 1 (least) to 5.
    priority: u8,
    /// Whether somebody is waiting.
    urgent: bool,
    /// Words to find it by, e.g. `printer`.
    tags: Vec<String>,
    /// Who takes care of it, e.g. `ada`.
    assignee: Option<String>,
    /// How sure we are, from 0 to 1.
    score: f64,
    /// Numbers of the people who are kept informed, e.g. `17`.
    watchers: Vec<u32>,
) -> u64 {
    black_box((&title, &body, priority, urgent, &tags, &assignee, score));
    watchers.iter().copied().map(u64::from).sum()
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct AddArgs {
    /// The first number, e.g. `40`.
    pub(crate) a: i64,
    /// The second number, e.g. `2`.
    pub(crate) b: i64,
}

#[derive(Deserialize)]
struct SearchArgs {
    query: String,
    limit: Option<u32>,
    filters: Vec<Filter>,
}

#[derive(Deserialize)]
struct MixedArgs {
    title: String,
    body: String,
    priority: u8,
    urgent: bool,
    tags: Vec<String>,
    assignee: Option<String>,
    score: f64,
    watchers: Vec<u32>,
}

pub(crate) async fn add_by_hand(text: &str) -> String {
    let x: AddArgs = serde_json::from_str(text).unwrap();
    serde_json::to_string(&add(x.a, x.b).await).unwrap()
}

pub(crate) async fn search_by_hand(text: &str) -> String {
    let x: SearchArgs = serde_json::from_str(text).unwrap();
    serde_json::to_string(&search(x.query, x.limit, x.filters).await).unwrap()
}

pub(crate) async fn mixed_by_hand(text: &str) -> String {
    let x: MixedArgs = serde_json::from_str(text).unwrap();
    let done =
        mixed(x.title, x.body, x.priority, x.urgent, x.tags, x.assignee, x.score, x.watchers);
    serde_json::to_string(&done.await).unwrap()
}

/// A toolkit of that many tools which are made at run time, and their names in a scattered order.
pub(crate) fn many(count: usize) -> (Toolkit, Vec<String>) {
    let mut builder = Toolkit::builder().only([]);
    for n in 0..count {
        let add = |x: AddArgs, _: CallContext| async move { Ok::<_, ToolError>(x.a + x.b) };
        let text = "Add two whole numbers and return their sum.";
        builder = builder.tool(TypedTool::new(format!("many.tool_{n}"), text, Risk::Read, add));
    }
    // 7,919 is prime, so that each comes once.
    let names = (0..count).map(|n| format!("many.tool_{}", n * 7_919 % count)).collect();
    (builder.build().unwrap(), names)
}
