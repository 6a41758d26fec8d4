//! The rules on one tool, as they are asked at each of its calls.

use std::sync::Arc;

use super::given::{Given, Slot, Trace};
use super::rule::{Effect, quoted};
use super::rules::Armed;
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
    armed: Arc<Armed>,
    /// In the order of the rule's conditions.
    traces: Box<[Trace]>,
}

impl OnTool {
    /// Whether the rule is about this caller.
    #[inline]
    fn is_about(&self, context: &CallContext) -> bool {
        let principals = &self.armed.rule.principals;
        self.origins[context.origin().index()]
            && (principals.is_empty()
                || context.principal_name().is_some_and(|by| principals.iter().any(|p| p == by)))
    }

    fn finding(&self, verdict: Verdict, arguments: &[usize]) -> Finding {
        let rule = &self.armed.rule;
        let paths = || {
            let of = |at: &usize| {
                let (path, _) = &self.armed.conditions[*at];
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

    /// What the rule says of a call of those it is about; the error is that it would waive an ask.
    fn say(&self, given: &Given<'_>, slots: &[Slot]) -> Result<Option<Finding>, ()> {
        let narrow = self.effect.is_narrow();
        let holds = |(trace, (_, test)): (&Trace, &(_, _))| {
            given.answer(slots, trace, test, narrow).holds(narrow)
        };
        let mut pairs = self.traces.iter().zip(&self.armed.conditions);
        let all = || (0..self.traces.len()).collect::<Vec<_>>();
        match self.effect {
            Effect::Deny if pairs.all(holds) => Ok(Some(self.finding(Verdict::Deny, &all()))),
            Effect::Ask if pairs.all(holds) => Ok(Some(self.finding(Verdict::Ask, &all()))),
            Effect::WaiveAsk if pairs.all(holds) => Err(()),
            Effect::Only => {
                let failing = pairs.enumerate().filter(|(_, pair)| !holds(*pair));
                let failing: Vec<usize> = failing.map(|(at, _)| at).collect();
                let refused = || self.finding(Verdict::Deny, &failing);
                Ok((!failing.is_empty()).then(refused))
            }
            Effect::Deny | Effect::Ask | Effect::WaiveAsk => Ok(None),
        }
    }
}

impl ToolRules {
    /// Those of the rules that can speak of the tool's calls; `None` where none can.
    pub(super) fn new<'a>(entry: &Entry, on: impl Iterator<Item = &'a Arc<Armed>>) -> Option<Self> {
        let (mut rules, mut slots) = (Vec::new(), Vec::new());
        let sends = entry.spec().risk().contains(Risk::Send);
        for armed in on {
            let effect = armed.rule.effect;
            let traces = traces(entry, armed, &mut slots);
            let always = match (effect, &traces) {
                (Effect::WaiveAsk, _) if sends => continue,
                // None of its conditions can hold.
                (Effect::Only, None) => true,
                (_, None) => continue,
                (Effect::Deny, Some(traces)) => traces.is_empty(),
                (_, Some(_)) => false,
            };
            rules.push(OnTool {
                effect,
                always,
                origins: armed.origins,
                armed: Arc::clone(armed),
                traces: traces.unwrap_or_default(),
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
            match rule.say(given, &self.slots) {
                Ok(finding) => finding.into_iter().for_each(&mut *say),
                Err(()) => waiver = waiver.or(Some(rule.armed.source.as_str())),
            }
        }
        waiver
    }
}

/// Where each condition looks in the arguments of this tool; `None` where one looks at what it hasn't.
fn traces(entry: &Entry, armed: &Armed, slots: &mut Vec<Slot>) -> Option<Box<[Trace]>> {
    if armed.conditions.is_empty() {
        return Some(Box::default());
    }
    let contract = entry.contract().ok()?;
    let mut traces = Vec::new();
    for (path, _) in &armed.conditions {
        let spots = contract.follow(path).ok()?;
        let mut steps: Vec<(Stride, Spot)> = path.iter().cloned().zip(spots).collect();
        let slot = match steps.remove(0) {
            (Stride::Key(name), spot) => Some(place(slots, name, spot)),
            _ => None,
        };
        traces.push(Trace { slot, steps: steps.into() });
    }
    Some(traces.into())
}

/// The place of an argument among the slots, one for each whatever name a rule has for it.
fn place(slots: &mut Vec<Slot>, name: Box<str>, spot: Spot) -> usize {
    let is = |slot: &Slot| slot.name == name || slot.spot.aliases.contains(&name);
    slots.iter().position(is).unwrap_or_else(|| {
        slots.push(Slot { name, spot });
        slots.len() - 1
    })
}
