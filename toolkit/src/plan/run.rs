//! Running a plan, and going on with one: step by step, each a call like any other.

use std::time::SystemTime;

use serde::Serialize;
use serde_json::Value;

use super::check::Checked;
use super::error::{PlanError, PlanProblem};
use super::input::{Node, Reference, Source, is_redacted};
use super::past::Past;
use super::report::{Ended, Outcome, Report, State};
use super::step::Input;
use super::{Plan, PlanEvent};
use crate::call::{Code, Executed, ToolCall, ToolReply};
use crate::contain::{Unwound, contain, said};
use crate::context::CallContext;
use crate::registry::Entry;
use crate::toolkit::{Toolkit, side_by_side};

/// The most that references may bring into the arguments of one step, in bytes of JSON: what a call
/// takes.
const MOST: usize = 1 << 20;

impl Plan {
    /// Runs the plan from its first step. Each step is a call with origin plan that passes every gate;
    /// session, principal, scope, flags, ceiling and cancellation are those of the context. In a body
    /// of a call that a model made, steps are the model's as well: a plan is no way round its policy.
    ///
    /// A step whose input isn't there is skipped. One that fails doesn't end the plan: a closure may
    /// read the failure, and what refers to its value is skipped. The plan ends early where a step's
    /// condition holds, where a step leaves a draft that a person must confirm, where an input would
    /// need a secret that an earlier step returned, and where the context is cancelled.
    ///
    /// Listeners of [`Toolkit::events`] hear of each step by [`Event::PlanStep`](crate::Event::PlanStep).
    ///
    /// # Errors
    /// [`PlanError`] as for [`Plan::check`], and where the seed can't be written as JSON: nothing has
    /// run. What becomes of the steps is no error, but in the [`Report`].
    ///
    /// # Cancellation
    /// Dropping the future drops the body of the step that runs, as for [`Toolkit::call`], and the
    /// report; [`Plan::on_report`] keeps one. To cancel with a report, use
    /// [`CallContext::cancellation`].
    pub async fn run(
        &self,
        toolkit: &Toolkit,
        cx: &CallContext,
        seed: impl Serialize,
    ) -> Result<Report, PlanError> {
        let (cx, seed) = (cx.as_plan(), self.seed(&seed)?);
        let checked = self.checked(toolkit, &cx)?;
        let run = toolkit.engine().run_id();
        let tools = names(&checked);
        let report = Report::new(&self.name, run.to_string(), checked.fingerprint.clone(), tools);
        Ok(Box::pin(self.go(toolkit, &cx, &seed, &checked, report)).await)
    }

    /// Goes on where a run ended, from its report and the same seed: after the step that stopped the plan,
    /// or at the one that was cancelled or not reached. No finished step runs again: none that
    /// succeeded or left a draft, and none whose body was entered or may have been, unless its tool only
    /// reads or is [`idempotent`](crate::ToolSpec::idempotent). Steps that were skipped or refused are tried
    /// anew.
    ///
    /// That it is of this plan is known by what is data in it, and by its tools; two closures can't be told
    /// apart.
    ///
    /// A report may have lain anywhere: what it holds is data for later steps and no leave for anything.
    /// Every step that runs passes the gates as they are now.
    ///
    /// # Errors
    /// [`PlanError`] as for [`Plan::run`], and where the report is of another plan, or its tools have
    /// other schemas or risks now.
    ///
    /// # Cancellation
    /// As for [`Plan::run`].
    pub async fn resume(
        &self,
        toolkit: &Toolkit,
        cx: &CallContext,
        seed: impl Serialize,
        report: &Report,
    ) -> Result<Report, PlanError> {
        let (cx, seed) = (cx.as_plan(), self.seed(&seed)?);
        let checked = self.checked(toolkit, &cx)?;
        let tools = names(&checked);
        let same = report.fingerprint == checked.fingerprint
            && report.plan() == self.name
            && report.steps.len() == tools.len()
            && report.steps.iter().zip(&tools).all(|(outcome, tool)| outcome.tool() == tool);
        let what = if !same {
            "the report is of another plan, or its tools have changed: run the plan anew"
        } else if !report.steps.iter().all(Outcome::is_sound) {
            "the report holds a word that no report has: run the plan anew"
        } else {
            let mut report = report.clone();
            report.ended = Ended::Completed;
            for (outcome, entry) in report.steps.iter_mut().zip(&checked.tools) {
                if !is_finished(outcome, may_run_again(entry)) {
                    outcome.state = State::NotReached;
                }
            }
            return Ok(Box::pin(self.go(toolkit, &cx, &seed, &checked, report)).await);
        };
        Err(PlanError::new(&self.name, vec![PlanProblem::whole(what.to_owned())]))
    }

    fn seed(&self, seed: &impl Serialize) -> Result<Value, PlanError> {
        serde_json::to_value(seed)
            .map_err(|error| PlanError::of(&self.name, format!("its seed is no JSON: {error}")))
    }

    async fn go(
        &self,
        toolkit: &Toolkit,
        cx: &CallContext,
        seed: &Value,
        checked: &Checked,
        mut report: Report,
    ) -> Report {
        let mut first = 0;
        while first < self.steps.len() {
            let after = (first + 1..self.steps.len()).find(|at| !self.steps[*at].beside);
            let after = after.unwrap_or(self.steps.len());
            if let Some(ended) =
                self.group(toolkit, cx, seed, checked, &mut report, first..after).await
            {
                report.ended = ended;
                break;
            }
            first = after;
        }
        self.tell_step(&report);
        report
    }

    /// Runs the steps that stand side by side; `Some` where the plan ends with them.
    async fn group(
        &self,
        toolkit: &Toolkit,
        cx: &CallContext,
        seed: &Value,
        checked: &Checked,
        report: &mut Report,
        group: std::ops::Range<usize>,
    ) -> Option<Ended> {
        let past = Past { seed, steps: &self.steps, outcomes: &report.steps[..group.start] };
        let open = |at: &usize| matches!(report.steps[*at].state, State::NotReached);
        let mut due = Vec::new();
        let mut settled: Vec<(usize, State)> = Vec::new();
        let mut ended = None;
        for at in group.clone().filter(open) {
            if cx.is_cancelled() {
                ended = Some(Ended::Cancelled { step: at });
                break;
            }
            match self.arguments(at, &past) {
                Arguments::Ready(text) => due.push((at, text)),
                Arguments::Skip(reason) => settled.push((at, State::Skipped(reason))),
                Arguments::Broken(reason) => {
                    let reply = ToolReply::not_run(Code::Defect, reason);
                    settled.push((at, State::of(&reply, SystemTime::now())));
                }
                Arguments::Secret(reason) => {
                    settled.push((at, State::Skipped(reason)));
                    ended = Some(Ended::NeedsSecret { step: at });
                    break;
                }
            }
        }
        let with_effect = due.iter().map(|(at, _)| *at);
        let with_effect: Vec<usize> =
            with_effect.filter(|at| !may_run_again(&checked.tools[*at])).collect();
        if let Some(step) = with_effect.first() {
            with_effect.iter().for_each(|at| report.steps[*at].state = State::Begun);
            if let Err(what) = self.keep(report) {
                with_effect.iter().for_each(|at| report.steps[*at].state = State::NotReached);
                let reason = format!("its report couldn't be kept, so it wasn't run: {what}");
                return Some(Ended::Broken { step: *step, reason });
            }
        }
        let calls = due.into_iter().map(|(at, text)| {
            let (name, run) = (checked.tools[at].spec().name().to_owned(), report.run_id());
            let (plan, of) = (&*self.name, self.steps.len());
            let event = move |state, code| PlanEvent { plan, run, step: at, of, state, code };
            async move {
                event("started", None).tell(toolkit, cx, &name);
                let began = SystemTime::now();
                let reply = toolkit.call(cx, ToolCall::new(&*name, text)).await;
                event("ended", Some(reply.code())).tell(toolkit, cx, &name);
                (at, State::of(&reply, began))
            }
        });
        let ran = side_by_side(calls).await;
        for (at, _) in &settled {
            let name = checked.tools[*at].spec().name();
            let (run, of) = (report.run_id(), self.steps.len());
            PlanEvent { plan: &self.name, run, step: *at, of, state: "skipped", code: None }
                .tell(toolkit, cx, name);
        }
        let mut new: Vec<usize> = Vec::new();
        for (at, state) in settled.into_iter().chain(ran) {
            report.steps[at].state = state;
            new.push(at);
        }
        new.sort_unstable();
        if !new.is_empty() && group.end < self.steps.len() {
            self.tell_step(report);
        }
        ended.or_else(|| new.into_iter().find_map(|at| self.end_of(cx, report, at)))
    }

    /// How the plan ends with this step, if it does.
    fn end_of(&self, cx: &CallContext, report: &Report, at: usize) -> Option<Ended> {
        let outcome = &report.steps[at];
        let code = outcome.code()?;
        if code == Code::NeedsConfirmation {
            let draft = outcome.draft_id().unwrap_or_default().to_owned();
            return Some(Ended::NeedsConfirmation { step: at, draft });
        }
        if cx.is_cancelled() && matches!(code, Code::Cancelled | Code::CancelledBeforeStart) {
            return Some(Ended::Cancelled { step: at });
        }
        match contain(|| self.steps[at].stop.as_ref().is_some_and(|stop| stop.holds(outcome))) {
            Ok(true) => Some(Ended::Stopped { step: at }),
            Ok(false) => None,
            Err(Unwound(what)) => {
                let reason = format!("its `stop_if` panicked: {what}");
                Some(Ended::Broken { step: at, reason })
            }
        }
    }

    /// What the step is called with, as JSON text.
    fn arguments(&self, at: usize, past: &Past<'_>) -> Arguments {
        let value = match &self.steps[at].input {
            Input::Closure(input) => match contain(|| input(past)) {
                Ok(None) => return Arguments::Skip("its input gave nothing".to_owned()),
                Ok(Some(value)) => value,
                Err(Unwound(what)) => {
                    return Arguments::Broken(format!("the input of step {at} panicked: {what}"));
                }
            },
            Input::Data(node) => match self.filled(node, at, past) {
                Ok(value) => value,
                Err(stop) => return stop,
            },
        };
        if is_redacted(&value) {
            let reason = "its input would be a secret, which is redacted in what a plan sees";
            return Arguments::Secret(reason.to_owned());
        }
        Arguments::Ready(value.to_string())
    }

    fn filled(&self, node: &Node, at: usize, past: &Past<'_>) -> Result<Value, Arguments> {
        let tools: Vec<String> =
            past.outcomes.iter().map(|outcome| outcome.tool().to_owned()).collect();
        let mut left = MOST;
        node.filled(&mut |reference: &Reference| {
            let missing = |what: String| Arguments::Skip(what);
            let Reference { from, at: pointer } = reference;
            let (whole, named) = match (from, self.target(from, tools.len(), &tools)) {
                (Source::Seed, _) => (past.seed, "the seed".to_owned()),
                (_, Some(step)) => {
                    let named = format!("step {step}");
                    let value = past.step(step).and_then(Outcome::value);
                    let why = || format!("{named} gave no value");
                    (value.ok_or_else(|| missing(why()))?, named)
                }
                (_, None) => return Err(missing(format!("no step before step {at} gave it"))),
            };
            let value = whole.pointer(pointer).filter(|value| !value.is_null());
            let value =
                value.ok_or_else(|| missing(format!("{named} has nothing at {pointer:?}")))?;
            let bytes = value.to_string().len();
            left = left.checked_sub(bytes).ok_or_else(|| {
                missing(format!("{named} has more at {pointer:?} than a call takes"))
            })?;
            Ok(value.clone())
        })
    }

    fn tell_step(&self, report: &Report) {
        if let Err(what) = self.keep(report) {
            tracing::error!(target: "toolkit", plan = self.name, what, "report not kept");
        }
    }

    /// Hands out the report; the error is why it couldn't be kept.
    fn keep(&self, report: &Report) -> Result<(), String> {
        let Some(keep) = &self.keep else { return Ok(()) };
        match contain(|| keep(report)) {
            Ok(kept) => kept.map_err(|error| said(&*error)),
            Err(Unwound(what)) => Err(what),
        }
    }
}

/// What a step is called with, or why it isn't called.
enum Arguments {
    Ready(String),
    Skip(String),
    Broken(String),
    Secret(String),
}

fn names(checked: &Checked) -> Vec<String> {
    checked.tools.iter().map(|entry| entry.spec().name().to_owned()).collect()
}

/// Whether running the tool twice does no more than running it once.
fn may_run_again(entry: &Entry) -> bool {
    let spec = entry.spec();
    spec.risk().is_read() || spec.idempotent()
}

/// Whether a step is done with: it succeeded, left a draft, or may have had an effect that a second
/// run would have again.
fn is_finished(outcome: &Outcome, may_run_again: bool) -> bool {
    match (outcome.code(), outcome.executed()) {
        (None, None) => false,
        (Some(Code::Ok | Code::NeedsConfirmation), _) => true,
        (Some(_), Some(Executed::No)) => false,
        (_, _) => !may_run_again,
    }
}
