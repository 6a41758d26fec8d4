//! Where in a tool's parameters a schema stands, spelled out only when something is to be said of it.

use std::fmt;

/// A place: `filters[].op`, `$defs.Filter`, nothing for the root.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    up: Option<&'p Place<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Items,
    /// In `$defs` or `definitions`, by name.
    Definition(&'p str, &'p str),
}

impl<'p> Place<'p> {
    pub(super) const ROOT: Place<'static> = Place { up: None, step: Step::Root };

    pub(super) fn is_root(&self) -> bool {
        matches!(self.step, Step::Root)
    }

    pub(super) fn definition(place: &'p str, name: &'p str) -> Self {
        Self { up: None, step: Step::Definition(place, name) }
    }

    pub(super) fn key(&'p self, key: &'p str) -> Self {
        Self { up: Some(self), step: Step::Key(key) }
    }

    pub(super) fn items(&'p self) -> Self {
        Self { up: Some(self), step: Step::Items }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(up) = self.up {
            up.fmt(f)?;
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Key(key) if self.up.is_some_and(Place::is_root) => f.write_str(key),
            Step::Key(key) => write!(f, ".{key}"),
            Step::Items => f.write_str("[]"),
            Step::Definition(place, name) => write!(f, "{place}.{name}"),
        }
    }
}
