//! What is remembered of names when nothing else of their sessions is. Within bounds: once they are
//! reached, the worst is believed of every name that isn't known.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// How many names are remembered.
#[cfg(not(test))]
const MOST: usize = 1 << 18;
#[cfg(test)]
const MOST: usize = 8;

/// Names of sessions of which one thing is so, by a digest that nobody can aim at.
pub(super) struct Names {
    /// What is so.
    what: &'static str,
    hasher: RandomState,
    known: HashSet<u64>,
    /// Whether some name had no room.
    full: bool,
}

impl Names {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, hasher: RandomState::new(), known: HashSet::new(), full: false }
    }

    pub(super) fn add(&mut self, name: &str) {
        let key = self.hasher.hash_one(name);
        if self.known.len() < MOST {
            self.known.insert(key);
        } else if !self.known.contains(&key) && !std::mem::replace(&mut self.full, true) {
            let what = self.what;
            tracing::warn!(
                target: "toolkit",
                names = MOST,
                what,
                "no more names of sessions can be remembered; the worst is believed of others"
            );
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.known.remove(&self.hasher.hash_one(name));
    }

    /// Whether it is so of the name. One that may have had no room is believed the worst of, where that
    /// is asked for.
    pub(super) fn have(&self, name: &str, worst: bool) -> bool {
        (worst && self.full) || self.known.contains(&self.hasher.hash_one(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_room_is_believed_the_worst_of() {
        let mut names = Names::new("ended");
        for name in 0..MOST {
            names.add(&name.to_string());
        }
        assert!(names.have("0", true));
        assert!(!names.have("new", true));
        names.add("one more");
        assert!(names.have("one more", true));
        assert!(names.have("new", true));
        assert!(!names.have("new", false));
        // Room that is made later doesn't bring back what was not kept.
        names.forget("0");
        assert!(names.have("one more", true));
    }
}
