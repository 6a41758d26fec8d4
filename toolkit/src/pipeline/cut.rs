//! Cutting a text to its budget: between characters, or between the elements of a list.

use std::io;

use crate::output::{Whole, start_of};

/// The tool that reads an output by pages.
pub(crate) const PAGES: &str = "output.read";

/// Where a reader goes on: the handle of the whole text, where it is kept.
pub(super) type Kept<'a> = Option<&'a str>;

/// Whether the text is within a budget of characters as it is.
pub(super) fn fits(whole: &Whole, budget: usize) -> bool {
    match whole {
        Whole::File(file) => file.characters() <= budget as u64,
        // No text has more characters than bytes.
        _ => whole
            .text()
            .is_none_or(|text| text.len() <= budget || text.chars().nth(budget).is_none()),
    }
}

/// A text that doesn't fit, within a budget of characters, notice included.
///
/// The head keeps up to 60 % of the budget and the tail up to 20 %. A JSON array loses whole
/// elements and stays an array, its notice an element; anything else becomes text. Of a text in a
/// file no more is read than may be shown.
///
/// # Errors
/// The file can't be read.
pub(super) fn cut(whole: &Whole, budget: usize, kept: Kept<'_>) -> io::Result<String> {
    let Whole::File(file) = whole else {
        let text = whole.text().unwrap_or_default();
        let ends =
            Ends { head: text, tail: text, characters: text.chars().count(), bytes: text.len() };
        let array = if whole.is_json() { elements(text) } else { None };
        let array = array.and_then(|elements| {
            let list = Elements { first: &elements, last: &elements, total: elements.len() };
            cut_array(&list, &ends, budget, kept)
        });
        return Ok(array.unwrap_or_else(|| cut_text(&ends, budget, kept)));
    };
    // No character is longer than four bytes.
    let most = budget.saturating_mul(4);
    let head = file.read_at(0, most)?;
    let before = file.bytes().saturating_sub(most as u64);
    let tail = file.read_at(before, most)?;
    let (head, (skipped, tail)) = (start_of(&head), end_of(&tail));
    let ends = Ends {
        head,
        tail,
        characters: usize::try_from(file.characters()).unwrap_or(usize::MAX),
        bytes: usize::try_from(file.bytes()).unwrap_or(usize::MAX),
    };
    let array = file.list().and_then(|list| {
        let first = beginning(head)?;
        let start = before + skipped as u64;
        let place = |at: u64| usize::try_from(at - start).ok();
        let begins: Option<Vec<usize>> =
            list.last.iter().copied().filter(|at| *at >= start).map(place).collect();
        let begins = begins?;
        let closing = tail.len().checked_sub(1)?;
        let finish = begins.iter().skip(1).map(|next| next - 1).chain([closing]);
        let last: Option<Vec<&str>> =
            begins.iter().zip(finish).map(|(from, to)| tail.get(*from..to)).collect();
        let total = usize::try_from(list.elements).unwrap_or(usize::MAX);
        cut_array(&Elements { first: &first, last: &last?, total }, &ends, budget, kept)
    });
    Ok(array.unwrap_or_else(|| cut_text(&ends, budget, kept)))
}

/// What may be shown of a text. Head and tail may be the whole of it.
struct Ends<'t> {
    head: &'t str,
    tail: &'t str,
    characters: usize,
    bytes: usize,
}

/// The elements of an array that may be shown. The first and the last may be all of them.
struct Elements<'e, 't> {
    first: &'e [&'t str],
    last: &'e [&'t str],
    total: usize,
}

/// The text of bytes that may begin within a character, and how many are left out before it.
fn end_of(bytes: &[u8]) -> (usize, &str) {
    let skipped = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    (skipped, start_of(&bytes[skipped..]))
}

fn cut_text(ends: &Ends<'_>, budget: usize, kept: Kept<'_>) -> String {
    let total = ends.characters;
    // The notice's length depends on numbers that depend on it; those of the whole are as long as any.
    let widest = notice(total, total, kept, ends.bytes);
    let width = widest.chars().count();
    if width >= budget {
        return widest.chars().take(budget).collect();
    }
    let head = (budget * 3 / 5).min((budget - width) * 3 / 4);
    let tail = (budget / 5).min(budget - width - head);
    let after_head = ends.head.char_indices().nth(head).map_or(ends.head.len(), |(at, _)| at);
    let before_tail = match tail.checked_sub(1) {
        Some(last) => ends.tail.char_indices().rev().nth(last).map_or(0, |(at, _)| at),
        None => ends.tail.len(),
    };
    let notice = notice(total - head - tail, total, kept, after_head);
    format!("{}{notice}{}", &ends.head[..after_head], &ends.tail[before_tail..])
}

fn notice(left_out: usize, total: usize, kept: Kept<'_>, offset: usize) -> String {
    match kept {
        Some(handle) => format!(
            "\n[… {left_out} of {total} characters left out; \
             read on with `{PAGES}`: handle `{handle}`, offset {offset} …]\n"
        ),
        None => format!(
            "\n[… {left_out} of {total} characters left out; they can't be read back, \
             so ask for less if you need them …]\n"
        ),
    }
}

/// The elements of a compact JSON array; `None` for any other text.
fn elements(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_suffix(']')?;
    let mut elements = beginning(inner)?;
    let start: usize = elements.iter().map(|element| element.len() + 1).sum::<usize>() + 1;
    elements.push(inner.get(start..)?);
    Some(elements)
}

/// The elements that a compact JSON array begins with, as far as their commas are there.
fn beginning(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?;
    let (mut depth, mut quoted, mut escaped, mut start) = (0_usize, false, false, 0);
    let mut found = Vec::new();
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => break,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                found.push(inner.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    Some(found)
}

/// As many elements from the start and the end as fit; `None` where not even one does.
fn cut_array(
    list: &Elements<'_, '_>,
    ends: &Ends<'_>,
    budget: usize,
    kept: Kept<'_>,
) -> Option<String> {
    let widest = array_notice(list.total, list.total, kept, ends.bytes).chars().count() + 3;
    let room = budget.checked_sub(widest)?;
    let fit = |room: usize, elements: &mut dyn Iterator<Item = &&str>| {
        let mut left = room;
        let mut count = 0;
        for element in elements {
            let Some(rest) = left.checked_sub(element.chars().count() + 1) else { break };
            left = rest;
            count += 1;
        }
        count
    };
    let head = fit((budget * 3 / 5).min(room * 3 / 4), &mut list.first.iter());
    let others = list.last.len().min(list.total - head);
    let mut backwards = list.last.iter().rev().take(others);
    let tail = fit((budget / 5).min(room / 4), &mut backwards);
    if head + tail == 0 {
        return None;
    }
    let (first, last) = (&list.first[..head], &list.last[list.last.len() - tail..]);
    let mut cut = String::from("[");
    for element in first {
        cut.push_str(element);
        cut.push(',');
    }
    let offset = cut.len();
    cut.push_str(&array_notice(list.total - head - tail, list.total, kept, offset));
    for element in last {
        cut.push(',');
        cut.push_str(element);
    }
    cut.push(']');
    Some(cut)
}

fn array_notice(left_out: usize, total: usize, kept: Kept<'_>, offset: usize) -> String {
    match kept {
        Some(handle) => format!(
            "\"[… {left_out} of {total} elements left out; \
             read on with `{PAGES}`: handle `{handle}`, offset {offset} …]\""
        ),
        None => format!("\"[… {left_out} of {total} elements left out; ask for fewer …]\""),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::output::Form;

    fn truncate(whole: &Whole, budget: usize, kept: Kept<'_>) -> Option<String> {
        (!fits(whole, budget)).then(|| cut(whole, budget, kept).unwrap())
    }

    fn text(text: &str) -> Whole {
        Whole::Text(text.to_owned())
    }

    fn json(text: String) -> Whole {
        Whole::Json(text)
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(truncate(&text("a→😀"), 3, None), None);
    }

    #[test]
    fn every_budget_holds_over_awkward_characters() {
        let awkward = "a→😀e\u{301}".repeat(40);
        let total = awkward.chars().count();
        for budget in 0..total {
            let cut = truncate(&text(&awkward), budget, None).unwrap();
            assert!(cut.chars().count() <= budget, "{budget}: {cut}");
        }
    }

    #[test]
    fn head_and_tail_are_kept_in_their_shares() {
        let long = format!("{}{}", "h".repeat(50_000), "t".repeat(50_000));
        let cut = truncate(&text(&long), 20_000, None).unwrap();
        assert!(cut.chars().filter(|c| *c == 'h').count() >= 12_000);
        assert!(cut.starts_with(&"h".repeat(12_000)));
        assert!(cut.ends_with(&"t".repeat(4_000)));
        assert!(cut.contains("84000 of 100000 characters left out"));
    }

    #[test]
    fn an_array_stays_an_array() {
        let items: Vec<String> = (0..1000).map(|i| format!("item, [{i}] \"quoted\" \\")).collect();
        let whole = serde_json::to_string(&items).unwrap();
        let cut = truncate(&json(whole), 2_000, None).unwrap();
        assert!(cut.chars().count() <= 2_000);
        let read: Vec<String> = serde_json::from_str(&cut).unwrap();
        assert_eq!(read[0], items[0]);
        assert_eq!(read.last(), items.last());
        let left_out = items.len() - (read.len() - 1);
        assert!(read.iter().any(|i| i.contains(&format!("{left_out} of 1000 elements"))));
    }

    #[test]
    fn a_file_is_cut_as_memory_is() {
        let items: Vec<String> = (0..900).map(|i| format!("a→😀é, [{i}] \"\\")).collect();
        let list = serde_json::to_string(&items).unwrap();
        let object = format!("{{\"a\":{list}}}");
        let prose = "a→😀e\u{301}".repeat(400);
        for kept in [None, Some("0123456789abcdef0123")] {
            for budget in (0..500).chain([999, 1_000, 1_001, 7_000]) {
                for (whole, form) in [
                    (json(list.clone()), Form::Json),
                    (json(object.clone()), Form::Json),
                    (text(&prose), Form::Text),
                ] {
                    let file = whole.in_file(form);
                    let cut = truncate(&whole, budget, kept);
                    assert!(cut == truncate(&file, budget, kept), "{budget} {kept:?} {form:?}");
                }
            }
        }
    }

    #[test]
    fn a_notice_names_what_to_read_next() {
        let whole = "ä".repeat(1_000);
        let cut = truncate(&text(&whole), 400, Some("h")).unwrap();
        let head = cut.chars().take_while(|c| *c == 'ä').count();
        let next = format!("read on with `output.read`: handle `h`, offset {} …]", head * 2);
        assert!(cut.contains(&next), "{cut}");
        let list = serde_json::to_string(&vec![whole.clone(); 9]).unwrap();
        let cut = truncate(&json(list.clone()), 5_000, Some("h")).unwrap();
        let offset = cut.split("offset ").nth(1).unwrap().split(' ').next().unwrap();
        assert!(list[offset.parse().unwrap()..].starts_with("\"ä"), "{offset}");
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_exceeds_the_budget(whole in ".{0,400}", budget in 0_usize..300) {
            if let Some(cut) = truncate(&text(&whole), budget, None) {
                prop_assert!(cut.chars().count() <= budget);
            }
        }

        #[test]
        fn arbitrary_arrays_stay_json(items in prop::collection::vec(".{0,40}", 0..60), budget in 0_usize..600) {
            let whole = serde_json::to_string(&items).unwrap();
            if let Some(cut) = truncate(&json(whole), budget, None) {
                prop_assert!(cut.chars().count() <= budget);
                if cut.starts_with('[') && cut.ends_with(']') && cut.contains("elements left out") {
                    prop_assert!(serde_json::from_str::<Vec<String>>(&cut).is_ok());
                }
            }
        }
    }
}
