//! Where secrets stand in a text. Not what becomes of them.

use crate::order;

/// Where secrets stand that begin before this, in order; one that overlaps itself as one place.
pub(super) fn found(secrets: &[String], text: &str, before: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        if let Some(first) = text.find(secret.as_str()) {
            places(secret.as_bytes(), text.as_bytes(), first, before, &mut found);
        }
    }
    order::sort_by(&mut found, Ord::cmp);
    found
}

/// The places of one, the first of which is known. By Knuth, Morris and Pratt: to search again behind
/// each place would take a day for a long secret that repeats itself.
fn places(
    secret: &[u8],
    text: &[u8],
    first: usize,
    before: usize,
    found: &mut Vec<(usize, usize)>,
) {
    // How much of the secret a beginning of it, of this length, ends with.
    let mut again = vec![0; secret.len() + 1];
    let mut same = 0;
    for at in 1..secret.len() {
        while same > 0 && secret[at] != secret[same] {
            same = again[same];
        }
        same += usize::from(secret[at] == secret[same]);
        again[at + 1] = same;
    }
    let (mut same, mut last) = (0, None);
    for (at, byte) in text.iter().enumerate().skip(first) {
        while same > 0 && *byte != secret[same] {
            same = again[same];
        }
        same += usize::from(*byte == secret[same]);
        if same < secret.len() {
            continue;
        }
        same = again[same];
        let (start, end) = (at + 1 - secret.len(), at + 1);
        if start >= before {
            break;
        }
        match last {
            Some((from, to)) if start < to => last = Some((from, end)),
            _ => found.extend(last.replace((start, end))),
        }
    }
    found.extend(last);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_place_is_found(
            text in "[ab→]{0,40}",
            secrets in prop::collection::vec("[ab→]{1,6}", 0..4),
            before in 0_usize..60,
        ) {
            let found = found(&secrets, &text, before);
            let covered = |at| found.iter().any(|(start, end)| (*start..*end).contains(&at));
            for at in 0..text.len() {
                let holds = |secret: &String| {
                    let starts = at.saturating_sub(secret.len() - 1)..=at;
                    let starts = starts.filter(|start| *start < before);
                    starts.into_iter().any(|s| text.as_bytes()[s..].starts_with(secret.as_bytes()))
                };
                prop_assert_eq!(covered(at), secrets.iter().any(holds), "{} {:?}", at, &found);
            }
        }
    }

    #[test]
    fn a_long_secret_that_repeats_itself_takes_no_day() {
        let (secret, text) = ("a".repeat(500_000), "a".repeat(2_000_000));
        assert_eq!(found(&[secret], &text, text.len()), [(0, text.len())]);
    }
}
