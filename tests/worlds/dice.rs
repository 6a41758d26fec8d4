//! Chance from a seed: the same world for the same number, on every machine.

/// SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    /// Those of one world.
    pub(crate) fn of(seed: u64, world: u64) -> Self {
        let mut dice = Self(seed ^ world.wrapping_mul(0xd134_2543_de82_ef95));
        dice.next();
        dice
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// True so many times of a hundred.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// One of these so many times of a hundred.
    pub(crate) fn perhaps<T: Clone>(&mut self, percent: usize, of: &[T]) -> Option<T> {
        self.percent(percent).then(|| self.pick(of))
    }
}
