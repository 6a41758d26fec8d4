//! Compares numbers of a call with those of a rule, without believing that a body reads them in the
//! same way: as digits, or as a float.

use std::cmp::Ordering;
use std::ops::Bound;

use super::answer::Answer;
use crate::json::Decimal;

/// A number of a rule.
#[derive(Debug)]
pub(super) struct Numeral {
    whole: Option<i64>,
    decimal: Decimal,
    float: f64,
}

impl Numeral {
    /// A number from its JSON text.
    pub(super) fn new(text: &str) -> Self {
        let decimal = Decimal::new(text);
        let whole = decimal.whole().and_then(|text| text.parse().ok());
        // Every JSON number is one to Rust.
        Self { whole, decimal, float: text.parse().unwrap_or(f64::NAN) }
    }

    /// The number, where it is a whole one of ordinary size.
    pub(super) fn whole(&self) -> Option<i64> {
        self.whole
    }

    /// Whether a number of a call stands to this one as it must. Where that hangs on how a body reads
    /// it, there is no telling.
    pub(super) fn test(&self, value: &str, stands: impl Fn(Ordering) -> bool) -> Answer {
        // A whole number is what its digits say.
        if let Some(whole) = self.whole
            && let Some(value) = whole_number(value)
        {
            return Answer::of(stands(value.cmp(&whole)));
        }
        let exact = stands(Decimal::new(value).cmp(&self.decimal));
        if self.whole.is_some() && !value.contains(['.', 'e', 'E']) {
            return Answer::of(exact);
        }
        let float = value.parse::<f64>().ok().and_then(|value| value.partial_cmp(&self.float));
        if float.map(stands) == Some(exact) { Answer::of(exact) } else { Answer::Unclear }
    }
}

/// A whole number of ordinary size, from its JSON text.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    if text.len() <= 18 { text.parse().ok() } else { None }
}

/// A range of numbers.
#[derive(Debug)]
pub(super) struct Range {
    start: Bound<Numeral>,
    end: Bound<Numeral>,
    /// The first and the last whole number in it, where its ends are such.
    whole: Option<(i64, i64)>,
}

impl Range {
    /// The range between two JSON numbers.
    pub(super) fn new(start: &Bound<String>, end: &Bound<String>) -> Self {
        let numeral = |end: &String| Numeral::new(end);
        let (start, end) = (start.as_ref().map(numeral), end.as_ref().map(numeral));
        let first = match &start {
            Bound::Included(start) => start.whole,
            Bound::Excluded(start) => start.whole.and_then(|whole| whole.checked_add(1)),
            Bound::Unbounded => Some(i64::MIN),
        };
        let last = match &end {
            Bound::Included(end) => end.whole,
            Bound::Excluded(end) => end.whole.and_then(|whole| whole.checked_sub(1)),
            Bound::Unbounded => Some(i64::MAX),
        };
        Self { start, end, whole: first.zip(last) }
    }

    /// Whether a whole number is in it, as far as that is quickly said.
    #[inline]
    pub(super) fn of_whole(&self, value: i64) -> Option<bool> {
        self.whole.map(|(first, last)| first <= value && value <= last)
    }

    /// Whether a number, which is JSON, is in it.
    pub(super) fn answer(&self, value: &str) -> Answer {
        let above = match &self.start {
            Bound::Included(start) => start.test(value, Ordering::is_ge),
            Bound::Excluded(start) => start.test(value, Ordering::is_gt),
            Bound::Unbounded => Answer::Yes,
        };
        let below = match &self.end {
            Bound::Included(end) => end.test(value, Ordering::is_le),
            Bound::Excluded(end) => end.test(value, Ordering::is_lt),
            Bound::Unbounded => Answer::Yes,
        };
        above.and(below, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(end: &str, value: &str) -> Answer {
        Numeral::new(end).test(value, Ordering::is_ge)
    }

    #[test]
    fn numbers_compare_as_they_are_meant() {
        for (end, value, answer) in [
            ("1", "1", Answer::Yes),
            ("1", "0", Answer::No),
            ("1", "1.0", Answer::Yes),
            ("1", "1e0", Answer::Yes),
            ("100", "1e2", Answer::Yes),
            ("-5", "-6", Answer::No),
            ("0.5", "0.5", Answer::Yes),
            ("0.5", "0", Answer::No),
            // To a float it is the end itself.
            ("0.1", "0.09999999999999999999999", Answer::Unclear),
            ("1000", "999.99999999999999999999", Answer::Unclear),
            ("9007199254740993", "9007199254740992", Answer::No),
            ("9007199254740993", "9007199254740993", Answer::Yes),
            ("18446744073709551615", "18446744073709551614", Answer::Unclear),
            ("1", "1e999", Answer::Yes),
            ("1", "-1e999", Answer::No),
        ] {
            assert_eq!(at_least(end, value), answer, "{value} >= {end}");
        }
    }
}
