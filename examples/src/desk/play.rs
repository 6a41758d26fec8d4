//! Playing a script: a recorded model, the real parser, the real gates and the real tools.

use std::path::{Path, PathBuf};

use toolkit::approval::{Approver, Terminal};
use toolkit::testing::{HumanDecision, Step};

use super::audit::Audit;
use super::database::Database;
use super::host::{self, Conversation};
use super::human::Human;
use super::mail::Mailer;
use super::pages::Pages;
use super::script::{RECORDED, Script};
use super::transcript::Transcript;
use super::{Failure, Program};

/// The name that the recorded model goes by.
const MODEL: &str = "recorded";

/// Plays a script, the recorded conversation where none is named.
pub(super) async fn play(
    program: &mut Program<'_>,
    db: &Path,
    script: Option<PathBuf>,
) -> Result<(), Failure> {
    let text = match &script {
        None => RECORDED.to_owned(),
        Some(path) => std::fs::read_to_string(path).map_err(|error| {
            Failure::Usage(format!("the script {} can't be read: {error}", path.display()))
        })?,
    };
    let pages = Pages::serve().await?;
    // The whole script is checked before any of it runs.
    let script = Script::read(&pages.fill_in(&text)).map_err(Failure::usage)?;
    let database = Database::open(db).await?;

    let human = Human::default();
    let terminal = Terminal::on(&program.terminal);
    let asked = match (script.has_human(), terminal.available()) {
        (true, _) => "are answered by the script's human",
        (false, true) => "are asked on this terminal",
        (false, false) => "can't be asked: there is no terminal, so what needs one is refused",
    };
    let mailer = Mailer::beside(db);
    let audit = Audit::beside(db)?;
    let builder =
        host::builder(&database, Some(&pages), mailer.clone())?.observer(audit.observer());
    let toolkit = match script.has_human() {
        true => builder.approver(human.clone()).build()?,
        false => builder.approver(terminal).build()?,
    };
    let mut conversation = Conversation::new(toolkit, "desk");
    let policy = host::policy();
    let expected = script.expected(&conversation.catalog(), &policy).map_err(Failure::usage)?;

    let mut transcript = Transcript::new(&mut *program.out, program.colours);
    tell_database(&mut transcript, &database, db).await?;
    let address = pages.host();
    transcript
        .remark(&format!("pages at http://{address}, the one host that web.fetch may reach"))?;
    transcript.remark(&format!("approvals {asked}"))?;
    transcript.remark(&format!("replies are mailed into {}", mailer.folder().display()))?;
    transcript.gap()?;
    transcript.catalog(&conversation.catalog(), &policy)?;

    let mut expected = expected.into_iter();
    let mut model = script.into_model();
    loop {
        match model.peek() {
            Some(Step::Response(_)) => {
                human.expect(expected.next().unwrap_or_default());
                let request = conversation.request(MODEL);
                let response = model.respond(request).unwrap_or_default();
                conversation.answer(&response, &mut transcript).await?;
                for unused in human.expect(Vec::new()) {
                    let tool = unused.tool;
                    transcript.remark(&format!("nothing was asked about {tool}, so the script's decision on it was not used"))?;
                }
            }
            Some(Step::User(text)) => {
                transcript.user(text)?;
                conversation.user(text);
                model.next();
            }
            Some(Step::Human(decision @ (HumanDecision::Confirm | HumanDecision::Withdraw))) => {
                let send = *decision == HumanDecision::Confirm;
                decide(&mut conversation, send, &audit, &mut transcript).await?;
                model.next();
            }
            // An answer: given when its question came.
            Some(_) => {
                model.next();
            }
            None => break,
        }
    }
    transcript.gap()?;
    tell_counts(&mut transcript, "now the database", &database).await?;
    let waiting = conversation.waiting();
    if waiting > 0 {
        let are = if waiting == 1 { "draft waits" } else { "drafts wait" };
        transcript.remark(&format!("{waiting} {are} for a person, and nothing of it was sent"))?;
    }
    Ok(transcript.remark("try also: -- tools, -- call clock.now '{}', -- --help")?)
}

/// Lets the script's person decide on the last draft, and shows what the audit says of it.
async fn decide(
    conversation: &mut Conversation,
    send: bool,
    audit: &Audit,
    transcript: &mut Transcript<'_>,
) -> Result<(), Failure> {
    let Some(reply) = conversation.decide(send, transcript).await? else {
        return Ok(transcript.remark("no draft waits, so the script's decision was not used")?);
    };
    if let Some(line) = audit.last_of(reply.draft_id().unwrap_or_default()).await? {
        transcript.quote("audit", &line)?;
    }
    Ok(())
}

/// Says which database is open, and what it holds.
pub(super) async fn tell_database(
    transcript: &mut Transcript<'_>,
    database: &Database,
    db: &Path,
) -> Result<(), Failure> {
    let how = if database.created() { "made and filled" } else { "opened" };
    let path = std::path::absolute(db)?;
    transcript.remark(&format!("{how} the database {}", path.display()))?;
    tell_counts(transcript, "it", database).await
}

async fn tell_counts(
    transcript: &mut Transcript<'_>,
    what: &str,
    database: &Database,
) -> Result<(), Failure> {
    let (articles, sessions, tickets) = database.counts().await?;
    let holds =
        format!("{what} holds {articles} articles, {sessions} sessions and {tickets} tickets");
    Ok(transcript.remark(&holds)?)
}
