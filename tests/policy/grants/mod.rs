//! What a person allows for the rest of a session: built from the question, no wider than it was offered,
//! and over with the session.

mod identity;
mod life;
mod offers;
mod rungs;
mod targets;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;
use toolkit::approval::{Answer, ApprovalRequest, Approver, Pending, Rung, channel};
use toolkit::testing::{Probe, Recorder};
use toolkit::{Builder, Event, Observer, Session, Widest, prelude::*};

use crate::sessions::{Gate, hold};
use crate::support::{Finished, GOOD, delete, write};

/// Close a ticket of the desk.
#[tool(name = "ticket.close", risk = "write")]
async fn close(
    /// Number of the ticket, e.g. `1042`.
    #[arg(alias = "id")]
    ticket: u32,
    /// Why it is closed, e.g. `spam`.
    reason: Option<String>,
    /// Who is told, e.g. `ada`.
    tell: Option<Vec<String>>,
    #[state] probe: &Probe,
) {
    let _ = (ticket, reason, tell, probe.enter());
}

/// Close a ticket with a password.
#[tool(name = "ticket.seal", risk = "write")]
async fn seal(
    /// Number of the ticket, e.g. `1042`.
    ticket: u32,
    /// The password of the desk.
    #[arg(secret)]
    password: String,
    #[state] probe: &Probe,
) {
    let _ = (ticket, password, probe.enter());
}

fn tickets() -> (Builder, Probe) {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(close), id(seal), id(write), id(delete), id(hold)]);
    (builder.state(probe.clone()).state(Gate::default()), probe)
}

fn names(names: &[&str]) -> Rung {
    Rung::Arguments(names.iter().map(|name| (*name).to_owned()).collect())
}

fn cx(session: &str) -> CallContext {
    CallContext::model().session(session.to_owned()).principal("ada")
}

/// A desk whose questions arrive here.
struct Desk {
    toolkit: Toolkit,
    questions: Receiver<Pending>,
    session: Session,
    probe: Probe,
}

impl Desk {
    fn new() -> Self {
        Self::of(|builder| builder)
    }

    fn of(change: impl FnOnce(Builder) -> Builder) -> Self {
        let (approver, questions) = channel(64);
        let (builder, probe) = tickets();
        let toolkit = change(builder).approver(approver).build().unwrap();
        let session = toolkit.session("s-1");
        Self { toolkit, questions, session, probe }
    }

    fn calls(
        &self,
        cx: CallContext,
        tool: &'static str,
        arguments: Value,
    ) -> JoinHandle<ToolReply> {
        let toolkit = self.toolkit.clone();
        tokio::spawn(
            async move { toolkit.call(&cx, ToolCall::json(tool, &arguments).unwrap()).await },
        )
    }

    /// Makes a call and answers its question.
    async fn answers(&mut self, tool: &'static str, arguments: Value, answer: Answer) -> ToolReply {
        let call = self.calls(cx("s-1"), tool, arguments);
        let pending = self.questions.recv().await.unwrap();
        assert!(pending.answer_as("grace", answer));
        call.await.unwrap()
    }

    async fn grants(&mut self, tool: &'static str, arguments: Value, rung: Rung) {
        let reply = self.answers(tool, arguments, Answer::ApproveForSession(rung, None)).await;
        assert!(reply.is_ok(), "{}", reply.text());
    }

    /// Whether a call is asked about; where it is, a person says no.
    async fn asks_in(&mut self, cx: CallContext, tool: &'static str, arguments: Value) -> bool {
        let call = self.calls(cx, tool, arguments);
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        match self.questions.try_recv() {
            Ok(pending) => {
                pending.answer(Answer::Deny(None));
                assert_eq!(call.await.unwrap().code(), Code::Rejected);
                true
            }
            Err(_) => {
                assert!(call.await.unwrap().is_ok());
                false
            }
        }
    }

    async fn asks(&mut self, tool: &'static str, arguments: Value) -> bool {
        self.asks_in(cx("s-1"), tool, arguments).await
    }
}
