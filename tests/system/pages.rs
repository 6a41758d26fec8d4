//! Reading on in what was cut: by whom, how far, and until when.

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::store::{Memory, OutputCaps};
use toolkit::{BuildProblem, Builder, ToolReply, around};

/// Give a long text of awkward letters.
#[tool(name = "long.text")]
fn text(
    /// How often to say it, e.g. `100`.
    times: usize,
) -> String {
    awkward(times)
}

/// Give a long list of awkward letters.
#[tool(name = "long.list")]
fn list(
    /// How many elements, e.g. `100`.
    times: usize,
) -> Vec<String> {
    (0..times).map(|i| format!("{i} {}", awkward(1))).collect()
}

fn awkward(times: usize) -> String {
    "a→😀é\u{301}\n\"".repeat(times)
}

fn builder() -> Builder {
    Toolkit::builder().only([id(text), id(list)]).output_pages(true)
}

fn session(name: &str) -> CallContext {
    CallContext::model().session(name)
}

async fn long(toolkit: &Toolkit, cx: &CallContext, tool: &str, times: usize) -> ToolReply {
    let reply = toolkit.call(cx, ToolCall::json(tool, &json!({"times": times})).unwrap()).await;
    assert!(reply.is_ok(), "{}", reply.text());
    reply
}

/// The handle and the offset that the notice gives.
fn notice(text: &str) -> (String, u64) {
    let (_, rest) = text.split_once("read on with `output.read`: handle `").unwrap();
    let (handle, rest) = rest.split_once("`, offset ").unwrap();
    (handle.to_owned(), rest.split(' ').next().unwrap().parse().unwrap())
}

async fn page(toolkit: &Toolkit, cx: &CallContext, handle: &str, offset: u64) -> ToolReply {
    let arguments = json!({"handle": handle, "offset": offset});
    toolkit.call(cx, ToolCall::json("output.read", &arguments).unwrap()).await
}

#[tokio::test]
async fn every_byte_is_read_back_within_the_budget() {
    for budget in [200, 201, 333, 5_000] {
        let toolkit = builder().output_budget(budget).build().unwrap();
        let cx = session("s");
        for tool in ["long.text", "long.list"] {
            let reply = long(&toolkit, &cx, tool, 900).await;
            assert!(reply.text().chars().count() <= budget);
            let mut whole = String::new();
            std::io::Read::read_to_string(&mut reply.output().unwrap().reader(), &mut whole)
                .unwrap();
            let (handle, offset) = notice(reply.text());
            // Where the notice says to go on, nothing is shown twice and nothing is left out.
            if tool == "long.text" {
                assert!(reply.text().starts_with(&whole[..offset as usize]));
            }
            let (mut read, mut next) = (String::new(), Some(0));
            while let Some(offset) = next {
                let reply = page(&toolkit, &cx, &handle, offset).await;
                assert!(reply.is_ok(), "{}", reply.text());
                assert!(reply.text().chars().count() <= budget, "{budget}: {}", reply.text());
                assert!(!reply.text().contains("left out"));
                let value = reply.value().unwrap();
                assert_eq!(value["offset"], read.len());
                assert_eq!(value["total"], whole.len());
                let text = value["text"].as_str().unwrap();
                let (first, shown) = reply.text().split_once('\n').unwrap();
                assert_eq!(shown, text);
                read.push_str(text);
                next = value.get("next").map(|next| next.as_u64().unwrap());
                let says = match next {
                    Some(next) => format!("of {}; go on at offset {next}]", whole.len()),
                    None => format!("of {}; this is the end]", whole.len()),
                };
                assert!(first.ends_with(&says), "{first}");
            }
            assert!(read == whole, "{budget} {tool}");
        }
    }
}

#[tokio::test]
async fn an_offset_within_a_character_is_its_start() {
    let toolkit = builder().output_budget(200).build().unwrap();
    let cx = session("s");
    let (handle, _) = notice(long(&toolkit, &cx, "long.text", 50).await.text());
    for (offset, start) in [(0, 0), (1, 1), (2, 1), (3, 1), (4, 4), (7, 4), (8, 8), (9, 8)] {
        let value = page(&toolkit, &cx, &handle, offset).await.value().unwrap();
        assert_eq!(value["offset"], start, "{offset}");
        assert!(awkward(50)[start..].starts_with(value["text"].as_str().unwrap()));
    }
    let total = awkward(50).len() as u64;
    let reply = page(&toolkit, &cx, &handle, total).await;
    assert_eq!(reply.text(), format!("[from byte {total} of {total}; this is the end]\n"));
    let reply = page(&toolkit, &cx, &handle, total + 1).await;
    assert_eq!(reply.code(), Code::Failed);
    assert!(reply.text().contains("beyond the end"), "{}", reply.text());
}

#[tokio::test]
async fn another_session_or_principal_has_no_such_handle() {
    let toolkit = builder().build().unwrap();
    let ada = session("s").principal("ada");
    let (handle, _) = notice(long(&toolkit, &ada, "long.text", 9_000).await.text());
    assert!(page(&toolkit, &ada, &handle, 0).await.is_ok());
    let invented = page(&toolkit, &ada, "00000000000000000000", 0).await;
    for other in [session("t").principal("ada"), session("s"), session("s").principal("bob")] {
        let reply = page(&toolkit, &other, &handle, 0).await;
        assert_eq!(reply.code(), Code::Failed);
        assert_eq!(reply.text().replace(&handle, "00000000000000000000"), invented.text());
    }
    // What nobody is named for, the whole session reads.
    let (handle, _) = notice(long(&toolkit, &session("s"), "long.text", 9_000).await.text());
    assert!(page(&toolkit, &ada, &handle, 0).await.is_ok());
}

#[tokio::test]
async fn what_made_room_for_others_is_said_to_be_gone() {
    let store = Memory::default().output_caps(OutputCaps::default().session(2, 1 << 20));
    let toolkit = builder().store(store).build().unwrap();
    let mut handles = Vec::new();
    for _ in 0..3 {
        handles.push(notice(long(&toolkit, &session("s"), "long.text", 9_000).await.text()).0);
    }
    let gone = page(&toolkit, &session("s"), &handles[0], 0).await;
    assert_eq!(gone.code(), Code::Failed);
    assert!(gone.text().contains("make the call again"), "{}", gone.text());
    for handle in &handles[1..] {
        assert!(page(&toolkit, &session("s"), handle, 0).await.is_ok());
    }
    // Of another session it isn't even told that it is gone.
    let other = page(&toolkit, &session("t"), &handles[0], 0).await;
    assert!(other.text().starts_with("no output has the handle"), "{}", other.text());
    // What is too long to be kept can't be read back, and its notice says so.
    let reply = long(&toolkit, &session("s"), "long.text", 90_000).await;
    assert!(reply.text().contains("they can't be read back"), "{}", reply.text().len());
}

#[tokio::test]
async fn only_what_was_cut_is_kept_and_only_for_sessions() {
    let toolkit = builder().build().unwrap();
    let reply = long(&toolkit, &CallContext::model(), "long.text", 9_000).await;
    assert!(reply.text().contains("they can't be read back"));
    let reply = long(&toolkit, &session("s"), "long.text", 9).await;
    assert_eq!(reply.text(), awkward(9));
    // Without a session there is nothing to read, so that nobody is offered to.
    let catalog = toolkit.catalog(&CallContext::model());
    assert!(catalog.find("output.read").is_none());
    let reply = page(&toolkit, &CallContext::model(), "x", 0).await;
    assert_eq!(reply.code(), Code::UnknownTool);
    let catalog = toolkit.catalog(&session("s"));
    let spec = catalog.find("output__read").unwrap().spec();
    assert!(spec.risk().is_read() && spec.parallel());
    let schema = catalog.find("output.read").unwrap().parameters().unwrap().clone();
    assert_eq!(schema["required"], json!(["handle"]));
    assert_eq!(schema["additionalProperties"], Value::Bool(false));
}

#[tokio::test]
async fn the_host_decides_whether_outputs_are_read_by_pages() {
    let has = |toolkit: &Toolkit| toolkit.tools().any(|tool| tool.name() == "output.read");
    // Who names functions or crates gets those.
    assert!(!has(&Toolkit::builder().only([id(text)]).build().unwrap()));
    let of_crate = || Toolkit::builder().only([id(text)]).crates(["system"]);
    assert!(!has(&of_crate().build().unwrap()));
    assert!(has(&of_crate().output_pages(true).build().unwrap()));
    assert!(has(&builder().build().unwrap()));
    assert!(!has(&builder().without(["output.read"]).build().unwrap()));
    let alone = Toolkit::builder().only([]).output_pages(true).build().unwrap();
    assert_eq!(alone.tools().count(), 0);

    let toolkit = Toolkit::builder().only([id(text)]).build().unwrap();
    let reply = long(&toolkit, &session("s"), "long.text", 9_000).await;
    assert!(reply.text().contains("they can't be read back"));
}

#[tokio::test]
async fn a_page_that_a_hook_adds_to_loses_nothing_and_is_never_kept_itself() {
    for (added, is_whole) in [("[12:00] ", true), (&*"x".repeat(80), false)] {
        let stamp = added.to_owned();
        let stamped = around("stamp", move |_, next| {
            let stamp = stamp.clone();
            Box::pin(async move {
                let output = next.run().await?;
                let text = stamp + output.text().unwrap_or_default();
                Ok(output.with_text(text))
            })
        });
        // Were a page kept, it would take the place of what it is a page of.
        let store = Memory::default().output_caps(OutputCaps::default().session(1, 1 << 20));
        let toolkit = builder().output_budget(300).store(store).around(stamped).build().unwrap();
        let cx = session("s");
        let reply = long(&toolkit, &cx, "long.text", 90).await;
        let (handle, _) = notice(reply.text());
        let mut next = Some(0);
        while let Some(offset) = next {
            let reply = page(&toolkit, &cx, &handle, offset).await;
            assert!(reply.is_ok(), "{}", reply.text());
            let value = reply.value().unwrap();
            let text = value["text"].as_str().unwrap();
            if is_whole {
                assert!(reply.text().starts_with(added) && reply.text().ends_with(text));
            }
            assert!(!reply.text().contains("handle `"), "{}", reply.text());
            next = value.get("next").map(|next| next.as_u64().unwrap());
        }
    }
}

/// What `output.read` is called with here.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

#[test]
fn another_tool_of_that_name_is_a_problem() {
    let run = |_: Nothing, _: CallContext| async { Ok::<_, ToolError>(()) };
    let own =
        || TypedTool::new("output.read", "Read an output in some other way.", Risk::Read, run);
    let error = builder().tool(own()).build().unwrap_err();
    let [BuildProblem::Duplicate { name, first, second }] = error.problems() else {
        panic!("{error}")
    };
    assert_eq!(name, "output.read");
    assert!(first.file.ends_with("pages.rs") && second.file.ends_with("pages.rs"));
    let toolkit = builder().output_pages(false).tool(own()).build().unwrap();
    assert_eq!(toolkit.tools().count(), 3);
}
