//! The value of an output and its text, apart.

use std::future::Future;
use std::task::Poll;

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use toolkit::prelude::*;
use toolkit::{Content, Executed, OutputError, ToolReply};

use crate::support::Finished;

/// Stream a text, and give something beside it.
#[tool(name = "stream.text")]
async fn stream(
    /// What to stream, each one a piece.
    pieces: Vec<String>,
    /// What to give beside it: nothing, a number, an error, or a second writer.
    beside: String,
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: String,
    #[context] cx: &CallContext,
) -> Result<Option<u32>, ToolError> {
    let mut out = cx.output()?;
    for piece in pieces {
        out.append(piece.replace("PASSWORD", &password)).await?;
    }
    match &*beside {
        "error" => Err(ToolError::expected("it broke off")),
        "second" => Err(ToolError::expected(cx.output().unwrap_err().to_string())),
        "kept" => {
            // The text can't be complete while somebody may still write.
            std::mem::forget(out);
            Ok(None)
        }
        number => Ok(number.parse().ok()),
    }
}

/// Stream a text from a plain function, in bytes.
#[tool(name = "stream.bytes")]
fn bytes(
    /// How many bytes to write at once, e.g. `2`.
    at_once: usize,
    /// How many bytes to leave out at the end, e.g. `0`.
    less: usize,
    #[context] cx: &CallContext,
) -> Result<(), ToolError> {
    let mut out = cx.output()?;
    let text = "a→😀é\u{301}".repeat(50);
    for piece in text.as_bytes()[..text.len() - less].chunks(at_once) {
        std::io::Write::write_all(&mut out, piece)?;
    }
    std::fmt::Write::write_str(&mut out, "")?;
    Ok(())
}

/// Stream more than one output may have.
#[tool(name = "stream.much")]
async fn much(
    /// Whether to go on after the error, e.g. `false`.
    stubborn: bool,
    #[context] cx: &CallContext,
) -> Result<(), ToolError> {
    let mut out = cx.output()?;
    let piece = "0123456789".repeat(100_000);
    out.append(&piece).await?;
    match out.append(&piece).await {
        Err(error) if stubborn => Ok(out.append(error.to_string().replace(' ', "")).await?),
        other => Ok(other?),
    }
}

/// Stream, and give up on a piece while it waits for the disk.
#[tool(name = "stream.dropped")]
async fn dropped(#[context] cx: &CallContext) -> Result<(), ToolError> {
    let mut out = cx.output()?;
    out.append("x".repeat(1 << 20)).await?;
    {
        let mut piece = std::pin::pin!(out.append("y"));
        let _ = std::future::poll_fn(|cx| Poll::Ready(piece.as_mut().poll(cx))).await;
    }
    match out.append("z".repeat(2 << 20)).await {
        Err(OutputError::TooLong(_)) => Ok(()),
        other => Err(ToolError::expected(format!("{other:?}"))),
    }
}

/// A ticket of the desk.
#[derive(Serialize)]
struct Ticket {
    number: u32,
    title: String,
}

/// Get one ticket of the desk.
#[tool(name = "ticket.get", render = Ticket::line)]
fn get(
    /// Number of the ticket, e.g. `7`.
    number: u32,
) -> Result<Ticket, ToolError> {
    match number {
        0 => Err(ToolError::expected("there is no ticket 0")),
        _ => Ok(Ticket { number, title: "toner\n".repeat(number as usize) }),
    }
}

impl Ticket {
    fn line(&self) -> String {
        format!("#{}: {}", self.number, self.title)
    }
}

/// List numbers in a form that people like.
#[tool(name = "ticket.numbers", render = listed)]
async fn numbers(
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: &str,
) -> Vec<String> {
    vec!["1".to_owned(), password.to_owned()]
}

#[allow(clippy::ptr_arg)]
fn listed(numbers: &Vec<String>) -> String {
    numbers.join(" and ")
}

/// Close a ticket, and lose its number.
#[tool(name = "ticket.broken", render = broken_text)]
async fn broken() -> u32 {
    7
}

fn broken_text(number: &u32) -> String {
    panic!("no text for {number}")
}

fn build() -> (Toolkit, Finished) {
    let finished = Finished::default();
    let builder = Toolkit::builder().only([id(get), id(numbers), id(broken)]);
    (builder.observer(finished.observer()).build().unwrap(), finished)
}

async fn run(toolkit: &Toolkit, tool: &str, arguments: &str) -> ToolReply {
    toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await
}

#[tokio::test]
async fn a_renderer_makes_the_text_and_leaves_the_value() {
    let (toolkit, _) = build();
    let reply = run(&toolkit, "ticket.get", r#"{"number": 2}"#).await;
    assert_eq!(reply.text(), "#2: toner\ntoner\n");
    assert_eq!(reply.value(), Some(json!({"number": 2, "title": "toner\ntoner\n"})));
    assert_eq!(reply.into_text(), "#2: toner\ntoner\n");
    // An error isn't rendered.
    let reply = run(&toolkit, "ticket.get", r#"{"number": 0}"#).await;
    assert_eq!((reply.code(), reply.text()), (Code::Failed, "there is no ticket 0"));
    // What is cut is the text.
    let reply = run(&toolkit, "ticket.get", r#"{"number": 9000}"#).await;
    assert!(reply.text().chars().count() <= 20_000);
    assert!(reply.text().starts_with("#9000: toner\n") && reply.text().contains("left out"));
    assert_eq!(reply.value().unwrap()["title"].as_str().unwrap().len(), 9_000 * 6);
}

#[tokio::test]
async fn a_rendered_text_has_no_secret() {
    let (toolkit, _) = build();
    let reply = run(&toolkit, "ticket.numbers", r#"{"password": "hunter2"}"#).await;
    assert_eq!(reply.text(), "1 and [redacted]");
    assert_eq!(reply.value(), Some(json!(["1", "[redacted]"])));
}

#[tokio::test]
async fn a_renderer_that_panics_is_a_defect() {
    let (toolkit, finished) = build();
    let reply = run(&toolkit, "ticket.broken", "").await;
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
    assert!(!reply.text().contains("no text"), "{}", reply.text());
    let cause = finished.records()[0].cause.clone().unwrap();
    assert!(cause.contains("no text for 7"), "{cause}");
}

fn streaming() -> (Toolkit, Finished) {
    let finished = Finished::default();
    let builder = Toolkit::builder().only([id(stream), id(bytes), id(much)]);
    let builder = builder.output_limit(1 << 20).observer(finished.observer());
    (builder.build().unwrap(), finished)
}

async fn streamed(toolkit: &Toolkit, pieces: &[&str], beside: &str) -> ToolReply {
    let arguments = json!({"pieces": pieces, "beside": beside, "password": "hunter2"});
    run(toolkit, "stream.text", &arguments.to_string()).await
}

#[tokio::test]
async fn what_is_streamed_is_the_text_and_the_value_where_there_is_no_other() {
    let (toolkit, finished) = streaming();
    let reply = streamed(&toolkit, &["é", "→", "", "PASSWORD"], "7").await;
    assert_eq!((reply.text(), reply.value()), ("é→[redacted]", Some(json!(7))));
    let reply = run(&toolkit, "stream.bytes", r#"{"at_once": 1, "less": 0}"#).await;
    assert_eq!(reply.value(), Some(json!("a→😀é\u{301}".repeat(50))));
    assert_eq!(reply.text(), "a→😀é\u{301}".repeat(50));
    // What is cut is the text.
    let long = "ä→".repeat(20_000);
    let reply = streamed(&toolkit, &[&long, &long], "9").await;
    assert!(reply.text().contains("characters left out") && reply.text().ends_with("ä→"));
    assert_eq!(reply.value(), Some(json!(9)));
    assert_eq!(reply.output().unwrap().bytes(), long.len() as u64 * 2);
    // Where nothing was written, the value is its own text.
    assert_eq!(streamed(&toolkit, &[], "7").await.text(), "7");
    assert_eq!(streamed(&toolkit, &[""], "none").await.text(), "null");
    // A body that fails has no output.
    let reply = streamed(&toolkit, &["half"], "error").await;
    assert_eq!((reply.code(), reply.text()), (Code::Failed, "it broke off"));
    assert!(finished.records().iter().all(|record| record.code != Code::Defect));
}

#[tokio::test]
async fn an_output_that_is_not_complete_is_a_defect() {
    let (toolkit, finished) = streaming();
    for (at_once, less) in [(1, 1), (7, 1), (1_000, 1)] {
        let arguments = json!({"at_once": at_once, "less": less}).to_string();
        let reply = run(&toolkit, "stream.bytes", &arguments).await;
        assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
    }
    let reply = streamed(&toolkit, &["x"], "kept").await;
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
    let causes: Vec<_> = finished.records().iter().map(|r| r.cause.clone().unwrap()).collect();
    assert!(causes[0].contains("within a character"), "{causes:?}");
    assert!(causes[3].contains("outlives"), "{causes:?}");
}

/// Tells what a long output came to. Nothing but where it is a child.
#[tokio::test]
async fn child() {
    if std::env::var_os(FOLDERLESS).is_none() {
        return;
    }
    let toolkit = Toolkit::builder().only([id(dropped)]).output_limit(2 << 20).build().unwrap();
    println!("it said: {}", run(&toolkit, "stream.dropped", "").await.text());
}

/// Set for the child.
const FOLDERLESS: &str = "TOOLKIT_TEST_FOLDERLESS";

#[test]
fn a_folder_that_takes_no_file_is_named_to_the_operator() {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "outputs::child", "--nocapture"])
        .envs([(FOLDERLESS, "1"), ("TMPDIR", "/no/such/folder")])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&child.stdout);
    assert!(told.contains("(`TMPDIR`): No such file or directory"), "{told}");
}

#[tokio::test]
async fn an_output_has_one_writer_and_a_limit() {
    let (toolkit, _) = streaming();
    let reply = streamed(&toolkit, &["x"], "second").await;
    assert_eq!(reply.text(), "the output has a writer already");
    assert!(CallContext::model().output().is_err());
    // The body sees that there is no more room; what was written stays.
    let reply = run(&toolkit, "stream.much", r#"{"stubborn": false}"#).await;
    assert_eq!(reply.code(), Code::Failed);
    let reply = run(&toolkit, "stream.much", r#"{"stubborn": true}"#).await;
    assert!(reply.text().ends_with("theoutputwouldbelongerthanthe1048576bytesthatonemayhave"));
    assert!(reply.output().unwrap().bytes() > 1_000_000);
}

#[tokio::test]
async fn what_was_written_stays_where_an_append_was_dropped() {
    let toolkit = Toolkit::builder().only([id(dropped)]).output_limit(2 << 20).build().unwrap();
    let reply = run(&toolkit, "stream.dropped", "").await;
    assert!(reply.is_ok(), "{}", reply.text());
    let bytes = reply.output().unwrap().bytes();
    assert!((1 << 20..=(1 << 20) + 1).contains(&bytes), "{bytes}");
}

/// Hand on what another system answered.
#[tool(name = "raw.answer")]
fn raw(
    /// The answer, as JSON.
    answer: &str,
    /// How often to say it, within a string of its own, e.g. `1`.
    times: Option<usize>,
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: Option<&str>,
) -> Result<Box<RawValue>, ToolError> {
    let _ = password;
    let answer = match times {
        Some(times) => format!("\"{}\"", answer.repeat(times)),
        None => answer.to_owned(),
    };
    Ok(RawValue::from_string(answer)?)
}

#[tokio::test]
async fn what_another_system_wrote_is_an_output_like_any_other() {
    let toolkit = Toolkit::builder().only([id(raw)]).build().unwrap();
    // Half a character, as some write a file's name, hides no secret beside it.
    let arguments = json!({"answer": r#"["\ud800 h\u00fcnter2"]"#, "password": "hünter2"});
    let reply = run(&toolkit, "raw.answer", &arguments.to_string()).await;
    assert_eq!(reply.text(), "[\"\u{fffd} [redacted]\"]");
    // A string is bare in a file as in memory.
    for times in [3, 1 << 20] {
        let arguments = json!({"answer": r"a\u00e9", "times": times}).to_string();
        let reply = run(&toolkit, "raw.answer", &arguments).await;
        assert!(reply.text().starts_with("aéaé") && reply.text().ends_with("aé"));
        assert!(reply.value() == Some(json!("aé".repeat(times))));
    }
}

/// Fetch the papers of a ticket.
#[tool(name = "ticket.papers")]
async fn papers(
    /// How large the photo is, in bytes.
    bytes: usize,
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: String,
) -> Result<Content, ToolError> {
    let mut locked = b"\xff\xfe".to_vec();
    locked.extend_from_slice(password.as_bytes());
    Ok(Content::new()
        .text(format!("Opened with {password}."))
        .image("image/png", vec![0xff; bytes])
        .file(format!("{password}.txt"), "text/plain", format!("a {password} b").into_bytes())
        .file("locked", "application/octet-stream", locked)
        .text("That is all."))
}

#[tokio::test]
async fn images_and_files_are_named_in_the_text_and_come_apart_from_it() {
    let toolkit = Toolkit::builder().only([id(papers)]).build().unwrap();
    let arguments = |bytes: usize| json!({"bytes": bytes, "password": "hunter2"}).to_string();
    let reply = run(&toolkit, "ticket.papers", &arguments(9)).await;
    assert_eq!(
        reply.text(),
        "Opened with [redacted].\n[image image/png, 9 bytes; not shown here]\n\
         [file [redacted].txt, text/plain, 11 bytes; not shown here]\n\
         [file locked, application/octet-stream, 9 bytes; not shown here]\nThat is all."
    );
    let [image, text, locked] = reply.parts() else { panic!("{:?}", reply.parts()) };
    assert!(image.is_image() && image.mime() == "image/png" && image.bytes() == [0xff; 9]);
    assert_eq!((text.name(), text.bytes()), (Some("[redacted].txt"), &b"a [redacted] b"[..]));
    assert_eq!(locked.bytes(), b"[redacted]");
    let value = reply.value().unwrap();
    assert_eq!(value[1], json!({"type": "image", "mime": "image/png", "bytes": 9}));
    assert_eq!(value[4], json!({"type": "text", "text": "That is all."}));
    assert!(!format!("{reply:?}").contains("hunter2"));
    assert_eq!(
        toolkit.catalog(&CallContext::model()).find("ticket.papers").unwrap().output(),
        None
    );

    // A message of OpenAI's Chat for a tool carries text alone.
    let turn = toolkit
        .turn(&CallContext::model(), [ToolCall::new("ticket.papers", arguments(9)).id("c")])
        .await;
    let messages = toolkit::dialect::openai_chat::results(&turn);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["content"], reply.text());

    let reply = run(&toolkit, "ticket.papers", &arguments(Content::MAX_BYTES)).await;
    assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes));
    assert!(reply.parts().is_empty());
}
