//! What is remembered of a session's name when nothing else of it is. Within bounds: once they are
//! reached, the worst is believed of every name that isn't known.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// How many names are remembered.
#[cfg(not(test))]
const MOST: usize = 1 << 18;
#[cfg(test)]
const MOST: usize = 8;

/// What may be remembered of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    /// A session of this name has ended.
    pub(super) const ENDED: Self = Self(1);
}

/// Names with their marks, by a digest that nobody can aim at.
#[derive(Default)]
pub(super) struct Names {
    hasher: RandomState,
    marks: HashMap<u64, u8>,
    /// Whether some name had no room.
    full: bool,
}

impl Names {
    pub(super) fn mark(&mut self, name: &str, marks: Marks) {
        let key = self.hasher.hash_one(name);
        if let Some(held) = self.marks.get_mut(&key) {
            *held |= marks.0;
        } else if self.marks.len() < MOST {
            self.marks.insert(key, marks.0);
        } else if !std::mem::replace(&mut self.full, true) {
            tracing::warn!(
                target: "toolkit",
                names = MOST,
                "no more names of sessions can be remembered; those that aren't open count as ended"
            );
        }
    }

    pub(super) fn forget(&mut self, name: &str, marks: Marks) {
        let key = self.hasher.hash_one(name);
        if let Some(held) = self.marks.get_mut(&key) {
            *held &= !marks.0;
            if *held == 0 {
                self.marks.remove(&key);
            }
        }
    }

    /// Whether the name has this mark. One that may have had no room has it where the worst is to be
    /// believed.
    pub(super) fn have(&self, name: &str, marks: Marks, worst: bool) -> bool {
        match self.marks.get(&self.hasher.hash_one(name)) {
            Some(held) if held & marks.0 != 0 => true,
            _ => worst && self.full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_room_is_believed_the_worst_of() {
        let mut names = Names::default();
        for name in 0..MOST {
            names.mark(&name.to_string(), Marks::ENDED);
        }
        assert!(names.have("0", Marks::ENDED, true));
        assert!(!names.have("new", Marks::ENDED, true));
        names.mark("one more", Marks::ENDED);
        assert!(names.have("one more", Marks::ENDED, true));
        assert!(names.have("new", Marks::ENDED, true));
        assert!(!names.have("new", Marks::ENDED, false));
        // Room that is made later doesn't bring back what was not kept.
        names.forget("0", Marks::ENDED);
        assert!(names.have("one more", Marks::ENDED, true));
    }
}
