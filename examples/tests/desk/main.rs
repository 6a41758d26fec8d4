//! The desk as a person meets it: arguments in, text, exit code and rows out.
//!
//! Most tests run it in this process, with a terminal that isn't there; `program` runs the built
//! example.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "what helps a test fails it, and a skipped one says so"
)]

mod call;
#[cfg(feature = "live")]
mod chat;
mod database;
mod explain;
mod place;
mod plan;
mod play;
mod program;
mod quality;

use std::ffi::OsString;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use examples::desk::{self, Program};
use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnectOptions;

/// What a run of the desk left behind.
struct Done {
    code: u8,
    out: String,
    err: String,
}

/// A folder of this test's own, empty.
fn folder(test: &str) -> PathBuf {
    place::place("desk", test)
}

/// Runs the desk with a database.
async fn run(db: &Path, arguments: &[&str]) -> Done {
    with(db, arguments, Box::new(std::io::empty()), |_| None).await
}

async fn with(
    db: &Path,
    arguments: &[&str],
    input: Box<dyn BufRead + Send>,
    variable: fn(&str) -> Option<String>,
) -> Done {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let database = [OsString::from("--db"), db.as_os_str().to_owned()];
    let program = Program {
        arguments: database.into_iter().chain(arguments.iter().map(OsString::from)).collect(),
        out: &mut out,
        err: &mut err,
        input,
        keyboard: false,
        screen: false,
        colours: false,
        terminal: db.with_extension("no-terminal"),
        variable,
    };
    let code = desk::run(program).await;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code, out: text(out), err: text(err) }
}

/// Plays a script of these lines.
async fn play(folder: &Path, lines: &[String]) -> Done {
    let script = folder.join("script.jsonl");
    std::fs::write(&script, lines.join("\n")).unwrap();
    run(&folder.join("test.db"), &["--script", script.to_str().unwrap()]).await
}

/// A response in OpenAI's wire format with these calls.
fn response(calls: &[(&str, Value)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"id": format!("call_{at}"), "type": "function", "function": function})
        })
        .collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
        .to_string()
}

/// A human's line of a script.
fn human(word: &str) -> String {
    json!({"human": {word: "last"}}).to_string()
}

/// The number that a query of the database gives.
async fn number(db: &Path, query: &'static str) -> i64 {
    let options = SqliteConnectOptions::new().filename(db);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    sqlx::query_scalar(query).fetch_one(&pool).await.unwrap()
}

/// What was mailed from beside a database.
fn mails(db: &Path) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(db.with_extension("mail").join("new")) else {
        return Vec::new();
    };
    folder.map(|mail| std::fs::read_to_string(mail.unwrap().path()).unwrap()).collect()
}

/// Whether the ticket is there.
async fn has_ticket(db: &Path, ticket: i64) -> bool {
    let options = SqliteConnectOptions::new().filename(db);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    let found = "select count(*) from ticket where id = ?";
    sqlx::query_scalar::<_, i64>(found).bind(ticket).fetch_one(&pool).await.unwrap() == 1
}

/// Each of these stands in the text, in this order.
#[track_caller]
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => panic!("`{part}` isn't where it should be in:\n{text}"),
        }
    }
}
