//! An approver over a channel, for hosts with a user interface of their own.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc, oneshot};

use super::{Answer, Answered, ApprovalRequest, Approver};
use crate::hook::{BoxFuture, HookError};

/// Sends each question into a channel and waits for its answer.
#[derive(Clone, Debug)]
pub struct Channel {
    questions: mpsc::Sender<Pending>,
}

/// A question on its way to a person. Dropping it denies.
#[derive(Debug)]
pub struct Pending {
    request: ApprovalRequest,
    answer: oneshot::Sender<Answered>,
}

/// An approver and the end at which its questions arrive, of which at most `capacity` wait there.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use toolkit::approval::{Answer, channel};
///
/// let (approver, mut questions) = channel(16);
/// tokio::spawn(async move {
///     while let Some(pending) = questions.recv().await {
///         println!("{}", pending.request().rendering());
///         pending.answer(Answer::Approve);
///     }
/// });
/// # drop(approver);
/// # }
/// ```
pub fn channel(capacity: usize) -> (Channel, mpsc::Receiver<Pending>) {
    // A channel of capacity 0 doesn't exist, nor one beyond what tokio counts.
    let (sender, receiver) = mpsc::channel(capacity.clamp(1, Semaphore::MAX_PERMITS));
    (Channel { questions: sender }, receiver)
}

impl Pending {
    /// What is asked.
    pub fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    /// Answers; false if nobody waits any more, since the time is up or the call was cancelled.
    pub fn answer(self, answer: Answer) -> bool {
        self.answer.send(answer.into()).is_ok()
    }

    /// Answers in the name of this person, who then stands in events and records; false as above.
    pub fn answer_as(self, person: impl Into<Arc<str>>, answer: Answer) -> bool {
        self.answer.send(Answered::by(person, answer)).is_ok()
    }

    /// Whether somebody still waits for the answer.
    pub fn is_open(&self) -> bool {
        !self.answer.is_closed()
    }
}

impl Approver for Channel {
    fn available(&self) -> bool {
        !self.questions.is_closed()
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async move { Ok(self.ask_whom(request).await?.answer) })
    }

    fn ask_whom<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<Answered, HookError>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let pending = Pending { request: request.clone(), answer };
            self.questions.send(pending).await.map_err(|_| "nobody takes questions any more")?;
            Ok(answered.await.map_err(|_| "the question was dropped unanswered")?)
        })
    }
}
