//! A first look at a value that its decoder has taken, so that its syntax is known to be right. What
//! is plainly as the schema wants it passes here, several times quicker than by the checker; of all
//! else this says nothing, and the checker decides.

use super::bounds::Numbers;
use super::node::{Arrays, Node, Objects, Rest, Strings, Types, Way};
use crate::json::{MAX_DEPTH, plain};

/// Whether the text is plainly what the schema wants, with `depth` arrays and objects around it.
pub(super) fn plainly_fits<'a>(
    node: &'a Node,
    definitions: &'a [(String, Node)],
    text: &'a str,
    depth: usize,
) -> bool {
    let look = Look { bytes: text.as_bytes(), definitions };
    look.value(node, 0, depth) == Some(text.len())
}

/// Each step goes from one place in the text to another; `None`: who knows.
struct Look<'a> {
    bytes: &'a [u8],
    definitions: &'a [(String, Node)],
}

impl<'a> Look<'a> {
    fn value(&self, mut node: &'a Node, at: usize, depth: usize) -> Option<usize> {
        while node.way == Way::Other {
            node = &self.definitions.get(node.refers.as_ref()?.at)?.1;
        }
        if node.way != Way::Own || node.never {
            return None;
        }
        let first = *self.bytes.get(at)?;
        if first == b'"' {
            let asks = |strings: &Strings| {
                strings.min.is_some() || strings.max.is_some() || strings.pattern.is_some()
            };
            if !node.types.has(Types::STRING) || node.strings.as_deref().is_some_and(asks) {
                return None;
            }
            let end = self.string(at)?;
            let Some(values) = &node.values else { return Some(end) };
            let text = &self.bytes[at..end];
            return values.iter().any(|value| value.as_bytes() == text).then_some(end);
        }
        if node.values.is_some() {
            return None;
        }
        match first {
            b'{' if node.types.has(Types::OBJECT) => self.object(node.objects.as_ref()?, at, depth),
            b'[' if node.types.has(Types::ARRAY) => self.array(node.arrays.as_ref()?, at, depth),
            b'-' | b'0'..=b'9' => self.number(node, at),
            b't' | b'n'
                if node.types.has(if first == b't' { Types::BOOLEAN } else { Types::NULL }) =>
            {
                Some(at + 4)
            }
            b'f' if node.types.has(Types::BOOLEAN) => Some(at + 5),
            _ => None,
        }
    }

    /// Passes a string without escapes.
    fn string(&self, at: usize) -> Option<usize> {
        let text = self.bytes.get(at + 1..)?;
        let end = plain(text);
        (text.get(end) == Some(&b'"')).then_some(at + end + 2)
    }

    /// Passes a whole number of at most 18 digits, or any where the schema wants nothing of it.
    fn number(&self, node: &Node, at: usize) -> Option<usize> {
        let negative = self.bytes.get(at) == Some(&b'-');
        let start = at + usize::from(negative);
        let mut end = start;
        let mut value = 0_i64;
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(end) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            end += 1;
        }
        let odd = matches!(self.bytes.get(end), Some(b'.' | b'e' | b'E'))
            || end - start > 18
            || (negative && value == 0);
        if odd || !node.types.has(Types::INTEGER.and(Types::NUMBER)) {
            return None;
        }
        let within = |numbers: &Numbers| numbers.holds_small(if negative { -value } else { value });
        node.numbers.as_deref().is_none_or(within).then_some(end)
    }

    fn space(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(at) {
            at += 1;
        }
        at
    }

    /// Passes an array of like elements.
    fn array(&self, arrays: &'a Arrays, at: usize, depth: usize) -> Option<usize> {
        let node = arrays.rest.as_ref()?;
        if !arrays.first.is_empty() || arrays.unique || depth >= MAX_DEPTH {
            return None;
        }
        let mut count = 0;
        let mut at = self.space(at + 1);
        if self.bytes.get(at) != Some(&b']') {
            loop {
                at = self.space(self.value(node, at, depth + 1)?);
                count += 1;
                if self.bytes.get(at) != Some(&b',') {
                    break;
                }
                at = self.space(at + 1);
            }
        }
        super::check::within(count, arrays.min, arrays.max).then_some(at + 1)
    }

    /// Passes an object that has the keys which it must have, and no other than it may have.
    fn object(&self, objects: &'a Objects, at: usize, depth: usize) -> Option<usize> {
        let must = objects.must?;
        if depth >= MAX_DEPTH {
            return None;
        }
        let mut seen = 0_u64;
        let mut next = 0;
        let mut at = self.space(at + 1);
        while self.bytes.get(at) == Some(&b'"') {
            let (known, end) = self.key(objects, next, at + 1)?;
            let property = &objects.properties[known];
            next = known + 1;
            if seen & (1 << known) != 0 {
                return None;
            }
            seen |= 1 << known;
            // To the colon, and over it.
            at = self.space(self.space(end) + 1);
            at = if !property.required && self.bytes.get(at) == Some(&b'n') {
                at + 4
            } else {
                self.value(&property.node, at, depth + 1)?
            };
            at = self.space(at);
            if self.bytes.get(at) == Some(&b',') {
                at = self.space(at + 1);
            }
        }
        (seen & must == must).then_some(at + 1)
    }

    /// Which property the key names that starts here, and where its quote ends.
    fn key(&self, objects: &Objects, next: usize, at: usize) -> Option<(usize, usize)> {
        let rest = self.bytes.get(at..)?;
        let is = |known: usize| {
            let name = objects.properties[known].name.as_bytes();
            rest.len() > name.len() && rest[name.len()] == b'"' && rest.starts_with(name)
        };
        let known = if next < objects.properties.len() && is(next) {
            next
        } else {
            (0..objects.properties.len()).find(|known| is(*known))?
        };
        Some((known, at + objects.properties[known].name.len() + 1))
    }
}

/// The properties that must be there, as bits, of an object that has no others than those named:
/// each among the first 64, and its name without escapes.
pub(super) fn must(objects: &Objects) -> Option<u64> {
    let Objects { properties, required, patterns, rest, unevaluated, min, max, .. } = objects;
    let plain = matches!(rest, Rest::Implied | Rest::Closed)
        && patterns.is_empty()
        && unevaluated.is_none()
        && min.is_none()
        && max.is_none()
        && properties.len() <= 64
        && properties.iter().all(|property| property.plain);
    let mut must = 0;
    for name in required {
        must |= 1 << properties.iter().position(|property| property.name == *name && plain)?;
    }
    plain.then_some(must)
}
