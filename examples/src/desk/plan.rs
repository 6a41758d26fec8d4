//! What the desk always does in the same order, as plans: fetch the session, take the customer's last
//! message, search, return the article; and, if it should, draft the reply.

use std::io;
use std::path::Path;

use serde_json::{Value, json};
use toolkit::plan::{Ended, Past, Plan, Report, Step};
use toolkit::{Origin, Toolkit};

use super::text::printable;
use super::{Failure, Program, call, host, kb, reply, session};

/// Finds the article that answers the last message of a session. The seed is the session's number, or
/// nothing, and then every step is skipped.
pub fn answer() -> Plan {
    Plan::new("answer")
        .step(Step::of(session::fetch).with(json!({"session": {"$seed": ""}})))
        .step(Step::of(kb::search).input(|past| Some(json!({"query": last_message(past)?}))))
        .stop_if(|found| found.value() == Some(&json!([])))
}

/// The same, and drafts a reply with the article to the session's latest ticket.
pub fn answer_and_reply() -> Plan {
    answer().step(Step::of(reply::reply).input(|past| {
        let tickets = past.of(session::fetch)?.value()?.get("tickets")?.as_array()?;
        let article = past.of(kb::search)?.value()?.get(0)?.get("body")?;
        Some(json!({"ticket": tickets.last()?.get("id")?, "body": article}))
    }))
}

/// What the customer wrote last, as far as a search takes it.
fn last_message(past: &Past<'_>) -> Option<String> {
    let messages = past.of(session::fetch)?.value()?.get("messages")?.as_array()?;
    let by_customer = |message: &&Value| message["author"] == "customer";
    let last = messages.iter().rev().find(by_customer)?.get("body")?.as_str()?;
    Some(last.chars().take(200).collect())
}

/// The article that a plan came to.
pub fn article(report: &Report) -> Option<&Value> {
    report.steps().get(1)?.value()?.get(0)
}

/// What `plan` is asked to do.
pub(super) struct Asked<'a> {
    /// The session, where one is given.
    pub(super) session: Option<&'a str>,
    /// Whether to draft the reply as well.
    pub(super) reply: bool,
    /// Where the report is kept, and gone on from if there is one.
    pub(super) report: Option<&'a Path>,
}

/// Runs a plan, or goes on with one, and prints what became of each step. True if no step failed.
pub(super) async fn run(
    program: &mut Program<'_>,
    db: &Path,
    asked: Asked<'_>,
) -> Result<bool, Failure> {
    let (toolkit, _pages) = call::open(program, db).await?;
    let plan = if asked.reply { answer_and_reply() } else { answer() };
    let report = carry_out(&toolkit, plan, &asked).await?;
    print(program, &report)?;
    Ok(report.is_ok())
}

async fn carry_out(toolkit: &Toolkit, plan: Plan, asked: &Asked<'_>) -> Result<Report, Failure> {
    let context = host::context(Origin::Human).session("plan");
    let Some(file) = asked.report else {
        return Ok(plan.run(toolkit, &context, asked.session).await?);
    };
    let held = match std::fs::read_to_string(file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    // Kept around each step, so that a run goes on whose program was stopped.
    let keep = {
        let file = file.to_owned();
        move |report: &Report| {
            std::fs::write(&file, serde_json::to_string_pretty(report)?)?;
            Ok(())
        }
    };
    let plan = plan.on_report(keep);
    let report = match held {
        None => plan.run(toolkit, &context, asked.session).await?,
        Some(text) => {
            let held: Report = serde_json::from_str(&text)
                .map_err(|error| format!("{} is no report: {error}", file.display()))?;
            plan.resume(toolkit, &context, asked.session, &held).await?
        }
    };
    std::fs::write(file, serde_json::to_string_pretty(&report)?)?;
    Ok(report)
}

fn print(program: &mut Program<'_>, report: &Report) -> Result<(), Failure> {
    for (at, step) in report.steps().iter().enumerate() {
        let (tool, took) = (step.tool(), step.took().unwrap_or_default());
        let what = match (step.code(), step.skipped()) {
            (Some(code), _) => match step.text() {
                Some(text) if !step.is_ok() => format!("{code} in {took:.1?}: {text}"),
                _ => format!("{code} in {took:.1?}"),
            },
            (None, Some(why)) => format!("skipped: {why}"),
            (None, None) if step.is_begun() => "begun, and nobody saw how it ended".to_owned(),
            (None, None) => "not reached".to_owned(),
        };
        writeln!(program.out, "step {at}    {tool:<14}{}", printable(&what))?;
    }
    let ended = match report.ended() {
        Ended::Completed => "completed".to_owned(),
        Ended::Stopped { step } => format!("stopped after step {step}"),
        Ended::NeedsConfirmation { draft, .. } => format!("waits for a person to confirm {draft}"),
        Ended::NeedsSecret { step } => format!("step {step} needs a secret"),
        Ended::Cancelled { step } => format!("cancelled at step {step}"),
        Ended::Broken { step, reason } => format!("broken at step {step}: {reason}"),
        _ => "ended".to_owned(),
    };
    writeln!(program.out, "plan      {}: {}", report.plan(), printable(&ended))?;
    if let Some(article) = article(report) {
        let text = |key: &str| article[key].as_str().unwrap_or_default().to_owned();
        writeln!(program.out, "article   {}", printable(&text("title")))?;
        writeln!(program.out, "          {}", printable(&text("body")))?;
    }
    Ok(())
}
