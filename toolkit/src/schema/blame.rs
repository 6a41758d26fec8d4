//! Turns a decoder's error into a problem: for types whose decoder refuses what their schema allows.

use std::ops::Range;

use serde_json::Error;

use super::Probe;
use crate::json::{Scanner, Step, echo, line, locate};
use crate::problem::Problem;

/// The problem with an argument, or with the whole where there is no argument's name. `text` is the
/// JSON that was read, by `probe`.
pub(super) fn blame(
    argument: Option<&str>,
    secret: bool,
    text: &str,
    error: &Error,
    probe: Probe,
) -> Problem {
    let mut path = String::new();
    if let Some(argument) = argument {
        Step::Key(argument.into()).push_to(&mut path);
    }
    if secret {
        // A decoder's message may quote the value.
        return Problem::other(path, "can't be read as what it must be".to_owned());
    }
    let (mut steps, mut blamed) = locate(text, offset(text, error));
    let message = &*message(error);
    // serde's wording isn't promised: what isn't recognised is passed on as it is.
    const KNOWN: [&str; 6] = [
        "missing field `",
        "unknown field `",
        "invalid type: ",
        "invalid value: ",
        "invalid length ",
        "unknown variant `",
    ];
    let known = KNOWN.into_iter().find(|start| message.starts_with(start));
    // An error that came only once a part had been read was noticed behind it: where the next part
    // starts, or where the whole ends.
    if known.is_none()
        && let Some(start) = holder(text, &steps)
    {
        let (mut within, mut at) = (steps[..steps.len().saturating_sub(1)].to_vec(), start..start);
        if narrow(text, &mut at, &mut within, message, probe) {
            (steps, blamed) = (within, &text[at]);
        }
    }
    steps.iter().for_each(|step| step.push_to(&mut path));
    let got = echo(blamed);
    match known {
        Some(start @ "missing field `") => {
            let name = message[start.len()..].split('`').next().unwrap_or_default();
            Step::Key(name.into()).push_to(&mut path);
            return Problem::missing(path);
        }
        Some("unknown field `") | None => {}
        Some(_) => {
            if let Some((_, expected)) = message.rsplit_once(", expected ") {
                return Problem::unfit(path, line(expected), got);
            }
        }
    }
    Problem::other(path, format!("{}, got {got}", line(message)))
}

/// What the error says, without its place.
fn message(error: &Error) -> String {
    let mut message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    if message.ends_with(&place) {
        message.truncate(message.len() - place.len());
    }
    message
}

/// An element of an array, or a member of an object.
struct Part<'t> {
    step: Step<'t>,
    /// Where it starts, with its key.
    start: usize,
    value: Range<usize>,
}

/// The parts of the array or object that starts here, and where it ends.
fn parts(text: &str, at: usize) -> Option<(Vec<Part<'_>>, usize)> {
    let mut scan = Scanner::within(text, at, 0);
    let mut parts = Vec::new();
    let is_object = scan.peek() == Some(b'{');
    let mut more = if is_object { scan.open_object() } else { scan.open_array() }.ok()?;
    while more {
        let start = scan.at;
        let step = match is_object {
            true => Step::Key(scan.key().ok()?.text()),
            false => Step::Index(parts.len()),
        };
        let value = scan.at;
        scan.skip().ok()?;
        parts.push(Part { step, start, value: value..scan.at });
        more = if is_object { scan.next_member() } else { scan.next_element() }.ok()?;
    }
    Some((parts, scan.at))
}

/// Where the array or object starts that holds the last of these steps; the whole, if there is none.
fn holder(text: &str, steps: &[Step<'_>]) -> Option<usize> {
    let mut at = text.len() - text.trim_start().len();
    for step in &steps[..steps.len().saturating_sub(1)] {
        let (parts, _) = parts(text, at)?;
        at = parts.into_iter().find(|part| part.step == *step)?.value.start;
    }
    Some(at)
}

/// Goes from the array or object at `at` to the innermost part of it that alone makes `probe` fail like
/// this; whether there is one.
fn narrow<'t>(
    text: &'t str,
    at: &mut Range<usize>,
    steps: &mut Vec<Step<'t>>,
    message: &str,
    probe: Probe,
) -> bool {
    let mut found = false;
    while matches!(text.as_bytes().get(at.start), Some(b'[' | b'{'))
        && let Some((parts, end)) = parts(text, at.start)
    {
        let fails = |kept: &[Part<'_>]| {
            let kept: Vec<_> = kept.iter().map(|part| &text[part.start..part.value.end]).collect();
            let (before, after) = (&text[..=at.start], &text[end - 1..]);
            let error = probe(&format!("{before}{}{after}", kept.join(","))).err();
            error.is_some_and(|error| self::message(&error) == message)
        };
        // The first part with which it fails.
        let (mut first, mut last) = (0, parts.len());
        while first < last {
            let middle = first + (last - first) / 2;
            if fails(&parts[..=middle]) { last = middle } else { first = middle + 1 }
        }
        // That part alone must be at fault: neither what is missing, nor what the parts are together.
        let Some(part) = parts.into_iter().nth(first) else { break };
        if fails(&[]) || !fails(std::slice::from_ref(&part)) {
            break;
        }
        steps.push(part.step);
        *at = part.value;
        found = true;
    }
    found
}

/// The byte at which the error was noticed.
fn offset(text: &str, error: &Error) -> usize {
    let before: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (before + error.column()).min(text.len())
}
