//! The host: it puts the toolkit together and keeps the conversation. The three lines that any
//! host writes into its loop stand in [`Conversation::answer`].

use std::io;

use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;
use toolkit::dialect::openai_chat;
use toolkit::prelude::*;
use toolkit::{Builder, Catalog, Event, Turn};

use super::database::Database;
use super::kb::KnowledgeBase;
use super::pages::Pages;
use super::ticket::{Agent, Desk};
use super::transcript::Transcript;
use super::web::Browser;
use super::{clock, kb, session, ticket, web};

/// What the model is told at the beginning.
const SYSTEM: &str = "You help the agents of a support desk. Look things up before you answer. \
    Use the tools as they are described, and report what they really answered.";

/// The rules of this desk: a model may write, with a record of it, and a person decides on what
/// can't be undone.
pub fn policy() -> Policy {
    Policy::trusting()
}

/// The desk's tools over this database, without anybody to ask yet.
///
/// # Errors
/// The client of `web.fetch` can't be set up.
pub fn builder(database: &Database, pages: Option<&Pages>) -> reqwest::Result<Builder> {
    let desk = Toolkit::builder()
        // Other examples of this crate have tools as well.
        .only([
            id(clock::now),
            id(kb::search),
            id(session::fetch),
            id(ticket::create),
            id(ticket::delete),
            id(web::fetch),
        ])
        .policy(policy())
        .state(KnowledgeBase::new(database))
        .state(Desk::new(database))
        .state(Browser::new()?);
    Ok(match pages {
        Some(pages) => desk.hosts("web.fetch", [pages.host()]),
        None => desk,
    })
}

/// What surrounds the calls of this desk.
pub fn context(origin: Origin) -> CallContext {
    let context = match origin {
        Origin::Human => CallContext::human(),
        Origin::Plan => CallContext::plan(),
        Origin::Model => CallContext::model(),
    };
    let agent = Agent { name: "Robin".to_owned() };
    context.scope("chat").flag("knowledge_base").principal(agent.name.as_str()).with(agent)
}

/// A conversation with a model in OpenAI's wire format.
#[derive(Debug)]
pub struct Conversation {
    toolkit: Toolkit,
    context: CallContext,
    messages: Vec<Value>,
    events: broadcast::Receiver<Event>,
    turns: u64,
}

/// Why a conversation can't go on.
#[derive(Debug, thiserror::Error)]
pub enum TalkError {
    /// The model's answer can't be read.
    #[error("the model's answer can't be read")]
    Intake(#[from] toolkit::dialect::IntakeError),
    /// The transcript can't be written.
    #[error("the transcript can't be written")]
    Write(#[from] io::Error),
}

impl Conversation {
    /// A conversation that has only begun.
    pub fn new(toolkit: Toolkit, session: &str) -> Self {
        let messages = vec![json!({"role": "system", "content": SYSTEM})];
        let events = toolkit.events();
        let context = context(Origin::Model).session(session);
        Self { toolkit, context, messages, events, turns: 0 }
    }

    /// What the model may see.
    pub fn catalog(&self) -> Catalog {
        self.toolkit.catalog(&self.context)
    }

    /// Puts in what the user says.
    pub fn user(&mut self, text: &str) {
        self.messages.push(json!({"role": "user", "content": text}));
    }

    /// What is sent to the model.
    pub fn request(&self, model: &str) -> Value {
        json!({
            "model": model,
            "messages": self.messages,
            "tools": self.catalog().openai_chat(),
        })
    }

    /// Takes a response of the model's: shows it, runs its calls, shows what came of them, and puts
    /// all of it into the history. True if there were calls, so that the model should go on.
    ///
    /// # Errors
    /// The response can't be read, and nothing of it was run; or the transcript can't be written.
    ///
    /// # Cancellation
    /// The history then lacks the replies to the last calls: the conversation is over.
    pub async fn answer(
        &mut self,
        response: &str,
        transcript: &mut Transcript<'_>,
    ) -> Result<bool, TalkError> {
        let message = openai_chat::assistant(response)?;
        let calls = openai_chat::calls(response)?;
        if let Some(text) = message["content"].as_str().filter(|text| !text.is_empty()) {
            transcript.model(text)?;
        }
        transcript.calls(&calls)?;
        self.messages.push(message);
        if calls.is_empty() {
            return Ok(false);
        }
        self.turns += 1;
        let context = self.context.clone().turn(self.turns);
        let turn: Turn = self.toolkit.turn(&context, calls).await;
        self.messages.extend(openai_chat::results(&turn));
        transcript.replies(turn.replies(), &drain(&mut self.events))?;
        Ok(true)
    }
}

/// The events so far. Those of one turn are far fewer than a listener may fall behind.
pub fn drain(events: &mut broadcast::Receiver<Event>) -> Vec<Event> {
    let mut drained = Vec::new();
    loop {
        match events.try_recv() {
            Ok(event) => drained.push(event),
            Err(TryRecvError::Lagged(_)) => {}
            Err(TryRecvError::Empty | TryRecvError::Closed) => return drained,
        }
    }
}
