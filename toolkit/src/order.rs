//! Sorting that is compiled once: the standard library's sorts are long, and each type and each
//! comparison would get a copy of its own. Not for what must be fast.

use std::cmp::Ordering;

/// Sorts; what compares as equal keeps its order.
pub(crate) fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    for place in 0..order.len() {
        let mut from = order[place];
        // What stood there has been swapped away since.
        while from < place {
            from = order[from];
        }
        order[place] = from;
        items.swap(place, from);
    }
}

/// The places of what is to be sorted, in the order that it comes in.
fn order(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    if length > 1 {
        order.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut seed = 1_u64;
        for length in (0..40).chain([1_000]) {
            let mut items: Vec<(u64, usize)> = Vec::new();
            for place in 0..length {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                items.push((seed >> 60, place));
            }
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_by(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
        }
    }
}
