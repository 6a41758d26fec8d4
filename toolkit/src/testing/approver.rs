//! An approver that answers from a list and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::approval::{Answer, Answered, ApprovalRequest, Approver};
use crate::hook::{BoxFuture, HookError};

/// Answers from a list, then always with its last answer, and remembers every question. Clones
/// share one memory, so a test keeps one and gives the other to the builder.
///
/// ```
/// use toolkit::approval::Answer;
/// use toolkit::testing::Recorder;
///
/// let recorder = Recorder::new([Answer::Deny(None), Answer::Approve]);
/// assert!(recorder.requests().is_empty());
/// # drop(recorder);
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    answers: VecDeque<Answer>,
    /// Whether the last answer is given again.
    repeats: bool,
    last: Option<Answer>,
    person: Option<Arc<str>>,
    requests: Vec<ApprovalRequest>,
}

impl Recorder {
    /// A recorder with these answers; without any, each question fails, which denies.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = answers.into_iter().collect();
        let inner =
            Inner { answers, repeats: true, last: None, person: None, requests: Vec::new() };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    /// A recorder with these answers and no more: each question beyond them fails, which denies.
    pub fn only(answers: impl IntoIterator<Item = Answer>) -> Self {
        let recorder = Self::new(answers);
        recorder.lock().repeats = false;
        recorder
    }

    /// A recorder that approves everything.
    pub fn approving() -> Self {
        Self::new([Answer::Approve])
    }

    /// A recorder that denies everything.
    pub fn denying() -> Self {
        Self::new([Answer::Deny(None)])
    }

    /// Names who answers.
    #[must_use]
    pub fn person(self, person: impl Into<Arc<str>>) -> Self {
        self.lock().person = Some(person.into());
        self
    }

    /// The questions so far, oldest first.
    pub fn requests(&self) -> Vec<ApprovalRequest> {
        self.lock().requests.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approver for Recorder {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async move {
            let mut inner = self.lock();
            inner.requests.push(request.clone());
            let next = inner.answers.pop_front();
            if next.is_some() || !inner.repeats {
                inner.last = next;
            }
            inner.last.clone().ok_or_else(|| "the recorder has no answer".into())
        })
    }

    fn ask_whom<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<Answered, HookError>> {
        Box::pin(async move {
            let answer = self.ask(request).await?;
            let person = self.lock().person.clone();
            Ok(match person {
                Some(person) => Answered::by(person, answer),
                None => answer.into(),
            })
        })
    }
}
