//! Reads plain scalars by hand where their text is ordinary, which serde does several times slower.
//! Anything odd (escapes, long numbers, fractions) is left to serde, so that no rule of JSON is
//! written here twice.

use std::any::Any;

use super::kind::{Form, Scalar, kind_of_option};
use super::slot::Taken;

/// What came of the attempt.
pub(super) enum Read {
    /// The slot is filled.
    Done(Taken),
    /// serde must read the value; whether the schema has more to say of it then.
    Serde { check: bool },
}

/// Fills `out`, an `Option<T>`, from the value at the start of the text.
pub(super) fn read(out: &mut dyn Any, rest: &str) -> Read {
    let Some(kind) = kind_of_option((*out).type_id()) else { return Read::Serde { check: true } };
    let done = match kind.form {
        Form::One => one(kind.scalar, out, rest),
        Form::Maybe => maybe(kind.scalar, out, rest),
        Form::List | Form::MaybeList => None,
    };
    match done {
        Some(len) => Read::Done(Taken { len, check: false }),
        None => Read::Serde { check: false },
    }
}

macro_rules! fill {
    ($scalar:expr, $out:expr, $rest:expr, |$value:ident| $wrap:expr, $slot:ident) => {
        match $scalar {
            Scalar::I64 => put::<$slot<i64>, _>($out, int($rest)?, |$value| $wrap),
            Scalar::I32 => put::<$slot<i32>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::I16 => put::<$slot<i16>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::I8 => put::<$slot<i8>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::Isize => put::<$slot<isize>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::U64 => put::<$slot<u64>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::U32 => put::<$slot<u32>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::U16 => put::<$slot<u16>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::U8 => put::<$slot<u8>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::Usize => put::<$slot<usize>, _>($out, small($rest)?, |$value| $wrap),
            Scalar::Bool => put::<$slot<bool>, _>($out, boolean($rest)?, |$value| $wrap),
            Scalar::String => put::<$slot<String>, _>($out, string($rest)?, |$value| $wrap),
            Scalar::I128 | Scalar::U128 | Scalar::F32 | Scalar::F64 | Scalar::Char => None,
        }
    };
}

type Plain<T> = T;

fn one(scalar: Scalar, out: &mut dyn Any, rest: &str) -> Option<usize> {
    fill!(scalar, out, rest, |value| value, Plain)
}

fn maybe(scalar: Scalar, out: &mut dyn Any, rest: &str) -> Option<usize> {
    fill!(scalar, out, rest, |value| Some(value), Option)
}

fn put<T: 'static, V>(
    out: &mut dyn Any,
    (value, len): (V, usize),
    wrap: impl FnOnce(V) -> T,
) -> Option<usize> {
    *out.downcast_mut::<Option<T>>()? = Some(wrap(value));
    Some(len)
}

/// A whole number of at most 18 digits.
fn int(rest: &str) -> Option<(i64, usize)> {
    let bytes = rest.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut at = start;
    let mut value = 0_i64;
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        if at - start == 18 {
            return None;
        }
        value = value * 10 + i64::from(digit);
        at += 1;
    }
    let odd = at == start
        || (bytes[start] == b'0' && (at - start > 1 || negative))
        || !matches!(bytes.get(at), Some(b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t'));
    if odd { None } else { Some((if negative { -value } else { value }, at)) }
}

fn small<T: TryFrom<i64>>(rest: &str) -> Option<(T, usize)> {
    let (value, len) = int(rest)?;
    Some((T::try_from(value).ok()?, len))
}

fn boolean(rest: &str) -> Option<(bool, usize)> {
    if rest.starts_with("true") {
        Some((true, 4))
    } else if rest.starts_with("false") {
        Some((false, 5))
    } else {
        None
    }
}

/// A string without escapes.
fn string(rest: &str) -> Option<(String, usize)> {
    let inner = rest.strip_prefix('"')?;
    let end = inner.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20)?;
    if inner.as_bytes()[end] != b'"' {
        return None;
    }
    Some((inner[..end].to_owned(), end + 2))
}
