//! The table of a policy file: where it starts from, and the cells that differ.

use toml::de::DeTable;

use super::super::{Detail, Policy, Widest};
use super::read::{Key, Reader, Value};
use crate::context::Origin;
use crate::risk::Risk;
use crate::verdict::Verdict;

const VERDICTS: [(&str, Verdict); 5] = [
    ("allow", Verdict::Allow),
    ("record", Verdict::Record),
    ("ask", Verdict::Ask),
    ("deny", Verdict::Deny),
    ("hide", Verdict::Hide),
];

const DETAILS: [(&str, Detail); 3] =
    [("digest", Detail::Digest), ("arguments", Detail::Arguments), ("results", Detail::Results)];

const GRANTS: [(&str, Widest); 4] = [
    ("nothing", Widest::Nothing),
    ("exact", Widest::Exact),
    ("arguments", Widest::Arguments),
    ("tool", Widest::Tool),
];

const KEYS: [&str; 6] = ["verdict", "detail", "approval_time", "widest", "grant_time", "rate"];

/// Every origin with its word.
pub(super) fn origins() -> [(&'static str, Origin); 3] {
    Origin::ALL.map(|origin| (origin.as_str(), origin))
}

/// Every level with its word.
pub(super) fn risks() -> [(&'static str, Risk); 5] {
    Risk::ALL.map(|risk| (risk.as_str(), risk))
}

/// The policy that the file starts from.
pub(super) fn base(reader: &mut Reader<'_>, document: &DeTable<'_>) -> Policy {
    let bases = [("default", false), ("trusting", true)];
    let base = document.get("base").and_then(|value| reader.word("base", value, &bases));
    let policy = if base == Some(true) { Policy::trusting() } else { Policy::default() };
    let drafts = document.get("drafts").and_then(|value| reader.switch("drafts", value));
    if drafts == Some(true) { policy.drafts() } else { policy }
}

/// Sets the cells that the file names.
pub(super) fn cells<'t>(reader: &mut Reader<'t>, document: &DeTable<'t>, policy: &mut Policy) {
    let rows = document.get("table").and_then(|value| reader.table("table", value));
    for (key, row) in rows.into_iter().flatten() {
        let Some(origin) = known(reader, "table.", key, &origins()) else { continue };
        let of = format!("table.{origin}");
        for (key, cell) in reader.table(&of, row).into_iter().flatten() {
            if let Some(risk) = known(reader, &format!("{of}."), key, &risks()) {
                set(reader, &format!("{of}.{risk}"), cell, (origin, risk), policy);
            }
        }
    }
}

/// What a key stands for.
fn known<T: Copy>(
    reader: &mut Reader<'_>,
    of: &str,
    key: &Key<'_>,
    words: &[(&str, T)],
) -> Option<T> {
    let found = words.iter().find(|(word, _)| *word == key.get_ref().as_ref());
    if found.is_none() {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        reader.unknown(of, key, &known);
    }
    found.map(|(_, meant)| *meant)
}

fn set<'t>(
    reader: &mut Reader<'t>,
    what: &str,
    value: &Value<'t>,
    (origin, risk): (Origin, Risk),
    policy: &mut Policy,
) {
    let cell = &mut policy.cells[origin.index()][risk.index()];
    if value.get_ref().is_str() {
        cell.verdict = reader.word(what, value, &VERDICTS).unwrap_or(cell.verdict);
        return;
    }
    for (key, value) in reader.table(what, value).into_iter().flatten() {
        let name = key.get_ref().as_ref();
        let inner = format!("{what}.{name}");
        let cell = &mut policy.cells[origin.index()][risk.index()];
        match name {
            "verdict" => {
                cell.verdict = reader.word(&inner, value, &VERDICTS).unwrap_or(cell.verdict);
            }
            "detail" => cell.detail = reader.word(&inner, value, &DETAILS).unwrap_or(cell.detail),
            "approval_time" => {
                cell.approval_time = reader.time(&inner, value).unwrap_or(cell.approval_time);
            }
            "widest" => cell.widest = reader.word(&inner, value, &GRANTS).unwrap_or(cell.widest),
            "grant_time" => {
                cell.grant_time = reader.time(&inner, value).unwrap_or(cell.grant_time);
            }
            "rate" => rates(reader, &inner, value, (origin, risk), policy),
            _ => reader.unknown(&format!("{what}."), key, &KEYS),
        }
    }
}

/// Adds rates as they are written: `10 a minute`, `100 an hour, 5 at once`.
#[cfg(feature = "rates")]
fn rates(
    reader: &mut Reader<'_>,
    what: &str,
    value: &Value<'_>,
    (origin, risk): (Origin, Risk),
    policy: &mut Policy,
) {
    for text in reader.texts(what, value) {
        let wrong = match rate(&text) {
            Some(rate) => match rate.quota() {
                Ok(_) => {
                    policy.rates.push((origin, risk, rate));
                    continue;
                }
                Err(why) => why,
            },
            None => "say \"10 a minute\" or \"100 an hour, 5 at once\"",
        };
        reader.wrong(value.span().start, format!("`{what}` can't be \"{text}\"; {wrong}"));
    }
}

#[cfg(feature = "rates")]
fn rate(text: &str) -> Option<super::super::Rate> {
    use super::super::Rate;
    let (rate, burst) = match text.split_once(',') {
        Some((rate, burst)) => (rate, Some(burst.trim().strip_suffix(" at once")?)),
        None => (text, None),
    };
    let (calls, per) = rate.trim().split_once(' ')?;
    let calls = calls.parse().ok()?;
    let rate = match per {
        "a second" => Rate::per_second(calls),
        "a minute" => Rate::per_minute(calls),
        "an hour" => Rate::per_hour(calls),
        _ => return None,
    };
    Some(match burst {
        Some(burst) => rate.burst(burst.trim().parse().ok()?),
        None => rate,
    })
}

#[cfg(not(feature = "rates"))]
fn rates(
    reader: &mut Reader<'_>,
    what: &str,
    value: &Value<'_>,
    _: (Origin, Risk),
    _: &mut Policy,
) {
    reader.wrong(value.span().start, format!("`{what}` needs toolkit's feature `rates`"));
}
