//! The schemas of plain types are what would come of schemars.

use std::any::TypeId;

use schemars::JsonSchema;

use crate::param::kind;
use crate::schema::parse::Parser;
use crate::schema::plain::plain;
use crate::schema::settings;

fn same<T: JsonSchema + 'static>() {
    let name = std::any::type_name::<T>();
    let known = kind(TypeId::of::<T>()).unwrap_or_else(|| panic!("{name} is not plain"));
    let mut parser = Parser::default();
    let schema = settings().into_generator().subschema_for::<T>();
    assert_eq!(plain(known), parser.node(schema.to_value()), "{name}");
    assert!(parser.errors.is_empty(), "{name}: {:?}", parser.errors);
}

#[test]
fn equal_for_every_plain_type() {
    macro_rules! all {
        ($($ty:ty)*) => {$(
            same::<$ty>();
            same::<Option<$ty>>();
            same::<Vec<$ty>>();
            same::<Option<Vec<$ty>>>();
        )*};
    }
    all!(bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 char String);
}

#[test]
fn no_other_type_is_plain() {
    macro_rules! none {
        ($($ty:ty)*) => {$(
            assert_eq!(kind(TypeId::of::<$ty>()), None);
        )*};
    }
    none!(() serde_json::Value Vec<Vec<u8>> Vec<Option<u8>> [u8; 2] std::collections::HashSet<u8>);
    none!(Box<u8> Option<Option<u8>> super::Op std::collections::BTreeMap<String, u8>);
}
