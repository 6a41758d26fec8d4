//! What each keyword of a schema is to strict mode.

use super::super::keyword::Keyword;

/// Keywords that strict mode refuses and that no rewriting keeps true.
pub(super) const REFUSED: [&str; 12] = [
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "contentSchema",
    "$dynamicRef",
];

/// What a keyword is to strict mode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Says nothing about the value.
    Silent,
    /// Goes into the description, whatever the schema is.
    Told,
    /// `anyOf`, `oneOf`.
    Union,
    /// `const`, `enum`.
    Fixed,
    /// Is handled with its type, and says nothing beside another one.
    Typed,
    /// One of [`REFUSED`].
    Refused,
    Unknown,
}

impl Word {
    pub(super) fn of(word: Keyword, key: &str) -> Self {
        match word {
            Keyword::Description
            | Keyword::Default
            | Keyword::Examples
            | Keyword::Deprecated
            | Keyword::Not => Self::Told,
            Keyword::AnyOf | Keyword::OneOf => Self::Union,
            Keyword::Const | Keyword::Enum => Self::Fixed,
            Keyword::Ref | Keyword::AllOf | Keyword::Defs | Keyword::Definitions => Self::Unknown,
            Keyword::Other => Self::of_other(key),
            _ => Self::Typed,
        }
    }

    fn of_other(key: &str) -> Self {
        match key {
            "unevaluatedProperties"
            | "minProperties"
            | "maxProperties"
            | "prefixItems"
            | "additionalItems"
            | "unevaluatedItems" => Self::Typed,
            "$schema" | "$id" | "$anchor" | "$comment" | "title" | "readOnly" | "writeOnly"
            | "contentEncoding" | "contentMediaType" | "$vocabulary" | "$dynamicAnchor"
            | "discriminator" => Self::Silent,
            _ if key.starts_with("x-") => Self::Silent,
            _ if REFUSED.contains(&key) => Self::Refused,
            _ => Self::Unknown,
        }
    }
}
