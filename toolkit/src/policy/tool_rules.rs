//! The rules on one tool, as they are asked at each of its calls.

use std::sync::Arc;

use super::answer::Test;
use super::given::{Given, Slot, Trace};
use super::rule::{Effect, quoted};
use super::rules::{Armed, Wanted};
use super::when;
use crate::context::CallContext;
use crate::registry::{Attached, Entry};
use crate::risk::Risk;
use crate::schema::{Spot, Stride};
use crate::verdict::{Finding, Verdict};

/// The rules on one tool.
#[derive(Debug)]
pub(crate) struct ToolRules {
    rules: Box<[OnTool]>,
    /// The arguments that they look at.
    slots: Box<[Slot]>,
    /// Whether any refuses whatever the arguments are.
    hides: bool,
}

/// One rule on this tool.
#[derive(Debug)]
struct OnTool {
    effect: Effect,
    /// Whether it speaks whatever the arguments are.
    always: bool,
    origins: [bool; 3],
    /// Whether it is about some principals alone.
    by_principal: bool,
    /// In the order of the rule's conditions.
    conditions: Box<[Condition]>,
    armed: Arc<Armed>,
}

/// One condition on the arguments of this tool.
#[derive(Debug)]
struct Condition {
    trace: Trace,
    test: Arc<Test>,
}

impl OnTool {
    /// Whether the rule is about this caller.
    #[inline]
    fn is_about(&self, context: &CallContext) -> bool {
        self.origins[context.origin().index()]
            && (!self.by_principal || self.is_about_whom(context))
    }

    fn is_about_whom(&self, context: &CallContext) -> bool {
        let principals = &self.armed.rule.principals;
        context.principal_name().is_some_and(|by| principals.iter().any(|p| p == by))
    }

    fn finding(&self, verdict: Verdict, arguments: &[usize]) -> Finding {
        let rule = &self.armed.rule;
        let paths = || {
            let of = |at: &usize| {
                let Wanted { path, .. } = &self.armed.conditions[*at];
                when::written(path, path.len())
            };
            quoted(arguments.iter().map(of).collect())
        };
        let reason = match (&rule.because, verdict) {
            (Some(because), _) => because.clone(),
            (None, Verdict::Ask) if arguments.is_empty() => "a rule asks about it".to_owned(),
            (None, Verdict::Ask) => format!("a rule asks about this {}", paths()),
            (None, _) if arguments.is_empty() => "a rule doesn't allow it".to_owned(),
            (None, _) => format!("a rule doesn't allow this {}", paths()),
        };
        Finding::new(verdict, self.armed.source.clone(), reason)
    }

    fn holds(&self, condition: &Condition, given: &Given<'_>, slots: &[Slot]) -> bool {
        let narrow = self.effect.is_narrow();
        given.answer(slots, &condition.trace, &condition.test, narrow).holds(narrow)
    }

    /// Whether all its conditions hold.
    fn matches(&self, given: &Given<'_>, slots: &[Slot]) -> bool {
        self.conditions.iter().all(|condition| self.holds(condition, given, slots))
    }

    /// What it says of a call that it has something to say of.
    fn said(&self, given: &Given<'_>, slots: &[Slot]) -> Finding {
        // Of an `only` those that fail, of others all.
        let told = |at: &usize| {
            self.effect != Effect::Only || !self.holds(&self.conditions[*at], given, slots)
        };
        let arguments: Vec<usize> = (0..self.conditions.len()).filter(told).collect();
        let verdict = if self.effect == Effect::Ask { Verdict::Ask } else { Verdict::Deny };
        self.finding(verdict, &arguments)
    }
}

impl ToolRules {
    /// Those of the rules that can speak of the tool's calls; `None` where none can.
    pub(super) fn new<'a>(entry: &Entry, on: impl Iterator<Item = &'a Arc<Armed>>) -> Option<Self> {
        let (mut rules, mut slots) = (Vec::new(), Vec::new());
        // Nor is what was waived of one function waived of another that has its name.
        let never = entry.spec().risk().contains(Risk::Send) || entry.is_shadow();
        for armed in on {
            let effect = armed.rule.effect;
            let conditions = conditions_on(entry, armed, &mut slots);
            let always = match (effect, &conditions) {
                (Effect::WaiveAsk, _) if never => continue,
                // None of its conditions can hold.
                (Effect::Only, None) => true,
                (_, None) => continue,
                (Effect::Deny, Some(conditions)) => conditions.is_empty(),
                (_, Some(_)) => false,
            };
            rules.push(OnTool {
                effect,
                always,
                origins: armed.origins,
                by_principal: !armed.rule.principals.is_empty(),
                conditions: conditions.unwrap_or_default(),
                armed: Arc::clone(armed),
            });
        }
        let hides = rules.iter().any(|rule| rule.always);
        (!rules.is_empty()).then(|| Self { rules: rules.into(), slots: slots.into(), hides })
    }

    pub(super) fn attached(self) -> Attached {
        Attached { hides: self.hides, what: Box::new(self) }
    }

    /// The rules on this tool.
    pub(crate) fn of(entry: &Entry) -> Option<&Self> {
        entry.attached()?.downcast_ref()
    }

    /// The first that refuses this caller whatever the arguments are.
    pub(crate) fn standing(&self, context: &CallContext) -> Option<Finding> {
        let mut rules = self.rules.iter().filter(|rule| rule.always);
        let rule = rules.find(|rule| rule.is_about(context))?;
        Some(rule.finding(Verdict::Deny, &[]))
    }

    /// Whether none of them refuses the call or asks about it.
    pub(crate) fn are_silent(&self, context: &CallContext, arguments: &str) -> bool {
        let mut given = None;
        self.rules.iter().filter(|rule| rule.is_about(context)).all(|rule| {
            let speaks = rule.always || {
                let given = given.get_or_insert_with(|| Given::new(arguments, &self.slots));
                match rule.effect {
                    Effect::Deny | Effect::Ask => rule.matches(given, &self.slots),
                    Effect::Only => !rule.matches(given, &self.slots),
                    Effect::WaiveAsk => false,
                }
            };
            !speaks
        })
    }

    /// What each rule that speaks says of a call, and what waives the table's ask, if any does.
    pub(crate) fn speak(
        &self,
        context: &CallContext,
        arguments: &str,
        say: &mut dyn FnMut(Finding),
    ) -> Option<&str> {
        let mut waiver = None;
        let mut given = None;
        for rule in self.rules.iter().filter(|rule| rule.is_about(context)) {
            if rule.always {
                say(rule.finding(Verdict::Deny, &[]));
                continue;
            }
            let given = given.get_or_insert_with(|| Given::new(arguments, &self.slots));
            let matches = rule.matches(given, &self.slots);
            if rule.effect == Effect::WaiveAsk {
                waiver = waiver.or(matches.then_some(rule.armed.source.as_str()));
            } else if matches != (rule.effect == Effect::Only) {
                say(rule.said(given, &self.slots));
            }
        }
        waiver
    }
}

/// The rule's conditions on this tool; `None` where one looks at what the tool hasn't.
fn conditions_on(entry: &Entry, armed: &Armed, slots: &mut Vec<Slot>) -> Option<Box<[Condition]>> {
    if armed.conditions.is_empty() {
        return Some(Box::default());
    }
    let contract = entry.contract().ok()?;
    let mut conditions = Vec::new();
    for Wanted { path, test, .. } in &armed.conditions {
        let spots = contract.follow(path).ok()?;
        let mut steps: Vec<(Stride, Spot)> = path.iter().cloned().zip(spots).collect();
        let slot = match steps.remove(0) {
            (Stride::Key(name), spot) => Some(place(slots, name, spot)),
            _ => None,
        };
        let trace = Trace { slot, steps: steps.into() };
        conditions.push(Condition { trace, test: Arc::clone(test) });
    }
    Some(conditions.into())
}

/// The place of an argument among the slots, one for each whatever name a rule has for it.
fn place(slots: &mut Vec<Slot>, name: Box<str>, spot: Spot) -> usize {
    let is = |slot: &Slot| slot.name == name || slot.spot.aliases.contains(&name);
    slots.iter().position(is).unwrap_or_else(|| {
        slots.push(Slot { name, spot });
        slots.len() - 1
    })
}
