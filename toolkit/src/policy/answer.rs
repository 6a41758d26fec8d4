//! Holds a value of the arguments, as JSON text, against a matcher that was made ready once.

use std::cmp::Ordering;

use super::matcher::{Kind, Matcher};
use super::number::{Numeral, Range};
use crate::hosts::Hosts;
use crate::json::{Scanner, canonical};
use crate::paths::{Directory, Held};
use crate::schema::Pattern;

/// What a matcher says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    /// It can't tell.
    Unclear,
}

impl Answer {
    pub(super) fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }

    /// The answer for several: of a narrow rule all must match, of another one is enough.
    pub(super) fn and(self, other: Self, narrow: bool) -> Self {
        let deciding = if narrow { Self::No } else { Self::Yes };
        match (self, other) {
            (one, other) if one == deciding || other == deciding => deciding,
            (Self::Unclear, _) | (_, Self::Unclear) => Self::Unclear,
            (one, _) => one,
        }
    }

    /// Whether the condition holds.
    pub(super) fn holds(self, narrow: bool) -> bool {
        match self {
            Self::Yes => true,
            Self::No => false,
            Self::Unclear => !narrow,
        }
    }
}

/// A matcher made ready.
#[derive(Debug)]
pub(super) enum Test {
    OneOf(Literals),
    Regex(Box<Pattern>),
    #[cfg(feature = "globs")]
    /// With whether a step `..` may lead out of it.
    Glob(Box<globset::GlobMatcher>, bool),
    Range(Box<Range>),
    Prefix(Box<[String]>),
    Under(Box<Directory>),
    Host(Hosts),
    Either(Box<[Test]>),
}

/// Values that another is compared with.
#[derive(Debug)]
pub(super) struct Literals {
    all: Box<[Literal]>,
    /// The numbers among them, where each is a whole one of ordinary size.
    wholes: Option<Box<[i64]>>,
}

#[derive(Debug)]
enum Literal {
    Text(String),
    Number(Numeral),
    /// As canonical JSON.
    Other(String),
}

impl Test {
    /// Makes a matcher ready; `narrow`: for a rule that lets through what matches.
    ///
    /// # Errors
    /// What is wrong with it; whoever wrote the rule mends it.
    pub(super) fn new(matcher: &Matcher, narrow: bool) -> Result<Self, String> {
        Ok(match &matcher.0 {
            Kind::OneOf(values) => Self::OneOf(Literals::new(values)),
            Kind::Regex(source) => {
                let bad = |why| format!("has a pattern `{source}` that can't be used: {why}");
                let pattern = Pattern::read(source).map_err(bad)?;
                Self::Regex(Box::new(if narrow {
                    Pattern::read(&format!(r"\A(?:{source})\z")).map_err(bad)?
                } else {
                    pattern
                }))
            }
            #[cfg(feature = "globs")]
            Kind::Glob(source) => {
                let glob = globset::GlobBuilder::new(source).literal_separator(narrow).build();
                let glob = glob.map_err(|error| {
                    format!("has a glob `{source}` that can't be used: {}", error.kind())
                })?;
                Self::Glob(Box::new(glob.compile_matcher()), narrow)
            }
            Kind::Range(start, end) => Self::Range(Box::new(Range::new(start, end))),
            Kind::Prefix(words) => Self::Prefix(words.as_slice().into()),
            Kind::Under(directory, base) => {
                let bad = |error| format!("has a bad directory: {error}");
                let mut under = Directory::new(directory).map_err(bad)?;
                if let Some(base) = base {
                    under = under.based(base).map_err(bad)?;
                }
                if narrow && !under.exists() {
                    return Err(format!("has a directory `{directory}` that isn't there"));
                }
                Self::Under(Box::new(under))
            }
            Kind::Host(listed) => {
                let mut hosts = Hosts::default();
                for host in listed {
                    hosts.add(host).map_err(|error| format!("has a bad host: {error}"))?;
                }
                Self::Host(hosts)
            }
            Kind::Either(several) => {
                let several: Result<_, _> = several.iter().map(|m| Self::new(m, narrow)).collect();
                Self::Either(several?)
            }
            Kind::Broken(what) => return Err(format!("has a matcher that can't be made: {what}")),
        })
    }

    /// Whether it matches a whole number of ordinary size, as far as that is quickly said.
    #[inline]
    pub(super) fn of_whole_number(&self, value: i64) -> Option<bool> {
        match self {
            Self::Range(range) => range.of_whole(value),
            Self::OneOf(literals) => Some(literals.wholes.as_ref()?.contains(&value)),
            _ => None,
        }
    }

    /// What it says of a value, which is JSON.
    pub(super) fn answer(&self, value: &str, narrow: bool) -> Answer {
        self.judge(value, narrow, false)
    }

    /// The same; `within`: of an element of a list.
    fn judge(&self, value: &str, narrow: bool, within: bool) -> Answer {
        match (value.as_bytes().first(), self) {
            (Some(b'['), _) => self.of_list(value, narrow),
            // Whichever matches is enough, of either kind of rule.
            (_, Self::Either(several)) => several
                .iter()
                .filter(|one| !within || !one.is_of_lists())
                .map(|one| one.judge(value, narrow, within))
                .fold(Answer::No, |all, one| all.and(one, false)),
            (Some(b'"'), _) => self.of_string(value),
            (Some(b'{' | b't' | b'f' | b'n'), Self::OneOf(literals)) => literals.of_other(value),
            // Nothing is given.
            (Some(b'n'), _) => Answer::No,
            (Some(b'{' | b't' | b'f'), _) => Answer::Unclear,
            _ => self.of_number(value),
        }
    }

    fn of_list(&self, value: &str, narrow: bool) -> Answer {
        let whole = self.of_whole(value);
        if whole == Answer::Yes || self.is_of_lists() {
            return whole;
        }
        let mut answer = None;
        let read = elements(value, &mut |_, element| {
            let one = self.judge(element, narrow, true);
            answer = Some(answer.map_or(one, |all: Answer| all.and(one, narrow)));
        });
        let each = if read { answer.unwrap_or(Answer::No) } else { Answer::Unclear };
        whole.and(each, false)
    }

    /// What it says of a list itself.
    fn of_whole(&self, value: &str) -> Answer {
        match self {
            Self::Prefix(words) => begins(value, words),
            Self::OneOf(literals) => literals.of_other(value),
            Self::Either(several) => several
                .iter()
                .map(|one| one.of_whole(value))
                .fold(Answer::No, |all, one| all.and(one, false)),
            _ => Answer::No,
        }
    }

    /// Whether it is about nothing but lists themselves.
    fn is_of_lists(&self) -> bool {
        match self {
            Self::Prefix(_) => true,
            Self::Either(several) => several.iter().all(Self::is_of_lists),
            _ => false,
        }
    }

    /// What it says of a string.
    fn of_string(&self, value: &str) -> Answer {
        match Scanner::new(value).string() {
            Ok(quoted) => self.of_text(&quoted.text()),
            Err(_) => Answer::Unclear,
        }
    }

    /// What it says of a text.
    pub(super) fn of_text(&self, text: &str) -> Answer {
        match self {
            Self::OneOf(literals) => {
                let is = |l: &Literal| matches!(l, Literal::Text(held) if held == text);
                Answer::of(literals.all.iter().any(is))
            }
            Self::Regex(pattern) => Answer::of(pattern.is_match(text)),
            #[cfg(feature = "globs")]
            Self::Glob(_, true) if text.split(['/', '\\']).any(|step| step == "..") => {
                Answer::Unclear
            }
            #[cfg(feature = "globs")]
            Self::Glob(glob, _) => Answer::of(glob.is_match(text)),
            Self::Under(under) => match under.holds(text) {
                Held::Yes => Answer::Yes,
                Held::No => Answer::No,
                Held::Unclear(_) => Answer::Unclear,
            },
            Self::Host(hosts) => hosts.lists(text).map_or(Answer::Unclear, Answer::of),
            Self::Either(several) => several
                .iter()
                .map(|one| one.of_text(text))
                .fold(Answer::No, |all, one| all.and(one, false)),
            Self::Range(_) | Self::Prefix(_) => Answer::Unclear,
        }
    }

    fn of_number(&self, value: &str) -> Answer {
        match self {
            Self::OneOf(literals) => {
                let mut answer = Answer::No;
                for literal in &literals.all {
                    if let Literal::Number(number) = literal {
                        answer = answer.and(number.test(value, Ordering::is_eq), false);
                    }
                }
                answer
            }
            Self::Range(range) => range.answer(value),
            _ => Answer::Unclear,
        }
    }
}

impl Literals {
    fn new(values: &[String]) -> Self {
        let all: Box<[Literal]> = values.iter().map(|value| Literal::new(value)).collect();
        let numbers = all.iter().filter_map(|literal| match literal {
            Literal::Number(number) => Some(number.whole()),
            _ => None,
        });
        Self { wholes: numbers.collect(), all }
    }

    /// What they say of a list, an object or a word.
    fn of_other(&self, value: &str) -> Answer {
        let mut others = self.all.iter().filter_map(|literal| match literal {
            Literal::Other(other) => Some(other),
            _ => None,
        });
        Answer::of(others.any(|other| *other == canonical(value)))
    }
}

impl Literal {
    fn new(json: &str) -> Self {
        match json.as_bytes().first() {
            Some(b'"') => match Scanner::new(json).string() {
                Ok(quoted) => Self::Text(quoted.text().into_owned()),
                Err(_) => Self::Other(json.to_owned()),
            },
            Some(b'-' | b'0'..=b'9') => Self::Number(Numeral::new(json)),
            _ => Self::Other(canonical(json)),
        }
    }
}

/// Whether a list of texts begins with these words.
fn begins(value: &str, words: &[String]) -> Answer {
    let mut answer = Answer::Yes;
    let mut count = 0;
    let read = elements(value, &mut |place, element| {
        count += 1;
        let text = Scanner::new(element).string();
        match (text, words.get(place)) {
            (Err(_), _) => answer = Answer::Unclear,
            (Ok(text), Some(word)) if text.text() != word.as_str() && answer == Answer::Yes => {
                answer = Answer::No;
            }
            _ => {}
        }
    });
    match answer {
        _ if !read => Answer::Unclear,
        Answer::Yes if count < words.len() => Answer::No,
        answer => answer,
    }
}

/// Calls with each element of a list and its place; false where the text is no list.
pub(super) fn elements(value: &str, each: &mut dyn FnMut(usize, &str)) -> bool {
    let mut scanner = Scanner::new(value);
    let Ok(mut more) = scanner.open_array() else { return false };
    let mut place = 0;
    while more {
        let start = scanner.at;
        if scanner.skip().is_err() {
            return false;
        }
        each(place, scanner.since(start));
        place += 1;
        match scanner.next_element() {
            Ok(next) => more = next,
            Err(_) => return false,
        }
    }
    true
}
