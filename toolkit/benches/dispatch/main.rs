//! What toolkit adds to a call that is decoded, run and serialised by hand, and what each optional part
//! adds to a call.
//!
//! `cargo bench -p toolkit --bench dispatch --features audit,rates`
//!
//! The two sides of a line run in turn, in slices of about 0.2 ms, and the smallest time of each
//! counts: on a shared machine most slices are undisturbed, so that the ratio holds where a bare time
//! wouldn't. Allocations are exact. With `--test` each case runs once; with `--rounds N CASE` one case
//! is called N times and nothing is timed, for a profiler that counts instructions.

#![forbid(unsafe_code)]
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod measure;
mod rules;
mod tools;

use std::hint::black_box;

use toolkit::prelude::*;
use toolkit::{Change, Event, around, rewrite};

use measure::Bench;
use tools::{ADD, MIXED, SEARCH, add_by_hand, many, mixed_by_hand, search_by_hand};

/// The toolkit's side.
struct Through<'a> {
    toolkit: &'a Toolkit,
    context: &'a CallContext,
}

impl Through<'_> {
    async fn call(&self, tool: &str, text: &str) -> ToolReply {
        self.toolkit.call(self.context, ToolCall::new(tool, black_box(text))).await
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let slices = if arguments.contains(&"--test") { 1 } else { 3_000 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bench = Bench { runtime, slices };
    let (toolkit, context) = (&Toolkit::builder().build().unwrap(), &CallContext::model());
    let plain = Through { toolkit, context };
    for (tool, text) in [("add", ADD), ("mixed", MIXED), ("search", SEARCH)] {
        let reply = bench.runtime.block_on(plain.call(tool, text));
        assert_eq!(reply.code(), Code::Ok, "{}", reply.text());
    }
    match arguments[..] {
        ["--rounds", rounds, case] => repeat(&bench, &plain, rounds.parse().unwrap(), case),
        _ => {
            by_hand(&bench, &plain);
            by_number(&bench, context);
            by_part(&bench, &plain);
            by_rules(&bench, context);
        }
    }
}

fn repeat(bench: &Bench, plain: &Through<'_>, rounds: u32, case: &str) {
    match case {
        "add" => bench.repeat(rounds, || plain.call("add", ADD)),
        "mixed" => bench.repeat(rounds, || plain.call("mixed", MIXED)),
        "search" => bench.repeat(rounds, || plain.call("search", SEARCH)),
        "add-mixed-rules" => {
            let toolkit = rules::mixed();
            let with = Through { toolkit: &toolkit, context: plain.context };
            bench.repeat(rounds, || with.call("add", ADD));
        }
        "add-own-rules" => {
            let toolkit = rules::on_one_tool();
            let with = Through { toolkit: &toolkit, context: plain.context };
            bench.repeat(rounds, || with.call("add", ADD));
        }
        "add-by-hand" => bench.repeat(rounds, || add_by_hand(black_box(ADD))),
        "mixed-by-hand" => bench.repeat(rounds, || mixed_by_hand(black_box(MIXED))),
        "search-by-hand" => bench.repeat(rounds, || search_by_hand(black_box(SEARCH))),
        other => panic!("no case `{other}`"),
    }
}

fn heading(what: &str, first: &str, second: &str) {
    println!(
        "\n{what:14} {first:>10} {second:>10} {:>7} {:>9} {:>9}   budget",
        "ratio", "added", "allocated"
    );
}

fn by_hand(bench: &Bench, plain: &Through<'_>) {
    heading("tool", "by hand", "toolkit");
    let ours = || plain.call("add", ADD);
    bench.line("add", || add_by_hand(black_box(ADD)), ours, "at most +250 ns, 3 allocations");
    let ours = || plain.call("mixed", MIXED);
    bench.line("mixed", || mixed_by_hand(black_box(MIXED)), ours, "at most 1.2x");
    let ours = || plain.call("search", SEARCH);
    bench.line("search", || search_by_hand(black_box(SEARCH)), ours, "at most 1.3x");
}

/// Calls where there are few tools and where there are many: of the same ten, which is what finding one
/// costs; and of all in turn, where the tools themselves come from further away.
fn by_number(bench: &Bench, context: &CallContext) {
    heading("tools", "10", "10,000");
    let ((few, few_names), (lots, lots_names)) = (many(10), many(10_000));
    let (few, lots) = (Through { toolkit: &few, context }, Through { toolkit: &lots, context });
    // Each has its schema from its first call on.
    for name in &lots_names {
        bench.runtime.block_on(lots.call(name, ADD));
    }
    for (line, taken, budget) in [("ten of them", 10, "at most 1.10x"), ("all in turn", 10_000, "")]
    {
        let mut few_names = few_names.iter().cycle();
        let mut lots_names = lots_names[..taken].iter().cycle();
        let first = || few.call(few_names.next().unwrap(), ADD);
        let second = || lots.call(lots_names.next().unwrap(), ADD);
        bench.line(line, first, second, budget);
    }
}

/// Each optional part alone, beside the default path.
fn by_part(bench: &Bench, plain: &Through<'_>) {
    heading("part", "without", "with");
    let with = |name: &str, toolkit: Toolkit| {
        let with = Through { toolkit: &toolkit, context: plain.context };
        bench.line(name, || plain.call("add", ADD), || with.call("add", ADD), "");
    };
    let observer = |event: &Event| {
        black_box(event);
    };
    with("observer", Toolkit::builder().observer(observer).build().unwrap());
    let guard = guard("guard", |_| Ok(Ruling::Pass));
    with("guard", Toolkit::builder().guard(guard).build().unwrap());
    let rewrite = rewrite("rewrite", |_| Ok(Change::Keep));
    with("rewrite", Toolkit::builder().rewrite(rewrite).build().unwrap());
    let around = around("around", |_, next| Box::pin(next.run()));
    with("around", Toolkit::builder().around(around).build().unwrap());
    #[cfg(feature = "rates")]
    {
        let rate = toolkit::Rate::per_second(u32::MAX);
        let policy = Policy::default().rate(Origin::Model, Risk::Read, rate);
        with("rate", Toolkit::builder().policy(policy).build().unwrap());
    }
    let budget = Toolkit::builder().calls_per_session(u32::MAX).build().unwrap();
    with("budget", budget);
    #[cfg(feature = "audit")]
    {
        let folder = std::env::temp_dir().join(format!("dispatch-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let audit = toolkit::audit::Jsonl::open(folder.join("audit.jsonl")).unwrap();
        with("JSONL audit", Toolkit::builder().observer(audit).build().unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Calls that a hundred rules let through, beside the same by hand.
fn by_rules(bench: &Bench, context: &CallContext) {
    heading("100 rules", "by hand", "toolkit");
    for (line, toolkit) in [("a mix", rules::mixed()), ("on one tool", rules::on_one_tool())] {
        let with = Through { toolkit: &toolkit, context };
        let reply = bench.runtime.block_on(with.call("add", ADD));
        assert_eq!(reply.code(), Code::Ok, "{}", reply.text());
        bench.line(line, || add_by_hand(black_box(ADD)), || with.call("add", ADD), "at most 20x");
    }
}
