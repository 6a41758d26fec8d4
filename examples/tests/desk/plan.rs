//! The desk's plan: it runs, skips, stops and goes on, and drafts only where it may.

use std::path::Path;
use std::sync::{Arc, Mutex};

use examples::desk::database::Database;
use examples::desk::mail::Mailer;
use examples::desk::{host, plan};
use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnectOptions;
use toolkit::plan::{Ended, Report};
use toolkit::prelude::*;
use toolkit::{Event, Toolkit};

use super::{folder, in_order, mails, run};

/// The tools that were called, in order, whatever became of them.
fn called(events: &mut tokio::sync::broadcast::Receiver<Event>) -> Vec<String> {
    let finished = |event: Event| match event {
        Event::CallFinished(record) => Some(record.tool.to_string()),
        _ => None,
    };
    host::drain(events).into_iter().filter_map(finished).collect()
}

async fn desk(db: &Path, policy: Policy) -> Toolkit {
    let database = Database::open(db).await.unwrap();
    let builder = host::builder(&database, None, Mailer::beside(db)).unwrap();
    builder.policy(policy).build().unwrap()
}

fn person() -> CallContext {
    host::context(Origin::Human).session("plan")
}

async fn say(db: &Path, session: &str, body: &str) {
    let options = SqliteConnectOptions::new().filename(db);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    let insert = "insert into message (session, author, body, sent) \
                  values (?, 'customer', ?, '2026-03-02T11:00:00Z')";
    sqlx::query(insert).bind(session).bind(body).execute(&pool).await.unwrap();
}

#[tokio::test]
async fn it_answers_the_last_message_with_an_article() {
    let db = folder("plan").join("test.db");
    let done = run(&db, &["plan", "s-43"]).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let parts = [
        "step 0    session.fetch ok in ",
        "step 1    kb.search     ok in ",
        "plan      answer: completed",
        "article   Payments are refused or delayed",
    ];
    in_order(&done.out, &parts);
}

#[tokio::test]
async fn without_a_session_all_is_skipped_and_a_wrong_one_is_a_failure() {
    let db = folder("plan-skips").join("test.db");
    let done = run(&db, &["plan"]).await;
    assert_eq!(done.code, 0);
    let parts = [
        "step 0    session.fetch skipped: the seed has nothing at \"\"",
        "step 1    kb.search     skipped: its input gave nothing",
        "plan      answer: completed",
    ];
    in_order(&done.out, &parts);
    assert!(!done.out.contains("article"));
    let done = run(&db, &["plan", "s-99"]).await;
    assert_eq!(done.code, 1);
    in_order(
        &done.out,
        &["step 0    session.fetch failed", "no session `s-99`", "step 1", "skipped"],
    );
}

#[tokio::test]
async fn it_stops_where_nothing_is_found() {
    let db = folder("plan-stops").join("test.db");
    run(&db, &["plan"]).await;
    say(&db, "s-43", "Xyzzy plugh?").await;
    let done = run(&db, &["plan", "s-43", "--reply"]).await;
    assert_eq!(done.code, 0);
    let parts = ["step 1    kb.search     ok", "step 2    ticket.reply  not reached"];
    in_order(&done.out, &parts);
    in_order(&done.out, &["plan      answer: stopped after step 1"]);
    assert!(!done.out.contains("article"));
}

#[tokio::test]
async fn it_goes_on_from_a_report_and_repeats_no_step() {
    let folder = folder("plan-resumes");
    let (db, file) = (folder.join("test.db"), folder.join("report.json"));
    // As if the program had died after the first step.
    let toolkit = desk(&db, host::policy()).await;
    let kept = Arc::new(Mutex::new(Vec::<Report>::new()));
    let keep = Arc::clone(&kept);
    let plan = plan::answer().on_report(move |report| {
        keep.lock().unwrap().push(report.clone());
        Ok(())
    });
    let mut events = toolkit.events();
    let whole = plan.run(&toolkit, &person(), "s-43").await.unwrap();
    assert_eq!(called(&mut events), ["session.fetch", "kb.search"]);
    let first = kept.lock().unwrap()[0].clone();
    std::fs::write(&file, serde_json::to_string(&first).unwrap()).unwrap();

    // What the session says now would lead elsewhere; it isn't fetched again.
    say(&db, "s-43", "How do I reset my password?").await;
    let arguments = ["plan", "s-43", "--report", file.to_str().unwrap()];
    let done = run(&db, &arguments).await;
    assert_eq!(done.code, 0);
    in_order(
        &done.out,
        &["step 1    kb.search     ok", "article   Payments are refused or delayed"],
    );
    let text = std::fs::read_to_string(&file).unwrap();
    let went_on: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(went_on.steps()[0], first.steps()[0]);
    assert_eq!(plan::article(&went_on), plan::article(&whole));
    assert_eq!(went_on.run_id(), whole.run_id());

    // By the calls that are made: one, and then none.
    let on = plan::answer().resume(&toolkit, &person(), "s-43", &first).await.unwrap();
    assert_eq!(called(&mut events), ["kb.search"]);
    plan::answer().resume(&toolkit, &person(), "s-43", &on).await.unwrap();
    assert!(called(&mut events).is_empty());
    let done = run(&db, &arguments).await;
    in_order(&done.out, &["completed", "article   Payments are refused or delayed"]);
}

#[tokio::test]
async fn a_report_that_isnt_one_is_told_and_kept() {
    let folder = folder("plan-report");
    let (db, file) = (folder.join("test.db"), folder.join("report.json"));
    std::fs::write(&file, "mine").unwrap();
    let arguments = ["plan", "s-43", "--report", file.to_str().unwrap()];
    let done = run(&db, &arguments).await;
    assert_eq!(done.code, 1);
    assert!(done.err.contains("report.json is no report"), "{}", done.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    // One of another plan is told as well.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(run(&db, &arguments).await.code, 0);
    let done = run(&db, &["plan", "s-43", "--reply", "--report", file.to_str().unwrap()]).await;
    assert_eq!(done.code, 1);
    assert!(done.err.contains("of another plan"), "{}", done.err);
}

#[tokio::test]
async fn a_step_that_sends_is_refused_and_drafted_where_the_policy_drafts() {
    let db = folder("plan-drafts").join("test.db");
    let plan = plan::answer_and_reply();
    let refusing = desk(&db, Policy::trusting()).await;
    let mut events = refusing.events();
    let error = plan.run(&refusing, &person(), "s-42").await.unwrap_err().to_string();
    assert!(error.contains("step 2 (`ticket.reply`): may not be called (denied)"), "{error}");
    assert!(called(&mut events).is_empty());

    let drafting = desk(&db, Policy::trusting().drafts()).await;
    let report = plan.run(&drafting, &person(), "s-42").await.unwrap();
    let Ended::NeedsConfirmation { step: 2, draft } = report.ended() else { panic!("{report:?}") };
    assert!(report.is_ok());
    assert!(mails(&db).is_empty());
    let kept = drafting.draft(&person(), draft).await.unwrap().unwrap();
    let article = plan::article(&report).unwrap()["body"].as_str().unwrap();
    assert!(kept.text.unwrap().contains(article));
    assert!(drafting.confirm(&person(), draft).await.is_ok());
    assert_eq!(mails(&db).len(), 1);
    // Going on drafts nothing again.
    let on = plan.resume(&drafting, &person(), "s-42", &report).await.unwrap();
    assert_eq!(on.ended(), &Ended::Completed);
    assert_eq!(mails(&db).len(), 1);

    let done = run(&db, &["plan", "s-42", "--reply"]).await;
    assert_eq!(done.code, 0);
    in_order(
        &done.out,
        &["step 2    ticket.reply  needs_confirmation", "waits for a person to confirm"],
    );
}
