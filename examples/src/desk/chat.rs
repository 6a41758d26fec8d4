//! Talking to a real model, on any server that speaks OpenAI's wire format.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::Path;
use std::pin::pin;
use std::thread;
use std::time::{Duration, Instant};

use async_openai::Client;
use async_openai::config::{OPENAI_API_BASE, OpenAIConfig};
use async_openai::error::OpenAIError;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use toolkit::approval::{Answer, Pending, Terminal, channel};

use super::Program;
use super::database::Database;
use super::host::{self, Conversation, TalkError};
use super::mail::Mailer;
use super::pages::Pages;
use super::play::tell_database;
use super::text::printable;
use super::transcript::Transcript;
use crate::front::{Failure, chain};

/// How often a model may call and go on before the user is asked to say something again.
const ROUNDS: usize = 20;

/// How long a server may take for one answer, tries included.
const ANSWER: Duration = Duration::from_secs(300);

/// What is typed sooner after a question was shown was meant for something else.
const TOO_SOON: Duration = Duration::from_millis(300);

/// Where the model is.
struct Server {
    client: Client<OpenAIConfig>,
    model: String,
}

impl Server {
    /// The server that the usual variables name.
    fn from(variable: fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (key, base) = (set("OPENAI_API_KEY"), set("OPENAI_BASE_URL"));
        let Some(model) = set("OPENAI_MODEL") else {
            return Err(Failure::Usage("`chat` needs the name of a model in OPENAI_MODEL".into()));
        };
        if key.is_none() && base.is_none() {
            return Err(Failure::Usage(
                "`chat` needs a key in OPENAI_API_KEY, or the address of a server that asks for \
                 none in OPENAI_BASE_URL"
                    .into(),
            ));
        }
        let base = base.as_deref().unwrap_or(OPENAI_API_BASE).trim_end_matches('/');
        let config = OpenAIConfig::new().with_api_key(key.unwrap_or_default()).with_api_base(base);
        // The client has no cryptography of its own. An error means that some is set already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().build()?;
        Ok(Self { client: Client::build(http, config), model })
    }

    /// The body of the model's answer, or why there is none. The client itself tries again where a
    /// server is busy.
    async fn respond(&self, conversation: &Conversation) -> Result<Box<RawValue>, String> {
        let chat = self.client.chat();
        let request = conversation.request(&self.model);
        let answer: Result<_, OpenAIError> =
            tokio::time::timeout(ANSWER, chat.create_byot(request))
                .await
                .map_err(|_| format!("the server took longer than {} s", ANSWER.as_secs()))?;
        answer.map_err(|error| chain(&error))
    }
}

/// Lines as they are typed, each with its time.
struct Lines {
    typed: mpsc::UnboundedReceiver<(Instant, String)>,
    /// Typed while something else was waited for.
    early: VecDeque<String>,
}

impl Lines {
    /// Reads in a thread, since reading can't be cancelled.
    fn of(input: Box<dyn BufRead + Send>) -> Self {
        let (send, typed) = mpsc::unbounded_channel();
        thread::spawn(move || {
            for line in input.lines().map_while(Result::ok) {
                if send.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Self { typed, early: VecDeque::new() }
    }

    async fn next(&mut self) -> Option<String> {
        match self.early.pop_front() {
            Some(line) => Some(line),
            None => self.typed.recv().await.map(|(_, line)| line),
        }
    }
}

/// Talks until the input ends.
pub(super) async fn chat(program: &mut Program<'_>, db: &Path) -> Result<(), Failure> {
    let server = Server::from(program.variable)?;
    let pages = Pages::serve().await?;
    let database = Database::open(db).await?;
    let builder = host::builder(&database, Some(&pages), Mailer::beside(db))?;
    // Two readers of one keyboard would take each other's lines, so where the user types here the
    // questions are asked here as well.
    let (approver, mut questions) = channel(1);
    let toolkit = match program.keyboard {
        true => builder.approver(approver).build()?,
        false => builder.approver(Terminal::on(&program.terminal)).build()?,
    };
    let mut conversation = Conversation::new(toolkit, "chat");
    let mut transcript = Transcript::new(&mut *program.out, program.colours);
    tell_database(&mut transcript, &database, db).await?;
    transcript.remark(&format!("a page to fetch: http://{}/status", pages.host()))?;
    transcript.remark(&format!("talking to {}; end of input (Ctrl-D) ends it", server.model))?;
    transcript.catalog(&conversation.catalog(), &host::policy())?;

    let mut lines = Lines::of(std::mem::replace(&mut program.input, Box::new(std::io::empty())));
    let mut unanswered = false;
    loop {
        if program.keyboard {
            write!(program.err, "\nyou> ")?;
            program.err.flush()?;
        }
        let Some(line) = lines.next().await else { return Ok(()) };
        match line.trim() {
            "" if !unanswered => continue,
            "" => {}
            text => {
                if !program.keyboard {
                    transcript.user(text)?;
                }
                conversation.user(text);
            }
        }
        unanswered = !talk(
            &server,
            &mut conversation,
            &mut transcript,
            &mut *program.err,
            &mut questions,
            &mut lines,
        )
        .await?;
        decide(program.keyboard, &mut conversation, &mut transcript, &mut *program.err, &mut lines)
            .await?;
    }
}

/// Lets the model answer, and go on after its calls. False if it owes an answer, which may be tried
/// again: nothing of the conversation is lost.
async fn talk(
    server: &Server,
    conversation: &mut Conversation,
    transcript: &mut Transcript<'_>,
    prompt: &mut dyn Write,
    questions: &mut mpsc::Receiver<Pending>,
    lines: &mut Lines,
) -> Result<bool, Failure> {
    const AGAIN: &str = "an empty line tries again";
    for _ in 0..ROUNDS {
        let response = match server.respond(conversation).await {
            Ok(response) => response,
            Err(error) => {
                transcript.remark(&format!("no answer: {}; {AGAIN}", short(&error)))?;
                return Ok(false);
            }
        };
        let response = response.get();
        let called =
            match answered(conversation, response, transcript, prompt, questions, lines).await {
                Ok(called) => called,
                Err(TalkError::Intake(error)) => {
                    transcript.remark(&format!("{}; {AGAIN}", short(&chain(&error))))?;
                    return Ok(false);
                }
                Err(error) => return Err(error.into()),
            };
        if !called {
            if cut(response) {
                transcript.remark("the answer was cut at the server's limit")?;
            }
            return Ok(true);
        }
    }
    transcript.remark(&format!("stopped after {ROUNDS} rounds of calls; {AGAIN} goes on"))?;
    Ok(false)
}

/// Asks the person on the keyboard about each draft that waits. Where there is none, nothing is sent.
async fn decide(
    keyboard: bool,
    conversation: &mut Conversation,
    transcript: &mut Transcript<'_>,
    prompt: &mut dyn Write,
    lines: &mut Lines,
) -> Result<(), Failure> {
    while let Some(draft) = conversation.draft().map(str::to_owned) {
        if !keyboard {
            conversation.leave();
            let remark =
                format!("{draft} waits for a person, and nobody types here: it isn't sent");
            transcript.remark(&remark)?;
            continue;
        }
        let text = conversation.text_of(&draft).await;
        write!(prompt, "\n{}\n\nsend {draft}? [y/N] ", printable(&text))?;
        prompt.flush()?;
        let from = Instant::now() + TOO_SOON;
        let line = loop {
            match lines.typed.recv().await {
                // Not typed in answer to this: it is kept for the conversation.
                Some((at, line)) if at < from => lines.early.push_back(line),
                line => break line.map(|(_, line)| line).unwrap_or_default(),
            }
        };
        let send = matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes");
        conversation.decide(send, transcript).await?;
    }
    Ok(())
}

/// Takes one response; questions that its calls raise are asked on the keyboard meanwhile.
async fn answered(
    conversation: &mut Conversation,
    response: &str,
    transcript: &mut Transcript<'_>,
    prompt: &mut dyn Write,
    questions: &mut mpsc::Receiver<Pending>,
    lines: &mut Lines,
) -> Result<bool, TalkError> {
    let mut answering = pin!(conversation.answer(response, transcript));
    let mut asked: Option<(Pending, Instant)> = None;
    loop {
        tokio::select! {
            called = &mut answering => {
                if asked.is_some() {
                    writeln!(prompt, "\n(no longer asked)")?;
                }
                return called;
            }
            Some(question) = questions.recv(), if asked.is_none() => {
                write!(prompt, "\n{}approve? [y/N] ", question.request().rendering())?;
                prompt.flush()?;
                asked = Some((question, Instant::now() + TOO_SOON));
            }
            line = lines.typed.recv(), if asked.is_some() => match (line, asked.take()) {
                (Some((at, line)), Some((question, from))) if at < from => {
                    // Not typed in answer to this question: it is kept for the conversation.
                    lines.early.push_back(line);
                    asked = Some((question, from));
                }
                (Some((_, line)), Some((question, _))) => {
                    let yes = matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes");
                    // False if nobody waits any more; then nothing runs.
                    question.answer(if yes { Answer::Approve } else { Answer::Deny(None) });
                }
                // The end of the input: dropping the question denies.
                (_, question) => drop(question),
            },
        }
    }
}

/// Whether a response that only says something ends at a limit.
fn cut(response: &str) -> bool {
    let response: serde_json::Value = serde_json::from_str(response).unwrap_or_default();
    response["choices"][0]["finish_reason"] == "length"
}

/// An error as one short line: a server may send a whole page for one.
fn short(text: &str) -> String {
    let line = printable(&text.replace('\n', " "));
    match line.char_indices().nth(300) {
        None => line,
        Some((at, _)) => format!("{}…", &line[..at]),
    }
}
