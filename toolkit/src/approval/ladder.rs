//! The ladder of an offer on a terminal: how it is shown, and what a typed line picks of it.

use std::fmt::Write;
use std::time::Duration;

use super::{Offer, Rung};
use crate::text::{excerpt, visible};

/// The rungs, each with what is to be typed for it.
pub(super) fn shown(offer: &Offer) -> String {
    let mut text = format!(
        "without asking again, until the session ends and for {} at most:\n",
        time(offer.longest)
    );
    // Writing to a `String` can't fail.
    if offer.exact {
        let _ = writeln!(text, "  x        {}", offer.text(&Rung::Exact));
    }
    if !offer.arguments.is_empty() {
        let _ = writeln!(text, "  a NAME…  `{}` whenever these arguments are as here:", offer.of);
        for argument in &offer.arguments {
            let (name, value) = (visible(&argument.name, false), visible(&argument.value, false));
            let each = if argument.targets { "each of " } else { "" };
            let _ = writeln!(text, "             {name} = {each}{}", excerpt(&value, 60));
        }
    }
    if offer.tool {
        let _ = writeln!(text, "  t        {}", offer.text(&Rung::Tool));
    }
    text.push_str("with a shorter time, if you like: `for 30m`; an empty line goes back: ");
    text
}

/// What is asked once more before anything is granted.
pub(super) fn sure(offer: &Offer, rung: &Rung, chosen: Option<Duration>) -> String {
    let longest = time(chosen.unwrap_or(offer.longest));
    format!("{}, for {longest} at most: sure? [y/N] ", offer.text(rung))
}

/// What a line picks: `x`, `a ticket reason`, `t`, each with `for 30m` after it or without.
pub(super) fn picked(offer: &Offer, line: &str) -> Option<(Rung, Option<Duration>)> {
    let mut words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .collect();
    let time = match words.iter().rposition(|word| *word == "for") {
        Some(at) if at > 0 && at + 2 == words.len() => {
            let time = span(words[at + 1])?;
            words.truncate(at);
            Some(time)
        }
        _ => None,
    };
    let (rung, names) = words.split_first()?;
    let rung = match (rung.to_ascii_lowercase().as_str(), names) {
        ("x", []) => Rung::Exact,
        ("t", []) => Rung::Tool,
        ("a", names) => Rung::Arguments(names.iter().map(|name| (*name).to_owned()).collect()),
        _ => return None,
    };
    offer.includes(&rung, time).then_some((rung, time))
}

/// A time as a person types it: `90s`, `30m`, `2h`.
fn span(word: &str) -> Option<Duration> {
    let (number, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return None,
    };
    Some(Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(seconds)?))
}

/// A time as a person reads it.
fn time(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 3_600 && seconds % 3_600 == 0 => format!("{} h", seconds / 3_600),
        seconds if seconds >= 60 && seconds % 60 == 0 => format!("{} min", seconds / 60),
        _ => format!("{} s", time.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::OfferedArgument;

    fn offer() -> Offer {
        let argument = |name: &str, value: &str| OfferedArgument {
            name: name.to_owned(),
            value: value.to_owned(),
            targets: false,
        };
        Offer {
            of: "ticket.close".to_owned(),
            exact: true,
            arguments: vec![argument("ticket", "1042"), argument("reason", r#""spam""#)],
            tool: true,
            longest: Duration::from_secs(8 * 3_600),
        }
    }

    #[test]
    fn a_line_picks_what_is_offered_and_nothing_else() {
        let names =
            |names: &[&str]| Rung::Arguments(names.iter().map(|name| (*name).to_owned()).collect());
        let minutes = |minutes: u64| Some(Duration::from_secs(minutes * 60));
        for (line, picks) in [
            ("x", Some((Rung::Exact, None))),
            (" T ", Some((Rung::Tool, None))),
            ("a reason", Some((names(&["reason"]), None))),
            ("a ticket,reason for 30m", Some((names(&["ticket", "reason"]), minutes(30)))),
            ("x for 2h", Some((Rung::Exact, minutes(120)))),
            ("t for 9h", None),
            ("t for 0s", None),
            ("t for ever", None),
            ("t for 99999999999999999999h", None),
            ("a", None),
            ("a owner", None),
            ("t ticket", None),
            ("for 30m", None),
            ("y", None),
            ("", None),
        ] {
            assert_eq!(picked(&offer(), line), picks, "{line:?}");
        }
        let mut less = offer();
        less.tool = false;
        less.arguments.clear();
        assert_eq!(picked(&less, "t"), None);
        assert_eq!(picked(&less, "a ticket"), None);
        assert!(!shown(&less).contains("any arguments"));
    }

    #[test]
    fn what_is_granted_is_said_in_words() {
        let rung = Rung::Arguments(vec!["ticket".to_owned(), "reason".to_owned()]);
        assert_eq!(
            sure(&offer(), &rung, Some(Duration::from_secs(1_800))),
            "`ticket.close` whenever `ticket` is 1042 and `reason` is \"spam\", for 30 min at most: \
             sure? [y/N] "
        );
        assert!(shown(&offer()).contains("  t        `ticket.close` with any arguments\n"));
        let mut hostile = offer();
        hostile.arguments[0].value = "\"\u{202e}\n\"".to_owned();
        let text = shown(&hostile) + &sure(&hostile, &Rung::Arguments(vec!["ticket".into()]), None);
        assert!(text.contains("\\u{202e}") && !text.contains('\u{202e}'), "{text}");
    }
}
