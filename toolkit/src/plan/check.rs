//! What must hold before the first step: every problem at once, and nothing run.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::error::{PlanError, PlanProblem};
use super::fit::{Kinds, kinds_at};
use super::input::{Reference, Segment, Source, written};
use super::step::{Input, Named};
use super::{MAX_STEPS, Plan};
use crate::call::Code;
use crate::context::CallContext;
use crate::pipeline::Standing;
use crate::registry::Entry;
use crate::schema::{Rejection, settle};
use crate::text::nearest;
use crate::toolkit::Toolkit;

/// A plan whose steps are known to have tools.
pub(super) struct Checked {
    pub(super) tools: Vec<Arc<Entry>>,
    pub(super) fingerprint: String,
}

impl Plan {
    /// Whether the plan may start for this context: all that can be known before the first step, and
    /// nothing runs. Its steps are judged as [`Plan::run`] makes them, with origin plan.
    ///
    /// Held are: that each step's tool is there and visible; the names of its arguments, and the types and
    /// bounds of those that are known; that references lead to earlier steps, and, where the tool's
    /// result has a schema, to a place that is there, of a type that the argument takes; that a tool
    /// that sends may draft. What rules and guards say of arguments that aren't known yet shows when the
    /// step is called.
    ///
    /// # Errors
    /// [`PlanError`] with every problem; whoever wrote the plan mends it, or the host its policy.
    pub fn check(&self, toolkit: &Toolkit, cx: &CallContext) -> Result<(), PlanError> {
        self.checked(toolkit, &cx.as_plan()).map(drop)
    }

    pub(super) fn checked(
        &self,
        toolkit: &Toolkit,
        cx: &CallContext,
    ) -> Result<Checked, PlanError> {
        let mut problems = Vec::new();
        if self.steps.is_empty() {
            problems.push(PlanProblem::whole("has no step: add one with `.step(…)`".to_owned()));
        }
        if self.steps.len() > MAX_STEPS {
            let what = format!("has {} steps, and at most {MAX_STEPS} are run", self.steps.len());
            return Err(PlanError::new(&self.name, vec![PlanProblem::whole(what)]));
        }
        if self.stray_stop {
            let what = "has a `stop_if` before its first step: put it after the step".to_owned();
            problems.push(PlanProblem::whole(what));
        }
        let tools: Vec<Option<Arc<Entry>>> =
            (0..self.steps.len()).map(|at| self.tool(at, toolkit, cx, &mut problems)).collect();
        self.ids(&tools, &mut problems);
        for at in 0..self.steps.len() {
            Step { plan: self, tools: &tools, at, problems: &mut problems }.check();
        }
        if !problems.is_empty() {
            problems.sort_by_key(PlanProblem::step);
            return Err(PlanError::new(&self.name, problems));
        }
        let tools: Vec<Arc<Entry>> = tools.into_iter().flatten().collect();
        let fingerprint = self.fingerprint(toolkit, &tools);
        Ok(Checked { tools, fingerprint })
    }

    /// The step's tool, where it is there for this context.
    fn tool(
        &self,
        at: usize,
        toolkit: &Toolkit,
        cx: &CallContext,
        problems: &mut Vec<PlanProblem>,
    ) -> Option<Arc<Entry>> {
        let engine = toolkit.engine();
        let (set, registry) = (toolkit.set(), toolkit.set().load());
        let (label, found) = match &self.steps[at].tool {
            Named::Name(name) => (&**name, registry.find(name).cloned()),
            Named::Function(id, name) => {
                let mut entries = registry.entries().iter();
                (*name, entries.find(|entry| entry.id() == Some(*id)).cloned())
            }
        };
        let Some(entry) = found else {
            let what = match &self.steps[at].tool {
                Named::Function(..) => {
                    "is no tool of this toolkit: annotate it with `#[tool]`, and register or load it"
                        .to_owned()
                }
                Named::Name(name) => {
                    let sees =
                        |entry: &Entry| matches!(engine.standing(set, entry, cx), Standing::Visible);
                    let visible = registry.entries().iter().filter(|entry| sees(entry));
                    match nearest(name, visible.map(|entry| entry.spec().name())) {
                        Some(near) => format!("unknown tool; did you mean `{near}`?"),
                        None => "unknown tool".to_owned(),
                    }
                }
            };
            problems.push(PlanProblem::new(at, label, String::new(), what));
            return None;
        };
        if let Standing::Invisible { code, finding } = engine.standing(set, &entry, cx) {
            let sends = entry.commit().is_some() && code == Code::Denied;
            let cure =
                if sends { "; under a policy with `.drafts()` it leaves a draft" } else { "" };
            let what = format!("may not be called ({code}): {}{cure}", finding.reason);
            problems.push(PlanProblem::new(at, entry.spec().name(), String::new(), what));
        }
        Some(entry)
    }

    fn ids(&self, tools: &[Option<Arc<Entry>>], problems: &mut Vec<PlanProblem>) {
        let mut held: HashMap<&str, usize> = HashMap::new();
        for (at, step) in self.steps.iter().enumerate() {
            let Some(id) = step.id.as_deref() else { continue };
            if let Some(first) = held.insert(id, at) {
                let what = format!("has the id `{id}`, as step {first} has: rename one");
                let tool = tools[at].as_ref().map(|entry| entry.spec().name());
                let tool = tool.unwrap_or(step.tool.label());
                problems.push(PlanProblem::new(at, tool, String::new(), what));
            }
        }
    }

    /// The step that a reference is to, which came before the step at this place.
    pub(super) fn target(&self, from: &Source, before: usize, tools: &[String]) -> Option<usize> {
        match from {
            Source::Seed => None,
            Source::Index(index) => Some(*index),
            Source::Id(id) => self.steps.iter().position(|step| step.id.as_deref() == Some(id)),
            Source::Tool(tool) => tools[..before].iter().rposition(|held| held == tool),
        }
    }

    /// The first step of those that run side by side with this one.
    pub(super) fn group_of(&self, at: usize) -> usize {
        (0..=at).rev().find(|at| !self.steps[*at].beside).unwrap_or_default()
    }
}

impl Named {
    /// What a step is called where its tool isn't known.
    fn label(&self) -> &str {
        match self {
            Self::Function(_, name) => name,
            Self::Name(name) => name,
        }
    }
}

/// The check of one step's input.
struct Step<'a> {
    plan: &'a Plan,
    tools: &'a [Option<Arc<Entry>>],
    at: usize,
    problems: &'a mut Vec<PlanProblem>,
}

impl Step<'_> {
    fn check(&mut self) {
        let step = &self.plan.steps[self.at];
        for misread in &step.misread {
            self.problem(misread.path.clone(), misread.what.clone());
        }
        let Input::Data(node) = &step.input else { return };
        let references = node.references();
        let mut known = true;
        for (path, reference) in &references {
            known &= self.reference(path, reference);
        }
        if known && step.misread.is_empty() {
            self.arguments(&node.blank(), &references);
        }
    }

    fn problem(&mut self, path: String, what: String) {
        let tool = match &self.tools[self.at] {
            Some(entry) => entry.spec().name(),
            None => self.plan.steps[self.at].tool.label(),
        };
        self.problems.push(PlanProblem::new(self.at, tool, path, what));
    }

    /// Whether the reference is to a step that comes before.
    fn reference(&mut self, path: &[Segment], reference: &Reference) -> bool {
        let names: Vec<String> = self
            .tools
            .iter()
            .map(|entry| entry.as_ref().map_or("", |entry| entry.spec().name()).to_owned())
            .collect();
        let target = self.plan.target(&reference.from, self.at, &names);
        let first = self.plan.group_of(self.at);
        let what = match (&reference.from, target) {
            (Source::Seed, _) => None,
            (Source::Id(id), None) => {
                let ids = self.plan.steps.iter().filter_map(|step| step.id.as_deref());
                Some(match nearest(id, ids) {
                    Some(near) => {
                        format!("refers to step `{id}`, which isn't there; did you mean `{near}`?")
                    }
                    None => format!("refers to step `{id}`, which isn't there"),
                })
            }
            (Source::Tool(tool), None) => {
                Some(format!("refers to `{tool}`, which no step before it calls"))
            }
            (_, Some(target)) if target >= self.plan.steps.len() => {
                Some(format!("refers to step {target}, which isn't there"))
            }
            (_, Some(target)) if target == self.at => Some("refers to its own step".to_owned()),
            (_, Some(target)) if self.leads_to(target, self.at, &names) => {
                Some(format!("refers to step {target}, which refers to this one: a circle"))
            }
            (_, Some(target)) if target > self.at => {
                Some(format!("refers to step {target}, which comes later"))
            }
            (_, Some(target)) if target >= first => {
                Some(format!("refers to step {target}, which runs side by side with it"))
            }
            (_, Some(target)) => return self.fits(path, reference, target),
            (Source::Index(_), None) => None,
        };
        match what {
            None => true,
            Some(what) => {
                self.problem(written(path), what);
                false
            }
        }
    }

    /// Whether references lead from one step to another.
    fn leads_to(&self, from: usize, to: usize, names: &[String]) -> bool {
        let (mut left, mut seen) = (vec![from], vec![false; self.plan.steps.len()]);
        while let Some(at) = left.pop() {
            let Some(unseen) = seen.get_mut(at).filter(|seen| !**seen) else { continue };
            *unseen = true;
            let Input::Data(node) = &self.plan.steps[at].input else { continue };
            for (_, reference) in node.references() {
                match self.plan.target(&reference.from, at, names) {
                    Some(target) if target == to => return true,
                    target => left.extend(target),
                }
            }
        }
        false
    }

    /// Whether what the place holds can be what the argument takes, as far as schemas say.
    fn fits(&mut self, path: &[Segment], reference: &Reference, target: usize) -> bool {
        let (Some(giver), Some(taker)) = (&self.tools[target], &self.tools[self.at]) else {
            return true;
        };
        let (Ok(giver), Ok(taker)) = (giver.contract(), taker.contract()) else { return true };
        let Some(output) = giver.output() else { return true };
        let pointer: Vec<Segment> = reference
            .at
            .split('/')
            .skip(1)
            .map(|token| Segment::Key(token.replace("~1", "/").replace("~0", "~")))
            .collect();
        let given = match kinds_at(output, &pointer) {
            Ok(given) => given,
            Err(what) => {
                let what = format!("refers to {:?} of step {target}: {what}", reference.at);
                self.problem(written(path), what);
                return false;
            }
        };
        // A place that isn't there in what the argument takes is told with the arguments.
        let Ok(taken) = kinds_at(taker.value(), path) else { return true };
        if given.meets(&taken) {
            return true;
        }
        let what = format!("expected {taken}, and step {target} gives {given} there");
        self.problem(written(path), what);
        false
    }

    /// The arguments that are known, held against the tool's schema.
    fn arguments(&mut self, blank: &Value, references: &[(Vec<Segment>, &Reference)]) {
        let Some(entry) = self.tools[self.at].clone() else { return };
        let Ok(contract) = entry.contract() else { return };
        if references.iter().any(|(path, _)| path.is_empty()) {
            // All of the arguments come from elsewhere.
            return;
        }
        let unknown: Vec<String> = references.iter().map(|(path, _)| written(path)).collect();
        match settle(contract, entry.parameters(), &blank.to_string(), false) {
            Ok(_) => {}
            Err(Rejection::Malformed(malformed)) => {
                self.problem(String::new(), malformed.to_string());
            }
            Err(Rejection::Invalid(problems)) => {
                for problem in &problems {
                    let told = problem.path();
                    // What stands in a reference's place isn't what the tool will be called with.
                    let open = unknown.iter().any(|path| leads(path, told) || leads(told, path));
                    if !open || problem.nearest().is_some() {
                        let text = problem.to_string();
                        let what = text.strip_prefix(&format!("{told}: ")).unwrap_or(&text);
                        self.problem(told.to_owned(), what.to_owned());
                    }
                }
            }
        }
    }
}

/// Whether the first path is the second, or stands above it.
fn leads(above: &str, path: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| above.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

impl Kinds {
    /// Whether a value may be of both.
    fn meets(&self, other: &Self) -> bool {
        match (self.known(), other.known()) {
            (Some(these), Some(those)) => these.iter().any(|kind| {
                those.contains(kind)
                    || (*kind == "integer" && those.contains(&"number"))
                    || (*kind == "number" && those.contains(&"integer"))
            }),
            _ => true,
        }
    }
}
