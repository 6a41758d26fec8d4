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

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use cli::{Cli, Command, USAGE};

use crate::ask::Ask;
use crate::front::{self, Failure};

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
    let done = dispatch(&mut program).await;
    front::exit("desk", program.err, done)
}

/// False where the one call of `call` did not succeed, or a step of `plan`.
async fn dispatch(program: &mut Program<'_>) -> Result<bool, Failure> {
    let arguments = std::mem::take(&mut program.arguments);
    let Cli { db, command } = Cli::parse(arguments).map_err(Failure::usage)?;
    match command {
        Command::Help => program.out.write_all(USAGE.as_bytes())?,
        Command::Play { script } => play::play(program, &db, script).await?,
        Command::Tools => call::tools(program).await?,
        Command::Ask(Ask::Schema { name }) => call::schema(program, &name).await?,
        Command::Ask(Ask::Call { name, arguments, origin }) => {
            return call::call(program, &db, &name, &arguments, origin).await;
        }
        Command::Ask(Ask::Explain { name, arguments, origin, json }) => {
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
