//! The host: it puts the toolkit together and keeps the conversation. The three lines that any
//! host writes into its loop stand in [`Conversation::answer`].

use std::io;

use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;
use toolkit::dialect::openai_chat;
use toolkit::http::{Http, HttpError};
use toolkit::prelude::*;
use toolkit::{Builder, Catalog, Event, Turn};

use super::database::Database;
use super::kb::KnowledgeBase;
use super::mail::Mailer;
use super::pages::Pages;
use super::ticket::{Agent, Desk};
use super::transcript::Transcript;
use super::{clock, kb, reply, session, ticket, web};

/// What the model is told at the beginning.
const SYSTEM: &str = "You help the agents of a support desk. Look things up before you answer. \
    Use the tools as they are described, and report what they really answered.";

/// The rules of this desk: a model may write, and draft what is to be sent, with a record of it; a
/// person decides on what can't be undone, and on what is sent.
pub fn policy() -> Policy {
    Policy::trusting().drafts()
}

/// The desk's tools over this database, without anybody to ask yet.
///
/// # Errors
/// The client of `web.fetch` can't be set up.
pub fn builder(
    database: &Database,
    pages: Option<&Pages>,
    mailer: Mailer,
) -> Result<Builder, HttpError> {
    let desk = Toolkit::builder()
        // Other examples of this crate have tools as well.
        .only([
            id(clock::now),
            id(kb::search),
            id(session::fetch),
            id(ticket::create),
            id(ticket::delete),
            id(reply::reply),
            id(web::fetch),
        ])
        .policy(policy())
        .state(KnowledgeBase::new(database))
        .state(Desk::new(database))
        .state(Outbound::new(mailer))
        .state(Http::new()?);
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
    /// Drafts that wait for a person, oldest first.
    drafts: Vec<String>,
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
        Self { toolkit, context, messages, events, turns: 0, drafts: Vec::new() }
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
        let drafts = turn.replies().iter().filter(|r| r.code() == Code::NeedsConfirmation);
        self.drafts.extend(drafts.filter_map(|reply| reply.draft_id()).map(str::to_owned));
        transcript.replies(turn.replies(), &drain(&mut self.events))?;
        Ok(true)
    }

    /// How many drafts wait for a person.
    pub fn waiting(&self) -> usize {
        self.drafts.len()
    }

    /// The last draft that waits for a person.
    pub fn draft(&self) -> Option<&str> {
        self.drafts.last().map(String::as_str)
    }

    /// Lets the last draft wait, without asking about it any more.
    pub fn leave(&mut self) {
        self.drafts.pop();
    }

    /// A draft as a person reads it.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing half-done.
    pub async fn text_of(&self, draft: &str) -> String {
        match self.toolkit.draft(&self.context, draft).await {
            Ok(Some(draft)) => draft.text.unwrap_or(draft.value),
            _ => "(the draft is gone)".to_owned(),
        }
    }

    /// Lets a person decide on the last draft that waits, shows what came of it, and tells the model.
    /// `None` where no draft waits.
    ///
    /// # Errors
    /// The transcript can't be written.
    ///
    /// # Cancellation
    /// The draft may be sent, and the model isn't told.
    pub async fn decide(
        &mut self,
        send: bool,
        transcript: &mut Transcript<'_>,
    ) -> Result<Option<ToolReply>, TalkError> {
        let Some(draft) = self.drafts.pop() else { return Ok(None) };
        let person = context(Origin::Human).session(self.context.session_id().unwrap_or_default());
        let who = person.principal_name().unwrap_or("a person").to_owned();
        let word = if send { "confirms" } else { "withdraws" };
        transcript.person(&format!("{who} {word} {draft}"))?;
        let reply = match send {
            true => self.toolkit.confirm(&person, &draft).await,
            false => self.toolkit.withdraw(&person, &draft).await,
        };
        transcript.replies(std::slice::from_ref(&reply), &drain(&mut self.events))?;
        self.user(&format!("(The desk: {who} {word} {draft}: {})", reply.code()));
        Ok(Some(reply))
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
