//! The approver on a terminal, played over a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use toolkit::CancellationToken;
use toolkit::approval::{Approver, Terminal};
use toolkit::prelude::*;

use crate::support::{GOOD, counters};

/// The person's end of a terminal, and what was shown there and not yet looked at.
struct Person {
    end: File,
    unread: String,
    /// Keeps the other end open: else reading fails while the approver hasn't opened it yet.
    _other: File,
}

/// A person, and the approver at the other end.
fn terminal() -> (Person, Terminal) {
    let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&end).unwrap();
    unlockpt(&end).unwrap();
    let name = ptsname(&end, Vec::new()).unwrap();
    let path = std::ffi::OsStr::from_bytes(name.as_bytes());
    let other = File::open(path).unwrap();
    let terminal = Terminal::on(path);
    assert!(terminal.available());
    (Person { end: File::from(end), unread: String::new(), _other: other }, terminal)
}

impl Person {
    /// Reads until the text was shown.
    fn sees(&mut self, text: &str) -> String {
        let mut bytes = [0; 256];
        loop {
            if let Some(at) = self.unread.find(text) {
                let rest = self.unread.split_off(at + text.len());
                return std::mem::replace(&mut self.unread, rest);
            }
            let count = self.end.read(&mut bytes).unwrap();
            self.unread.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }

    fn types(&mut self, line: &str) {
        self.end.write_all(line.as_bytes()).unwrap();
    }

    /// Types a line, once a person could have read the question.
    fn answers(&mut self, line: &str) {
        std::thread::sleep(Duration::from_millis(400));
        self.types(line);
    }
}

fn call() -> ToolCall<'static> {
    ToolCall::new("count.delete", GOOD)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_clear_yes_approves() {
    for (typed, code) in [
        ("y\n", Code::Ok),
        ("YES\n", Code::Ok),
        ("n\n", Code::Rejected),
        ("\n", Code::Rejected),
        ("yesterday\n", Code::Rejected),
    ] {
        let (mut person, terminal) = terminal();
        let (builder, probe) = counters();
        let toolkit = builder.approver(terminal).build().unwrap();
        let asking = tokio::spawn(async move { toolkit.call(&CallContext::model(), call()).await });
        let question = tokio::task::spawn_blocking(move || {
            let question = person.sees("count.delete (destructive): approve? [y/N, e: edit]");
            person.answers(typed);
            (question, person)
        });
        let reply = asking.await.unwrap();
        let (question, _person) = question.await.unwrap();
        assert_eq!(reply.code(), code, "{typed:?}");
        assert_eq!(probe.entered(), usize::from(code == Code::Ok));
        assert!(question.contains("count.delete"), "{question}");
        assert!(question.contains(r#"{"name":"visits"}"#), "{question}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_for_another_question_answers_nothing() {
    let (mut person, terminal) = terminal();
    // Typed before anything was asked: it stays in the terminal until the first question.
    person.types("y\n");
    let (builder, probe) = counters();
    let toolkit = builder.approver(terminal).build().unwrap();
    let token = CancellationToken::new();
    let cx = CallContext::model().cancellation(token.clone());
    let asking = tokio::spawn({
        let toolkit = toolkit.clone();
        async move { toolkit.call(&cx, call()).await }
    });
    let mut person = tokio::task::spawn_blocking(move || {
        person.sees("count.delete (destructive): approve? [y/N, e: edit]");
        // At once: nobody can have read the question.
        person.types("y\n");
        person
    })
    .await
    .unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!asking.is_finished(), "an answer from before was taken");
    // Given up; the next question must not be answered by what was meant for this one.
    token.cancel();
    assert_eq!(asking.await.unwrap().code(), Code::CancelledBeforeStart);
    let asking = tokio::spawn(async move { toolkit.call(&CallContext::model(), call()).await });
    let person = tokio::task::spawn_blocking(move || {
        person.sees("(no longer asked)");
        person.sees("count.delete (destructive): approve? [y/N, e: edit]");
        person.answers("n\n");
        person
    });
    assert_eq!(asking.await.unwrap().code(), Code::Rejected);
    drop(person.await.unwrap());
    assert_eq!(probe.entered(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_may_type_other_arguments() {
    let (mut person, terminal) = terminal();
    let (builder, probe) = counters();
    let toolkit = builder.approver(terminal.person("ada")).build().unwrap();
    let asking = tokio::spawn(async move { toolkit.call(&CallContext::model(), call()).await });
    let person = tokio::task::spawn_blocking(move || {
        person.sees("approve? [y/N, e: edit]");
        person.answers("e\n");
        person.sees("as one line of JSON:");
        // Nothing: back to the question.
        person.types("\n");
        person.sees("approve? [y/N, e: edit]");
        person.answers("edit\n");
        person.types("{\"nmae\": \"old\"}\n");
        person.sees("did you mean `name`?");
        person.sees("approve? [y/N, e: edit]");
        person.answers("e\n");
        person.types("{\"name\": \"old\"}\n");
        person
    });
    let reply = asking.await.unwrap();
    drop(person.await.unwrap());
    assert_eq!((reply.code(), reply.edited()), (Code::Ok, Some(r#"{"name":"old"}"#)));
    assert_eq!(probe.entered(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rung_is_picked_shown_in_words_and_granted_by_one_more_yes() {
    let (mut person, terminal) = terminal();
    let (builder, probe) = counters();
    let toolkit = builder.approver(terminal.person("grace")).build().unwrap();
    let session = toolkit.session("s-1");
    let cx = CallContext::model().session("s-1");
    let write = |arguments| ToolCall::new("count.write", arguments);
    let asking = tokio::spawn({
        let (toolkit, cx) = (toolkit.clone(), cx.clone());
        async move { toolkit.call(&cx, write(GOOD)).await }
    });
    let _person = tokio::task::spawn_blocking(move || {
        person.sees("count.write (write): approve? [y/N, e: edit, s: for the session]");
        person.answers("s\n");
        let ladder = person.sees("an empty line goes back: ");
        assert!(ladder.contains("until the session ends and for 8 h at most:"), "{ladder}");
        assert!(ladder.contains("x        `count.write` with exactly these arguments"), "{ladder}");
        assert!(ladder.contains(r#"name = "visits""#), "{ladder}");
        assert!(ladder.contains("t        `count.write` with any arguments"), "{ladder}");
        person.answers("a owner\n");
        person.sees("that isn't offered");
        person.sees("an empty line goes back: ");
        person.answers("t\n");
        person.sees("`count.write` with any arguments, for 8 h at most: sure? [y/N] ");
        person.answers("n\n");
        person.sees("approve? [y/N, e: edit, s: for the session]");
        person.answers("s\n");
        person.sees("an empty line goes back: ");
        person.answers("\n");
        person.sees("approve? [y/N, e: edit, s: for the session]");
        person.answers("s\n");
        person.sees("an empty line goes back: ");
        person.answers("a name for 30m\n");
        person
            .sees(r#"`count.write` whenever `name` is "visits", for 30 min at most: sure? [y/N] "#);
        person.answers("y\n");
        person
    })
    .await
    .unwrap();
    assert!(asking.await.unwrap().is_ok());
    // Nobody is asked for the second.
    assert!(toolkit.call(&cx, write(GOOD)).await.is_ok());
    assert_eq!(probe.entered(), 2);
    let grants = session.grants();
    assert_eq!((grants.len(), grants[0].by.as_deref()), (1, Some("grace")));
    assert_eq!(&*grants[0].covers, r#"`count.write` whenever `name` is "visits""#);
    let lasts = grants[0].expires.duration_since(grants[0].made).unwrap();
    assert_eq!(lasts, Duration::from_secs(30 * 60));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_session_an_s_is_a_no() {
    let (mut person, terminal) = terminal();
    let (builder, probe) = counters();
    let toolkit = builder.approver(terminal).build().unwrap();
    let asking = tokio::spawn(async move { toolkit.call(&CallContext::model(), call()).await });
    let _person = tokio::task::spawn_blocking(move || {
        person.sees("approve? [y/N, e: edit] ");
        person.answers("s\n");
        person
    })
    .await
    .unwrap();
    assert_eq!((asking.await.unwrap().code(), probe.entered()), (Code::Rejected, 0));
}
