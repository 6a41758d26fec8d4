//! What toolkit adds to a call that is decoded, run and serialised by hand.
//!
//! `cargo bench -p toolkit --bench dispatch`
//!
//! By hand and through `toolkit.call` run in turn, in slices of about 0.2 ms, and the smallest time
//! of each counts: on a shared machine most slices are undisturbed, so that the ratio holds where a
//! bare time wouldn't. Allocations are exact. With `--test` each case runs once; with
//! `--rounds N` each is called N times through toolkit and by hand and nothing is timed, for a
//! profiler that counts instructions.

#![forbid(unsafe_code)]
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::prelude::*;

const ADD: &str = r#"{"a": 40, "b": 2}"#;
const SEARCH: &str = r#"{"query": "rust async tool dispatch", "limit": 10, "filters": [{"field": "lang", "op": "eq", "value": "rust"}, {"field": "stars", "op": "gt", "value": "100"}, {"field": "topic", "op": "contains", "value": "llm"}]}"#;
const MIXED: &str = r#"{"title": "Printer on the third floor is out of toner again", "body": "It has been blinking since this morning, and the spare cartridge does not fit: the notch is on the other side. The one that was ordered last week went to the second floor.", "priority": 3, "urgent": false, "tags": ["printer", "toner", "third floor", "hardware", "cartridge", "order", "second floor", "urgent for payroll", "reported by phone", "week 48"], "assignee": "ada.lovelace@example.com", "score": 0.75, "watchers": [17, 1042, 77, 5, 12345, 98, 4, 11]}"#;

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

#[derive(Deserialize)]
struct AddArgs {
    a: i64,
    b: i64,
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

async fn add_by_hand(text: &str) -> String {
    let x: AddArgs = serde_json::from_str(text).unwrap();
    serde_json::to_string(&add(x.a, x.b).await).unwrap()
}

async fn search_by_hand(text: &str) -> String {
    let x: SearchArgs = serde_json::from_str(text).unwrap();
    serde_json::to_string(&search(x.query, x.limit, x.filters).await).unwrap()
}

async fn mixed_by_hand(text: &str) -> String {
    let x: MixedArgs = serde_json::from_str(text).unwrap();
    let done =
        mixed(x.title, x.body, x.priority, x.urgent, x.tags, x.assignee, x.score, x.watchers);
    serde_json::to_string(&done.await).unwrap()
}

/// The smallest times of two futures, run in turn.
async fn pair<A, B, FA, FB>(slices: u32, mut a: A, mut b: B) -> (f64, f64)
where
    A: FnMut() -> FA,
    B: FnMut() -> FB,
    FA: Future,
    FB: Future,
{
    let mut least = [f64::INFINITY; 2];
    let mut rounds = [1_u32; 2];
    for slice in 0..slices + 20 {
        for side in 0..2 {
            let started = Instant::now();
            for _ in 0..rounds[side] {
                if side == 0 {
                    black_box(a().await);
                } else {
                    black_box(b().await);
                }
            }
            let took = started.elapsed();
            if slice < 20 {
                // Warming up: enough rounds for a slice of about 0.2 ms.
                if took < Duration::from_micros(150) {
                    rounds[side] = rounds[side].saturating_mul(2);
                }
            } else {
                least[side] = least[side].min(took.as_nanos() as f64 / f64::from(rounds[side]));
            }
        }
    }
    (least[0], least[1])
}

fn allocations(run: impl Fn()) -> u64 {
    run();
    allocation_counter::measure(run).count_total
}

fn main() {
    let once = std::env::args().any(|argument| argument == "--test");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let toolkit = Toolkit::builder().build().unwrap();
    let cx = CallContext::model();
    let slices = if once { 1 } else { 3_000 };
    let mut arguments = std::env::args().skip_while(|argument| argument != "--rounds").skip(1);
    let rounds: Option<u32> = arguments.next().map(|n| n.parse().unwrap());
    let case = arguments.next();

    println!(
        "{:8} {:>9} {:>9} {:>7} {:>9} {:>13}   budget",
        "tool", "by hand", "toolkit", "ratio", "added", "allocations"
    );
    macro_rules! case {
        ($tool:literal, $text:expr, $by_hand:ident, $budget:literal) => {{
            if let Some(rounds) = rounds {
                if case.as_deref().is_none_or(|case| case == $tool) {
                    runtime.block_on(async {
                        for _ in 0..rounds {
                            black_box(toolkit.call(&cx, ToolCall::new($tool, black_box($text))).await);
                            black_box($by_hand(black_box($text)).await);
                        }
                    });
                }
            } else {
            let (hand, ours) = runtime.block_on(pair(
                slices,
                || $by_hand(black_box($text)),
                || toolkit.call(&cx, ToolCall::new($tool, black_box($text))),
            ));
            let hand_allocations = allocations(|| {
                black_box(runtime.block_on($by_hand($text)));
            });
            let our_allocations = allocations(|| {
                let reply = runtime.block_on(toolkit.call(&cx, ToolCall::new($tool, $text)));
                assert_eq!(reply.code(), Code::Ok, "{}", reply.text());
            });
            println!(
                "{:8} {hand:>6.0} ns {ours:>6.0} ns {:>6.2}x {:>+6.0} ns {hand_allocations:>5} -> {our_allocations:<5}   {}",
                $tool,
                ours / hand,
                ours - hand,
                $budget
            );
            }
        }};
    }
    case!("add", ADD, add_by_hand, "at most +250 ns, 3 allocations");
    case!("mixed", MIXED, mixed_by_hand, "at most 1.2x");
    case!("search", SEARCH, search_by_hand, "at most 1.3x");
}
