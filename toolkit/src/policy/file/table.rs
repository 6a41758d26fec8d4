//! The table of a policy file: where it starts from, and the cells that differ.

use toml::de::DeTable;

use super::super::{Detail, Policy};
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
        match name {
            "verdict" => {
                cell.verdict = reader.word(&inner, value, &VERDICTS).unwrap_or(cell.verdict);
            }
            "detail" => cell.detail = reader.word(&inner, value, &DETAILS).unwrap_or(cell.detail),
            "approval_time" => {
                cell.approval_time = reader.time(&inner, value).unwrap_or(cell.approval_time);
            }
            _ => reader.unknown(&format!("{what}."), key, &["verdict", "detail", "approval_time"]),
        }
    }
}
