//! The types of std that are read, checked and described without schemars: scalars, and options and
//! lists of them. Known by `TypeId`, so that an expansion pays nothing for it.

use std::any::TypeId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// A type that [`kind`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) scalar: Scalar,
    pub(crate) form: Form,
}

/// What holds the scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `T`
    One,
    /// `Option<T>`
    Maybe,
    /// `Vec<T>`
    List,
    /// `Option<Vec<T>>`
    MaybeList,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    F32,
    F64,
    Char,
    String,
}

/// A `TypeId` is a good hash already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

static KINDS: LazyLock<HashMap<TypeId, Kind, BuildHasherDefault<AsIs>>> = LazyLock::new(|| {
    macro_rules! scalars {
        ($($scalar:ident $ty:ty,)*) => {
            [$((Scalar::$scalar, [
                TypeId::of::<$ty>(),
                TypeId::of::<Option<$ty>>(),
                TypeId::of::<Vec<$ty>>(),
                TypeId::of::<Option<Vec<$ty>>>(),
            ]),)*]
        };
    }
    let scalars = scalars! {
        Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, I128 i128, Isize isize, U8 u8, U16 u16,
        U32 u32, U64 u64, U128 u128, Usize usize, F32 f32, F64 f64, Char char, String String,
    };
    let mut kinds = HashMap::default();
    for (scalar, types) in &scalars {
        for (form, of) in [Form::One, Form::Maybe, Form::List, Form::MaybeList].iter().zip(types) {
            kinds.insert(*of, Kind { scalar: *scalar, form: *form });
        }
    }
    kinds
});

/// What is known of a type.
pub(crate) fn kind(of: TypeId) -> Option<Kind> {
    KINDS.get(&of).copied()
}
