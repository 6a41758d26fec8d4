//! Writes a value as compact JSON and refuses what JSON hasn't: NaN and the infinities, which
//! `serde_json` turns into `null` without a word.

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Appends the value to `out` as compact JSON.
///
/// # Errors
/// The value holds NaN or an infinity, or its own `Serialize` fails. `out` then holds a part of it.
pub(crate) fn write<T: Serialize + ?Sized, W: std::io::Write>(
    value: &T,
    out: &mut W,
) -> Result<(), serde_json::Error> {
    value.serialize(Finite(&mut serde_json::Serializer::new(out)))
}

/// A serialiser, a compound of one, or a value on its way into one, each with the check put before.
struct Finite<S>(S);

impl<T: Serialize + ?Sized> Serialize for Finite<&T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Finite(serializer))
    }
}

fn not_finite<E: Error>() -> E {
    E::custom("a number is NaN or infinite, which JSON can't say")
}

macro_rules! forward {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {$(
        #[inline]
        fn $method(self, $($arg: $ty),*) -> Result<S::Ok, S::Error> {
            self.0.$method($($arg),*)
        }
    )*};
}

macro_rules! compound {
    ($($method:ident -> $assoc:ident($($arg:ident: $ty:ty),*);)*) => {$(
        #[inline]
        fn $method(self, $($arg: $ty),*) -> Result<Self::$assoc, S::Error> {
            self.0.$method($($arg),*).map(Finite)
        }
    )*};
}

impl<S: Serializer> Serializer for Finite<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Finite<S::SerializeSeq>;
    type SerializeTuple = Finite<S::SerializeTuple>;
    type SerializeTupleStruct = Finite<S::SerializeTupleStruct>;
    type SerializeTupleVariant = Finite<S::SerializeTupleVariant>;
    type SerializeMap = Finite<S::SerializeMap>;
    type SerializeStruct = Finite<S::SerializeStruct>;
    type SerializeStructVariant = Finite<S::SerializeStructVariant>;

    #[inline]
    fn serialize_f32(self, v: f32) -> Result<S::Ok, S::Error> {
        if v.is_finite() { self.0.serialize_f32(v) } else { Err(not_finite()) }
    }

    #[inline]
    fn serialize_f64(self, v: f64) -> Result<S::Ok, S::Error> {
        if v.is_finite() { self.0.serialize_f64(v) } else { Err(not_finite()) }
    }

    forward! {
        serialize_bool(v: bool);
        serialize_i8(v: i8);
        serialize_i16(v: i16);
        serialize_i32(v: i32);
        serialize_i64(v: i64);
        serialize_i128(v: i128);
        serialize_u8(v: u8);
        serialize_u16(v: u16);
        serialize_u32(v: u32);
        serialize_u64(v: u64);
        serialize_u128(v: u128);
        serialize_char(v: char);
        serialize_str(v: &str);
        serialize_bytes(v: &[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    compound! {
        serialize_seq -> SerializeSeq(len: Option<usize>);
        serialize_tuple -> SerializeTuple(len: usize);
        serialize_tuple_struct -> SerializeTupleStruct(name: &'static str, len: usize);
        serialize_tuple_variant -> SerializeTupleVariant(name: &'static str, index: u32, variant: &'static str, len: usize);
        serialize_map -> SerializeMap(len: Option<usize>);
        serialize_struct -> SerializeStruct(name: &'static str, len: usize);
        serialize_struct_variant -> SerializeStructVariant(name: &'static str, index: u32, variant: &'static str, len: usize);
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Finite(value))
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Finite(value))
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_variant(name, index, variant, &Finite(value))
    }

    #[inline]
    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.collect_str(value)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! elements {
    ($($tr:ident::$method:ident;)*) => {$(
        impl<S: $tr> $tr for Finite<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                self.0.$method(&Finite(value))
            }

            #[inline]
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )*};
}

elements! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

macro_rules! fields {
    ($($tr:ident;)*) => {$(
        impl<S: $tr> $tr for Finite<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), S::Error> {
                self.0.serialize_field(key, &Finite(value))
            }

            #[inline]
            fn skip_field(&mut self, key: &'static str) -> Result<(), S::Error> {
                self.0.skip_field(key)
            }

            #[inline]
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl<S: SerializeMap> SerializeMap for Finite<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(&Finite(key))
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Finite(value))
    }

    #[inline]
    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), S::Error> {
        self.0.serialize_entry(&Finite(key), &Finite(value))
    }

    #[inline]
    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;
    use serde_json::value::RawValue;

    use super::*;

    fn written<T: Serialize>(value: &T) -> Result<String, String> {
        let mut out = Vec::new();
        write(value, &mut out).map_err(|e| e.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[derive(Serialize)]
    enum Shape {
        Unit,
        New(f64),
        Tuple(u8, f32),
        Struct { a: Option<f64>, raw: Box<RawValue> },
    }

    #[test]
    fn equals_serde_json() {
        let raw = || RawValue::from_string("{\"z\": 1e400}".to_owned()).unwrap();
        let all = (
            Shape::Unit,
            Shape::New(1.5),
            Shape::Tuple(1, 2.5),
            Shape::Struct { a: None, raw: raw() },
            BTreeMap::from([(1, vec!['a', '"']), (2, vec![])]),
            serde_json::json!({"b": [1, 2.0, 1e30, null, "\u{2028}"], "a": {}}),
            std::net::Ipv4Addr::LOCALHOST,
            i128::MIN,
            u64::MAX,
        );
        assert_eq!(written(&all), Ok(serde_json::to_string(&all).unwrap()));
    }

    #[test]
    fn refuses_what_json_cannot_say() {
        let raw = RawValue::from_string("1".to_owned()).unwrap();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(written(&bad).is_err());
            assert!(written(&vec![Some(bad)]).is_err());
            assert!(written(&Shape::New(bad)).is_err());
            assert!(written(&Shape::Tuple(1, bad as f32)).is_err());
            assert!(written(&Shape::Struct { a: Some(bad), raw: raw.clone() }).is_err());
            assert!(written(&BTreeMap::from([("k", bad)])).is_err());
        }
    }
}
