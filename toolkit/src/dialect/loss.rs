//! What a provider's wire format can't carry, as a report for the host.

use std::fmt;

/// Something that a dialect could not hand on as declared. The arguments of every call are checked
/// against the tool's own schema all the same, so a loss weakens what the model is held to, never
/// what a body sees.
///
/// Displays as `ticket.create: labels: not strict: a map whose keys are open`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Loss {
    pub(crate) tool: Option<Box<str>>,
    pub(crate) path: Box<str>,
    pub(crate) kind: LossKind,
    pub(crate) reason: Box<str>,
}

/// What a [`Loss`] does to a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LossKind {
    /// The tool is offered without strict mode, so the provider doesn't hold the model to its
    /// schema.
    NotStrict,
    /// A constraint isn't part of the schema that is sent; the description tells it instead.
    Described,
    /// The tool, or the whole catalog, is over a limit that the provider is known to have.
    Limit,
    /// The tool isn't offered at all, since it has no schema.
    LeftOut,
}

impl Loss {
    pub(crate) fn new(kind: LossKind, path: &str, reason: impl Into<Box<str>>) -> Self {
        Self { tool: None, path: path.into(), kind, reason: reason.into() }
    }

    pub(crate) fn of(mut self, tool: &str) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// The tool, by its tool name; `None` for a loss of the whole catalog.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Where in the parameters, e.g. `filters[].op`; empty for the tool as a whole. The definition
    /// of a type that several places share is `$defs.Filter`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What the loss does to the tool.
    pub fn kind(&self) -> LossKind {
        self.kind
    }

    /// Why, for a person.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tool) = &self.tool {
            write!(f, "{tool}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(match self.kind {
            LossKind::NotStrict => "not strict: ",
            LossKind::Described => "only described: ",
            LossKind::Limit => "over a limit: ",
            LossKind::LeftOut => "left out: ",
        })?;
        f.write_str(&self.reason)
    }
}
