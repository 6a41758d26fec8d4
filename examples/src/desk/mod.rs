//! A support desk whose tools a model may use under guard: a knowledge base, sessions with
//! customers, tickets, the web and the clock, on an embedded SQLite file.
//!
//! `cargo run --example desk` plays a recorded conversation; `-- --help` says what else it does.

pub mod audit;
mod call;
#[cfg(feature = "live")]
mod chat;
pub mod cli;
pub mod clock;
pub mod database;
pub mod host;
pub mod human;
pub mod kb;
pub mod mail;
pub mod pages;
pub mod plan;
mod play;
pub mod reply;
pub mod script;
pub mod session;
pub mod text;
pub mod ticket;
pub mod transcript;
pub mod web;

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use cli::{Cli, Command, USAGE};

/// What the desk touches of the process that it runs in, so that a test can stand in for it.
pub struct Program<'a> {
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// Where the conversation or the reply goes.
    pub out: &'a mut dyn Write,
    /// Where errors and notes go.
    pub err: &'a mut dyn Write,
    /// Where `chat` reads what the user says.
    pub input: Box<dyn BufRead + Send>,
    /// Whether the input is a terminal, so that questions can be asked there.
    pub keyboard: bool,
    /// Whether the output is a terminal.
    pub screen: bool,
    /// Whether the output may have colours.
    pub colours: bool,
    /// The terminal on which approvals are asked.
    pub terminal: PathBuf,
    /// Looks up a variable of the environment.
    pub variable: fn(&str) -> Option<String>,
}

/// Why the desk failed.
#[derive(Debug)]
enum Failure {
    /// It was called in a way that makes no sense.
    Usage(String),
    /// Nobody reads the output any more.
    Unread,
    /// Something else.
    Other(Box<dyn Error>),
}

impl Failure {
    fn usage(error: impl Error) -> Self {
        Self::Usage(chain(&error))
    }
}

impl<E: Into<Box<dyn Error>>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let mut cause: Option<&(dyn Error + 'static)> = Some(&*error);
        while let Some(error) = cause {
            let io = error.downcast_ref::<io::Error>();
            if io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                return Self::Unread;
            }
            cause = error.source();
        }
        Self::Other(error)
    }
}

/// An error and its causes in one line; a cause that its error already quotes isn't said twice.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

/// Runs the desk in this process and gives its exit code.
pub async fn main() -> u8 {
    let screen = io::stdout().is_terminal();
    let program = Program {
        arguments: std::env::args_os().skip(1).collect(),
        out: &mut io::stdout(),
        err: &mut io::stderr(),
        input: Box::new(io::BufReader::new(io::stdin())),
        keyboard: io::stdin().is_terminal(),
        screen,
        colours: screen && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        terminal: PathBuf::from("/dev/tty"),
        variable: |name| std::env::var(name).ok(),
    };
    run(program).await
}

/// Runs the desk and gives its exit code: 0 if all went well, 2 if it was called in a way that makes
/// no sense or a script is bad, else 1.
pub async fn run(mut program: Program<'_>) -> u8 {
    let (code, message) = match dispatch(&mut program).await {
        Ok(true) => (0, None),
        Ok(false) | Err(Failure::Unread) => (1, None),
        Err(Failure::Usage(what)) => (2, Some(format!("{what}\ntry `--help`"))),
        Err(Failure::Other(error)) => (1, Some(chain(&*error))),
    };
    if let Some(message) = message {
        // Where not even this can be written, the exit code has to say it.
        let _ = writeln!(program.err, "desk: {}", text::printable(&message));
    }
    code
}

/// False where the one call of `call` did not succeed, or a step of `plan`.
async fn dispatch(program: &mut Program<'_>) -> Result<bool, Failure> {
    let arguments = std::mem::take(&mut program.arguments);
    let Cli { db, command } = Cli::parse(arguments).map_err(Failure::usage)?;
    match command {
        Command::Help => program.out.write_all(USAGE.as_bytes())?,
        Command::Play { script } => play::play(program, &db, script).await?,
        Command::Tools => call::tools(program).await?,
        Command::Schema { name } => call::schema(program, &name).await?,
        Command::Call { name, arguments, origin } => {
            return call::call(program, &db, &name, &arguments, origin).await;
        }
        Command::Explain { name, arguments, origin, json } => {
            call::explain(program, &name, &arguments, origin, json).await?;
        }
        Command::Plan { session, reply, report } => {
            let (session, report) = (session.as_deref(), report.as_deref());
            return plan::run(program, &db, plan::Asked { session, reply, report }).await;
        }
        #[cfg(feature = "live")]
        Command::Chat => chat::chat(program, &db).await?,
        #[cfg(not(feature = "live"))]
        Command::Chat => {
            return Err(Failure::Usage(
                "`chat` needs a client for real models, which is left out unless asked for:\n    \
                 cargo run --example desk --features live -- chat"
                    .to_owned(),
            ));
        }
    }
    Ok(true)
}
