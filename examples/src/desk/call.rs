//! The subcommands for a person: listing tools, showing a schema, explaining or making one call.

use std::path::Path;

use toolkit::approval::Terminal;
use toolkit::{Builder, Code, Origin, ToolCall};

use super::database::Database;
use super::host::{self, drain};
use super::mail::Mailer;
use super::pages::Pages;
use super::text::{printable, summary};
use super::transcript::Transcript;
use super::{Failure, Program};

/// Lists the tools with their risks, and what the policy says of them to a person and to a model.
pub(super) async fn tools(program: &mut Program<'_>) -> Result<(), Failure> {
    let toolkit = nowhere(None).await?.build()?;
    let policy = host::policy();
    writeln!(program.out, "{:<14}{:<13}{:<8}model", "name", "risk", "human")?;
    for tool in toolkit.tools() {
        let verdict = |origin| policy.verdict(origin, tool.risk()).as_str();
        let (human, model) = (verdict(Origin::Human), verdict(Origin::Model));
        let (name, risk) = (tool.name(), tool.risk().to_string());
        let summary = summary(tool.description());
        writeln!(program.out, "{name:<14}{risk:<13}{human:<8}{model:<8}{summary}")?;
    }
    Ok(())
}

/// The tools, over a database that holds nothing of anybody.
async fn nowhere(pages: Option<&Pages>) -> Result<Builder, Failure> {
    let database = Database::in_memory().await?;
    Ok(host::builder(&database, pages, Mailer::beside(Path::new("desk.db")))?)
}

/// Prints the JSON Schema of a tool's arguments.
pub(super) async fn schema(program: &mut Program<'_>, name: &str) -> Result<(), Failure> {
    let toolkit = nowhere(None).await?.build()?;
    let mut tools = toolkit.tools();
    let Some(tool) = tools.find(|tool| tool.name() == name || tool.wire_name() == name) else {
        let names: Vec<String> = toolkit.tools().map(|tool| tool.name().to_owned()).collect();
        let known = names.join(", ");
        return Err(Failure::Usage(format!("there is no tool `{name}`; known: {known}")));
    };
    writeln!(program.out, "{}", tool.parameters_schema()?)?;
    Ok(())
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
    let explained = toolkit.explain(&host::context(origin).session("call"), call).await;
    match json {
        true => writeln!(program.out, "{}", serde_json::to_string(&explained)?)?,
        false => write!(program.out, "{explained}")?,
    }
    Ok(())
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
    let pages = Pages::serve().await?;
    let database = Database::open(db).await?;
    let toolkit = host::builder(&database, Some(&pages), Mailer::beside(db))?
        .approver(Terminal::on(&program.terminal))
        .build()?;
    let mut events = toolkit.events();
    let arguments = pages.fill_in(arguments);
    let context = host::context(origin).session("call");
    let reply = toolkit.call(&context, ToolCall::new(name, arguments)).await;
    // A program gets the text as it is, a terminal only what it can't obey.
    match program.colours || program.screen {
        true => writeln!(program.out, "{}", printable(reply.text()))?,
        false => writeln!(program.out, "{}", reply.text())?,
    }
    program.out.flush()?;
    let mut transcript = Transcript::new(&mut *program.err, false);
    transcript.notes(&reply, &drain(&mut events))?;
    if reply.code() == Code::NeedsConfirmation {
        transcript.remark(
            "drafts are kept in memory, so this one ends with the program: have one confirmed in \
             a script or in `chat`",
        )?;
    }
    Ok(reply.is_ok())
}
