//! Numbers as the digits that were written, so that nothing is lost on the way through a float.

use std::cmp::Ordering;

/// The most digits that a whole number is written out with; the longest `u128` has 39.
const MAX_DIGITS: usize = 40;

/// A number: `0.d1d2d3… × 10^point`, its first and last digit not 0. Zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// A number from its JSON text.
    pub(crate) fn new(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let zeros = digits.iter().take_while(|d| **d == b'0').count();
        digits.drain(..zeros);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Self { negative: false, digits, point: 0 };
        }
        // A text has at most a million digits, so an exponent that no i64 holds decides alone.
        let far = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
        let exponent = exponent
            .trim_start_matches('+')
            .parse()
            .unwrap_or(far)
            .clamp(i64::MIN / 2, i64::MAX / 2);
        let point = exponent + whole.len() as i64 - zeros as i64;
        Self { negative, digits, point }
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether the number is whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.digits.len() as i64 <= self.point || self.is_zero()
    }

    /// The digits of a whole number of reasonable length.
    pub(crate) fn whole(&self) -> Option<String> {
        if self.is_zero() {
            return Some("0".to_owned());
        }
        if !self.is_whole() || self.point > MAX_DIGITS as i64 {
            return None;
        }
        let mut text = String::new();
        if self.negative {
            text.push('-');
        }
        text.extend(self.digits.iter().copied().map(char::from));
        text.extend(std::iter::repeat_n('0', self.point as usize - self.digits.len()));
        Some(text)
    }

    /// The one text for this number, which is JSON.
    pub(crate) fn canonical(&self) -> String {
        if let Some(whole) = self.whole() {
            return whole;
        }
        let sign = if self.negative { "-" } else { "" };
        let digits: String = self.digits.iter().copied().map(char::from).collect();
        match self.point {
            -6..=0 => format!("{sign}0.{}{digits}", "0".repeat(self.point.unsigned_abs() as usize)),
            point @ 1..=40 if !self.is_whole() => {
                let (whole, fraction) = digits.split_at(point as usize);
                format!("{sign}{whole}.{fraction}")
            }
            point => format!("{sign}0.{digits}e{point}"),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |n: &Self| {
            if n.is_zero() {
                0
            } else if n.negative {
                -1
            } else {
                1
            }
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            // Both have the same sign. Digits that end sooner are followed by zeros.
            let size = self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
            if self.negative { size.reverse() } else { size }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_however_written() {
        for (a, b) in [
            ("1", "1.0"),
            ("1", "1e0"),
            ("1", "0.1E+1"),
            ("100", "1e2"),
            ("-0", "0"),
            ("0e9", "0.00"),
            ("1e99999999999999999999", "1e99999999999999999998"),
            ("12.50", "1.25e1"),
            ("-3", "-30e-1"),
        ] {
            assert_eq!(Decimal::new(a), Decimal::new(b), "{a} {b}");
            assert_eq!(Decimal::new(a).canonical(), Decimal::new(b).canonical(), "{a} {b}");
        }
    }

    #[test]
    fn ordered_by_digits() {
        let ordered = [
            "-1e99999999999999999999",
            "-18446744073709551616",
            "-2",
            "-1.5",
            "-1e-5",
            "0",
            "1e-400",
            "0.1",
            "0.10000000000000000001",
            "0.11",
            "1",
            "9",
            "10",
            "9223372036854775807",
            "9223372036854775808",
            "1e400",
        ];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(Decimal::new(a).cmp(&Decimal::new(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn the_canonical_text_reads_as_the_number() {
        for text in
            ["1.5", "-0.001", "0.0000001", "1e400", "123456.789", "0.10", "-12e-3", "1e-400"]
        {
            let number = Decimal::new(text);
            assert_eq!(Decimal::new(&number.canonical()), number, "{text}");
        }
        assert_eq!(Decimal::new("-12e-3").canonical(), "-0.012");
        assert_eq!(Decimal::new("1234.50").canonical(), "1234.5");
    }

    #[test]
    fn whole_numbers_are_written_out() {
        let whole = |text: &str| Decimal::new(text).whole();
        assert_eq!(whole("2.0").as_deref(), Some("2"));
        assert_eq!(whole("1e2").as_deref(), Some("100"));
        assert_eq!(whole("-12.5e1").as_deref(), Some("-125"));
        assert_eq!(whole("-0.0").as_deref(), Some("0"));
        assert_eq!(whole("18446744073709551615.000").as_deref(), Some("18446744073709551615"));
        assert_eq!(whole("2.5"), None);
        assert_eq!(whole("1e400"), None);
        assert_eq!(whole("1e-1"), None);
    }
}
