//! Lends a decoded argument in the form that the function asks for.

/// What an owned argument can be lent as. The target is inferred from the function's own parameter.
pub trait Lend<'a, T> {
    /// The argument, lent.
    fn lend(&'a self) -> T;
}

/// Lends an argument: `String` as `&str`, `Vec<T>` as `&[T]`, and options of them.
pub fn lend<'a, S: Lend<'a, T>, T>(owned: &'a S) -> T {
    owned.lend()
}

impl<'a> Lend<'a, &'a str> for String {
    fn lend(&'a self) -> &'a str {
        self
    }
}

impl<'a, T> Lend<'a, &'a [T]> for Vec<T> {
    fn lend(&'a self) -> &'a [T] {
        self
    }
}

impl<'a, S, T> Lend<'a, Option<T>> for Option<S>
where
    S: Lend<'a, T>,
{
    fn lend(&'a self) -> Option<T> {
        self.as_ref().map(Lend::lend)
    }
}
