//! What came of putting tasks to a selector.

use std::cmp::Ordering;
use std::fmt;

use super::{Choice, Ranked, Task};
use crate::catalog::Catalog;
use crate::hook::HookError;
use crate::text::{excerpt, visible};

/// What came of one task.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The expected tool was chosen, and none that must not be.
    Right,
    /// Another tool was chosen, or none.
    Wrong,
    /// A tool was chosen that must not be.
    Forbidden(String),
    /// The right one leads by less than the task asks for, or not at all.
    Close,
    /// The task names a tool that the catalog doesn't show.
    NoSuchTool(String),
    /// The selector couldn't choose, and why.
    Failed(String),
}

/// One task, what was chosen for it, and what is to be said of that.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chosen {
    /// The task.
    pub task: Task,
    /// What the selector made of it.
    pub choice: Choice,
    /// What is to be said of that.
    pub outcome: Outcome,
}

impl Chosen {
    pub(super) fn judged(task: Task, choice: Result<Choice, HookError>, catalog: &Catalog) -> Self {
        let (choice, outcome) = match choice {
            Err(error) => (Choice::default(), Outcome::Failed(error.to_string())),
            Ok(choice) => {
                let outcome = outcome(&task, &choice, catalog);
                (choice, outcome)
            }
        };
        Self { task, choice, outcome }
    }

    /// By how much the first leads the second, of its own score, from 0 to 1; `None` where nothing is
    /// ranked.
    pub fn margin(&self) -> Option<f64> {
        margin(&self.choice.ranking)
    }
}

fn margin(ranking: &[Ranked]) -> Option<f64> {
    match ranking {
        [] => None,
        // A score of 0 is not at all, and of none can be said how far it leads.
        [first, ..] if first.score.partial_cmp(&0.0) != Some(Ordering::Greater) => Some(0.0),
        [_] => Some(1.0),
        [first, second, ..] => {
            let lead = (first.score - second.score) / first.score;
            Some(if lead.is_nan() { 0.0 } else { lead.clamp(0.0, 1.0) })
        }
    }
}

fn outcome(task: &Task, choice: &Choice, catalog: &Catalog) -> Outcome {
    let missing = task.expect.iter().chain(&task.never).find(|tool| {
        // By its own name: the other one is for the wire.
        !catalog.tools().any(|shown| shown.spec().name() == tool.as_str())
    });
    if let Some(missing) = missing {
        return Outcome::NoSuchTool(missing.clone());
    }
    if let Some(forbidden) = choice.chosen.iter().find(|tool| task.never.contains(tool)) {
        return Outcome::Forbidden(forbidden.clone());
    }
    if choice.chosen.first() != task.expect.as_ref() {
        return Outcome::Wrong;
    }
    // What leads may be another than what is chosen.
    let leads = choice.ranking.first().map(|first| &first.tool) == task.expect.as_ref();
    match margin(&choice.ranking).map(|margin| if leads { margin } else { 0.0 }) {
        // A tie is in no order that a text has made.
        Some(margin) if task.expect.is_some() && (margin <= 0.0 || margin < task.margin) => {
            Outcome::Close
        }
        _ => Outcome::Right,
    }
}

/// What came of all tasks. Its `Display` is a report: each task with the first three of its ranking and
/// the margin, those that went wrong marked.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    all: Vec<Chosen>,
}

impl Selection {
    pub(super) fn new(all: Vec<Chosen>) -> Self {
        Self { all }
    }

    /// Every task, in the order in which they were put.
    pub fn all(&self) -> &[Chosen] {
        &self.all
    }

    /// Those that didn't come to [`Outcome::Right`].
    pub fn wrong(&self) -> impl Iterator<Item = &Chosen> {
        self.all.iter().filter(|chosen| chosen.outcome != Outcome::Right)
    }

    /// Whether all came to [`Outcome::Right`].
    pub fn is_ok(&self) -> bool {
        self.wrong().next().is_none()
    }

    /// The share of tasks for which the expected tool was chosen first, however close, from 0 to 1;
    /// 0 without tasks.
    pub fn top_1(&self) -> f64 {
        let first = |chosen: &&Chosen| chosen.choice.chosen.first() == chosen.task.expect.as_ref();
        if self.all.is_empty() {
            return 0.0;
        }
        // Counts of tasks are far below what a float holds.
        self.all.iter().filter(first).count() as f64 / self.all.len() as f64
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = self.wrong().count();
        writeln!(f, "{} of {} tasks as expected", self.all.len() - wrong, self.all.len())?;
        for chosen in &self.all {
            let mark = if chosen.outcome == Outcome::Right { "ok   " } else { "WRONG" };
            let task = excerpt(&visible(&chosen.task.text, false), 100);
            writeln!(f, "{mark} {task}")?;
            let expected = chosen.task.expect.as_deref().unwrap_or("no tool");
            let why = match &chosen.outcome {
                Outcome::Right => None,
                Outcome::Wrong => Some(match chosen.choice.chosen.first() {
                    Some(first) => format!("expected {expected}, got {first}"),
                    None => format!("expected {expected}, got no tool"),
                }),
                Outcome::Forbidden(tool) => Some(format!("{tool} must not be chosen")),
                Outcome::Close => Some(format!("{expected} is first, but too close")),
                Outcome::NoSuchTool(tool) => Some(format!("the catalog shows no tool {tool}")),
                Outcome::Failed(why) => Some(format!("the selector failed: {why}")),
            };
            if let Some(why) = why {
                writeln!(f, "      {why}")?;
            }
            let ranking = chosen.choice.ranking.iter().take(3);
            let ranking: Vec<_> =
                ranking.map(|ranked| format!("{} {:.2}", ranked.tool, ranked.score)).collect();
            if let Some(margin) = chosen.margin() {
                writeln!(f, "      {}; margin {margin:.2}", ranking.join(", "))?;
            }
        }
        Ok(())
    }
}
