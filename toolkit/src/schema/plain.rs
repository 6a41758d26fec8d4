//! The schemas of plain types of std, without schemars: many times quicker, and equal to what would
//! come of schemars, as a test of every such type shows.

use super::bounds::{End, Numbers};
use super::node::{Arrays, Node, Strings, Types};
use crate::param::{Form, Kind, Scalar};

/// The schema of a plain type.
pub(super) fn plain(kind: Kind) -> Node {
    let one = scalar(kind.scalar);
    match kind.form {
        Form::One => one,
        Form::Maybe => or_null(one),
        Form::List => list(one),
        Form::MaybeList => or_null(list(one)),
    }
}

fn list(of: Node) -> Node {
    let arrays = Box::new(Arrays { rest: Some(of), ..Arrays::default() });
    Node { arrays: Some(arrays), ..Node::of(Types::ARRAY) }
}

fn or_null(node: Node) -> Node {
    Node { types: node.types.and(Types::NULL), ..node }
}

fn scalar(scalar: Scalar) -> Node {
    match scalar {
        Scalar::Bool => Node::of(Types::BOOLEAN),
        Scalar::String => Node::of(Types::STRING),
        Scalar::F64 => Node::of(Types::NUMBER),
        Scalar::F32 => Node { numbers: format_bounds("float"), ..Node::of(Types::NUMBER) },
        Scalar::Char => {
            let strings = Strings { min: Some(1), max: Some(1), ..Strings::default() };
            Node { strings: Some(Box::new(strings)), ..Node::of(Types::STRING) }
        }
        Scalar::I8 => integer("int8"),
        Scalar::I16 => integer("int16"),
        Scalar::I32 => integer("int32"),
        Scalar::I64 => integer("int64"),
        Scalar::I128 => integer("int128"),
        Scalar::Isize => integer("int"),
        Scalar::U8 => integer("uint8"),
        Scalar::U16 => integer("uint16"),
        Scalar::U32 => integer("uint32"),
        Scalar::U64 => integer("uint64"),
        Scalar::U128 => integer("uint128"),
        Scalar::Usize => integer("uint"),
    }
}

fn integer(format: &str) -> Node {
    Node { numbers: format_bounds(format), ..Node::of(Types::INTEGER) }
}

const I64: (&str, &str) = ("-9223372036854775808", "9223372036854775807");
const U64: (&str, &str) = ("0", "18446744073709551615");
const I32: (&str, &str) = ("-2147483648", "2147483647");
const U32: (&str, &str) = ("0", "4294967295");

/// The bounds of a numeric format, if the word is one. The text says those of up to 32 bits, and that
/// unsigned numbers aren't negative; the others are only held to.
pub(super) fn format_bounds(format: &str) -> Option<Box<Numbers>> {
    const WIDE: bool = size_of::<usize>() == 8;
    let (ends, shown): ((&'static str, &'static str), _) = match format {
        "int8" => (("-128", "127"), true),
        "int16" => (("-32768", "32767"), true),
        "int32" => (I32, true),
        "int64" => (I64, false),
        "int" => (if WIDE { I64 } else { I32 }, false),
        "int128" => (
            ("-170141183460469231731687303715884105728", "170141183460469231731687303715884105727"),
            false,
        ),
        "uint8" => (("0", "255"), true),
        "uint16" => (("0", "65535"), true),
        "uint32" => (U32, true),
        "uint64" => (U64, false),
        "uint" => (if WIDE { U64 } else { U32 }, false),
        "uint128" => (("0", "340282366920938463463374607431768211455"), false),
        // What is greater would be read as infinite.
        "float" => (("-3.4028235e38", "3.4028235e38"), false),
        _ => return None,
    };
    Some(Box::new(Numbers {
        lower: Some(End::new(ends.0, false, shown || ends.0 == "0")),
        upper: Some(End::new(ends.1, false, shown)),
        ..Numbers::default()
    }))
}
