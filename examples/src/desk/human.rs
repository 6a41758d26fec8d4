//! The human of a script: an approver like any other, who decides as the script says.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolkit::approval::{Answer, ApprovalRequest, Approver};
use toolkit::testing::HumanDecision;
use toolkit::{BoxFuture, HookError};

use super::script::Expected;

/// Decides on the calls of the response that is being played. Clones are one human.
#[derive(Clone, Debug, Default)]
pub struct Human {
    expected: Arc<Mutex<Vec<Expected>>>,
}

impl Human {
    /// Takes the decisions on the next response; those on the last one that nobody asked for come
    /// back.
    pub fn expect(&self, expected: Vec<Expected>) -> Vec<Expected> {
        let mut left = std::mem::replace(&mut *self.lock(), expected);
        left.retain(|expected| expected.decision.is_some());
        left
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Expected>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approver for Human {
    /// Where the script has no decision left for this response, nobody is there to ask.
    fn available(&self) -> bool {
        self.lock().iter().any(|expected| expected.decision.is_some())
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async move {
            let arguments: serde_json::Value = serde_json::from_str(&request.arguments)?;
            let mut expected = self.lock();
            let asked = expected
                .iter()
                .position(|call| call.tool == request.tool && call.arguments == arguments)
                .ok_or("the script doesn't know of this question")?;
            match expected.remove(asked).decision {
                Some(HumanDecision::Approve) => Ok(Answer::Approve),
                Some(HumanDecision::Deny) => Ok(Answer::Deny(None)),
                _ => Err("no line of the script answers this question".into()),
            }
        })
    }
}
