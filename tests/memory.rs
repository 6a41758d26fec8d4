//! What an output costs in memory, however long it is. A binary of its own, since it counts every byte
//! that is allocated.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

use std::fmt::{self, Display};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::io::Read;
use toolkit::ToolReply;
use toolkit::prelude::*;
use toolkit::store::Memory;

/// How long the outputs are, in lines.
const LINES: usize = 70_000;

/// What stands in one of them; 744 bytes.
fn line(number: usize) -> String {
    format!("{number:08} {}", "a line that says little → but has an ä ".repeat(17))
}

/// A list whose elements are made while they are written.
struct List;

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for number in 0..LINES {
            seq.serialize_element(&line(number))?;
        }
        seq.end()
    }
}

/// A text that is made while it is written.
struct Text;

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..LINES).try_for_each(|number| writeln!(f, "{}", line(number)))
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Give a list that is longer than memory should be.
#[tool(name = "long.list")]
async fn list() -> List {
    List
}

/// Give a text that is longer than memory should be.
#[tool(name = "long.text")]
fn text() -> Text {
    Text
}

/// Stream a text that is longer than memory should be.
#[tool(name = "long.stream")]
async fn stream(#[context] cx: &CallContext) -> Result<(), ToolError> {
    let mut out = cx.output()?;
    for number in 0..LINES {
        out.append(line(number) + "\n").await?;
    }
    Ok(())
}

/// Runs what never waits. Without a runtime all of it happens on this thread, where it is counted.
fn at_once<F: Future>(future: F) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// The reply, and the most memory that was taken at once, in bytes.
fn measured(toolkit: &Toolkit, tool: &str) -> (ToolReply, u64) {
    let cx = CallContext::model().session("s");
    let mut reply = None;
    let info = allocation_counter::measure(|| {
        reply = Some(at_once(toolkit.call(&cx, ToolCall::new(tool, ""))));
    });
    (reply.unwrap(), info.bytes_max)
}

/// Whether the whole output is these pieces, in order.
fn consists_of(reply: &ToolReply, pieces: impl Iterator<Item = String>) {
    let mut reader = std::io::BufReader::new(reply.output().unwrap().reader());
    let mut read = Vec::new();
    for piece in pieces {
        read.resize(piece.len(), 0);
        reader.read_exact(&mut read).unwrap();
        assert_eq!(read, piece.as_bytes());
    }
    assert_eq!(reader.read(&mut [0]).unwrap(), 0);
}

/// Whether the pages of the output, from its start, are these pieces, in order.
fn pages_are(toolkit: &Toolkit, reply: &ToolReply, pieces: impl Iterator<Item = String>) {
    let handle = reply.text().split("handle `").nth(1).unwrap().split('`').next().unwrap();
    let cx = CallContext::model().session("s");
    let (mut next, mut read) = (Some(0), String::new());
    for piece in pieces {
        while read.len() < piece.len() {
            let arguments = format!(r#"{{"handle": "{handle}", "offset": {}}}"#, next.unwrap());
            let reply = at_once(toolkit.call(&cx, ToolCall::new("output.read", arguments)));
            assert!(reply.text().chars().count() <= 1_000_000);
            let value = reply.value().unwrap();
            read.push_str(value["text"].as_str().unwrap());
            next = value.get("next").map(|next| next.as_u64().unwrap());
        }
        assert!(read.starts_with(&piece));
        read.drain(..piece.len());
    }
    assert_eq!((&*read, next), ("", None));
}

fn lines() -> impl Iterator<Item = String> {
    (0..LINES).map(|number| line(number) + "\n")
}

fn elements() -> impl Iterator<Item = String> {
    let before = |number| if number == 0 { '[' } else { ',' };
    let element = move |number| format!("{}\"{}\"", before(number), line(number));
    (0..LINES).map(element).chain(["]".to_owned()])
}

#[test]
fn an_output_of_50_mb_costs_at_most_2_mb() {
    let store = Memory::default();
    let builder = || {
        let builder = Toolkit::builder().only([id(list), id(text), id(stream)]);
        builder.output_pages(true).store(store.clone())
    };
    let toolkit = builder().build().unwrap();
    // The same outputs, read by longer pages, which are fewer.
    let reader = builder().output_budget(1_000_000).build().unwrap();
    for tool in ["long.list", "long.text", "long.stream"] {
        let (reply, most) = measured(&toolkit, tool);
        assert!(reply.is_ok(), "{}", reply.text());
        let bytes = reply.output().unwrap().bytes();
        assert!(bytes > 50_000_000, "{tool}: {bytes} bytes");
        assert!(most <= 2_000_000, "{tool}: {most} bytes at once");
        assert!(reply.text().chars().count() <= 20_000);
        assert!(reply.text().contains(" left out"));
        match tool {
            "long.list" => pages_are(&reader, &reply, elements()),
            "long.stream" => pages_are(&reader, &reply, lines()),
            _ => consists_of(&reply, lines()),
        }
    }
}
