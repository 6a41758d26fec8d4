//! An explanation says what the call then does, and does nothing itself.

use toolkit::prelude::*;
use toolkit::testing::{Probe, Recorder};
use toolkit::{
    Builder, CancellationToken, Change, Executed, Explanation, ToolReply, Would, rewrite,
};

use crate::support::{Finished, GOOD, counters, ids};

/// A letter to somebody outside.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Letter(String);

/// Draft a letter to somebody outside.
#[tool(name = "letter.write", risk = "send")]
fn letter(
    /// What it says.
    body: String,
    #[state] probe: &Probe,
) -> Draft<Letter> {
    let _running = probe.enter();
    Draft::new(Letter(body))
}

#[commit]
fn post(letter: Confirmed<Letter>) -> String {
    letter.get().0.clone()
}

/// Sign in with a secret word.
#[tool(name = "door.open", risk = "write")]
fn open(
    /// The word.
    #[arg(secret)]
    word: String,
    /// Which door, e.g. `3`.
    #[arg(default = 1)]
    door: u8,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("door {door} opens, {} letters", word.len())
}

fn desk() -> (Builder, Probe) {
    let probe = Probe::new();
    let tools = ids().into_iter().chain([id(letter), id(open)]);
    (Toolkit::builder().only(tools).state(probe.clone()), probe)
}

/// What is explained, and then called: they must agree.
struct Both {
    explained: Explanation,
    reply: ToolReply,
}

/// Explains a call and then makes it.
async fn both(toolkit: &Toolkit, cx: &CallContext, call: ToolCall<'_>, probe: &Probe) -> Both {
    let before = probe.entered();
    let mut events = toolkit.events();
    let explained = toolkit.explain(cx, call.clone()).await;
    assert_eq!(probe.entered(), before, "a body ran: {explained}");
    assert!(events.try_recv().is_err(), "somebody heard of it: {explained}");
    let reply = toolkit.call(cx, call).await;
    let record = loop {
        if let toolkit::Event::CallFinished(record) = events.try_recv().unwrap() {
            break record;
        }
    };
    assert_eq!(explained.decision, record.decision, "{explained}");
    match explained.would {
        Would::Refuse(code) => {
            assert_eq!((code, Executed::No), (reply.code(), reply.executed()), "{explained}");
            assert_eq!(probe.entered(), before, "{explained}");
            if code != Code::Defect {
                assert_eq!(explained.reply.as_deref(), Some(reply.text()), "{explained}");
            }
        }
        Would::Repeat(code) => {
            assert!(reply.is_replay() && reply.code() == code, "{explained}");
            assert_eq!(explained.reply.as_deref(), Some(reply.text()));
        }
        Would::MakeDraft => assert_eq!(reply.code(), Code::NeedsConfirmation, "{explained}"),
        Would::Run => assert_eq!(reply.code(), Code::Ok, "{explained}"),
        Would::Ask => assert!(record.approval.is_some(), "{explained}"),
        _ => unreachable!("{explained}"),
    }
    let listed = toolkit.catalog(cx).find(reply.name()).is_some();
    assert_eq!(explained.visible, listed, "{explained}");
    Both { explained, reply }
}

#[tokio::test]
async fn it_says_what_the_call_then_does() {
    let model = CallContext::model;
    let on = || model().flag("counters").scope("desk");
    let stopped = CancellationToken::new();
    stopped.cancel();
    let at = |url: &str| format!(r#"{{"name": "{url}"}}"#);
    let good = at("https://example.com/");
    let bad = at("https://example.org/");
    for (name, arguments, cx, would) in [
        ("count.read", GOOD, model(), Would::Run),
        ("count__read", GOOD, model(), Would::Run),
        ("count.write", GOOD, model(), Would::Ask),
        ("count.write", GOOD, CallContext::human(), Would::Run),
        ("count.delete", GOOD, CallContext::plan(), Would::Ask),
        ("count.fetch", &good, model(), Would::Run),
        ("count.fetch", &bad, model(), Would::Refuse(Code::Denied)),
        ("count.flagged", GOOD, on(), Would::Run),
        ("count.flagged", GOOD, model(), Would::Refuse(Code::UnknownTool)),
        ("count.flagged", GOOD, CallContext::human(), Would::Refuse(Code::FlagOff)),
        (
            "count.flagged",
            GOOD,
            CallContext::plan().flag("counters"),
            Would::Refuse(Code::OutOfScope),
        ),
        ("count.write", GOOD, model().ceiling(Risk::Read), Would::Refuse(Code::UnknownTool)),
        (
            "count.write",
            GOOD,
            CallContext::human().ceiling(Risk::Read),
            Would::Refuse(Code::AboveCeiling),
        ),
        ("letter.write", r#"{"body": "hi"}"#, model(), Would::Refuse(Code::UnknownTool)),
        ("letter.write", r#"{"body": "hi"}"#, CallContext::plan(), Would::Refuse(Code::Denied)),
        ("letter.write", r#"{"body": "hi"}"#, CallContext::human(), Would::MakeDraft),
        ("count.raed", GOOD, model(), Would::Refuse(Code::UnknownTool)),
        ("count.read", r#"{"name": 1, "nmae": 2}"#, model(), Would::Refuse(Code::InvalidArguments)),
        ("count.read", "[", model(), Would::Refuse(Code::MalformedArguments)),
        (
            "count.read",
            GOOD,
            model().cancellation(stopped),
            Would::Refuse(Code::CancelledBeforeStart),
        ),
    ] {
        let (builder, probe) = desk();
        let approver = Recorder::approving();
        let toolkit = builder
            .approver(approver.clone())
            .hosts("count.fetch", ["example.com"])
            .build()
            .unwrap();
        let Both { explained, .. } =
            both(&toolkit, &cx, ToolCall::new(name, arguments), &probe).await;
        assert_eq!(explained.would, would, "{name} {arguments}: {explained}");
        assert_eq!(approver.requests().len(), usize::from(would == Would::Ask));
        // A refusal says what to change; a call that runs has nothing to be changed.
        let hindered = !matches!(would, Would::Run | Would::MakeDraft);
        assert_eq!(!explained.advice.is_empty(), hindered, "{explained}");
    }
}

#[tokio::test]
async fn guards_and_rewrites_are_asked_as_in_the_call() {
    for (word, would) in [
        ("pass", Would::Run),
        ("ask", Would::Ask),
        ("deny", Would::Refuse(Code::Denied)),
        ("fail", Would::Refuse(Code::Denied)),
        ("refused", Would::Refuse(Code::Denied)),
        ("misfit", Would::Refuse(Code::Denied)),
    ] {
        let (builder, probe) = desk();
        let toolkit = builder
            .approver(Recorder::approving())
            .rewrite(rewrite("names", move |_call| {
                Ok(match word {
                    "refused" => Change::Refuse("not today".into()),
                    "misfit" => Change::Replace("{}".to_owned()),
                    _ => Change::Replace(format!(r#"{{"name": "{word}"}}"#)),
                })
            }))
            .guard(guard("words", |call| match call.value()?["name"].as_str() {
                Some("ask") => Ok(Ruling::Ask("a big word".into())),
                Some("deny") => Ok(Ruling::Deny("a bad word".into())),
                Some("fail") => Err("no dictionary".into()),
                _ => Ok(Ruling::Pass),
            }))
            .build()
            .unwrap();
        let call = ToolCall::new("count.read", GOOD);
        let Both { explained, .. } = both(&toolkit, &CallContext::model(), call, &probe).await;
        assert_eq!(explained.would, would, "{word}: {explained}");
        let rewritten = !matches!(word, "refused" | "misfit");
        assert_eq!(explained.rewritten, rewritten, "{explained}");
        if rewritten {
            assert_eq!(explained.arguments, Some(format!(r#"{{"name":"{word}"}}"#)));
        }
    }
}

#[tokio::test]
async fn a_call_that_was_made_is_told_to_be_repeated() {
    let (builder, probe) = desk();
    let toolkit = builder.build().unwrap();
    let cx = CallContext::human().session("s-1").turn(1);
    let call = |arguments| ToolCall::new("count.write", arguments).id("call_1");
    let first = both(&toolkit, &cx, call(GOOD), &probe).await;
    assert_eq!(first.explained.would, Would::Run);
    let again = both(&toolkit, &cx, call(GOOD), &probe).await;
    assert_eq!(again.explained.would, Would::Repeat(Code::Ok));
    assert_eq!(again.reply.text(), first.reply.text());
    let other = both(&toolkit, &cx, call(r#"{"name": "other"}"#), &probe).await;
    assert_eq!(other.explained.would, Would::Refuse(Code::CallIdReused));
    assert_eq!(probe.entered(), 1);
}

#[tokio::test]
async fn nothing_is_recorded() {
    let (builder, probe) = counters();
    let (store, finished) = (toolkit::store::Memory::default(), Finished::default());
    let toolkit = builder.store(store.clone()).observer(finished.observer()).build().unwrap();
    let cx = CallContext::human();
    let explained = toolkit.explain(&cx, ToolCall::new("count.write", GOOD)).await;
    assert_eq!((explained.would, explained.recorded), (Would::Run, true));
    assert!(store.records().is_empty() && finished.records().is_empty());
    toolkit.call(&cx, ToolCall::new("count.write", GOOD)).await;
    assert_eq!((store.records().len(), finished.records().len(), probe.entered()), (1, 1, 1));
}

#[tokio::test]
async fn a_person_reads_it_at_once() {
    let (builder, _) = desk();
    let toolkit = builder
        .approver(Recorder::approving())
        .guard(guard("hours", |_| Ok(Ruling::Pass)))
        .build()
        .unwrap();
    let cx = CallContext::model().principal("ada").session("s-42").scope("chat");
    let explained = toolkit.explain(&cx, ToolCall::new("count__delete", GOOD)).await;
    assert_eq!(
        explained.to_string(),
        "\
`count.delete` would wait for a person, for at most 5 min. If they agree it runs, and is recorded.

caller     model, for ada, in session s-42, in scope chat
called as  count__delete
risk       destructive
arguments  {\"name\":\"visits\"}
verdict    ask
  ask      policy       destructive for model   <- decides
  allow    guard hours  passed

to change that:
- let the policy say something else: `Policy::set(Origin::Model, Risk::Destructive, …)`
"
    );

    let cx = CallContext::model().ceiling(Risk::Read);
    let explained = toolkit.explain(&cx, ToolCall::new("letter.write", "{}")).await;
    assert_eq!(
        explained.to_string(),
        "\
`letter.write` would be refused as if there were no such tool (unknown_tool).

caller     model
risk       send
visible    no: it isn't in this caller's catalog
verdict    hide
  hide     ceiling      its risk send is above the ceiling read   <- decides
  hide     policy       send for model
  -        guard hours  not asked
it reads   unknown tool `letter.write`; there are `count.read`

to change that:
- let the policy have plans and models draft: `.drafts()`
- raise the context's ceiling to send, or call outside of what lowered it
"
    );

    let call = ToolCall::new("count.read", "{\"nam\\u202ee\": 1}");
    let explained = toolkit.explain(&CallContext::human(), call).await.to_string();
    assert!(explained.starts_with("`count.read` would be refused (invalid_arguments)"));
    assert!(!explained.contains('\u{202e}'), "{explained}");
}

#[tokio::test]
async fn a_secret_stays_one() {
    let (builder, _) = desk();
    let toolkit = builder
        .guard(guard("talks", |call| Ok(Ruling::Ask(call.arguments().to_owned().into()))))
        .build()
        .unwrap();
    let call = ToolCall::new("door.open", r#"{"word": "sesame-42", "door": 3}"#);
    let explained = toolkit.explain(&CallContext::human(), call).await;
    assert_eq!(explained.would, Would::Refuse(Code::NoApprover));
    let arguments = explained.arguments.as_deref();
    assert_eq!(arguments, Some(r#"{"door":3,"word":"[redacted]"}"#));
    let json = serde_json::to_string(&explained).unwrap();
    assert!(!format!("{explained}{explained:?}{json}").contains("sesame"), "{explained}");
}

#[tokio::test]
async fn a_program_reads_the_same() {
    let (builder, _) = desk();
    let toolkit = builder.approver(Recorder::approving()).build().unwrap();
    let cx = CallContext::model().principal("ada").session("s-42").scope("chat");
    let explained = toolkit.explain(&cx, ToolCall::new("count__delete", GOOD)).await;
    let advice =
        "let the policy say something else: `Policy::set(Origin::Model, Risk::Destructive, …)`";
    assert_eq!(
        serde_json::to_value(&explained).unwrap(),
        serde_json::json!({
            "tool": "count.delete", "called": "count__delete", "risk": ["destructive"],
            "visible": true, "origin": "model", "principal": "ada", "session": "s-42",
            "scope": "chat", "scene": null, "would": "ask", "code": null, "recorded": true,
            "approval_time_us": 300_000_000,
            "decision": {"verdict": "ask", "findings": [
                {"verdict": "ask", "source": "policy", "reason": "destructive for model"},
            ]},
            "arguments": {"name": "visits"}, "rewritten": false, "repairs": [],
            "reply": null, "cause": null, "advice": [advice],
        })
    );
    let explained = toolkit.explain(&cx, ToolCall::new("count.raed", GOOD)).await;
    let json = serde_json::to_value(&explained).unwrap();
    let of = |member: &str| json[member].clone();
    assert_eq!(
        [of("tool"), of("risk"), of("decision"), of("arguments")],
        [(); 4].map(|()| serde_json::Value::Null)
    );
    assert_eq!((of("would"), of("code")), ("refuse".into(), "unknown_tool".into()));
}

#[tokio::test]
async fn a_read_only_exit_explains_itself() {
    let (builder, _) = desk();
    let toolkit = builder.build().unwrap();
    let explained = toolkit
        .read_only()
        .explain(&CallContext::human(), ToolCall::new("count.write", GOOD))
        .await;
    assert_eq!(explained.would, Would::Refuse(Code::UnknownTool));
    assert_eq!(
        (explained.origin, explained.deciding().unwrap().source.as_ref()),
        (Origin::Model, "ceiling")
    );
}
