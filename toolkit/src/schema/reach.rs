//! What may stand where a path into the arguments leads, so that nobody waits for what never comes.

use super::explain::expected;
use super::follow::{Places, Stride, is_silent, to_elements};
use super::node::{Node, Sort, Types};
use super::{Astray, Contract, check};
use crate::json::Decimal;

/// What may stand in one place. Where that isn't certain, it is said to.
pub(crate) struct Reach<'c> {
    contract: &'c Contract,
    places: Places<'c>,
}

/// How deep lists in lists are told.
const LISTS: usize = 2;

impl Contract {
    /// What may stand where the path leads.
    ///
    /// # Errors
    /// No arguments that fit have a value there; whoever wrote the path mends it.
    pub(crate) fn reach(&self, path: &[Stride]) -> Result<Reach<'_>, Astray> {
        let (_, places) = self.trace(path)?;
        Ok(Reach { contract: self, places })
    }
}

impl<'c> Reach<'c> {
    /// Each schema that says of itself what a value is.
    fn speaking(&self) -> impl Iterator<Item = &'c Node> {
        let all = self.contract.spread(&self.places.nodes).into_iter();
        all.filter(|node| !node.never && !is_silent(node))
    }

    fn has(&self, sort: Sort) -> bool {
        self.places.anything
            || self.speaking().any(|node| {
                let is = |value: &String| Sort::of(value.bytes().next()) == Some(sort);
                node.types.admits(sort)
                    && node.values.as_ref().is_none_or(|values| values.iter().any(is))
            })
    }

    pub(crate) fn has_strings(&self) -> bool {
        self.has(Sort::String)
    }

    pub(crate) fn has_numbers(&self) -> bool {
        self.has(Sort::Number)
    }

    pub(crate) fn has_arrays(&self) -> bool {
        self.has(Sort::Array)
    }

    /// Whether this value, which is JSON, may stand there; of arrays and objects, whether any may.
    pub(crate) fn has_value(&self, json: &str) -> bool {
        let Some(sort) = Sort::of(json.bytes().next()) else { return true };
        let fits = |json: &str| {
            let fits = |node: &&Node| check::fits(node, true, &self.contract.definitions, json, 0);
            self.places.anything || self.places.nodes.iter().any(fits)
        };
        match sort {
            // Whatever may be left out.
            Sort::Null => true,
            Sort::Array | Sort::Object => self.has(sort),
            // It is the same number however it is written.
            Sort::Number => {
                fits(json) || Decimal::new(json).whole().is_some_and(|json| fits(&json))
            }
            Sort::String | Sort::Boolean => fits(json),
        }
    }

    /// What may stand in the arrays that may stand there.
    pub(crate) fn elements(&self) -> Self {
        let mut places = Places { nodes: Vec::new(), anything: self.places.anything };
        for node in self.speaking() {
            to_elements(node, None, &mut places);
        }
        Self { contract: self.contract, places }
    }

    /// What does stand there, in words: `integer from 1 to 100`, `array, each one of "a", "b"`; `None`
    /// where that is anything. `asked` is a value that was asked for, as JSON.
    pub(crate) fn told(&self, asked: Option<&str>) -> Option<String> {
        self.told_within(LISTS, asked)
    }

    fn told_within(&self, lists: usize, asked: Option<&str>) -> Option<String> {
        if self.places.anything || self.speaking().any(|node| node.asks_nothing()) {
            return None;
        }
        let mut words = Vec::new();
        for node in &self.places.nodes {
            let word = expected(node, &self.contract.definitions, asked);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let mut text = words.join(" or ");
        if lists > 0
            && self.speaking().all(|node| node.types == Types::ARRAY)
            && let Some(elements) = self.elements().told_within(lists - 1, asked)
        {
            text.push_str(", each ");
            text.push_str(&elements);
        }
        (!text.is_empty()).then_some(text)
    }
}
