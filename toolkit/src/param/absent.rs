//! What a type makes of an argument that isn't there: serde's own rule for a missing field, so that
//! the decoder and the schema's `required` can't differ.

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

/// The value that stands for an absent argument, if the type has one: `None` for an option, behind
/// whatever alias; nothing for `()`, a `serde_json::Value` or a newtype of an option.
pub(crate) fn absent<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Absent).ok()
}

struct Absent;

/// The only thing to know of an absent value that a type doesn't take.
#[derive(Debug)]
struct Required;

impl fmt::Display for Required {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("required, missing")
    }
}

impl std::error::Error for Required {}

impl Error for Required {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl<'de> Deserializer<'de> for Absent {
    type Error = Required;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Required> {
        Err(Required)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Required> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::marker::PhantomData;

    use serde::Deserialize;
    use serde_json::Value;

    use super::absent;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Wrapped(Option<u8>);
    type Alias = Option<Wrapped>;

    #[test]
    fn options_are_none_behind_anything() {
        assert_eq!(absent::<Option<u8>>(), Some(None));
        assert_eq!(absent::<Alias>(), Some(None));
        assert_eq!(absent::<Box<Option<u8>>>(), Some(Box::new(None)));
    }

    #[test]
    fn nothing_else_is() {
        assert_eq!(absent::<Wrapped>(), None);
        assert_eq!(absent::<()>(), None);
        assert_eq!(absent::<Value>(), None);
        assert_eq!(absent::<String>(), None);
        assert_eq!(absent::<Vec<u8>>(), None);
        assert_eq!(absent::<PhantomData<u8>>(), None);
    }
}
