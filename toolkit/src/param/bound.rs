//! The constraints of `#[arg]`: which types can bear them, and how a decoded value is held to them.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt;

/// A range: its lower bound, its upper bound, and whether the upper one belongs to it.
#[derive(Debug)]
pub struct Range<B>(pub Option<B>, pub Option<B>, pub bool);

impl<B: fmt::Display> fmt::Display for Range<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(min) = &self.0 {
            min.fmt(f)?;
        }
        f.write_str(if self.2 && self.1.is_some() { "..=" } else { ".." })?;
        self.1.as_ref().map_or(Ok(()), |max| max.fmt(f))
    }
}

/// What can bound a parameter of type `T`: the type of the bounds of `#[arg(range = 1..=20)]`.
#[diagnostic::on_unimplemented(
    message = "a `{T}` can't have this range",
    label = "a range of `{Self}` doesn't fit a `{T}`",
    note = "`range` is for integers and floats, and options of them, with bounds of the same type"
)]
pub trait Bound<T>: Copy + Sync + fmt::Display + fmt::Debug + 'static {
    /// Whether the value lies within.
    fn holds(range: &Range<Self>, value: &T) -> bool;
    /// The bound as JSON.
    fn text(self) -> String;
    /// What the numbers between two bounds are read as.
    const READ: Read;
}

/// What a number is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// An integer.
    Whole,
    /// An `f32`, the nearest that there is.
    Single,
    /// An `f64`, the nearest that there is.
    Double,
}

/// The ends of a range, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    pub(crate) min: Option<String>,
    pub(crate) max: Option<String>,
    /// Whether `max` itself is allowed.
    pub(crate) inclusive: bool,
    /// What the numbers between them are read as.
    pub(crate) read: Read,
}

/// A [`Range`] that bounds a `T`, whatever the type of its ends.
pub(crate) trait RangeOf<T>: Sync {
    /// Whether the value lies within.
    fn holds(&self, value: &T) -> bool;
    /// Its ends, for the schema.
    fn ends(&self) -> Ends;
    /// Whether values are whole, and a decoded one can be held to the range exactly.
    fn whole(&self) -> bool;
}

impl<T, B: Bound<T>> RangeOf<T> for Range<B> {
    fn holds(&self, value: &T) -> bool {
        B::holds(self, value)
    }

    fn ends(&self) -> Ends {
        Ends {
            min: self.0.map(B::text),
            max: self.1.map(B::text),
            inclusive: self.2,
            read: B::READ,
        }
    }

    fn whole(&self) -> bool {
        B::READ == Read::Whole
    }
}

fn holds<T: PartialOrd>(range: &Range<T>, value: &T) -> bool {
    range.0.as_ref().is_none_or(|min| value >= min)
        && range.1.as_ref().is_none_or(|max| if range.2 { value <= max } else { value < max })
}

macro_rules! whole {
    ($($ty:ty)*) => {$(
        impl Bound<$ty> for $ty {
            fn holds(range: &Range<Self>, value: &$ty) -> bool {
                holds(range, value)
            }
            fn text(self) -> String {
                self.to_string()
            }
            const READ: Read = Read::Whole;
        }
        impl Bound<Option<$ty>> for $ty {
            fn holds(range: &Range<Self>, value: &Option<$ty>) -> bool {
                value.as_ref().is_none_or(|value| holds(range, value))
            }
            fn text(self) -> String {
                self.to_string()
            }
            const READ: Read = Read::Whole;
        }
    )*};
}

whole!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

// A float isn't held to its range here: rounding may put it on the other side of a bound, so that the
// checker holds both its text, by digits, and what is read from that.
macro_rules! float {
    ($($bound:ty => $($ty:ty = $read:ident)*;)*) => {$($(
        impl Bound<$ty> for $bound {
            fn holds(_: &Range<Self>, _: &$ty) -> bool {
                true
            }
            fn text(self) -> String {
                self.to_string()
            }
            const READ: Read = Read::$read;
        }
        impl Bound<Option<$ty>> for $bound {
            fn holds(_: &Range<Self>, _: &Option<$ty>) -> bool {
                true
            }
            fn text(self) -> String {
                self.to_string()
            }
            const READ: Read = Read::$read;
        }
    )*)*};
}

float! {
    f32 => f32 = Single;
    f64 => f64 = Double;
    i32 => f32 = Single f64 = Double;
}

/// A type whose values have a length: a text in characters, a sequence in elements.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` has no length",
    label = "`length` counts the characters of a text or the elements of a sequence",
    note = "`length` is for strings and sequences, and options of them"
)]
pub trait HasLength {
    /// The length; `None` where there is no value.
    fn length(&self) -> Option<u64>;
}

impl HasLength for String {
    fn length(&self) -> Option<u64> {
        Some(self.chars().count() as u64)
    }
}

impl HasLength for Box<str> {
    fn length(&self) -> Option<u64> {
        Some(self.chars().count() as u64)
    }
}

impl<T> HasLength for Vec<T> {
    fn length(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

impl<T> HasLength for Box<[T]> {
    fn length(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

impl<T> HasLength for VecDeque<T> {
    fn length(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

// A set's length is judged on the text, where an element may stand twice.
impl<T> HasLength for BTreeSet<T> {
    fn length(&self) -> Option<u64> {
        None
    }
}

impl<T, S> HasLength for HashSet<T, S> {
    fn length(&self) -> Option<u64> {
        None
    }
}

impl<T: HasLength> HasLength for Option<T> {
    fn length(&self) -> Option<u64> {
        self.as_ref().and_then(T::length)
    }
}

/// A type whose values are texts.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is no text",
    label = "`pattern` and `url` are for texts",
    note = "use a `String`, a `&str`, or an option of one"
)]
pub trait Textual {}

impl Textual for String {}
impl Textual for Box<str> {}
impl<T: Textual> Textual for Option<T> {}
