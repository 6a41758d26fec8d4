//! An explanation as a person reads it: what would happen first, then why, then what to change.

use std::fmt;
use std::time::Duration;

use super::{Explanation, Would};
use crate::call::Code;
use crate::text::visible;
use crate::verdict::Verdict;

/// ```text
/// `ticket.delete` would wait for a person, for at most 5 min. If they agree it runs, and is recorded.
///
/// caller     model, for ada, in session s-42, scope chat
/// risk       destructive
/// arguments  {"ticket":1042}
/// verdict    ask
///   ask      policy              destructive for model   <- decides
///   allow    guard office_hours  passed
///
/// to change that:
/// - let the policy say something else: `Policy::set(Origin::Model, Risk::Destructive, …)`
/// ```
///
/// Every invisible or misleading character is written as its escape.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.headline())?;
        self.facts(f)?;
        self.verdicts(f)?;
        if let Some(reply) = &self.reply {
            let mut lines = reply.lines();
            line(f, "it reads", lines.next().unwrap_or_default())?;
            lines.try_for_each(|more| line(f, "", more))?;
        }
        if let Some(cause) = &self.cause {
            line(f, "cause", cause)?;
        }
        if !self.advice.is_empty() {
            writeln!(f, "\nto change that:")?;
            for advice in &self.advice {
                writeln!(f, "- {}", visible(advice, false))?;
            }
        }
        Ok(())
    }
}

fn line(f: &mut fmt::Formatter<'_>, label: &str, content: &str) -> fmt::Result {
    writeln!(f, "{label:<11}{}", visible(content, false))
}

impl Explanation {
    /// What would happen, in a sentence or two.
    fn headline(&self) -> String {
        let called = visible(self.name(), false);
        let name = format!("`{called}`");
        let what = if self.drafts() {
            "makes a draft, which waits for a person to confirm it"
        } else {
            "runs"
        };
        let recorded = if self.recorded { ", and is recorded" } else { "" };
        match self.would {
            Would::Run if self.recorded => {
                format!("{name} would run at once, and be recorded: nobody is asked.")
            }
            Would::Run => format!("{name} would run at once: nobody is asked."),
            Would::MakeDraft => {
                format!("{name} would make a draft, and send nothing before a person confirms it.")
            }
            Would::Ask => {
                let time = self.approval_time.map(time).unwrap_or_default();
                format!(
                    "{name} would wait for a person, for at most {time}. \
                     If they agree it {what}{recorded}."
                )
            }
            Would::Repeat(code) => {
                format!(
                    "{name} was called before in this turn: its reply ({code}) would be given again."
                )
            }
            Would::Refuse(Code::UnknownTool) if self.tool.is_some() => {
                format!("{name} would be refused as if there were no such tool (unknown_tool).")
            }
            Would::Refuse(code) => format!("{name} would be refused ({code}): nothing runs."),
        }
    }

    fn facts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut caller = self.origin.as_str().to_owned();
        for (word, name) in [
            (", for ", &self.principal),
            (", in session ", &self.session),
            (", in scope ", &self.scope),
            (", in scene ", &self.scene),
        ] {
            if let Some(name) = name {
                caller.push_str(word);
                caller.push_str(name);
            }
        }
        line(f, "caller", &caller)?;
        if self.name() != self.called {
            line(f, "called as", &self.called)?;
        }
        if let Some(risk) = self.risk {
            line(f, "risk", &risk.to_string())?;
        }
        if self.tool.is_some() && !self.visible {
            line(f, "visible", "no: it isn't in this caller's catalog")?;
        }
        if let Some(arguments) = &self.arguments {
            let label = if self.rewritten { "rewritten" } else { "arguments" };
            line(f, label, arguments)?;
        }
        for repair in &self.repairs {
            line(f, "repaired", &repair.to_string())?;
        }
        Ok(())
    }

    fn verdicts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let findings = self.decision.findings();
        if findings.is_empty() {
            return Ok(());
        }
        line(f, "verdict", self.decision.verdict().as_str())?;
        let width = findings.iter().map(|finding| finding.source.chars().count()).max();
        let width = width.unwrap_or_default();
        let deciding = self.deciding().map(std::ptr::from_ref);
        for finding in findings {
            let verdict = finding.verdict.map_or("-", Verdict::as_str);
            let source = visible(&finding.source, false);
            let reason = visible(&finding.reason, false);
            // Of one there is nothing to tell apart.
            let decides = findings.len() > 1 && deciding == Some(std::ptr::from_ref(finding));
            let mark = if decides { "   <- decides" } else { "" };
            writeln!(f, "  {verdict:<9}{source:<width$}  {reason}{mark}")?;
        }
        Ok(())
    }
}

/// A span of time as a person says it.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..120 => format!("{} s", time.as_secs_f64()),
        120..7200 if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        _ => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_a_person_would() {
        let said = [0, 1_500, 90_000, 300_000, 301_000, 7_200_000].map(Duration::from_millis);
        let said = said.map(time);
        assert_eq!(said, ["0 ms", "1.5 s", "90 s", "5 min", "301 s", "2 h"]);
    }
}
