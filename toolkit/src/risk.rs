//! What a tool does to the world: five levels, and the set of them that a tool declares.

use std::fmt;

/// One level of risk, mildest first.
///
/// Two questions settle it: can it be undone afterwards, and will someone outside see it at once?
///
/// ```
/// use toolkit::Risk;
/// assert!(Risk::Read < Risk::Destructive);
/// assert_eq!("network".parse(), Ok(Risk::Network));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// No effect: look up an article, read a file.
    Read,
    /// Changes our own state and can be undone: create a ticket.
    Write,
    /// Data crosses our border: fetch a URL.
    Network,
    /// Somebody outside sees it at once: mail, a chat message.
    Send,
    /// Hard to undo, or hits others: delete, restart, pay.
    Destructive,
}

impl Risk {
    /// Every level, mildest first.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::Write, Self::Network, Self::Send, Self::Destructive];

    /// The word used in `#[tool(risk = "…")]`, in messages and in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Network => "network",
            Self::Send => "send",
            Self::Destructive => "destructive",
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Risk {
    type Err = UnknownRisk;

    fn from_str(text: &str) -> Result<Self, UnknownRisk> {
        Self::ALL.into_iter().find(|risk| risk.as_str() == text).ok_or(UnknownRisk)
    }
}

/// The text names no risk level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown risk; known: read, write, network, send, destructive")]
pub struct UnknownRisk;

/// The levels that one tool declares; never empty, since a tool without any is a read.
///
/// Levels add up: a tool that declares two must pass the policy of both.
///
/// ```
/// use toolkit::{Risk, RiskSet};
/// let set = RiskSet::of(&[Risk::Destructive, Risk::Network]);
/// assert_eq!(set.highest(), Risk::Destructive);
/// assert_eq!(set.to_string(), "network + destructive");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RiskSet(u8);

impl RiskSet {
    /// Only [`Risk::Read`].
    pub const READ: Self = Self(Risk::Read.bit());

    /// The set of these levels; an empty slice gives [`RiskSet::READ`].
    pub const fn of(levels: &[Risk]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < levels.len() {
            bits |= levels[i].bit();
            i += 1;
        }
        if bits == 0 { Self::READ } else { Self(bits) }
    }

    /// Whether the tool declares this level.
    pub const fn contains(self, risk: Risk) -> bool {
        self.0 & risk.bit() != 0
    }

    /// This set with one more level.
    #[must_use]
    pub const fn with(self, risk: Risk) -> Self {
        Self(self.0 | risk.bit())
    }

    /// The highest level: for ceilings, sorting and display, never for the verdict.
    pub const fn highest(self) -> Risk {
        let mut i = Risk::ALL.len() - 1;
        while i > 0 {
            if self.contains(Risk::ALL[i]) {
                return Risk::ALL[i];
            }
            i -= 1;
        }
        Risk::Read
    }

    /// Whether the tool declares nothing above read.
    pub const fn is_read(self) -> bool {
        self.0 == Self::READ.0
    }

    /// The levels, mildest first.
    pub fn iter(self) -> impl Iterator<Item = Risk> {
        Risk::ALL.into_iter().filter(move |risk| self.contains(*risk))
    }

    /// A number below 32 that differs for each set: an index into a table over all sets.
    pub(crate) const fn bits(self) -> usize {
        self.0 as usize
    }
}

impl From<Risk> for RiskSet {
    fn from(risk: Risk) -> Self {
        Self::of(&[risk])
    }
}

impl fmt::Display for RiskSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, risk) in self.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { " + " })?;
            f.write_str(risk.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for RiskSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RiskSet({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_set_is_a_read() {
        assert_eq!(RiskSet::of(&[]), RiskSet::READ);
        assert!(RiskSet::of(&[]).is_read());
    }

    #[test]
    fn highest_is_the_last_declared_level() {
        for risk in Risk::ALL {
            assert_eq!(RiskSet::READ.with(risk).highest(), risk);
        }
    }

    #[test]
    fn words_round_trip() {
        for risk in Risk::ALL {
            assert_eq!(risk.as_str().parse(), Ok(risk));
        }
        assert_eq!("wirte".parse::<Risk>(), Err(UnknownRisk));
    }
}
