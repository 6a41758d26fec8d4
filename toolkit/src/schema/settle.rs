//! The cold pass over arguments that didn't fit: everything wrong at once, or a text that does fit.

use std::borrow::Cow;

use super::Contract;
use super::blame::blame;
use super::check::Walk;
use super::explain::Path;
use super::mend::{Findings, mended};
use crate::json::{Fault, Scanner, Step, Why, kind_of, locate, members};
use crate::param::{MAX_LEN, Parameter};
use crate::problem::{Malformed, Problem, Repair};

/// Arguments that can be read now, and what was repaired in them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) text: String,
    pub(crate) repairs: Vec<Repair>,
}

/// Why arguments can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// They are no object.
    Malformed(Malformed),
    /// They don't fit the schema: at least one problem, in the order of the text, at most 1,000.
    Invalid(Vec<Problem>),
}

impl From<Malformed> for Rejection {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// Explains arguments that didn't fit, or mends them. Always: `null` where an argument may be left out
/// counts as left out, and a whole number is one however it is written. With `repair` also what was
/// put into a string, if nothing is lost: `"42"`, `"true"`, the JSON of an object, all of it.
///
/// # Errors
/// [`Rejection`]: the model mends its call.
pub(crate) fn settle(
    contract: &Contract,
    parameters: &[&dyn Parameter],
    text: &str,
    repair: bool,
) -> Result<Settled, Rejection> {
    let (text, mut repairs) = intake(contract, text, repair)?;
    let scan = Scanner::new(&text);
    let findings = Findings { repair, ..Findings::default() };
    let mut walk = Walk::new(scan, &contract.definitions, findings);
    walk.scan.space();
    let walked = walk.value(&contract.root, &Path::Root);
    let Findings { mut problems, edits, nulls, repairs: more, .. } = walk.findings;
    if walked.is_err() && problems.is_empty() {
        problems.push(too_intricate());
    }
    if !problems.is_empty() {
        return Err(Rejection::Invalid(problems));
    }
    repairs.extend(more);
    let mend = |drop: &dyn Fn(&str) -> bool| {
        let dropped = nulls.iter().filter(|(_, argument)| drop(argument)).map(|(at, _)| *at);
        mended(&text, edits.iter().cloned(), dropped).unwrap_or_else(|_| text.to_string())
    };
    let read = mend(&|_| false);
    if contract.backtracks && !contract.is_easy(&contract.root, true, &read, 0) {
        return Err(Rejection::Invalid(vec![too_intricate()]));
    }
    let refused = refused(contract, parameters, &read);
    if refused.is_empty() {
        return Ok(Settled { text: read, repairs });
    }
    // Where a decoder doesn't take `null`, it was meant as nothing.
    let names: Vec<_> = refused.into_iter().map(|refused| refused.argument).collect();
    let read = mend(&|argument| names.iter().any(|name| name.is_none_or(|name| name == argument)));
    let refused = self::refused(contract, parameters, &read);
    if refused.is_empty() {
        return Ok(Settled { text: read, repairs });
    }
    Err(Rejection::Invalid(refused.into_iter().map(|refused| refused.problem).collect()))
}

pub(super) fn too_intricate() -> Problem {
    Problem::other(String::new(), "too intricate to be checked; nest it less".to_owned())
}

/// The text of an object: what came, or what came in a string, or nothing.
fn intake<'t>(
    contract: &Contract,
    text: &'t str,
    repair: bool,
) -> Result<(Cow<'t, str>, Vec<Repair>), Malformed> {
    if text.len() > MAX_LEN {
        return Err(Malformed::too_long(text.len(), MAX_LEN));
    }
    let mut scan = Scanner::new(text);
    scan.space();
    let start = scan.at;
    if matches!(text[start..].trim_end_matches([' ', '\n', '\r', '\t']), "" | "null") {
        return Ok((Cow::Borrowed("{}"), Vec::new()));
    }
    let first = scan.peek();
    let quoted = if first == Some(b'"') { scan.clone().string().ok() } else { None };
    let scanned = scan.skip().and_then(|()| scan.end());
    scanned.map_err(|_| malformed(contract, text, scan.fault()))?;
    match (first, quoted) {
        (Some(b'{'), _) => return Ok((Cow::Borrowed(text), Vec::new())),
        (_, Some(quoted)) if repair => {
            let inner = quoted.text();
            let mut scan = Scanner::new(&inner);
            scan.space();
            if scan.peek() == Some(b'{') && scan.skip().and_then(|()| scan.end()).is_ok() {
                let repair = Repair::new(String::new(), "a string".into(), "an object".into());
                return Ok((Cow::Owned(inner.into_owned()), vec![repair]));
            }
        }
        _ => {}
    }
    Err(Malformed::syntax(start, "an object", kind_of(&text[start..])))
}

fn malformed(contract: &Contract, text: &str, fault: Fault) -> Malformed {
    match fault.why {
        Why::Deep => Malformed::too_deep(fault.at, crate::json::MAX_DEPTH),
        Why::Twice => {
            let (steps, _) = locate(text, fault.at);
            let secret = matches!(steps.first(), Some(Step::Key(key)) if is_secret(contract, key));
            let mut path = String::new();
            steps
                .iter()
                .take(if secret { 1 } else { usize::MAX })
                .for_each(|step| step.push_to(&mut path));
            Malformed::twice(fault.at, path)
        }
        Why::Expected(expected) => {
            let got = match text[fault.at..].chars().next() {
                None => "the end of the text".to_owned(),
                Some('\u{feff}') => "a byte order mark".to_owned(),
                Some(c) if c.is_control() => format!("`{}`", c.escape_unicode()),
                Some(c) => format!("`{c}`"),
            };
            Malformed::syntax(fault.at, expected, got)
        }
    }
}

pub(super) fn is_secret(contract: &Contract, key: &str) -> bool {
    let objects = contract.root.objects.as_ref();
    objects
        .is_some_and(|objects| objects.find(key, 0).is_some_and(|at| objects.properties[at].secret))
}

/// An argument that fits its schema and is refused by its decoder.
struct Refused<'a> {
    /// `None`: the whole.
    argument: Option<&'a str>,
    problem: Problem,
}

fn refused<'a>(
    contract: &Contract,
    parameters: &[&'a dyn Parameter],
    text: &str,
) -> Vec<Refused<'a>> {
    #[cfg(feature = "jsonschema")]
    if let Some(given) = &contract.given {
        let problems = given.problems(contract, text).into_iter();
        return problems.map(|problem| Refused { argument: None, problem }).collect();
    }
    if let Some(probe) = contract.probe {
        let error = probe(text).err();
        // A decoder's message may quote any of it.
        let secret = contract.root.properties().iter().any(|property| property.secret);
        let refused =
            |error| Refused { argument: None, problem: blame(None, secret, text, &error, probe) };
        return error.map(refused).into_iter().collect();
    }
    let Some(objects) = &contract.root.objects else { return Vec::new() };
    let mut refused = Vec::new();
    let mut scan = Scanner::new(text);
    scan.space();
    for (key, value) in members(&scan) {
        if let Some(parameter) = objects.find(&key, 0).and_then(|at| parameters.get(at))
            && let probe = parameter.facts().probe
            && let Err(error) = probe(value)
        {
            let spec = &parameter.facts().spec;
            let problem = blame(Some(spec.name), spec.secret, value, &error, probe);
            refused.push(Refused { argument: Some(spec.name), problem });
        }
    }
    refused
}
