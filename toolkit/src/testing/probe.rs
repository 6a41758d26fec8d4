//! Tells whether a body was entered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts how often bodies were entered and how many run at once. Clones share one count: a test
/// keeps one, and gives the other to the builder as a state that its tools borrow.
///
/// ```
/// use toolkit::testing::Probe;
///
/// let probe = Probe::new();
/// {
///     let _running = probe.enter();
///     assert_eq!(probe.running(), 1);
/// }
/// assert_eq!((probe.entered(), probe.running(), probe.most()), (1, 0, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Probe {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    entered: AtomicUsize,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Probe {
    /// A probe that has counted nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts an entry; the guard counts as a running body until it is dropped.
    pub fn enter(&self) -> Running {
        self.counts.entered.fetch_add(1, Ordering::SeqCst);
        let now = self.counts.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.counts.most.fetch_max(now, Ordering::SeqCst);
        Running(Arc::clone(&self.counts))
    }

    /// How often a body was entered.
    pub fn entered(&self) -> usize {
        self.counts.entered.load(Ordering::SeqCst)
    }

    /// How many bodies run now.
    pub fn running(&self) -> usize {
        self.counts.running.load(Ordering::SeqCst)
    }

    /// How many bodies ran at once at most.
    pub fn most(&self) -> usize {
        self.counts.most.load(Ordering::SeqCst)
    }
}

/// A body that has been entered and not left.
#[derive(Debug)]
#[must_use = "the body counts as running until this is dropped"]
pub struct Running(Arc<Counts>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}
