//! Closures as hooks: with a name, which decisions and messages quote.

/// A hook from a name and a closure that doesn't wait.
pub struct Named<F> {
    pub(super) name: String,
    pub(super) hook: F,
}

impl<F> Named<F> {
    pub(super) fn new(name: impl Into<String>, hook: F) -> Self {
        Self { name: name.into(), hook }
    }
}

/// A hook from a name and a closure that returns a future.
pub struct Waiting<F> {
    pub(super) name: String,
    pub(super) hook: F,
}

impl<F> Waiting<F> {
    pub(super) fn new(name: impl Into<String>, hook: F) -> Self {
        Self { name: name.into(), hook }
    }
}
