//! Whether an argument can ever be what a matcher looks for. One that can't be makes a `deny` that
//! never speaks and an `only` that refuses every call: neither is what was meant.

use super::matcher::{Kind, Matcher};
use crate::schema::Reach;

/// Beyond so many lists in lists anything may stand; a schema that holds itself has no end of them.
const DEPTH: usize = 4;

impl Matcher {
    /// What the matcher looks for where it never stands, and what stands there.
    pub(super) fn never_fits(&self, reach: &Reach<'_>) -> Option<(String, String)> {
        let told = |asked| reach.told(asked).unwrap_or_else(|| "none".to_owned());
        let unless = |fits: bool, what: &str| (!fits).then(|| (what.to_owned(), told(None)));
        let texts = || unless(any(reach, DEPTH, &|reach| reach.has_strings()), "a text");
        match &self.0 {
            Kind::OneOf(values) => {
                let fits = |value: &String| any(reach, DEPTH, &|reach| reach.has_value(value));
                let never = values.iter().find(|value| !fits(value))?;
                Some((never.clone(), told(Some(never))))
            }
            Kind::Regex(_) | Kind::Under(..) | Kind::Host(_) => texts(),
            #[cfg(feature = "globs")]
            Kind::Glob(_) => texts(),
            Kind::Range(..) => unless(any(reach, DEPTH, &|reach| reach.has_numbers()), "a number"),
            Kind::Prefix(_) => unless(reach.has_arrays(), "a list"),
            Kind::Either(several) => several.iter().find_map(|one| one.never_fits(reach)),
            Kind::Broken(_) => None,
        }
    }
}

/// Whether it is said of what stands there, or of an element of a list there.
fn any(reach: &Reach<'_>, depth: usize, says: &dyn Fn(&Reach<'_>) -> bool) -> bool {
    says(reach) || (reach.has_arrays() && (depth == 0 || any(&reach.elements(), depth - 1, says)))
}
