//! Running what others wrote so that its panics end here: in a call, in a poll, in a `Drop`.

use std::any::Any;
use std::error::Error;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// What a panic said, for the operator.
#[derive(Debug)]
pub(crate) struct Unwound(pub(crate) String);

impl Unwound {
    pub(crate) fn of(panic: Box<dyn Any + Send>) -> Self {
        let text = panic
            .downcast_ref::<&'static str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = format!("panicked: {}", text.unwrap_or("(no text)"));
        // What was thrown may throw in turn while it is dropped.
        if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(panic))) {
            std::mem::forget(again);
        }
        Self(text)
    }
}

/// What the function gives, or what it said when it panicked.
pub(crate) fn contain<T>(run: impl FnOnce() -> T) -> Result<T, Unwound> {
    caught(run).map_err(Unwound::of)
}

/// What the function gives, or what it threw.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> std::thread::Result<T> {
    catch_unwind(AssertUnwindSafe(run))
}

/// Polls once; a panic is a result like another.
pub(crate) fn poll_contained<F: Future + ?Sized>(
    future: &mut Pin<Box<F>>,
    cx: &mut Context<'_>,
) -> Poll<Result<F::Output, Unwound>> {
    match contain(|| future.as_mut().poll(cx)) {
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(unwound) => Poll::Ready(Err(unwound)),
    }
}

/// The future's output, or what it said when it panicked; dropped early, it survives that as well.
pub(crate) fn contained<T>(
    future: Pin<Box<dyn Future<Output = T> + Send + '_>>,
) -> Contained<'_, T> {
    Contained(Some(future))
}

/// What [`contained`] makes.
pub(crate) struct Contained<'a, T>(Option<Pin<Box<dyn Future<Output = T> + Send + 'a>>>);

impl<T> Future for Contained<'_, T> {
    type Output = Result<T, Unwound>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = &mut self.0 else { return Poll::Pending };
        let polled = poll_contained(future, cx);
        if polled.is_ready() {
            drop_contained(&mut self.0);
        }
        polled
    }
}

impl<T> Drop for Contained<'_, T> {
    fn drop(&mut self) {
        if self.0.is_some() {
            drop_contained(&mut self.0);
        }
    }
}

/// Drops what a caller wrote, and survives a panic in its `Drop`.
pub(crate) fn drop_contained<T>(value: &mut Option<T>) {
    let value = value.take();
    if let Err(thrown) = caught(move || drop(value)) {
        not_dropped(thrown);
    }
}

#[cold]
fn not_dropped(thrown: Box<dyn Any + Send>) {
    let Unwound(what) = Unwound::of(thrown);
    tracing::error!(target: "toolkit", what, "a value panicked while it was dropped");
}

/// The text of an error that others wrote: their `Display` may panic as well.
pub(crate) fn said(error: &(dyn Error + Send + Sync)) -> String {
    contain(|| error.to_string()).unwrap_or_else(|Unwound(what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics when it is dropped, and throws itself when it does.
    struct Bomb(u8);

    impl Drop for Bomb {
        fn drop(&mut self) {
            if self.0 > 0 {
                std::panic::panic_any(Bomb(self.0 - 1));
            }
        }
    }

    #[test]
    fn what_is_thrown_may_throw_in_turn() {
        for depth in 0..4 {
            let Unwound(text) = contain(|| std::panic::panic_any(Bomb(depth))).unwrap_err();
            assert_eq!(text, "panicked: (no text)");
        }
        drop_contained(&mut Some(Bomb(3)));
    }

    #[test]
    fn an_error_without_a_text_says_so() {
        #[derive(Debug)]
        struct Mute;
        impl std::fmt::Display for Mute {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                panic!("no text")
            }
        }
        impl Error for Mute {}
        assert_eq!(said(&Mute), "panicked: no text");
    }
}
