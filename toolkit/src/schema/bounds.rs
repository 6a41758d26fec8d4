//! The bounds of numbers, compared by digits so that nothing is lost on the way through a float.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde::de::DeserializeOwned;

use crate::json::Decimal;
use crate::param::Read;

/// The bounds of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbers {
    pub(super) lower: Option<End>,
    pub(super) upper: Option<End>,
    /// What numbers are read as, where their type has no bounds of its own that are meant here: what is
    /// read must lie within as well.
    pub(super) read: Read,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { lower: None, upper: None, read: Read::Whole }
    }
}

/// One end of a range of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct End {
    /// JSON.
    pub(super) text: Cow<'static, str>,
    pub(super) exclusive: bool,
    /// Whether the schema's text says it; a 64-bit type's own bounds are known only here.
    pub(super) shown: bool,
    /// The same number, if it is whole; one that no `i64` holds is the nearest that one does, which
    /// compares alike with every number of at most 18 digits.
    small: Option<i64>,
}

impl End {
    pub(super) fn new(text: impl Into<Cow<'static, str>>, exclusive: bool, shown: bool) -> Self {
        let text = text.into();
        let whole = text.bytes().all(|b| b == b'-' || b.is_ascii_digit());
        let far = if text.starts_with('-') { i64::MIN } else { i64::MAX };
        let small = whole.then(|| text.parse().unwrap_or(far));
        Self { text, exclusive, shown, small }
    }

    /// How the number that is written here compares with this end.
    pub(super) fn compare(&self, number: &str) -> Ordering {
        if let (Some(end), true) = (self.small, number.len() <= 18)
            && let Ok(number) = number.parse::<i64>()
        {
            return number.cmp(&end);
        }
        Decimal::new(number).cmp(&Decimal::new(&self.text))
    }
}

impl Numbers {
    /// Makes the lower end the tighter of two.
    pub(super) fn raise(&mut self, end: End) {
        tighten(&mut self.lower, end, Ordering::Greater);
    }

    /// Makes the upper end the tighter of two.
    pub(super) fn lower(&mut self, end: End) {
        tighten(&mut self.upper, end, Ordering::Less);
    }

    /// Whether the number that is written here lies within, and what it is read as too.
    pub(super) fn holds(&self, number: &str) -> bool {
        self.all(|end| Some(end.compare(number)))
            && match self.read {
                Read::Whole => true,
                Read::Single => self.all(|end| near::<f32>(number)?.partial_cmp(&near(&end.text)?)),
                Read::Double => self.all(|end| near::<f64>(number)?.partial_cmp(&near(&end.text)?)),
            }
    }

    /// Whether a number lies within, which compares like this with each end.
    fn all(&self, compare: impl Fn(&End) -> Option<Ordering>) -> bool {
        let inside = |end: &End, side| match compare(end) {
            Some(Ordering::Equal) => !end.exclusive,
            other => other == Some(side),
        };
        self.lower.as_ref().is_none_or(|end| inside(end, Ordering::Greater))
            && self.upper.as_ref().is_none_or(|end| inside(end, Ordering::Less))
    }
}

/// The number as the decoder reads it.
fn near<T: DeserializeOwned>(number: &str) -> Option<T> {
    serde_json::from_str(number).ok()
}

/// The whole numbers up to this one are floats, of either width.
const EXACT: u64 = 1 << 24;

impl Numbers {
    /// Whether a number of at most 18 digits lies within; if in doubt, not.
    pub(super) fn holds_small(&self, number: i64) -> bool {
        let above =
            |end: &End| end.small.is_some_and(|e| number > e || (number == e && !end.exclusive));
        let below =
            |end: &End| end.small.is_some_and(|e| number < e || (number == e && !end.exclusive));
        (self.read == Read::Whole || number.unsigned_abs() <= EXACT)
            && self.lower.as_ref().is_none_or(above)
            && self.upper.as_ref().is_none_or(below)
    }
}

fn tighten(held: &mut Option<End>, end: End, tighter: Ordering) {
    match held {
        Some(held) => {
            let compared = held.compare(&end.text);
            if compared == tighter
                || (compared == Ordering::Equal
                    && (end.exclusive, end.shown) > (held.exclusive, held.shown))
            {
                *held = end;
            }
        }
        None => *held = Some(end),
    }
}
