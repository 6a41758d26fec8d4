//! The keys of one object, to find one that is given twice. Allocates only for keys with escapes
//! and for objects with many keys.

use std::borrow::Cow;
use std::collections::HashSet;

use super::scan::Quoted;

/// Up to here a look at each is faster than a hash.
const FEW: usize = 8;

pub(crate) struct Keys<'t> {
    few: [&'t str; FEW],
    len: usize,
    many: Option<HashSet<Cow<'t, str>>>,
}

impl<'t> Keys<'t> {
    pub(crate) fn new() -> Self {
        Self { few: [""; FEW], len: 0, many: None }
    }

    /// Whether the key is new.
    pub(crate) fn insert(&mut self, key: Quoted<'t>) -> bool {
        match (key.text(), &mut self.many) {
            (Cow::Borrowed(key), None) if self.len < FEW => {
                let new = !self.few[..self.len].contains(&key);
                self.few[self.len] = key;
                self.len += 1;
                new
            }
            (key, many) => {
                let few = self.few[..self.len].iter().map(|&key| Cow::Borrowed(key));
                many.get_or_insert_with(|| few.collect()).insert(key)
            }
        }
    }

    /// Whether the key was inserted.
    pub(crate) fn contains(&self, key: &str) -> bool {
        match &self.many {
            None => self.few[..self.len].contains(&key),
            Some(many) => many.contains(key),
        }
    }
}
