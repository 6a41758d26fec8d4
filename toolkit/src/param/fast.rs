//! Reads plain scalars and lists of them by hand where their text is ordinary, which serde does
//! several times slower.
//! Anything odd (escapes, long numbers, fractions) is left to serde, so that no rule of JSON is
//! written here twice.

use std::any::{Any, TypeId};

use super::kind::{Kind, Scalar, kind};
use super::slot::Taken;
use crate::json::plain;

/// What came of the attempt.
pub(super) enum Read {
    /// The slot is filled.
    Done(Taken),
    /// serde must read the value; whether the schema has more to say of it then.
    Serde { check: bool },
}

/// Fills `out` from the value at the start of the text.
///
/// Each question about the type has its answer at compile time, and one branch is left.
#[inline]
pub(super) fn read<T: 'static>(out: &mut Option<T>, rest: &str) -> Read {
    macro_rules! try_as {
        ($($reader:ident: $($ty:ty)*;)*) => {$($(
            let any: &mut dyn Any = out;
            if let Some(out) = any.downcast_mut::<Option<$ty>>() {
                return done($reader(rest).map(|(value, len)| (*out = Some(value), len)));
            }
            if let Some(out) = any.downcast_mut::<Option<Option<$ty>>>() {
                return done($reader(rest).map(|(value, len)| (*out = Some(Some(value)), len)));
            }
            if let Some(out) = any.downcast_mut::<Option<Vec<$ty>>>() {
                return done(list(rest, $reader).map(|(value, len)| (*out = Some(value), len)));
            }
            if let Some(out) = any.downcast_mut::<Option<Option<Vec<$ty>>>>() {
                return done(list(rest, $reader).map(|(value, len)| (*out = Some(Some(value)), len)));
            }
        )*)*};
    }
    try_as! {
        int: i64;
        small: u32 i32 u64 u8 usize u16;
        string: String;
        boolean: bool;
    }
    // An f32 would read what is too great for it as infinite.
    let open = |kind: Kind| kind.scalar == Scalar::F32;
    Read::Serde { check: kind(TypeId::of::<T>()).is_none_or(open) }
}

fn done(read: Option<((), usize)>) -> Read {
    match read {
        Some(((), len)) => Read::Done(Taken { len, check: false }),
        None => Read::Serde { check: false },
    }
}

/// A list in which each element is an ordinary one.
fn list<T>(rest: &str, reader: fn(&str) -> Option<(T, usize)>) -> Option<(Vec<T>, usize)> {
    let skip = |at: usize| {
        let blank = |b: &&u8| matches!(b, b' ' | b'\n' | b'\r' | b'\t');
        at + rest.as_bytes()[at..].iter().take_while(blank).count()
    };
    if !rest.starts_with('[') {
        return None;
    }
    let mut list = Vec::new();
    let mut at = skip(1);
    if rest.as_bytes().get(at) == Some(&b']') {
        return Some((list, at + 1));
    }
    loop {
        let (element, len) = reader(rest.get(at..)?)?;
        list.push(element);
        at = skip(at + len);
        match rest.as_bytes().get(at)? {
            b',' => at = skip(at + 1),
            b']' => return Some((list, at + 1)),
            _ => return None,
        }
    }
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
        || !matches!(bytes.get(at), Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'));
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
    let end = plain(inner.as_bytes());
    if inner.as_bytes().get(end) != Some(&b'"') {
        return None;
    }
    Some((inner[..end].to_owned(), end + 2))
}
