//! The keywords of a schema, in the order in which they are written.

/// A key of a schema: what it is, then what it holds. The order is that of this list; what isn't known
/// stands after what is, by name, and the definitions last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Keyword {
    Ref,
    Type,
    Description,
    Const,
    Enum,
    AnyOf,
    OneOf,
    AllOf,
    Not,
    Properties,
    Required,
    PatternProperties,
    AdditionalProperties,
    Items,
    MinItems,
    MaxItems,
    UniqueItems,
    Pattern,
    Format,
    MinLength,
    MaxLength,
    Minimum,
    ExclusiveMinimum,
    Maximum,
    ExclusiveMaximum,
    MultipleOf,
    Default,
    Examples,
    Deprecated,
    Other,
    Defs,
    Definitions,
}

impl Keyword {
    /// Inlined, so that nothing is left of it where the key is a constant.
    #[inline(always)]
    pub(super) fn of(key: &str) -> Self {
        match key {
            "$ref" => Self::Ref,
            "type" => Self::Type,
            "description" => Self::Description,
            "const" => Self::Const,
            "enum" => Self::Enum,
            "anyOf" => Self::AnyOf,
            "oneOf" => Self::OneOf,
            "allOf" => Self::AllOf,
            "not" => Self::Not,
            "properties" => Self::Properties,
            "required" => Self::Required,
            "patternProperties" => Self::PatternProperties,
            "additionalProperties" => Self::AdditionalProperties,
            "items" => Self::Items,
            "minItems" => Self::MinItems,
            "maxItems" => Self::MaxItems,
            "uniqueItems" => Self::UniqueItems,
            "pattern" => Self::Pattern,
            "format" => Self::Format,
            "minLength" => Self::MinLength,
            "maxLength" => Self::MaxLength,
            "minimum" => Self::Minimum,
            "exclusiveMinimum" => Self::ExclusiveMinimum,
            "maximum" => Self::Maximum,
            "exclusiveMaximum" => Self::ExclusiveMaximum,
            "multipleOf" => Self::MultipleOf,
            "default" => Self::Default,
            "examples" => Self::Examples,
            "deprecated" => Self::Deprecated,
            "$defs" => Self::Defs,
            "definitions" => Self::Definitions,
            _ => Self::Other,
        }
    }
}
