//! What a person may allow for the rest of a session, beside the one call that they are asked about:
//! rungs of a ladder, each built from the call's final arguments. Who answers picks one, and no more.

use std::fmt::Write;
use std::time::Duration;

use crate::text::{excerpt, visible};

/// How much of a value a text quotes, in characters; the whole stands in the question.
const QUOTED: usize = 80;

/// One rung: what is not asked about again, of the tool that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rung {
    /// Exactly the arguments that were shown.
    Exact,
    /// The values that were shown of the arguments of these names, whatever the others are. A call that
    /// leaves one of them out is asked about.
    Arguments(Vec<String>),
    /// The tool, whatever its arguments.
    Tool,
}

impl Rung {
    /// The word used in events: `exact`, `arguments` or `tool`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Arguments(_) => "arguments",
            Self::Tool => "tool",
        }
    }
}

/// What may be answered for the rest of the session. An answer that isn't among it is refused, and
/// nothing runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offer {
    /// The tool that was asked about.
    pub of: String,
    /// Whether [`Rung::Exact`] may be answered.
    pub exact: bool,
    /// The arguments whose values may be answered with [`Rung::Arguments`]; none where that may not.
    pub arguments: Vec<OfferedArgument>,
    /// Whether [`Rung::Tool`] may be answered.
    pub tool: bool,
    /// How long a grant may last. One that names no time lasts so long, or until the session ends.
    pub longest: Duration,
}

/// An argument that may be granted with the value that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferedArgument {
    /// Its name, as the tool declares it.
    pub name: String,
    /// The value as compact JSON.
    pub value: String,
    /// Whether it is a list of targets, each of which is granted by itself.
    pub targets: bool,
}

impl Offer {
    /// Whether this may be answered.
    pub fn includes(&self, rung: &Rung, time: Option<Duration>) -> bool {
        let rung = match rung {
            Rung::Exact => self.exact,
            Rung::Arguments(names) => {
                let offered = |name: &String| self.arguments.iter().any(|held| held.name == *name);
                !names.is_empty() && names.iter().all(offered)
            }
            Rung::Tool => self.tool,
        };
        rung && time.is_none_or(|time| !time.is_zero() && time <= self.longest)
    }

    /// What a rung would grant, as one line for a person: `` `ticket.close` whenever `reason` is
    /// "spam" ``. Nothing in it is invisible; long values are cut, and stand whole in the question.
    pub fn text(&self, rung: &Rung) -> String {
        let mut text = format!("`{}`", visible(&self.of, false));
        match rung {
            Rung::Exact => text.push_str(" with exactly these arguments"),
            Rung::Tool => text.push_str(" with any arguments"),
            Rung::Arguments(names) => {
                let chosen = self.arguments.iter().filter(|held| names.contains(&held.name));
                for (at, argument) in chosen.enumerate() {
                    let joint = if at == 0 { "whenever" } else { "and" };
                    let is = if argument.targets { "are all among" } else { "is" };
                    let (name, value) =
                        (visible(&argument.name, false), visible(&argument.value, false));
                    let value = excerpt(&value, QUOTED);
                    // Writing to a `String` can't fail.
                    let _ = write!(text, " {joint} `{name}` {is} {value}");
                }
            }
        }
        text
    }
}
