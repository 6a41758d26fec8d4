//! Schemas that are joined: alternatives, and several that look at one value together.

use std::collections::HashMap;

use super::check::{Halt, Notes, Quiet, Walk};
use super::explain::Path;
use super::node::{Join, Node, Objects, Rest, Sort, Types, Union};

type Walked = Result<(), Halt>;

/// What came of a trial, and the work that it took: by the schema, the place of the value, and whether
/// no other schema looks at it.
pub(super) type Tried = HashMap<(usize, usize, bool), (Option<usize>, u64)>;

/// Trials within fewer others aren't kept: they are few, and to keep them takes memory.
const FIRST_KEPT: u32 = 2;

/// Whether a definition that holds itself, at whatever depth, does so beside alternatives.
pub(super) fn backtracks(definitions: &[(String, Node)]) -> bool {
    /// Whether there are alternatives that a decoder must try. A value or `null` is none.
    fn tries(node: &Node) -> bool {
        let null = |branch: &&Node| branch.types != Types::NULL;
        node.unions
            .iter()
            .any(|union| union.join == Join::Any && union.branches.iter().filter(null).count() > 1)
            || node.below().into_iter().any(tries)
    }
    fn refers(node: &Node, to: &mut Vec<usize>) {
        to.extend(node.refers.iter().map(|refers| refers.at));
        node.below().into_iter().for_each(|node| refers(node, to));
    }
    let holds_itself = |at: usize| {
        let mut reached = vec![false; definitions.len()];
        let mut next = vec![at];
        while let Some(from) = next.pop() {
            let Some((_, node)) = definitions.get(from) else { continue };
            let mut to = Vec::new();
            refers(node, &mut to);
            to.retain(|to| reached.get_mut(*to).is_some_and(|held| !std::mem::replace(held, true)));
            next.extend(to);
        }
        reached[at]
    };
    (0..definitions.len()).any(|at| tries(&definitions[at].1) && holds_itself(at))
}

impl<'a, N: Notes> Walk<'a, N> {
    /// What a node asks itself, and what others ask of the same value.
    pub(super) fn composed(&mut self, node: &'a Node, path: &Path<'_>, alone: bool) -> Walked {
        let start = self.scan.clone();
        let noted = self.noted();
        self.own(node, path, false)?;
        if self.noted() > noted {
            return Ok(());
        }
        let end = self.scan.clone();
        if let Some(refers) = &node.refers {
            self.scan = start.clone();
            self.judge(self.definition(refers.at)?, path, false)?;
        }
        for union in &node.unions {
            self.scan = start.clone();
            self.union(union, node, path, false)?;
        }
        let is_object = end.text().as_bytes().get(start.at) == Some(&b'{');
        if alone && is_object && self.noted() == noted {
            self.scan = start;
            self.strangers(node, path)?;
        }
        self.scan = end;
        Ok(())
    }

    pub(super) fn union(
        &mut self,
        union: &'a Union,
        node: &'a Node,
        path: &Path<'_>,
        alone: bool,
    ) -> Walked {
        let start = self.scan.clone();
        match union.join {
            Join::All => {
                for branch in &union.branches {
                    self.scan = start.clone();
                    self.judge(branch, path, false)?;
                }
                Ok(())
            }
            Join::Not => {
                let refused =
                    union.branches.iter().any(|branch| self.trial(branch, false).is_some());
                if refused {
                    return self.noting()?.unfit(node, path);
                }
                Ok(self.scan.skip()?)
            }
            Join::Any | Join::One => {
                let mut fitting = None;
                let mut count = 0;
                let mut work = self.work;
                for branch in &union.branches {
                    let before = self.work;
                    if let Some(end) = self.trial(branch, alone) {
                        count += 1;
                        fitting = fitting.or(Some((branch, end)));
                        if union.join == Join::Any {
                            break;
                        }
                        work = work.saturating_add(self.work - before);
                    }
                }
                if union.join == Join::One {
                    // Where one alone may fit, a tag tells a decoder which.
                    self.work = work;
                }
                match fitting {
                    Some((branch, end)) if count == 1 => {
                        if self.findings.taken().is_some() {
                            // Once more, for what isn't amiss but may have to be mended.
                            return self.judge(branch, path, alone);
                        }
                        self.scan.at = end;
                        Ok(())
                    }
                    _ => self.noting()?.no_branch(union, node, path, alone, count),
                }
            }
        }
    }

    /// Tries a schema on the value that starts here; where the value ends, if it fits.
    fn trial(&mut self, node: &'a Node, alone: bool) -> Option<usize> {
        let sort = Sort::of(self.scan.peek())?;
        if node.refers.is_none() && !node.types.admits(sort) {
            return None;
        }
        // A schema that joins others may ask twice for the same trial; where such schemas nest, that
        // would be twice for each level.
        let key = (std::ptr::from_ref(node).addr(), self.scan.at, alone);
        let keep = self.trials >= FIRST_KEPT;
        if keep && let Some((end, work)) = self.tried.get(&key) {
            self.work = self.work.saturating_add(*work);
            return *end;
        }
        let mut walk = Walk {
            scan: self.scan.clone(),
            definitions: self.definitions,
            fuel: self.fuel,
            explaining: 0,
            findings: Quiet,
            trials: self.trials + 1,
            tried: std::mem::take(&mut self.tried),
            work: 0,
        };
        let end = walk.judge(node, &Path::Root, alone).ok().map(|()| walk.scan.at);
        self.fuel = walk.fuel;
        self.tried = walk.tried;
        self.work = self.work.saturating_add(walk.work);
        if keep {
            self.tried.insert(key, (end, walk.work));
        }
        end
    }

    /// Refuses the keys of an object that none of the schemas that look at it together knows.
    fn strangers(&mut self, node: &'a Node, path: &Path<'_>) -> Walked {
        if !self.is_closed(node) {
            return Ok(());
        }
        let start = self.scan.clone();
        let mut knowing = Vec::new();
        self.knowing(node, false, &mut knowing);
        let mut more = self.scan.open_object()?;
        while more {
            let key = self.scan.key()?.text();
            let known = knowing.iter().any(|(objects, below)| objects.knows(&key, *below));
            match (known, node.objects.as_ref().and_then(|objects| objects.unevaluated.as_ref())) {
                (false, Some(Rest::Fitting(rest))) => self.value(rest, &Path::Key(path, &key))?,
                (false, _) => {
                    self.noting()?.unknown_to_all(node, path, &key, &start)?;
                    self.scan.skip()?;
                }
                (true, _) => self.scan.skip()?,
            }
            more = self.scan.next_member()?;
        }
        Ok(())
    }

    fn is_closed(&self, node: &'a Node) -> bool {
        let said = node.objects.as_ref().and_then(|objects| objects.unevaluated.as_ref());
        match said {
            Some(Rest::Closed | Rest::Fitting(_)) => true,
            Some(_) => false,
            None => {
                let (mut closed, mut open) = (false, false);
                self.in_place(node, &mut |node| {
                    if let Some(objects) = &node.objects {
                        open |= objects.says_open();
                        closed |= matches!(objects.rest, Rest::Implied | Rest::Closed);
                    }
                });
                closed && !open
            }
        }
    }

    /// Calls `f` with every schema that may look at the same value.
    pub(super) fn in_place(&self, node: &'a Node, f: &mut dyn FnMut(&'a Node)) {
        f(node);
        if let Some(node) = node.refers.as_ref().and_then(|to| self.definition(to.at).ok()) {
            self.in_place(node, f);
        }
        for union in node.unions.iter().filter(|union| union.join != Join::Not) {
            union.branches.iter().for_each(|branch| self.in_place(branch, f));
        }
    }

    /// The schemas that fit the object here, each with whether it stands below the one that asks. Found
    /// once an object: to try them for each of its keys would take the square of its length.
    fn knowing(&mut self, node: &'a Node, below: bool, all: &mut Vec<(&'a Objects, bool)>) {
        all.extend(node.objects.as_deref().map(|objects| (objects, below)));
        if let Some(node) = node.refers.as_ref().and_then(|to| self.definition(to.at).ok()) {
            self.knowing(node, true, all);
        }
        for union in node.unions.iter().filter(|union| union.join != Join::Not) {
            for branch in &union.branches {
                if union.join == Join::All || self.trial(branch, false).is_some() {
                    self.knowing(branch, true, all);
                }
            }
        }
    }

    /// Whether some value of this kind may stand.
    pub(super) fn admits(&self, node: &Node, sort: Sort) -> bool {
        !node.never
            && node.types.admits(sort)
            // An enum may have no type, and be of one all the same.
            && node.values.as_ref().is_none_or(|values| {
                values.iter().any(|value| Sort::of(value.bytes().next()) == Some(sort))
            })
            && node
                .refers
                .as_ref()
                .is_none_or(|to| self.definition(to.at).is_ok_and(|node| self.admits(node, sort)))
            && node.unions.iter().all(|union| match union.join {
                // Of nulls there is only one.
                Join::Not => {
                    sort != Sort::Null || !union.branches.iter().any(|one| self.admits(one, sort))
                }
                Join::All => union.branches.iter().all(|branch| self.admits(branch, sort)),
                Join::Any | Join::One => {
                    union.branches.iter().any(|branch| self.admits(branch, sort))
                }
            })
    }
}
