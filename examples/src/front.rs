//! What each example does for a person at a terminal: it lists the tools, shows a schema, explains or makes
//! one call, and says why it failed.

use std::error::Error;
use std::io::{self, Write};

use toolkit::{CallContext, Origin, Policy, ToolCall, ToolReply, Toolkit};

use crate::desk::host::drain;
use crate::desk::text::{printable, summary};
use crate::desk::transcript::Transcript;

/// Why an example failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was called in a way that makes no sense.
    Usage(String),
    /// Nobody reads the output any more.
    Unread,
    /// Something else.
    Other(Box<dyn Error>),
}

impl Failure {
    pub(crate) fn usage(error: impl Error) -> Self {
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
pub(crate) fn chain(error: &dyn Error) -> String {
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

/// The exit code of an example: 0 if all went well, 2 if it was called in a way that makes no sense,
/// else 1. What went wrong is said.
pub(crate) fn exit(name: &str, err: &mut dyn Write, done: Result<bool, Failure>) -> u8 {
    let (code, message) = match done {
        Ok(true) => (0, None),
        Ok(false) | Err(Failure::Unread) => (1, None),
        Err(Failure::Usage(what)) => (2, Some(format!("{what}\ntry `--help`"))),
        Err(Failure::Other(error)) => (1, Some(chain(&*error))),
    };
    if let Some(message) = message {
        // Where not even this can be written, the exit code has to say it.
        let _ = writeln!(err, "{name}: {}", printable(&message));
    }
    code
}

/// Takes the value of an option that may be given once.
pub(crate) fn once<T>(slot: &mut Option<T>, option: &str, value: T) -> Result<(), lexopt::Error> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("`{option}` is given twice").into()),
    }
}

/// Reads who calls.
pub(crate) fn who(word: &str) -> Result<Origin, &'static str> {
    let known = Origin::ALL.into_iter().find(|origin| origin.as_str() == word);
    known.ok_or("known: human, plan, model")
}

/// Lists the tools with their risks, and what the policy says of them to a person and to a model.
pub(crate) fn tools(
    out: &mut dyn Write,
    toolkit: &Toolkit,
    policy: &Policy,
) -> Result<(), Failure> {
    writeln!(out, "{:<14}{:<13}{:<8}model", "name", "risk", "human")?;
    for tool in toolkit.tools() {
        let verdict = |origin| policy.verdict(origin, tool.risk()).as_str();
        let (human, model) = (verdict(Origin::Human), verdict(Origin::Model));
        let (name, risk) = (tool.name(), tool.risk().to_string());
        let summary = summary(tool.description());
        writeln!(out, "{name:<14}{risk:<13}{human:<8}{model:<8}{summary}")?;
    }
    Ok(())
}

/// Prints the JSON Schema of a tool's arguments.
pub(crate) fn schema(out: &mut dyn Write, toolkit: &Toolkit, name: &str) -> Result<(), Failure> {
    let mut tools = toolkit.tools();
    let Some(tool) = tools.find(|tool| tool.name() == name || tool.wire_name() == name) else {
        let names: Vec<String> = toolkit.tools().map(|tool| tool.name().to_owned()).collect();
        let known = names.join(", ");
        return Err(Failure::Usage(format!("there is no tool `{name}`; known: {known}")));
    };
    writeln!(out, "{}", tool.parameters_schema()?)?;
    Ok(())
}

/// Says what would become of a call, and why.
pub(crate) async fn explain(
    out: &mut dyn Write,
    toolkit: &Toolkit,
    context: &CallContext,
    call: ToolCall<'_>,
    json: bool,
) -> Result<(), Failure> {
    let explained = toolkit.explain(context, call).await;
    match json {
        true => writeln!(out, "{}", serde_json::to_string(&explained)?)?,
        false => write!(out, "{explained}")?,
    }
    Ok(())
}

/// Makes one call: its text goes to `out`, what is to be said about it to `err`. On a screen the text has
/// nothing that a terminal would obey; a program gets it as it is.
pub(crate) async fn call(
    out: &mut dyn Write,
    err: &mut dyn Write,
    screen: bool,
    toolkit: &Toolkit,
    context: &CallContext,
    call: ToolCall<'_>,
) -> Result<ToolReply, Failure> {
    let mut events = toolkit.events();
    let reply = toolkit.call(context, call).await;
    match screen {
        true => writeln!(out, "{}", printable(reply.text()))?,
        false => writeln!(out, "{}", reply.text())?,
    }
    out.flush()?;
    Transcript::new(err, false).notes(&reply, &drain(&mut events))?;
    Ok(reply)
}
