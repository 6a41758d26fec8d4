//! What sends only drafts; a person confirms, and then it is sent once.

mod confirming;
mod drafting;
mod expiry;
mod hooked;
mod once;
mod telling;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{Builder, CancellationToken};

/// A letter to somebody outside.
#[derive(Debug, Serialize, Deserialize)]
struct Letter {
    to: String,
    body: String,
}

/// What went out.
#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<String>>>);

impl Outbox {
    fn sent(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// What happens to the letter on its way, besides.
#[derive(Clone, Default)]
struct Fate(Arc<Mutex<&'static str>>);

impl Fate {
    fn set(&self, fate: &'static str) {
        *self.0.lock().unwrap() = fate;
    }
    fn get(&self) -> &'static str {
        *self.0.lock().unwrap()
    }
}

/// Draft a letter to somebody outside. A person reads it first.
#[tool(name = "letter.write", risk = "send", timeout = "5s")]
async fn write(
    /// Who gets it, e.g. `ada@example.com`.
    to: String,
    /// What it says.
    body: String,
    #[state] probe: &Probe,
    #[state] fate: &Fate,
) -> Result<Draft<Letter>, ToolError> {
    let _running = probe.enter();
    match fate.get() {
        "drafting fails" => return Err(ToolError::expected("no paper")),
        "drafting panics" => panic!("no ink"),
        "drafting hangs" => std::future::pending().await,
        _ => {}
    }
    Ok(Draft::new(Letter { to, body }))
}

#[commit(timeout = "2s")]
async fn post(
    letter: Confirmed<Letter>,
    #[state] outbox: &Outbound<Outbox>,
    #[state] fate: &Fate,
    #[context] cx: &CallContext,
) -> Result<String, ToolError> {
    let Letter { to, body } = letter.get();
    let by = letter.by().unwrap_or("nobody");
    assert_eq!(cx.principal_name(), letter.by());
    outbox.open(&letter).0.lock().unwrap().push(format!("{to}: {body} ({by})"));
    match fate.get() {
        "posting fails" => Err(ToolError::expected("the box is full")),
        "posting panics" => panic!("the box burns"),
        "posting hangs" => std::future::pending().await,
        "posting takes a while" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok("posted".to_owned())
        }
        _ => Ok("posted".to_owned()),
    }
}

/// Everything of one test.
struct Post {
    toolkit: Toolkit,
    probe: Probe,
    outbox: Outbox,
    fate: Fate,
}

impl Post {
    fn new() -> Self {
        Self::with(|builder| builder)
    }

    fn with(more: impl FnOnce(Builder) -> Builder) -> Self {
        let (probe, outbox, fate) = (Probe::new(), Outbox::default(), Fate::default());
        let builder = Toolkit::builder()
            .only([id(write), id(drafting::nested), id(telling::secret)])
            .state(probe.clone())
            .state(fate.clone())
            .state(Outbound::new(outbox.clone()))
            .policy(Policy::trusting().drafts());
        Self { toolkit: more(builder).build().unwrap(), probe, outbox, fate }
    }

    async fn call(&self, cx: &CallContext) -> ToolReply {
        let call = ToolCall::new("letter.write", r#"{"to": "ada", "body": "hello"}"#);
        self.toolkit.call(cx, call).await
    }

    /// The id of a draft that a model made.
    async fn drafted(&self) -> String {
        let reply = self.call(&model()).await;
        assert_eq!(reply.code(), Code::NeedsConfirmation, "{}", reply.text());
        reply.draft_id().unwrap().to_owned()
    }
}

fn model() -> CallContext {
    CallContext::model().session("s-1").principal("agent")
}

fn person() -> CallContext {
    CallContext::human().session("s-1").principal("grace")
}

const SENT: &str = "ada: hello (grace)";

/// A context that is cancelled already.
fn cancelled(cx: CallContext) -> CallContext {
    let token = CancellationToken::new();
    token.cancel();
    cx.cancellation(token)
}
