//! A conversation as a person reads it: what the model saw, who said what, each call, each verdict
//! and each reply.

use std::io::{self, Write};

use toolkit::{CallRecord, Catalog, Code, Event, Executed, Origin, Policy, ToolCall, ToolReply};

use super::text::{printable, summary, wrapped};

/// How wide a line's text is, beside its label.
const WIDTH: usize = 88;

/// How many lines of a reply are shown.
const LINES: usize = 6;

/// Writes a conversation.
pub struct Transcript<'a> {
    out: &'a mut dyn Write,
    colours: bool,
}

/// How a label looks on a terminal.
#[derive(Clone, Copy)]
enum Look {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
}

impl Look {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Bad => "33",
        }
    }
}

impl<'a> Transcript<'a> {
    /// A transcript that is written here, in colours or not.
    pub fn new(out: &'a mut dyn Write, colours: bool) -> Self {
        Self { out, colours }
    }

    fn line(&mut self, label: &str, look: Look, text: &str) -> io::Result<()> {
        self.lines(label, look, &wrapped(&printable(text), WIDTH))
    }

    fn lines(&mut self, label: &str, look: Look, lines: &[String]) -> io::Result<()> {
        let mut label = label;
        for text in lines {
            let text = text.trim_end();
            if self.colours {
                write!(self.out, "\x1b[{}m{label:<10}\x1b[0m", look.code())?;
                writeln!(self.out, "{text}")?;
            } else {
                writeln!(self.out, "{}", format!("{label:<10}{text}").trim_end())?;
            }
            label = "";
        }
        self.out.flush()
    }

    /// Leaves a line free.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn gap(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// A remark of the desk itself.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn remark(&mut self, text: &str) -> io::Result<()> {
        self.line("desk", Look::Dim, text)
    }

    /// What the model is shown: names, risks and descriptions, and what the policy says of each.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn catalog(&mut self, catalog: &Catalog, policy: &Policy) -> io::Result<()> {
        let count = catalog.tools().len();
        self.line(
            "catalog",
            Look::Dim,
            &format!(
                "the model sees {count} tools, with these risks, and the policy says of them:"
            ),
        )?;
        for tool in catalog.tools() {
            let spec = tool.spec();
            let verdict = policy.verdict(Origin::Model, spec.risk());
            let (name, risk) = (spec.name(), spec.risk().to_string());
            // As a table: what doesn't fit into the last column goes on under it.
            let mut columns =
                format!("{name:<14}{risk:<13}{verdict:<8}", verdict = verdict.as_str());
            for part in wrapped(&printable(summary(spec.description())), WIDTH - columns.len()) {
                self.lines("", Look::Plain, &[format!("{columns}{part}")])?;
                columns = " ".repeat(columns.len());
            }
        }
        Ok(())
    }

    /// What the user says.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn user(&mut self, text: &str) -> io::Result<()> {
        self.gap()?;
        self.line("user", Look::Bold, text)
    }

    /// What the model says.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn model(&mut self, text: &str) -> io::Result<()> {
        self.line("model", Look::Bold, text)
    }

    /// What a person does.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn person(&mut self, text: &str) -> io::Result<()> {
        self.gap()?;
        self.line("person", Look::Bold, text)
    }

    /// A line of a file, as it stands there.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn quote(&mut self, label: &str, text: &str) -> io::Result<()> {
        self.line(label, Look::Plain, text)
    }

    /// What the model calls, before it runs.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn calls(&mut self, calls: &[ToolCall<'_>]) -> io::Result<()> {
        for (at, call) in calls.iter().enumerate() {
            let text = format!("{} {}", call.name(), call.arguments());
            self.line(&numbered("call", at, calls.len()), Look::Plain, &text)?;
        }
        Ok(())
    }

    /// What came of a turn's calls: for each, the events and the reply.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn replies(&mut self, replies: &[ToolReply], events: &[Event]) -> io::Result<()> {
        let mut finished: Vec<&CallRecord> = events
            .iter()
            .filter_map(|event| match event {
                Event::CallFinished(record) => Some(record.as_ref()),
                _ => None,
            })
            .collect();
        for (at, reply) in replies.iter().enumerate() {
            let of = |what| numbered(what, at, replies.len());
            // A provider may give two calls one id, so each record is used once.
            let record = finished
                .iter()
                .position(|record| {
                    record.provider_id.as_deref() == reply.provider_id()
                        && record.code == reply.code()
                })
                .map(|found| finished.remove(found));
            if let Some(record) = record {
                self.verdict(&of("verdict"), record)?;
                self.asked(events, &record.call)?;
            }
            self.reply(&of("reply"), reply)?;
        }
        Ok(())
    }

    fn verdict(&mut self, label: &str, record: &CallRecord) -> io::Result<()> {
        let decision = &record.decision;
        // What waited in vain for its turn had passed the gate.
        let waited = matches!(record.code, Code::Busy | Code::CancelledBeforeStart);
        if decision.findings().is_empty() && record.executed == Executed::No && !waited {
            return self.line(label, Look::Bad, "none: refused before the gate");
        }
        let findings: Vec<String> = decision
            .findings()
            .iter()
            .map(|finding| {
                let verdict = finding.verdict.map_or("not asked", |verdict| verdict.as_str());
                format!("{} says {verdict} ({})", finding.source, finding.reason)
            })
            .collect();
        let findings = match &findings[..] {
            // The gate of a call that only reads stands open.
            [] => "the tool only reads".to_owned(),
            findings => findings.join(", "),
        };
        self.line(label, Look::Dim, &format!("{}: {findings}", decision.verdict()))
    }

    /// The question to a person about this call, and the answer.
    fn asked(&mut self, events: &[Event], call: &str) -> io::Result<()> {
        for event in events {
            match event {
                Event::ApprovalRequested(asked) if *asked.call == *call => {
                    let text = format!("is asked about {}, since {}", asked.tool, asked.rule);
                    self.line("person", Look::Dim, &text)?;
                }
                Event::ApprovalDecided(decided) if *decided.call == *call => {
                    self.line("person", Look::Bold, decided.answer.as_deref().unwrap_or("-"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn reply(&mut self, label: &str, reply: &ToolReply) -> io::Result<()> {
        let ran = match reply.executed() {
            _ if reply.code() == Code::NeedsConfirmation => "nothing was sent",
            Executed::Yes => "the body ran",
            Executed::No => "the body was not entered",
            _ => "whether the body ran is not known",
        };
        let look = if reply.is_ok() { Look::Good } else { Look::Bad };
        self.line(label, look, &format!("{}: {ran}", reply.code()))?;
        for repair in reply.repairs() {
            self.line("", Look::Dim, &format!("repaired: {repair}"))?;
        }
        let text = printable(reply.text());
        let mut lines = wrapped(&text, WIDTH - 2);
        if lines.len() > LINES + 1 {
            let more = lines.len() - LINES;
            lines.truncate(LINES);
            lines.push(format!("… and {more} more lines, which the model reads as well"));
        }
        let quoted: Vec<String> = lines.iter().map(|line| format!("| {line}")).collect();
        self.lines("", Look::Plain, &quoted)
    }

    /// What came of one call, in short: code, verdict, repairs.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn notes(&mut self, reply: &ToolReply, events: &[Event]) -> io::Result<()> {
        for event in events {
            if let Event::CallFinished(record) = event {
                self.verdict("verdict", record)?;
                self.asked(events, &record.call)?;
            }
        }
        for repair in reply.repairs() {
            self.line("repaired", Look::Dim, &repair.to_string())?;
        }
        if let Some(reference) = reply.reference() {
            self.line("reference", Look::Bad, reference)?;
        }
        let look = if reply.code() == Code::Ok { Look::Good } else { Look::Bad };
        self.line("code", look, reply.code().as_str())
    }
}

/// The label, with the number of the call where there are several.
fn numbered(label: &str, at: usize, of: usize) -> String {
    if of > 1 { format!("{label} {}", at + 1) } else { label.to_owned() }
}
