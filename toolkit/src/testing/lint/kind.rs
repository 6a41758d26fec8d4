//! The lints by name.

use std::fmt;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// To be known; a [report](super::Report) with nothing else is clean.
    Note,
    /// To be mended, or allowed.
    Warning,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
        })
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Lint {
    /// `no_verb`: a description doesn't begin with what the tool does: a verb in its plain form.
    NoVerb,
    /// `near_identical`: two descriptions say nearly the same, so that a model must guess.
    NearIdentical,
    /// `no_limits`: a description doesn't say when not to use the tool.
    NoLimits,
    /// `no_example`: the text of a parameter shows neither a format nor an example, and its schema
    /// doesn't either.
    NoExample,
    /// `options_in_prose`: a parameter's text lists what may be given, which an enum would hold a model
    /// to.
    OptionsInProse,
    /// `needless_required`: a parameter must be given for which most callers would want the same.
    NeedlessRequired,
    /// `unknown_name`: a text names a tool that isn't there, or a parameter that the tool hasn't.
    UnknownName,
    /// `risk_unstated`: the risk isn't stated, so that it is `read`; stating it says that somebody has
    /// thought of it.
    RiskUnstated,
    /// `risk_unlike_text`: the description says that the tool changes, sends or destroys something, and
    /// its risk doesn't.
    RiskUnlikeText,
    /// `runs_in_place`: a plain function has a timeout, which can't interrupt it. A note: it may be
    /// quick.
    RunsInPlace,
    /// `no_schema`: a tool has no schema that can be told, so that no model sees it.
    NoSchema,
    /// `catalog_size`: the catalog is more than a provider takes.
    CatalogSize,
}

impl Lint {
    /// How much its findings weigh.
    pub fn level(self) -> Level {
        match self {
            Self::RunsInPlace => Level::Note,
            _ => Level::Warning,
        }
    }

    /// Its name, as a report has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoVerb => "no_verb",
            Self::NearIdentical => "near_identical",
            Self::NoLimits => "no_limits",
            Self::NoExample => "no_example",
            Self::OptionsInProse => "options_in_prose",
            Self::NeedlessRequired => "needless_required",
            Self::UnknownName => "unknown_name",
            Self::RiskUnstated => "risk_unstated",
            Self::RiskUnlikeText => "risk_unlike_text",
            Self::RunsInPlace => "runs_in_place",
            Self::NoSchema => "no_schema",
            Self::CatalogSize => "catalog_size",
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
