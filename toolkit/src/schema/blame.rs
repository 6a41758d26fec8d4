//! Turns a decoder's error into a problem: for types whose decoder refuses what their schema allows.

use serde_json::Error;

use crate::json::{Step, echo, line, locate};
use crate::problem::Problem;

/// The problem with an argument, or with the whole where there is no argument's name. `text` is the
/// JSON that was read.
pub(super) fn blame(argument: Option<&str>, secret: bool, text: &str, error: &Error) -> Problem {
    let mut path = String::new();
    if let Some(argument) = argument {
        Step::Key(argument.into()).push_to(&mut path);
    }
    if secret {
        // A decoder's message may quote the value.
        return Problem::other(path, "can't be read as what it must be".to_owned());
    }
    let (steps, blamed) = locate(text, offset(text, error));
    steps.iter().for_each(|step| step.push_to(&mut path));
    let got = echo(blamed);
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = whole.strip_suffix(&place).unwrap_or(&whole);
    let field = |start: &str| {
        let name = message.strip_prefix(start)?.split('`').next()?;
        Some(Step::Key(name.to_owned().into()))
    };
    // serde's wording isn't promised: what isn't recognised is passed on as it is.
    if let Some(field) = field("missing field `") {
        field.push_to(&mut path);
        return Problem::missing(path);
    }
    let known = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant `"];
    if known.iter().any(|start| message.starts_with(start))
        && let Some((_, expected)) = message.rsplit_once(", expected ")
    {
        return Problem::unfit(path, line(expected), got);
    }
    Problem::other(path, format!("{}, got {got}", line(message)))
}

/// The byte at which the error was noticed.
fn offset(text: &str, error: &Error) -> usize {
    let before: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (before + error.column()).min(text.len())
}
