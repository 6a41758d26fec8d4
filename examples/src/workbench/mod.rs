//! A working set for a model under one directory: files, searches, programs, pages of listed hosts,
//! arithmetic and the clock, on the guards that `toolkit` brings.
//!
//! `cargo run --example workbench` lists the tools; `-- --help` says what else it does.

pub mod cli;
pub mod clock;
mod edit;
pub mod files;
pub mod host;
mod list;
pub mod programs;
mod read;
mod search;
mod walk;
pub mod web;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use cli::{Cli, Command, USAGE};
use toolkit::ToolCall;
use toolkit::approval::Terminal;

use crate::ask::Ask;
use crate::front::{self, Failure};

/// What the workbench touches of the process that it runs in, so that a test can stand in for it.
pub struct Program<'a> {
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// Where the reply goes.
    pub out: &'a mut dyn Write,
    /// Where errors and notes go.
    pub err: &'a mut dyn Write,
    /// Whether the output is a terminal.
    pub screen: bool,
    /// The terminal on which approvals are asked.
    pub terminal: PathBuf,
}

/// Runs the workbench in this process and gives its exit code.
pub async fn main() -> u8 {
    let program = Program {
        arguments: std::env::args_os().skip(1).collect(),
        out: &mut io::stdout(),
        err: &mut io::stderr(),
        screen: io::stdout().is_terminal(),
        terminal: PathBuf::from("/dev/tty"),
    };
    run(program).await
}

/// Runs the workbench and gives its exit code: 0 if all went well, 2 if it was called in a way that
/// makes no sense, else 1.
pub async fn run(mut program: Program<'_>) -> u8 {
    let done = dispatch(&mut program).await;
    front::exit("workbench", program.err, done)
}

/// False where the one call of `call` did not succeed.
async fn dispatch(program: &mut Program<'_>) -> Result<bool, Failure> {
    let arguments = std::mem::take(&mut program.arguments);
    let Cli { root, hosts, command } = Cli::parse(arguments).map_err(Failure::usage)?;
    if command == Command::Help {
        program.out.write_all(USAGE.as_bytes())?;
        return Ok(true);
    }
    let bench = host::Bench::open(&root, hosts)?;
    let toolkit = bench.builder()?.approver(Terminal::on(&program.terminal)).build()?;
    match command {
        Command::Help => {}
        Command::List => front::tools(program.out, &toolkit, &bench.policy())?,
        Command::Ask(Ask::Schema { name }) => front::schema(program.out, &toolkit, &name)?,
        Command::Ask(Ask::Call { name, arguments, origin }) => {
            let (context, call) = (host::context(origin), ToolCall::new(name, arguments));
            let Program { out, err, screen, .. } = program;
            let reply = front::call(out, err, *screen, &toolkit, &context, call).await?;
            return Ok(reply.is_ok());
        }
        Command::Ask(Ask::Explain { name, arguments, origin, json }) => {
            let (context, call) = (host::context(origin), ToolCall::new(name, arguments));
            front::explain(program.out, &toolkit, &context, call, json).await?;
        }
    }
    Ok(true)
}
