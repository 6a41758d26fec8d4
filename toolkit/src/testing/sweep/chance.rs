//! Chance that begins with a seed and always goes the same way, by SplitMix64.

/// A source of numbers.
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from the first to the last, both inclusive; the first where there is none.
    pub(super) fn within(&mut self, from: i128, to: i128) -> i128 {
        let span = to.saturating_sub(from).saturating_add(1).max(1);
        from + i128::from(self.next()) % span
    }

    /// A place in a list of this length; 0 in one that is empty.
    pub(super) fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.next() % (length.max(1) as u64)).unwrap_or_default()
    }

    pub(super) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// A share, from 0 to below 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.place(at + 1));
        }
    }
}
