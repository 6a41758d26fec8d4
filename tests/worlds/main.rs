//! Random worlds: a policy, hooks, people, sessions, a caller, a way in and a call, by chance; what may
//! run is decided a second time, in plain words, and must be what runs.
//!
//! `WORLDS` says how many (20,000), `WORLDS_SEED` by which seed, which is printed (1 unless given, so that
//! a test is the same each time), and `WORLDS_FROM` with which world to begin. A world that fails is
//! made as small as can be before it is shown.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

mod answer;
mod chance;
mod dice;
mod made;
mod nest;
mod oracle;
mod past;
mod play;
mod rules;
mod seen;
mod sets;
mod shown;
mod tools;
mod world;

use std::collections::BTreeMap;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use dice::Dice;
use world::World;

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// Plays a world; what panics in it has failed as well.
fn outcome(world: &World) -> Result<oracle::Fate, String> {
    // Of its own, so that no clock is that of another world.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let played = panic::AssertUnwindSafe(|| runtime.block_on(play::play(world)));
    panic::catch_unwind(played).unwrap_or_else(|_| Err("it panicked".to_owned()))
}

/// The smallest world that still fails.
fn smallest(mut world: World, mut what: String) -> (World, String) {
    while let Some((smaller, still)) = world.smaller().into_iter().find_map(|smaller| {
        let less = smaller.size() < world.size();
        let failed = less.then(|| outcome(&smaller).err()).flatten();
        // One that makes no sense is no smaller form of it.
        failed.filter(|what| !what.starts_with(play::SENSELESS)).map(|what| (smaller, what))
    }) {
        (world, what) = (smaller, still);
    }
    (world, what)
}

#[test]
fn what_may_run_is_what_runs() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        if text.or(payload.downcast_ref::<&str>().copied()) != Some(made::PANIC) {
            usual(info);
        }
    }));
    let seed = number("WORLDS_SEED").unwrap_or(1);
    let (from, count) = (number("WORLDS_FROM").unwrap_or(0), number("WORLDS").unwrap_or(20_000));
    println!("WORLDS_SEED={seed} WORLDS_FROM={from} WORLDS={count}");

    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64).min(8);
    let failed = AtomicBool::new(false);
    let run = |thread: u64| {
        let mut codes = BTreeMap::<&str, u64>::new();
        for at in (from + thread..from + count).step_by(threads as usize) {
            if failed.load(Ordering::Relaxed) {
                break;
            }
            let world = chance::world(&mut Dice::of(seed, at));
            match outcome(&world) {
                Ok(fate) => *codes.entry(fate.code).or_default() += 1,
                Err(what) => {
                    failed.store(true, Ordering::Relaxed);
                    let (world, what) = smallest(world, what);
                    panic!("WORLDS_SEED={seed} WORLDS_FROM={at} WORLDS=1\n{what}\n{world}");
                }
            }
        }
        codes
    };
    let mut codes = BTreeMap::<&str, u64>::new();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|at| scope.spawn(move || run(at))).collect();
        for thread in running {
            let counted = thread.join().expect("a world failed");
            counted.into_iter().for_each(|(code, count)| *codes.entry(code).or_default() += count);
        }
    });
    println!("{codes:?}");
    // Chance must lead everywhere, or it proves nothing.
    if count >= 5_000 {
        for code in [
            "ok",
            "needs_confirmation",
            "unknown_tool",
            "malformed_arguments",
            "invalid_arguments",
            "incomplete_call",
            "flag_off",
            "out_of_scope",
            "above_ceiling",
            "denied",
            "rejected",
            "expired",
            "rate_limited",
            "loop_stopped",
            "no_approver",
        ] {
            assert!(codes.contains_key(code), "no world ends with {code}: {codes:?}");
        }
    }
}
