//! What an argument is held against, as a rule writes it.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use serde::Serialize;

/// What an argument is held against. It answers yes, no, or that it can't tell: then a `deny` or an
/// `ask` speaks, and an `only` or a `waive_ask` takes it for a no.
///
/// A list is held against it element by element: for a `deny` or an `ask` one element is enough, for
/// an `only` or a `waive_ask` all must match, and there must be one. Only [`prefix`] looks at the list
/// itself, and so do [`equals`] and [`one_of`] where they were given a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matcher(pub(super) Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any of these values, each as JSON.
    OneOf(Vec<String>),
    Regex(String),
    #[cfg(feature = "globs")]
    Glob(String),
    /// The ends, as JSON numbers.
    Range(Bound<String>, Bound<String>),
    Prefix(Vec<String>),
    /// The directory, and what relative paths go out from.
    Under(String, Option<String>),
    Host(Vec<String>),
    Either(Vec<Matcher>),
    /// It can't be made; the start says so.
    Broken(String),
}

impl Matcher {
    /// Matches what this or the other matches.
    ///
    /// ```
    /// use toolkit::policy::{only, under};
    /// let rule = only("fs.write").when("path", under("/srv/data").or(under("/tmp/work")));
    /// ```
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut all = Vec::new();
        for one in [self, other] {
            match one.0 {
                Kind::Either(several) => all.extend(several),
                _ => all.push(one),
            }
        }
        Self(Kind::Either(all))
    }

    /// For [`under`]: the absolute directory that relative paths go out from, as they do in the tool.
    #[must_use]
    pub fn relative_to(self, base: impl Into<String>) -> Self {
        match self.0 {
            Kind::Under(directory, _) => Self(Kind::Under(directory, Some(base.into()))),
            Kind::Broken(_) => self,
            _ => Self::broken("`relative_to` is for `under` alone"),
        }
    }

    pub(super) fn broken(what: impl fmt::Display) -> Self {
        Self(Kind::Broken(what.to_string()))
    }
}

/// Matches this value: a text to the letter, a number however it is written.
///
/// It can't tell of a number that is this one only as a float.
pub fn equals(value: impl Serialize) -> Matcher {
    one_of([value])
}

/// Matches any of these values, each as [`equals`] does.
pub fn one_of<T: Serialize>(values: impl IntoIterator<Item = T>) -> Matcher {
    let values: Result<Vec<String>, _> =
        values.into_iter().map(|value| serde_json::to_string(&value)).collect();
    match values {
        Ok(values) if values.is_empty() => Matcher::broken("it is given no value"),
        Ok(values) => Matcher(Kind::OneOf(values)),
        Err(error) => Matcher::broken(format!("its value can't be written as JSON: {error}")),
    }
}

/// Matches a text by a regular expression, of the syntax of `#[arg(pattern)]`. In a `deny` or an `ask`
/// it is searched for anywhere in the text; in an `only` or a `waive_ask` it must be the whole text.
///
/// It can't tell of what is no text.
pub fn regex(pattern: impl Into<String>) -> Matcher {
    Matcher(Kind::Regex(pattern.into()))
}

/// Matches a whole text by a glob: `*` and `?` for any letters, `{a,b}`, `[a-z]`. In a `deny` or an
/// `ask` they stand for `/` as well; in an `only` or a `waive_ask` only `**` does, and it can't tell of
/// a text with a step `..`. For paths of files take [`under`], which knows links.
///
/// It can't tell of what is no text.
#[cfg(feature = "globs")]
pub fn glob(pattern: impl Into<String>) -> Matcher {
    Matcher(Kind::Glob(pattern.into()))
}

/// Matches a number in this range: `range(1..=20)`, `range(0.5..)`.
///
/// It can't tell of what is no number, nor of one that is in the range only as a float.
pub fn range<N: Number>(range: impl RangeBounds<N>) -> Matcher {
    let end = |bound: Bound<&N>| match bound {
        Bound::Included(end) => end.json().map(Bound::Included),
        Bound::Excluded(end) => end.json().map(Bound::Excluded),
        Bound::Unbounded => Some(Bound::Unbounded),
    };
    match (end(range.start_bound()), end(range.end_bound())) {
        (Some(Bound::Unbounded), Some(Bound::Unbounded)) => Matcher::broken("it has no end"),
        (Some(start), Some(end)) => Matcher(Kind::Range(start, end)),
        _ => Matcher::broken("its end is no number"),
    }
}

/// Matches a list of texts that begins with these, each to the letter: `prefix(["cargo", "test"])`.
///
/// It can't tell of what is no list of texts, such as one text with a whole command line.
pub fn prefix<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Matcher {
    let words: Vec<String> = words.into_iter().map(Into::into).collect();
    if words.is_empty() {
        return Matcher::broken("it is given no word");
    }
    Matcher(Kind::Prefix(words))
}

/// Matches the path of a file in this directory or below, or of the directory itself. The directory's
/// path is absolute; links are resolved, and letter case and forms of Unicode are the file system's. An
/// `only` or a `waive_ask` needs it to be there when the toolkit starts.
///
/// It can't tell of a path that leads to one place or another, such as a relative one without
/// [`relative_to`](Matcher::relative_to); one with a `~`, a `$VAR`, a URL's scheme or characters that
/// nobody sees; one whose `..` stands behind a link; or one that it isn't allowed to look at.
///
/// It looks at one path for the moment, and not at what a tool does with it:
///
/// - A link may be swapped before the tool opens the path. `toolkit::fs::Root`, of the feature `fs`, holds
///   against that; give it to the tool beside the rule.
/// - A directory above is not in this one: a `deny` doesn't keep a tool from moving, copying or removing
///   the whole tree that the directory is in. Bind such tools with an `only`.
/// - A hard link, and a bind mount of a directory below, is another name that nothing tells from a file or
///   directory of its own.
pub fn under(directory: impl Into<String>) -> Matcher {
    Matcher(Kind::Under(directory.into(), None))
}

/// Matches an `http` or `https` URL on this host: an exact name or address, any port unless one is
/// given (`example.com`, `127.0.0.1:8080`, `[::1]:80`).
///
/// It can't tell of what is no such URL in its plain spelling.
pub fn host(host: impl Into<String>) -> Matcher {
    Matcher(Kind::Host(vec![host.into()]))
}

mod sealed {
    pub trait Sealed {}
}

/// A number that can be the end of a [`range`].
pub trait Number: sealed::Sealed {
    /// The number as JSON, if it is one.
    #[doc(hidden)]
    fn json(&self) -> Option<String>;
}

macro_rules! whole {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Number for $type {
            fn json(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )*};
}

whole!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl sealed::Sealed for f64 {}

impl Number for f64 {
    fn json(&self) -> Option<String> {
        self.is_finite().then(|| self.to_string())
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::OneOf(values) => match values.as_slice() {
                [value] => write!(f, "= {value}"),
                _ => write!(f, "one of {}", values.join(", ")),
            },
            Kind::Regex(pattern) => write!(f, "regex {pattern:?}"),
            #[cfg(feature = "globs")]
            Kind::Glob(pattern) => write!(f, "glob {pattern:?}"),
            Kind::Range(start, end) => {
                f.write_str("in ")?;
                match start {
                    Bound::Included(start) => write!(f, "{start}..")?,
                    Bound::Excluded(start) => write!(f, "above {start}..")?,
                    Bound::Unbounded => f.write_str("..")?,
                }
                match end {
                    Bound::Included(end) => write!(f, "={end}"),
                    Bound::Excluded(end) => f.write_str(end),
                    Bound::Unbounded => Ok(()),
                }
            }
            Kind::Prefix(words) => write!(f, "begins with {words:?}"),
            Kind::Under(directory, None) => write!(f, "under {directory}"),
            Kind::Under(directory, Some(base)) => {
                write!(f, "under {directory} relative to {base}")
            }
            Kind::Host(hosts) => write!(f, "on {}", hosts.join(" or ")),
            Kind::Either(several) => {
                for (i, one) in several.iter().enumerate() {
                    write!(f, "{}{one}", if i == 0 { "" } else { " or " })?;
                }
                Ok(())
            }
            Kind::Broken(what) => f.write_str(what),
        }
    }
}
