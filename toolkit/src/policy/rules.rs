//! All rules of a policy, made ready once: what they select, and every mistake in them.

use std::sync::Arc;

use super::answer::Test;
use super::matcher::Matcher;
use super::rule::{Effect, Rule, quoted, selects};
use super::tool_rules::ToolRules;
use super::when;
use crate::context::Origin;
use crate::order;
use crate::registry::{Attached, BuildProblem, Entry};
use crate::risk::Risk;
use crate::schema::{Astray, Stride};
use crate::spec::ToolSpec;
use crate::text::nearest;

/// The rules of a policy.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    list: Vec<Arc<Armed>>,
    /// Whether any is about some principals alone.
    by_principal: bool,
}

/// A rule, its matchers made ready.
#[derive(Debug)]
pub(super) struct Armed {
    pub(super) rule: Rule,
    /// By place in [`Origin::ALL`].
    pub(super) origins: [bool; 3],
    pub(super) conditions: Vec<Wanted>,
    /// What its findings come from.
    pub(super) source: String,
}

/// A condition, its path and its matcher made ready.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) path: Vec<Stride>,
    matcher: Matcher,
    pub(super) test: Arc<Test>,
}

impl Armed {
    fn new(rule: &Rule, problems: &mut Vec<BuildProblem>) -> Self {
        let narrow = rule.effect.is_narrow();
        let mut faults = Vec::new();
        let mut conditions = Vec::new();
        for (path, matcher) in &rule.conditions {
            let strides =
                when::read(path).map_err(|what| format!("has a path that is none: {what}"));
            match (strides, Test::new(matcher, narrow)) {
                (Ok(path), Ok(test)) => {
                    let (matcher, test) = (matcher.clone(), Arc::new(test));
                    conditions.push(Wanted { path, matcher, test });
                }
                (strides, test) => {
                    faults.extend([strides.err(), test.err()].into_iter().flatten());
                }
            }
        }
        if rule.tools.is_empty() {
            faults.push("names no tool; say `*` for all".to_owned());
        }
        if rule.effect == Effect::Only && rule.conditions.is_empty() {
            let what = "has no condition, so that it would refuse nothing; add one with `when`, or \
                        say `deny`";
            faults.push(what.to_owned());
        }
        problems.extend(faults.into_iter().map(|what| fault(rule, what)));
        let of = |origin| rule.origins.is_empty() || rule.origins.contains(&origin);
        Self {
            origins: Origin::ALL.map(of),
            conditions,
            source: format!("rule {}", rule.place),
            rule: rule.clone(),
        }
    }

    fn names(&self, spec: &ToolSpec) -> bool {
        self.rule.tools.iter().any(|tool| tool == spec.name())
    }

    /// Whether the rule is about the tool.
    fn selects(&self, spec: &ToolSpec) -> bool {
        self.rule.tools.iter().any(|tool| selects(tool, spec.name())) && self.has_risk(spec)
    }

    fn has_risk(&self, spec: &ToolSpec) -> bool {
        let risks = &self.rule.risks;
        risks.is_empty() || risks.iter().any(|risk| spec.risk().contains(*risk))
    }

    /// What the tool lacks for the rule's conditions, and after how many steps of a path.
    fn lacking(&self, entry: &Entry) -> Option<(usize, String)> {
        let contract = match entry.contract() {
            Ok(contract) => contract,
            Err(_) if self.conditions.is_empty() => return None,
            Err(error) => return Some((0, format!("can't be held against arguments: {error}"))),
        };
        self.conditions.iter().find_map(|Wanted { path, matcher, .. }| {
            let reach = match contract.reach(path) {
                Ok(reach) => reach,
                Err(Astray { step, nearest }) => {
                    let there = when::written(path, step);
                    let near = nearest.map(|near| format!("; did you mean `{near}`?"));
                    let near = near.unwrap_or_default();
                    let what = format!("asks for an argument `{there}` that isn't there{near}");
                    return Some((step, what));
                }
            };
            let (never, told) = matcher.never_fits(&reach)?;
            let there = when::written(path, path.len());
            Some((path.len(), format!("asks for {never} in `{there}`, which takes {told}")))
        })
    }
}

fn fault(rule: &Rule, what: String) -> BuildProblem {
    BuildProblem::BadRule { place: rule.place.to_string(), rule: rule.to_string(), what }
}

impl Rules {
    /// Makes the rules ready.
    pub(crate) fn new(rules: &[Rule], problems: &mut Vec<BuildProblem>) -> Self {
        let list = rules.iter().map(|rule| Arc::new(Armed::new(rule, problems))).collect();
        let by_principal = rules.iter().any(|rule| !rule.principals.is_empty());
        Self { list, by_principal }
    }

    /// Whether any is about some principals alone.
    pub(crate) fn look_at_principals(&self) -> bool {
        self.by_principal
    }

    /// What is kept with a tool: the rules on it.
    pub(crate) fn attach(
        &self,
        entry: &Entry,
        problems: &mut Vec<BuildProblem>,
    ) -> Option<Attached> {
        let spec = entry.spec();
        let on: Vec<_> = self.list.iter().filter(|armed| armed.selects(spec)).collect();
        if on.is_empty() {
            return None;
        }
        for armed in on.iter().filter(|armed| armed.names(spec)) {
            let what = armed.lacking(entry);
            let what = what.map(|(_, lacking)| format!("{lacking} in `{}`", spec.name()));
            problems.extend(what.map(|what| fault(&armed.rule, what)));
            if armed.rule.effect == Effect::WaiveAsk && spec.risk().contains(Risk::Send) {
                let what = format!("is about `{}`, which sends: no rule waives that", spec.name());
                problems.push(fault(&armed.rule, what));
            }
        }
        ToolRules::new(entry, on.into_iter()).map(ToolRules::attached)
    }

    /// Every rule that is about nothing of the set.
    pub(crate) fn look_for_idle(&self, entries: &[Arc<Entry>], problems: &mut Vec<BuildProblem>) {
        let specs = || entries.iter().map(|entry| entry.spec());
        for armed in self.list.iter().filter(|armed| !armed.rule.later) {
            let rule = &armed.rule;
            let before = problems.len();
            for tool in &rule.tools {
                if specs().any(|spec| selects(tool, spec.name())) {
                    continue;
                }
                let what = if tool.contains('*') {
                    format!("selects no tool by `{tool}`")
                } else {
                    let near = nearest(tool, specs().map(ToolSpec::name));
                    let near = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                    format!("names a tool `{tool}` that isn't there{near}")
                };
                problems.push(fault(rule, what));
            }
            if problems.len() > before || rule.tools.is_empty() {
                continue;
            }
            let on: Vec<_> = entries.iter().filter(|entry| armed.selects(entry.spec())).collect();
            let named = on.iter().any(|entry| armed.names(entry.spec()));
            let what = if on.is_empty() {
                let risks = rule.risks.iter().map(ToString::to_string).collect();
                Some(format!("selects no tool of risk {}", quoted(risks)))
            } else if rule.effect == Effect::WaiveAsk
                && !named
                && on.iter().all(|entry| entry.spec().risk().contains(Risk::Send))
            {
                Some("is about tools that send alone: no rule waives that".to_owned())
            } else if !named && on.iter().all(|entry| armed.lacking(entry).is_some()) {
                // That of the tool which comes nearest.
                let lacking = on.iter().filter_map(|entry| armed.lacking(entry));
                lacking.max_by_key(|(step, _)| *step).map(|(_, lacking)| lacking)
            } else {
                None
            };
            problems.extend(what.map(|what| fault(rule, what)));
        }
    }

    /// The problems of rules, in order of places.
    pub(crate) fn in_order(problems: &mut [BuildProblem]) {
        order::sort_by(problems, |a, b| match (a, b) {
            (BuildProblem::BadRule { place: a, .. }, BuildProblem::BadRule { place: b, .. }) => {
                a.cmp(b)
            }
            _ => std::cmp::Ordering::Equal,
        });
    }
}
