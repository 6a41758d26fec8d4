//! An approver on the controlling terminal, whatever standard input and output are used for.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::ladder::{picked, shown, sure};
use super::queue::{Nothing, Receiver, Sender, queue};
use super::{Answer, Answered, ApprovalRequest, Approver, Offer, Rung};
use crate::hook::{BoxFuture, HookError};

/// Asks on `/dev/tty`, one question at a time, in a thread of its own. Where the process has no
/// terminal there is no approver.
///
/// Only `y` or `yes` approves. `s` shows what may be allowed for the rest of the session, where anything
/// may: a line picks a rung, its words are shown, and `y` grants it. After `e` the next line is the arguments to run instead, as one JSON
/// object; an empty one goes back to the question. (A terminal cuts a line after some 4,000 bytes,
/// and what is cut is refused.) A line typed before a question was on the screen, or so soon after
/// that nobody can have read it, answers nothing.
///
/// The terminal is opened, and read from then on, with the first question: a host that reads lines
/// from the same terminal itself shares them from there, and asks better through
/// [`channel`](super::channel).
#[derive(Debug)]
pub struct Terminal {
    path: PathBuf,
    person: Option<Arc<str>>,
    questions: Mutex<Option<Sender<Question>>>,
}

#[derive(Debug)]
struct Question {
    text: String,
    /// Said again at the end, since long arguments may have carried the start off the screen.
    what: String,
    offer: Option<Offer>,
    answer: oneshot::Sender<Answered>,
}

const CHOICE: &str = "approve? [y/N, e: edit] ";
const CHOICE_WITH_SESSION: &str = "approve? [y/N, e: edit, s: for the session] ";
const NOT_OFFERED: &str = "that isn't offered\n";
const EDIT: &str = "the arguments to run instead, as one line of JSON: ";

/// What is typed sooner after a question appeared was meant for something else.
const TOO_SOON: Duration = Duration::from_millis(300);

impl Terminal {
    /// The terminal of the process, if it has one.
    pub fn new() -> Self {
        Self::on("/dev/tty")
    }

    /// This terminal device.
    pub fn on(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), person: None, questions: Mutex::new(None) }
    }

    /// Names who sits at the terminal, for events and records.
    #[must_use]
    pub fn person(mut self, person: impl Into<Arc<str>>) -> Self {
        self.person = Some(person.into());
        self
    }

    /// Hands a question to the threads, which the first one starts.
    fn put(&self, question: Question) -> Result<(), HookError> {
        let mut questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut question = question;
        if let Some(sender) = questions.take() {
            match sender.send(question) {
                Ok(()) => {
                    *questions = Some(sender);
                    return Ok(());
                }
                // The threads ended, as at the end of input: they are started anew.
                Err(unsent) => question = unsent,
            }
        }
        let sender = open(&self.path).ok_or("there is no terminal")?;
        sender.send(question).map_err(|_| "the terminal is gone")?;
        *questions = Some(sender);
        Ok(())
    }
}

impl Default for Terminal {
    fn default() -> Self {
        Self::new()
    }
}

fn open(path: &Path) -> Option<Sender<Question>> {
    let input = File::open(path).ok()?;
    let output = OpenOptions::new().write(true).open(path).ok()?;
    let (typed, lines) = queue();
    let (questions, asked) = queue();
    // One thread reads and one asks, so that a question that is given up doesn't leave a read behind
    // that would swallow the answer to the next.
    start("toolkit-tty-in", Box::new(move || read(input, &typed)))?;
    start("toolkit-tty", Box::new(move || serve(output, &asked, &lines)))?;
    Some(questions)
}

fn start(name: &str, work: Box<dyn FnOnce() + Send>) -> Option<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work).ok()
}

fn read(input: File, typed: &Sender<(Instant, String)>) {
    for line in BufReader::new(input).lines() {
        let Ok(line) = line else { return };
        if typed.send((Instant::now(), line)).is_err() {
            return;
        }
    }
}

fn serve(mut terminal: File, asked: &Receiver<Question>, lines: &Receiver<(Instant, String)>) {
    while let Ok(question) = asked.next(None) {
        if question.answer.is_closed() {
            continue;
        }
        let text = format!("\n{}{}: {}", question.text, question.what, question.choice());
        // A terminal that can't be written to shows nobody anything: the dropped question denies.
        let Ok(shown) = show(&mut terminal, &text) else { continue };
        if !wait(question, shown + TOO_SOON, &mut terminal, lines) {
            return;
        }
    }
}

impl Question {
    fn choice(&self) -> &'static str {
        if self.offer.is_some() { CHOICE_WITH_SESSION } else { CHOICE }
    }

    /// What a line means at this point.
    fn read(&self, asked: &Asked, line: &str) -> Step {
        let word = line.to_ascii_lowercase();
        let yes = matches!(word.as_str(), "y" | "yes");
        let back = || Step::Ask(Asked::Choice, self.choice().to_owned());
        match (asked, &self.offer) {
            (Asked::Arguments | Asked::Rung, _) if word.is_empty() => back(),
            (Asked::Arguments, _) => Step::Answer(Answer::Edit(line.to_owned())),
            (Asked::Rung, Some(offer)) => match picked(offer, line) {
                Some((rung, time)) => {
                    let text = sure(offer, &rung, time);
                    Step::Ask(Asked::Sure(rung, time), text)
                }
                None => Step::Ask(Asked::Rung, format!("{NOT_OFFERED}{}", shown(offer))),
            },
            (Asked::Sure(rung, time), _) if yes => {
                Step::Answer(Answer::ApproveForSession(rung.clone(), *time))
            }
            (Asked::Sure(..) | Asked::Rung, _) => back(),
            (Asked::Choice, Some(offer)) if matches!(word.as_str(), "s" | "session") => {
                Step::Ask(Asked::Rung, shown(offer))
            }
            (Asked::Choice, _) if matches!(word.as_str(), "e" | "edit") => {
                Step::Ask(Asked::Arguments, EDIT.to_owned())
            }
            (Asked::Choice, _) if yes => Step::Answer(Answer::Approve),
            (Asked::Choice, _) => Step::Answer(Answer::Deny(None)),
        }
    }
}

/// What was last asked of the person.
enum Asked {
    /// Whether to approve.
    Choice,
    /// What to run instead.
    Arguments,
    /// What to allow for the session.
    Rung,
    /// Whether that is meant.
    Sure(Rung, Option<Duration>),
}

/// What a line leads to.
enum Step {
    Ask(Asked, String),
    Answer(Answer),
}

/// Writes, and says when it was to be seen.
fn show(terminal: &mut File, text: &str) -> std::io::Result<Instant> {
    terminal.write_all(text.as_bytes())?;
    terminal.flush()?;
    Ok(Instant::now())
}

/// Waits for the answer; false at the end of input.
fn wait(
    question: Question,
    mut from: Instant,
    terminal: &mut File,
    lines: &Receiver<(Instant, String)>,
) -> bool {
    let mut asked = Asked::Choice;
    loop {
        match lines.next(Some(Duration::from_millis(100))) {
            Ok((at, _)) if at < from => {}
            Ok((_, line)) => match question.read(&asked, line.trim()) {
                Step::Answer(answer) => {
                    // The receiver may be gone by now; then nothing runs.
                    let _ = question.answer.send(answer.into());
                    return true;
                }
                Step::Ask(next, text) => {
                    let Ok(seen) = show(terminal, &text) else { return true };
                    // What follows `e` was meant for it, however soon.
                    if !matches!(next, Asked::Arguments) {
                        from = seen + TOO_SOON;
                    }
                    asked = next;
                }
            },
            Err(Nothing::Yet) if question.answer.is_closed() => {
                let _ = writeln!(terminal, "\n(no longer asked)");
                return true;
            }
            Err(Nothing::Yet) => {}
            // End of input: the dropped question denies.
            Err(Nothing::Ended) => return false,
        }
    }
}

impl Approver for Terminal {
    fn available(&self) -> bool {
        // `/dev/tty` exists everywhere, and opens only where the process has a terminal.
        File::open(&self.path).is_ok()
    }

    /// What fits on a large screen.
    fn room(&self) -> usize {
        4_000
    }

    fn ask_whom<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<Answered, HookError>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let what = format!("{} ({})", request.tool, request.risk);
            let (text, offer) = (request.rendering(), request.for_session.clone());
            self.put(Question { text, what, offer, answer })?;
            let Answered { answer, .. } =
                answered.await.map_err(|_| "the terminal gave no answer")?;
            Ok(Answered { answer, by: self.person.clone() })
        })
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async move { Ok(self.ask_whom(request).await?.answer) })
    }
}
