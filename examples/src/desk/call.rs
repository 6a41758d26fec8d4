//! The subcommands for a person: listing tools, showing a schema, explaining or making one call.

use std::path::Path;

use toolkit::approval::Terminal;
use toolkit::{Builder, Code, Origin, ToolCall, Toolkit};

use super::database::Database;
use super::mail::Mailer;
use super::pages::Pages;
use super::transcript::Transcript;
use super::{Program, host};
use crate::front::{self, Failure};

/// Lists the tools with their risks, and what the policy says of them to a person and to a model.
pub(super) async fn tools(program: &mut Program<'_>) -> Result<(), Failure> {
    front::tools(program.out, &nowhere(None).await?.build()?, &host::policy())
}

/// The tools, over a database that holds nothing of anybody.
async fn nowhere(pages: Option<&Pages>) -> Result<Builder, Failure> {
    let database = Database::in_memory().await?;
    Ok(host::builder(&database, pages, Mailer::beside(Path::new("desk.db")))?)
}

/// Prints the JSON Schema of a tool's arguments.
pub(super) async fn schema(program: &mut Program<'_>, name: &str) -> Result<(), Failure> {
    front::schema(program.out, &nowhere(None).await?.build()?, name)
}

/// Says what [`call`] would do, and why. No body would run, so no database is opened.
pub(super) async fn explain(
    program: &mut Program<'_>,
    name: &str,
    arguments: &str,
    origin: Origin,
    json: bool,
) -> Result<(), Failure> {
    let pages = Pages::serve().await?;
    let terminal = Terminal::on(&program.terminal);
    let toolkit = nowhere(Some(&pages)).await?.approver(terminal).build()?;
    let call = ToolCall::new(name, pages.fill_in(arguments));
    front::explain(program.out, &toolkit, &host::context(origin).session("call"), call, json).await
}

/// The desk over this database, with a person on the terminal to ask, and its pages, which are there as
/// long as they are held.
pub(super) async fn open(program: &Program<'_>, db: &Path) -> Result<(Toolkit, Pages), Failure> {
    let pages = Pages::serve().await?;
    let database = Database::open(db).await?;
    let desk = host::builder(&database, Some(&pages), Mailer::beside(db))?
        .approver(Terminal::on(&program.terminal));
    Ok((desk.build()?, pages))
}

/// Makes one call: its text goes to the standard output, what is to be said about it to the other.
/// True if the body ran and succeeded.
pub(super) async fn call(
    program: &mut Program<'_>,
    db: &Path,
    name: &str,
    arguments: &str,
    origin: Origin,
) -> Result<bool, Failure> {
    let (toolkit, pages) = open(program, db).await?;
    let (context, call) =
        (host::context(origin).session("call"), ToolCall::new(name, pages.fill_in(arguments)));
    let screen = program.colours || program.screen;
    let reply = front::call(program.out, program.err, screen, &toolkit, &context, call).await?;
    if reply.code() == Code::NeedsConfirmation {
        Transcript::new(&mut *program.err, false).remark(
            "drafts are kept in memory, so this one ends with the program: have one confirmed in \
             a script or in `chat`",
        )?;
    }
    Ok(reply.is_ok())
}
