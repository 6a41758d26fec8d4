//! What the first catalog of a process costs: the tools collected, their schemas made, all of it
//! lowered to a provider's dialect and written.
//!
//! `cargo bench -p toolkit --bench catalog --features openai-chat`
//!
//! Each round builds a new toolkit, in which nothing has been rendered yet; the smallest time of each
//! step counts, and is told for 1,000 tools. With `--test` each case runs once; with `--rounds N` each
//! runs N times and nothing is timed, for a profiler that counts instructions.

#![forbid(unsafe_code)]
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use toolkit::prelude::*;

/// Writes one tool of five plain parameters for each name.
macro_rules! plain {
    ($($name:ident)*) => {$(
        /// Search the archive and return the best hits that are in it.
        #[tool(scopes = ["plain"])]
        fn $name(
            /// Keywords, e.g. `refund invoice`.
            query: String,
            /// How many hits to return at most.
            #[arg(default = 5, range = 1..=20)]
            limit: u8,
            /// Whether closed tickets are searched too.
            closed: bool,
            /// Words to find it by, e.g. `printer`.
            tags: Option<Vec<String>>,
            /// How sure we are, from 0 to 1.
            score: f64,
        ) -> u64 {
            let _ = (query, limit, closed, tags, score);
            0
        }
    )*};
}

/// Writes one tool with a struct of its own for each name.
macro_rules! nested {
    ($($name:ident)*) => {$(
        mod $name {
            use toolkit::prelude::*;

            /// Where to look for things, and how.
            #[derive(serde::Deserialize, schemars::JsonSchema)]
            #[allow(dead_code)]
            pub(super) struct Filter {
                /// Name of the field.
                field: String,
                /// How many at least.
                least: Option<u32>,
                /// What to compare with.
                value: String,
            }

            /// Search the archive and return the best hits that are in it.
            #[tool(scopes = ["nested"])]
            fn $name(
                /// Keywords, e.g. `refund invoice`.
                query: String,
                /// How many hits to return at most.
                #[arg(default = 5, range = 1..=20)]
                limit: u8,
                /// Whether closed tickets are searched too.
                closed: bool,
                /// Words to find it by, e.g. `printer`.
                tags: Option<Vec<String>>,
                /// What must hold of a hit.
                filter: Filter,
            ) -> u64 {
                let _ = (query, limit, closed, tags, filter);
                0
            }
        }
    )*};
}

/// How many tools there are in all.
const TOOLS: usize = 60;

plain! {
    plain_00 plain_01 plain_02 plain_03 plain_04 plain_05 plain_06 plain_07 plain_08 plain_09
    plain_10 plain_11 plain_12 plain_13 plain_14 plain_15 plain_16 plain_17 plain_18 plain_19
    plain_20 plain_21 plain_22 plain_23 plain_24 plain_25 plain_26 plain_27 plain_28 plain_29
    plain_30 plain_31 plain_32 plain_33 plain_34 plain_35 plain_36 plain_37 plain_38 plain_39
}

nested! {
    nested_00 nested_01 nested_02 nested_03 nested_04 nested_05 nested_06 nested_07 nested_08 nested_09
    nested_10 nested_11 nested_12 nested_13 nested_14 nested_15 nested_16 nested_17 nested_18 nested_19
}

/// How long each step to a first catalog took.
type Steps = [Duration; 3];

/// A new toolkit's first catalog of one scope's tools, and how many they are.
fn first_catalog(scope: &str) -> (Steps, usize) {
    let cx = CallContext::human().scope(scope);
    let started = Instant::now();
    let toolkit = Toolkit::builder().build().unwrap();
    let catalog = toolkit.catalog(&cx);
    let built = Instant::now();
    let tools = catalog.tools().filter(|tool| black_box(tool.parameters_text()).is_ok()).count();
    let described = Instant::now();
    black_box(catalog.openai_chat());
    let written = Instant::now();
    ([built - started, described - built, written - described], tools)
}

fn main() {
    let once = std::env::args().any(|argument| argument == "--test");
    let mut arguments = std::env::args().skip_while(|argument| argument != "--rounds").skip(1);
    let rounds: Option<u32> = arguments.next().map(|n| n.parse().unwrap());
    let case = arguments.next();
    if rounds.is_none() {
        println!(
            "{:8} {:>10} {:>10} {:>10} {:>10}   for 1,000 tools",
            "tools", "build", "schemas", "openai", "all"
        );
    }
    for (scope, budget) in [("plain", "at most 5 ms"), ("nested", "none")] {
        if case.as_deref().is_some_and(|case| case != scope) {
            continue;
        }
        if let Some(rounds) = rounds {
            for _ in 0..rounds {
                black_box(first_catalog(scope));
            }
            continue;
        }
        let mut least = [f64::INFINITY; 3];
        for _ in 0..if once { 1 } else { 2_000 } {
            let (steps, tools) = first_catalog(scope);
            // What is built are the tools of both scopes.
            let of = [TOOLS, tools, tools];
            for ((least, took), tools) in least.iter_mut().zip(steps).zip(of) {
                *least = least.min(took.as_secs_f64() * 1e6 / tools as f64);
            }
        }
        let [build, schemas, text] = least;
        println!(
            "{scope:8} {build:>7.2} ms {schemas:>7.2} ms {text:>7.2} ms {:>7.2} ms   budget: {budget}",
            build + schemas + text
        );
    }
}
