//! A script played against a toolkit: the loop that every host writes, and what came of it.

use std::fmt;

use super::super::fail;
use super::ScriptedModel;
use super::lines::{HumanDecision, Step};
use super::shown::{Shown, diff, line};
use crate::call::{Code, ToolReply, Turn};
use crate::context::CallContext;
use crate::dialect::IntakeError;
use crate::toolkit::Toolkit;

/// A script that was played. It displays as a transcript.
///
/// The assertions panic where they don't hold, with what differs and the transcript.
#[derive(Debug)]
pub struct Played {
    shown: Shown,
    turns: Vec<Turn>,
    decided: Vec<ToolReply>,
    ended: Ended,
    transcript: String,
}

/// How a script came to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ended {
    /// Every step was played, and the model has said the last word.
    Over,
    /// Every step was played, and the model owes an answer: it was asked once more, so that what it
    /// would have been shown is known.
    Unanswered,
    /// A response can't be read; nothing of it was run.
    Unreadable(IntakeError),
    /// A person was to decide on a draft, and none is named by [`ScriptedModel::person`].
    NoPerson,
    /// A person was to decide on a draft, and none waits.
    NoDraft,
}

impl Played {
    /// What the model was shown.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// The turns, oldest first: one for each response that called something.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The replies to all calls, in order.
    pub fn replies(&self) -> impl Iterator<Item = &ToolReply> {
        self.turns.iter().flat_map(Turn::replies)
    }

    /// What came of each draft that the script's person decided on, in order.
    pub fn decided(&self) -> &[ToolReply] {
        &self.decided
    }

    /// How the script came to its end.
    pub fn ended(&self) -> &Ended {
        &self.ended
    }

    /// The calls came to these codes, in order.
    ///
    /// # Panics
    /// They came to others.
    #[track_caller]
    pub fn assert_codes(&self, codes: impl IntoIterator<Item = Code>) -> &Self {
        let lines = |codes: &mut dyn Iterator<Item = Code>| {
            codes.map(|code| format!("{code}\n")).collect::<String>()
        };
        let expected = lines(&mut codes.into_iter());
        let got = lines(&mut self.replies().map(ToolReply::code));
        if expected != got {
            fail(&format!("the calls came to other codes\n{}", diff(&expected, &got)), self);
        }
        self
    }

    /// Every step was played, and the model has said the last word: [`Ended::Over`].
    ///
    /// # Panics
    /// It ended in another way.
    #[track_caller]
    pub fn assert_over(&self) -> &Self {
        if !matches!(self.ended, Ended::Over) {
            fail(&format!("the script isn't over: {}", self.ended), self);
        }
        self
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the model has said the last word"),
            Self::Unanswered => f.write_str("the model owes an answer"),
            Self::Unreadable(error) => write!(f, "a response can't be read: {error}"),
            Self::NoPerson => {
                f.write_str("a person was to decide on a draft, and none is named by `person`")
            }
            Self::NoDraft => f.write_str("a person was to decide on a draft, and none waits"),
        }
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.transcript)?;
        f.write_str(&line("end", &self.ended.to_string()))
    }
}

/// What a run keeps from step to step.
struct Run<'t> {
    toolkit: &'t Toolkit,
    context: &'t CallContext,
    history: Vec<serde_json::Value>,
    turns: Vec<Turn>,
    /// Drafts that wait for a person, oldest first.
    drafts: Vec<String>,
    decided: Vec<ToolReply>,
    transcript: String,
}

pub(super) async fn run(
    mut model: ScriptedModel,
    toolkit: &Toolkit,
    context: &CallContext,
) -> Played {
    let mut run = Run {
        toolkit,
        context,
        history: Vec::new(),
        turns: Vec::new(),
        drafts: Vec::new(),
        decided: Vec::new(),
        transcript: String::new(),
    };
    let ended = run.play(&mut model).await;
    let Run { turns, decided, transcript, .. } = run;
    Played { shown: model.shown(), turns, decided, ended, transcript }
}

impl Run<'_> {
    async fn play(&mut self, model: &mut ScriptedModel) -> Ended {
        // Whether the model has the word.
        let mut owes = false;
        loop {
            match model.peek().cloned() {
                Some(Step::User(text)) => {
                    self.tell("user", &text);
                    self.history.push(model.wire.user(&text));
                    owes = true;
                    model.next();
                }
                Some(Step::Human(decision)) => {
                    model.next();
                    if let Err(ended) = self.decide(model.person.as_ref(), decision).await {
                        return ended;
                    }
                }
                Some(Step::Response(_)) => match self.answer(model).await {
                    Ok(called) => owes = called,
                    Err(error) => return Ended::Unreadable(error),
                },
                None if owes => {
                    let catalog = self.toolkit.catalog(self.context);
                    model.respond(model.wire.request(&self.history, &catalog));
                    return Ended::Unanswered;
                }
                None => return Ended::Over,
            }
        }
    }

    /// Asks the model, and runs what it calls. Whether it called anything.
    async fn answer(&mut self, model: &mut ScriptedModel) -> Result<bool, IntakeError> {
        let catalog = self.toolkit.catalog(self.context);
        let request = model.wire.request(&self.history, &catalog);
        let response = model.respond(request).unwrap_or_default();
        let (messages, calls) = match model.wire.take(&response) {
            Ok(taken) => taken,
            Err(error) => {
                self.tell("model", &response);
                return Err(error);
            }
        };
        self.history.extend(messages);
        let request = super::Request::new(model.wire, model.wire.request(&self.history, &catalog));
        if let Some(said) = request.messages().last().filter(|said| !said.text.is_empty()) {
            self.tell("model", &said.text);
        }
        for call in &calls {
            self.tell("model", &format!("calls {} {}", call.name(), call.arguments()));
        }
        if calls.is_empty() {
            return Ok(false);
        }
        let number = self.turns.len() as u64 + 1;
        let turn = self.toolkit.turn(&self.context.clone().turn(number), calls).await;
        self.history.extend(model.wire.results(&turn));
        for reply in turn.replies() {
            self.tell("reply", &format!("{}: {}", reply.code(), reply.text()));
            let draft = reply.draft_id().filter(|_| reply.code() == Code::NeedsConfirmation);
            self.drafts.extend(draft.map(str::to_owned));
        }
        self.turns.push(turn);
        Ok(true)
    }

    async fn decide(
        &mut self,
        person: Option<&CallContext>,
        decision: HumanDecision,
    ) -> Result<(), Ended> {
        let (send, word) = match decision {
            HumanDecision::Confirm => (true, "confirms"),
            HumanDecision::Withdraw => (false, "withdraws"),
            // Given when its question came, by the toolkit's approver.
            HumanDecision::Approve | HumanDecision::Deny => return Ok(()),
        };
        let person = person.ok_or(Ended::NoPerson)?;
        let draft = self.drafts.pop().ok_or(Ended::NoDraft)?;
        let reply = match send {
            true => self.toolkit.confirm(person, &draft).await,
            false => self.toolkit.withdraw(person, &draft).await,
        };
        self.tell("person", &format!("{word} {draft}: {}: {}", reply.code(), reply.text()));
        self.decided.push(reply);
        Ok(())
    }

    fn tell(&mut self, who: &str, what: &str) {
        self.transcript.push_str(&line(who, what));
    }
}
