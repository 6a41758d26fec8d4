//! Cutting a text to its budget: between characters, or between the elements of a list.

use crate::output::Whole;

/// The text within a budget of characters, notice included; `None` where it fits as it is.
///
/// The head keeps up to 60 % of the budget and the tail up to 20 %. A JSON array loses whole
/// elements and stays an array, its notice an element; anything else becomes text.
pub(super) fn truncate(whole: &Whole, budget: usize) -> Option<String> {
    let text = whole.text()?;
    // No text has more characters than bytes.
    if text.len() <= budget {
        return None;
    }
    let total = text.chars().count();
    if total <= budget {
        return None;
    }
    let array = whole.is_json().then(|| elements(text)).flatten();
    let array = array.and_then(|elements| cut_array(text, &elements, budget));
    Some(array.unwrap_or_else(|| cut_text(text, total, budget)))
}

fn cut_text(text: &str, total: usize, budget: usize) -> String {
    // The notice's length depends on a number that depends on it; the total is as long as any part.
    let widest = notice(total, total).chars().count();
    if widest >= budget {
        return notice(total, total).chars().take(budget).collect();
    }
    let head = (budget * 3 / 5).min((budget - widest) * 3 / 4);
    let tail = (budget / 5).min(budget - widest - head);
    let after_head = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let before_tail = text.char_indices().nth(total - tail).map_or(text.len(), |(at, _)| at);
    let notice = notice(total - head - tail, total);
    format!("{}{notice}{}", &text[..after_head], &text[before_tail..])
}

fn notice(left_out: usize, total: usize) -> String {
    format!(
        "\n[… {left_out} of {total} characters left out; they can't be read back, \
         so ask for less if you need them …]\n"
    )
}

/// The elements of a compact JSON array, as ranges of its text; `None` for any other text.
fn elements(text: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let (mut depth, mut quoted, mut escaped, mut start) = (0_usize, false, false, 0);
    let mut ranges = Vec::new();
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                ranges.push(start + 1..at + 1);
                start = at + 1;
            }
            _ => {}
        }
    }
    ranges.push(start + 1..inner.len() + 1);
    Some(ranges)
}

/// As many elements from the start and the end as fit; `None` where not even one does.
fn cut_array(text: &str, elements: &[std::ops::Range<usize>], budget: usize) -> Option<String> {
    let length = |range: &std::ops::Range<usize>| text[range.clone()].chars().count() + 1;
    let widest = array_notice(elements.len(), elements.len()).chars().count() + 3;
    let room = budget.checked_sub(widest)?;
    let fit = |room: usize, elements: &mut dyn Iterator<Item = &std::ops::Range<usize>>| {
        let mut left = room;
        let mut count = 0;
        for range in elements {
            let Some(rest) = left.checked_sub(length(range)) else { break };
            left = rest;
            count += 1;
        }
        count
    };
    let head = fit((budget * 3 / 5).min(room * 3 / 4), &mut elements.iter());
    let tail = fit((budget / 5).min(room / 4), &mut elements[head..].iter().rev());
    if head + tail == 0 {
        return None;
    }
    let left_out = elements.len() - head - tail;
    let mut cut = String::from("[");
    for range in &elements[..head] {
        cut.push_str(&text[range.clone()]);
        cut.push(',');
    }
    cut.push_str(&array_notice(left_out, elements.len()));
    for range in &elements[elements.len() - tail..] {
        cut.push(',');
        cut.push_str(&text[range.clone()]);
    }
    cut.push(']');
    Some(cut)
}

fn array_notice(left_out: usize, total: usize) -> String {
    format!("\"[… {left_out} of {total} elements left out; ask for fewer …]\"")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Whole {
        Whole::Text(text.to_owned())
    }

    fn json(text: String) -> Whole {
        Whole::Json(text)
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(truncate(&text("a→😀"), 3), None);
    }

    #[test]
    fn every_budget_holds_over_awkward_characters() {
        let awkward = "a→😀e\u{301}".repeat(40);
        let total = awkward.chars().count();
        for budget in 0..total {
            let cut = truncate(&text(&awkward), budget).unwrap();
            assert!(cut.chars().count() <= budget, "{budget}: {cut}");
        }
    }

    #[test]
    fn head_and_tail_are_kept_in_their_shares() {
        let long = format!("{}{}", "h".repeat(50_000), "t".repeat(50_000));
        let cut = truncate(&text(&long), 20_000).unwrap();
        assert!(cut.chars().filter(|c| *c == 'h').count() >= 12_000);
        assert!(cut.starts_with(&"h".repeat(12_000)));
        assert!(cut.ends_with(&"t".repeat(4_000)));
        assert!(cut.contains("84000 of 100000 characters left out"));
    }

    #[test]
    fn an_array_stays_an_array() {
        let items: Vec<String> = (0..1000).map(|i| format!("item, [{i}] \"quoted\" \\")).collect();
        let whole = serde_json::to_string(&items).unwrap();
        let cut = truncate(&json(whole), 2_000).unwrap();
        assert!(cut.chars().count() <= 2_000);
        let read: Vec<String> = serde_json::from_str(&cut).unwrap();
        assert_eq!(read[0], items[0]);
        assert_eq!(read.last(), items.last());
        let left_out = items.len() - (read.len() - 1);
        assert!(read.iter().any(|i| i.contains(&format!("{left_out} of 1000 elements"))));
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_exceeds_the_budget(whole in ".{0,400}", budget in 0_usize..300) {
            if let Some(cut) = truncate(&text(&whole), budget) {
                prop_assert!(cut.chars().count() <= budget);
            }
        }

        #[test]
        fn arbitrary_arrays_stay_json(items in prop::collection::vec(".{0,40}", 0..60), budget in 0_usize..600) {
            let whole = serde_json::to_string(&items).unwrap();
            if let Some(cut) = truncate(&json(whole), budget) {
                prop_assert!(cut.chars().count() <= budget);
                if cut.starts_with('[') && cut.ends_with(']') && cut.contains("elements left out") {
                    prop_assert!(serde_json::from_str::<Vec<String>>(&cut).is_ok());
                }
            }
        }
    }
}
