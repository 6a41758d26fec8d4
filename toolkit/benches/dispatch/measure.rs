//! Two ways of one call, measured side by side.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

pub(crate) struct Bench {
    pub(crate) runtime: Runtime,
    /// How many slices of each way are timed.
    pub(crate) slices: u32,
}

impl Bench {
    /// Prints what the second way takes beside the first.
    pub(crate) fn line<F: Future, G: Future>(
        &self,
        name: &str,
        mut first: impl FnMut() -> F,
        mut second: impl FnMut() -> G,
        budget: &str,
    ) {
        let (one, other) = self.runtime.block_on(pair(self.slices, &mut first, &mut second));
        let before = self.allocations(first);
        let after = self.allocations(second);
        println!(
            "{name:14} {one:>7.0} ns {other:>7.0} ns {:>6.2}x {:>+6.0} ns {:>9}   {budget}",
            other / one,
            other - one,
            format!("{before} -> {after}"),
        );
    }

    /// Calls so often and does nothing else, for a profiler that counts instructions.
    pub(crate) fn repeat<F: Future>(&self, rounds: u32, mut run: impl FnMut() -> F) {
        self.runtime.block_on(async {
            for _ in 0..rounds {
                black_box(run().await);
            }
        });
    }

    fn allocations<F: Future>(&self, mut run: impl FnMut() -> F) -> u64 {
        let mut once = || drop(black_box(self.runtime.block_on(run())));
        once();
        allocation_counter::measure(once).count_total
    }
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
