//! Strings that fit what a schema says of them: lengths, formats, patterns.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::Value;

use super::chance::Chance;
use super::schema::{Schema, Shape};
use crate::schema::Pattern;

/// A text of each format that is known.
const FORMATS: [(&str, &str); 21] = [
    ("date-time", "2026-03-02T09:30:00Z"),
    ("date", "2026-03-02"),
    ("time", "09:30:00Z"),
    ("duration", "PT1H30M"),
    ("email", "ada@example.com"),
    ("idn-email", "ada@example.com"),
    ("hostname", "example.com"),
    ("idn-hostname", "example.com"),
    ("ip", "192.0.2.1"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/"),
    ("iri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("uri-reference", "/page"),
    ("iri-reference", "/page"),
    ("uuid", "67e55044-10b1-426f-9247-bb680e5fe0c8"),
    ("json-pointer", "/a/0"),
    ("regex", "^a+$"),
    ("relative-json-pointer", "1/a"),
    ("uri-template", "/page/{number}"),
];

/// Longer texts aren't made.
const LONGEST: u64 = 20_000;

/// So many bytes of a text that matches, it isn't drawn out any more.
const ENOUGH: usize = 512;

/// How often a text is tried.
const TRIES: usize = 42;

/// Some texts that fit: the first is the one to use, the others are at the edges of what does.
///
/// # Errors
/// None can be made; why.
pub(super) fn fitting(shape: &Shape, rng: &mut Chance) -> Result<Vec<String>, String> {
    let count = |key: &str| shape.get(key).and_then(Value::as_u64);
    let (least, most) = (count("minLength").unwrap_or(0), count("maxLength"));
    if let Some(pattern) = shape.get("pattern").and_then(Value::as_str) {
        return matching(pattern, rng, least, most.unwrap_or(LONGEST));
    }
    if let Some(format) = shape.get("format").and_then(Value::as_str) {
        let known = FORMATS.iter().find(|(name, _)| *name == format);
        return match known {
            Some((_, text)) => Ok(vec![(*text).to_owned()]),
            None => Err(format!("the format `{format}` isn't known here")),
        };
    }
    if least > LONGEST {
        return Err(format!("it is longer than {LONGEST} characters"));
    }
    let most = most.unwrap_or(least.max(64)).min(LONGEST);
    let usual = of_length(8.clamp(least, most.max(least)));
    let wide = "é".repeat(usize::try_from(most.clamp(least, 12)).unwrap_or_default());
    let mut all = vec![usual, of_length(least), of_length(most), wide];
    all.dedup();
    Ok(all)
}

/// A text of this many characters.
pub(super) fn of_length(length: u64) -> String {
    "word text ".chars().cycle().take(usize::try_from(length).unwrap_or_default()).collect()
}

/// A text that fits, of any length.
///
/// # Errors
/// As for [`fitting`].
pub(super) fn any(schema: &Schema, shape: &Shape, rng: &mut Chance) -> Result<String, String> {
    let mut all = schema.texts(shape, rng)?;
    if shape.contains_key("pattern") || shape.contains_key("format") {
        return Ok(all.swap_remove(rng.place(all.len())));
    }
    let count = |key: &str| shape.get(key).and_then(Value::as_u64);
    let least = count("minLength").unwrap_or(0);
    let most =
        count("maxLength").unwrap_or(least.saturating_add(24)).min(least.saturating_add(200));
    const LETTERS: [char; 12] = ['a', 'Z', '0', ' ', '-', '.', '"', '\\', '\n', 'é', '漢', '🦀'];
    Ok((0..rng.within(least.into(), most.into()))
        .map(|_| LETTERS[rng.place(LETTERS.len())])
        .collect())
}

/// Texts that match a pattern and are so long: a usual one, the shortest and the longest of those found.
fn matching(pattern: &str, rng: &mut Chance, least: u64, most: u64) -> Result<Vec<String>, String> {
    let held = Pattern::read(pattern)?;
    let hir = ParserBuilder::new()
        .build()
        .parse(&ascii(pattern))
        .map_err(|_| format!("no text is made for the pattern `{pattern}`"))?;
    let mut found: Vec<String> = Vec::new();
    for round in 0..TRIES {
        let mut text = String::new();
        let more = [1, 0, 2, 4, 16, 64][round % 6];
        write(&hir, more, rng, &mut text);
        // A pattern that isn't tied to the ends leaves room around it.
        let length = text.chars().count() as u64;
        if length < least && !pattern.ends_with('$') {
            text.push_str(&of_length(least - length));
        }
        let length = text.chars().count() as u64;
        if (least..=most).contains(&length) && held.is_match(&text) && !found.contains(&text) {
            found.push(text);
        }
    }
    let length = |text: &&String| text.chars().count();
    let (short, long) = (found.iter().min_by_key(length), found.iter().max_by_key(length));
    let ends: Vec<String> = [short, long].into_iter().flatten().cloned().collect();
    found.truncate(1);
    found.extend(ends);
    found.dedup();
    if found.is_empty() {
        Err(format!("no text is made for the pattern `{pattern}`"))
    } else {
        Ok(found)
    }
}

/// A pattern whose classes are ASCII's, as JSON Schema means them.
fn ascii(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut within = false;
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            within = (within || c == '[') && c != ']';
            out.push(c);
            continue;
        }
        let class = match rest.next() {
            Some('d') => "0-9",
            Some('w') => "0-9A-Za-z_",
            Some('s') => r" \t\n",
            Some('D') if !within => "^0-9",
            Some('W') if !within => "^0-9A-Za-z_",
            Some('S') if !within => r"^ \t\n",
            other => {
                out.push('\\');
                out.extend(other);
                continue;
            }
        };
        if within {
            out.push_str(class);
        } else {
            out.extend(["[", class, "]"]);
        }
    }
    out
}

/// Writes a text that matches, with up to so many more repetitions than must be.
fn write(hir: &Hir, more: u32, rng: &mut Chance, out: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges: Vec<(char, char)> =
                class.ranges().iter().map(|range| (range.start(), range.end())).collect();
            out.extend(pick(&ranges, rng));
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.ranges().iter().map(|range| (range.start(), range.end()));
            let ranges: Vec<_> = ranges.map(|(a, b)| (char::from(a), char::from(b))).collect();
            out.extend(pick(&ranges, rng));
        }
        // It is long enough for whatever it is to show.
        HirKind::Repetition(repetition) if repetition.min == 0 && out.len() > ENOUGH => {}
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let more = if out.len() > ENOUGH { 0 } else { more };
            let most = most.min(repetition.min.saturating_add(more)).min(10_000);
            for _ in 0..rng.within(repetition.min.min(most).into(), most.into()) {
                write(&repetition.sub, more, rng, out);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, more, rng, out),
        HirKind::Concat(all) => all.iter().for_each(|one| write(one, more, rng, out)),
        HirKind::Alternation(all) => {
            if let Some(one) = all.get(rng.place(all.len())) {
                write(one, more, rng, out);
            }
        }
    }
}

/// A character of a class, a plain one where there is any.
fn pick(ranges: &[(char, char)], rng: &mut Chance) -> Option<char> {
    let plain: Vec<(char, char)> = ranges
        .iter()
        .map(|(from, to)| ((*from).max('!'), (*to).min('~')))
        .filter(|(from, to)| from <= to)
        .collect();
    let ranges = if plain.is_empty() { ranges } else { &plain };
    let (from, to) = *ranges.get(rng.place(ranges.len()))?;
    // Where the two have surrogates between them, the first will do.
    let any = u32::try_from(rng.within(u32::from(from).into(), u32::from(to).into())).ok();
    any.and_then(char::from_u32).or(Some(from))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(schema: Value) -> Result<Vec<String>, String> {
        let Value::Object(shape) = schema else { unreachable!() };
        fitting(&shape, &mut Chance::new(7))
    }

    #[test]
    fn patterns_are_matched_within_their_lengths() {
        for pattern in [
            "^s-[0-9]{1,9}$",
            r"^\d{4}-\d\d$",
            r"^[\w.-]+@[\w-]+\.(com|org)$",
            "^(a|bc){2,3}x?$",
            r"^\S+\s\S+$",
            "[A-Z]{3}",
            "^[^/]*$",
            "^é+$",
            "",
        ] {
            let held = Pattern::read(pattern).unwrap();
            let texts = made(json!({"pattern": pattern})).unwrap();
            assert!(texts.iter().all(|text| held.is_match(text)), "{pattern}: {texts:?}");
        }
        let texts = made(json!({"pattern": "^[a-z]+$", "minLength": 20, "maxLength": 30})).unwrap();
        assert!(texts.iter().all(|text| (20..=30).contains(&text.len())), "{texts:?}");
        let texts = made(json!({"pattern": "^x", "minLength": 20})).unwrap();
        assert!(texts.iter().all(|text| text.len() >= 20), "{texts:?}");
    }

    #[test]
    fn what_cant_be_made_says_why() {
        for (schema, why) in [
            (json!({"pattern": "^a$", "minLength": 2}), "no text is made for the pattern `^a$`"),
            (json!({"pattern": "(?=a)"}), "look-around"),
            (json!({"format": "isbn"}), "the format `isbn` isn't known here"),
            (json!({"minLength": 1_000_000}), "longer than"),
        ] {
            let told = made(schema).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
    }

    #[test]
    fn lengths_are_met_at_both_ends() {
        let texts = made(json!({"minLength": 3, "maxLength": 120})).unwrap();
        let lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
        assert_eq!(lengths, [8, 3, 120, 12]);
        assert_eq!(made(json!({"minLength": 5, "maxLength": 5})).unwrap()[0], "word ");
    }
}
