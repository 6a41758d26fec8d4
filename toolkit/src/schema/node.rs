//! A schema in the one form that is both written out for the model and held against its calls, so
//! that the two can't differ.

use std::borrow::Cow;

use super::bounds::Numbers;
use super::pattern::Pattern;

/// The kind of a JSON value, as its first byte tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Sort {
    pub(super) fn of(byte: Option<u8>) -> Option<Self> {
        Some(match byte? {
            b'"' => Self::String,
            b'-' | b'0'..=b'9' => Self::Number,
            b'{' => Self::Object,
            b'[' => Self::Array,
            b't' | b'f' => Self::Boolean,
            b'n' => Self::Null,
            _ => return None,
        })
    }
}

/// A set of JSON types; the empty one allows any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const ANY: Self = Self(0);
    pub(super) const STRING: Self = Self(1);
    pub(super) const NUMBER: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const BOOLEAN: Self = Self(8);
    pub(super) const ARRAY: Self = Self(16);
    pub(super) const OBJECT: Self = Self(32);
    pub(super) const NULL: Self = Self(64);

    /// Every type with its word, in the order in which they are written.
    pub(super) const ALL: [(Self, &'static str); 7] = [
        (Self::STRING, "string"),
        (Self::NUMBER, "number"),
        (Self::INTEGER, "integer"),
        (Self::BOOLEAN, "boolean"),
        (Self::ARRAY, "array"),
        (Self::OBJECT, "object"),
        (Self::NULL, "null"),
    ];

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter(move |(of, _)| self.has(*of)).map(|(_, word)| word)
    }

    /// Whether a value of this kind may stand; of numbers, whether some may.
    #[inline]
    pub(super) const fn admits(self, sort: Sort) -> bool {
        self.0 == 0
            || self.has(match sort {
                Sort::Null => Self::NULL,
                Sort::Boolean => Self::BOOLEAN,
                Sort::Number => Self::NUMBER.and(Self::INTEGER),
                Sort::String => Self::STRING,
                Sort::Array => Self::ARRAY,
                Sort::Object => Self::OBJECT,
            })
    }

    /// Whether of all numbers only whole ones may stand.
    #[inline]
    pub(super) const fn only_whole(self) -> bool {
        self.has(Self::INTEGER) && !self.has(Self::NUMBER)
    }
}

/// A schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) types: Types,
    /// `false`: no value fits.
    pub(super) never: bool,
    /// The values are written as `const`.
    pub(super) constant: bool,
    pub(super) description: Option<Cow<'static, str>>,
    /// What the variants of an enum say of themselves; written after the description.
    pub(super) notes: Option<String>,
    pub(super) refers: Option<Box<Refers>>,
    /// The only values allowed, each as its canonical JSON.
    pub(super) values: Option<Vec<String>>,
    pub(super) numbers: Option<Box<Numbers>>,
    pub(super) strings: Option<Box<Strings>>,
    pub(super) arrays: Option<Box<Arrays>>,
    pub(super) objects: Option<Box<Objects>>,
    pub(super) unions: Vec<Union>,
    /// JSON.
    pub(super) default: Option<String>,
    /// JSON.
    pub(super) examples: Vec<String>,
    /// How a value is held to it; settled when the schema is.
    pub(super) way: Way,
}

/// By what a value is held to a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Way {
    /// What the schema says itself.
    #[default]
    Own,
    /// What another says, or one of several others.
    Other,
    /// Several at once.
    Composed,
}

/// A reference to one of the root's `$defs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refers {
    pub(super) name: String,
    /// The place among the definitions, once that is settled.
    pub(super) at: usize,
}

/// What strings must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Strings {
    pub(super) min: Option<u64>,
    pub(super) max: Option<u64>,
    pub(super) pattern: Option<Pattern>,
    /// Says what the string means; the decoder holds to it.
    pub(super) format: Option<String>,
}

/// What arrays must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Arrays {
    /// The schemas of the first elements.
    pub(super) first: Vec<Node>,
    /// The schema of the rest.
    pub(super) rest: Option<Node>,
    pub(super) min: Option<u64>,
    pub(super) max: Option<u64>,
    pub(super) unique: bool,
}

/// What objects must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Objects {
    pub(super) properties: Vec<Property>,
    /// Keys that must be there, in order.
    pub(super) required: Vec<String>,
    pub(super) patterns: Vec<(Pattern, Node)>,
    pub(super) rest: Rest,
    /// `unevaluatedProperties`.
    pub(super) unevaluated: Option<Rest>,
    /// Whether the schema's text says that an implied end of the keys is one.
    pub(super) shown_closed: bool,
    /// What [`quick`](super::quick) must see; settled when the schema is.
    pub(super) must: Option<u64>,
    pub(super) min: Option<u64>,
    pub(super) max: Option<u64>,
}

/// What other keys an object may have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Rest {
    /// Nothing was said, and no property was named: any.
    #[default]
    Unsaid,
    /// Nothing was said, but properties were named: none, wherever these are all that is known.
    Implied,
    /// Any.
    Open,
    /// None.
    Closed,
    /// Those whose values fit.
    Fitting(Box<Node>),
}

/// One named property.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Property {
    pub(super) name: Cow<'static, str>,
    /// Other keys that a call may use; not written.
    pub(super) aliases: &'static [&'static str],
    pub(super) secret: bool,
    pub(super) required: bool,
    /// Whether the name stands in JSON as it is, without escapes.
    pub(super) plain: bool,
    pub(super) node: Node,
}

impl Property {
    pub(super) fn new(name: Cow<'static, str>, node: Node) -> Self {
        let plain = !name.contains(|c: char| c < ' ' || matches!(c, '"' | '\\'));
        Self { name, aliases: &[], secret: false, required: false, plain, node }
    }
}

/// Schemas that are joined.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Union {
    pub(super) join: Join,
    pub(super) branches: Vec<Node>,
}

/// How schemas are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    All,
    Any,
    One,
    Not,
}

impl Node {
    /// The schema of values of some types.
    pub(super) fn of(types: Types) -> Self {
        Self { types, ..Self::default() }
    }

    /// Whether the node itself asks nothing of a value.
    pub(super) fn asks_nothing(&self) -> bool {
        self.types == Types::ANY
            && !self.never
            && self.values.is_none()
            && self.numbers.is_none()
            && self.strings.is_none()
            && self.arrays.is_none()
            && self.objects.is_none()
    }

    /// Whether all that the node asks is asked by one other in its place: a reference, or one of
    /// several alternatives.
    pub(super) fn delegates(&self) -> bool {
        self.asks_nothing()
            && match (&self.refers, self.unions.as_slice()) {
                (Some(_), []) => true,
                (None, [one]) => matches!(one.join, Join::Any | Join::One),
                _ => false,
            }
    }

    /// Whether several schemas ask something of one value together.
    pub(super) fn is_composed(&self) -> bool {
        (self.refers.is_some() || !self.unions.is_empty()) && !self.delegates()
    }

    /// Asks that a further schema fit as well.
    pub(super) fn join(&mut self, node: Self) {
        match self.unions.iter_mut().find(|union| union.join == Join::All) {
            Some(union) => union.branches.push(node),
            None => self.unions.push(Union { join: Join::All, branches: vec![node] }),
        }
    }

    /// The properties of the objects that fit.
    pub(super) fn properties(&self) -> &[Property] {
        match &self.objects {
            Some(objects) => &objects.properties,
            None => &[],
        }
    }

    pub(super) fn properties_mut(&mut self) -> &mut [Property] {
        match &mut self.objects {
            Some(objects) => &mut objects.properties,
            None => &mut [],
        }
    }

    /// The schemas directly below.
    pub(super) fn below(&self) -> Vec<&Self> {
        let mut below = Vec::new();
        if let Some(arrays) = &self.arrays {
            below.extend(&arrays.first);
            below.extend(&arrays.rest);
        }
        if let Some(objects) = &self.objects {
            below.extend(objects.properties.iter().map(|property| &property.node));
            below.extend(objects.patterns.iter().map(|(_, node)| node));
            for rest in [Some(&objects.rest), objects.unevaluated.as_ref()] {
                if let Some(Rest::Fitting(node)) = rest {
                    below.push(node);
                }
            }
        }
        for union in &self.unions {
            below.extend(&union.branches);
        }
        below
    }

    /// Calls `f` with each schema directly below.
    pub(super) fn each_below(&mut self, f: &mut dyn FnMut(&mut Self)) {
        if let Some(arrays) = &mut self.arrays {
            arrays.first.iter_mut().for_each(&mut *f);
            arrays.rest.iter_mut().for_each(&mut *f);
        }
        if let Some(objects) = &mut self.objects {
            objects.properties.iter_mut().for_each(|property| f(&mut property.node));
            objects.patterns.iter_mut().for_each(|(_, node)| f(node));
            for rest in [Some(&mut objects.rest), objects.unevaluated.as_mut()] {
                if let Some(Rest::Fitting(node)) = rest {
                    f(node);
                }
            }
        }
        for union in &mut self.unions {
            union.branches.iter_mut().for_each(&mut *f);
        }
    }
}

impl Objects {
    /// The place of the property with this key.
    pub(super) fn find(&self, key: &str, guess: usize) -> Option<usize> {
        if self.properties.get(guess).is_some_and(|property| property.name == key) {
            return Some(guess);
        }
        self.properties
            .iter()
            .position(|property| property.name == key)
            .or_else(|| self.properties.iter().position(|p| p.aliases.contains(&key)))
    }

    /// Whether there is a place for the key; `below`: in the eyes of a schema that asks this one.
    pub(super) fn knows(&self, key: &str, below: bool) -> bool {
        self.find(key, 0).is_some()
            || matches!(self.rest, Rest::Open | Rest::Fitting(_))
            || self.patterns.iter().any(|(pattern, _)| pattern.is_match(key))
            || (below && self.says_open())
    }

    /// Whether a key that isn't named here may stand, as far as this schema is concerned.
    pub(super) fn says_open(&self) -> bool {
        let open = |rest: &Rest| matches!(rest, Rest::Open | Rest::Fitting(_));
        open(&self.rest) || self.unevaluated.as_ref().is_some_and(open)
    }
}
