//! What fills a parameter that no model fills in.

use syn::{Attribute, Meta};

use crate::errors::Errors;
use crate::item;

/// What our attribute of a parameter is, or is meant to be.
pub(super) fn is_ours(attr: &Attribute) -> Option<&'static str> {
    item::ours(&attr.path().segments.last()?.ident.to_string())
}

/// What fills a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    State,
    Context,
}

impl Marker {
    /// The attribute.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::State => "#[state]",
            Self::Context => "#[context]",
        }
    }

    /// What the attributes say; the first of them holds.
    pub(super) fn read(attrs: &[Attribute], errors: &mut Errors) -> Option<Self> {
        let mut marker: Option<Self> = None;
        for attr in attrs {
            let found = match is_ours(attr) {
                Some("state") => Self::State,
                Some("context") => Self::Context,
                _ => continue,
            };
            let name = found.name();
            if !matches!(attr.meta, Meta::Path(_)) {
                errors.push_at(attr, format_args!("`{name}` takes nothing"), "write it bare");
            }
            match marker {
                Some(earlier) if earlier == found => {
                    errors.push_at(attr, format_args!("`{name}` is given twice"), "keep one");
                }
                Some(earlier) => errors.push_at(
                    attr,
                    format_args!("a parameter can't be both `{}` and `{name}`", earlier.name()),
                    "keep one",
                ),
                None => marker = Some(found),
            }
        }
        marker
    }
}
