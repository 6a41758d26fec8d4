//! Who decided to make a call.

use std::fmt;

/// Who decided to make a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A person, by a button or a command.
    Human,
    /// A fixed chain of steps that a person started.
    Plan,
    /// A model.
    Model,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Self; 3] = [Self::Human, Self::Plan, Self::Model];

    /// The word used in events and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Plan => "plan",
            Self::Model => "model",
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
