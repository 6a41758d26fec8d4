//! Every way a call can end: one reply, one event, and the store knows what was begun.

use std::sync::Arc;
use std::time::Duration;

use toolkit::approval::Answer;
use toolkit::dialect::openai_chat;
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::{Probe, Recorder};
use toolkit::{CallRecord, CancellationToken, Event, Executed, Observer, Ruling, Verdict, guard};

use crate::support::Finished;

/// Do as it is told, or go wrong.
#[tool(name = "end.act", risk = "write", timeout = "1s", concurrency = 1)]
async fn act(
    /// What to do, e.g. `fail`.
    what: String,
    #[state] probe: &Probe,
    #[state] store: &Memory,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    let open = store.records().iter().filter(|record| record.ended.is_none()).count();
    assert_eq!(open, 1, "what is begun was written down before");
    match what.as_str() {
        "fail" => Err(ToolError::expected("it went wrong")),
        "panic" => panic!("it went very wrong"),
        "hang" => std::future::pending().await,
        _ => Ok(what),
    }
}

/// Delete what is named, for good.
#[tool(name = "end.erase", risk = "destructive")]
async fn erase(
    /// What to delete, e.g. `all`.
    what: String,
    #[state] probe: &Probe,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    Err(ToolError::expected(format!("{what} can't be deleted")))
}

/// Look at what belongs to one place.
#[tool(name = "end.placed", flag = "placed", scopes = ["desk"])]
fn placed(#[state] probe: &Probe) {
    let _running = probe.enter();
}

/// Everything that one call leaves behind.
pub(crate) struct Ended {
    pub(crate) code: Code,
    executed: Executed,
    entered: usize,
    pub(crate) records: Vec<Arc<CallRecord>>,
    /// The stored outcomes of what was begun.
    stored: Vec<Option<Code>>,
}

/// How to bring about an end.
pub(crate) struct Way {
    context: CallContext,
    policy: Policy,
    approver: Option<Recorder>,
    tool: &'static str,
    arguments: &'static str,
    cut: bool,
    /// Another call holds the only permit.
    crowded: bool,
    guarded: bool,
    shut: bool,
    /// After how many milliseconds the call is cancelled; 0: before it comes.
    cancelled: Option<u64>,
}

const ACT: &str = r#"{"what": "x"}"#;

fn way(tool: &'static str, arguments: &'static str) -> Way {
    Way {
        context: CallContext::human().session("s").principal("ada"),
        policy: Policy::default(),
        approver: None,
        tool,
        arguments,
        cut: false,
        crowded: false,
        guarded: false,
        shut: false,
        cancelled: None,
    }
}

impl Way {
    /// Goes there, and tells one more observer.
    pub(crate) async fn run(self, observer: impl Observer + 'static) -> Ended {
        let (probe, store, finished) = (Probe::new(), Memory::default(), Finished::default());
        let mut builder = Toolkit::builder()
            .only([id(act), id(erase), id(placed)])
            .state(probe.clone())
            .state(store.clone())
            .store(store.clone())
            .policy(self.policy)
            .queue_time(Duration::from_millis(200))
            .observer(finished.observer())
            .observer(observer);
        if let Some(approver) = self.approver {
            builder = builder.approver(approver);
        }
        if self.guarded {
            builder = builder.guard(guard("stern", |_| Ok(Ruling::Deny("not today".into()))));
        }
        let toolkit = builder.build().unwrap();
        let other = self.crowded.then(|| {
            let toolkit = toolkit.clone();
            tokio::spawn(async move {
                let call = ToolCall::new("end.act", r#"{"what": "hang"}"#);
                toolkit.call(&CallContext::human(), call).await
            })
        });
        tokio::task::yield_now().await;
        if self.shut {
            toolkit.shutdown().await;
        }
        let call = ToolCall::new(self.tool, self.arguments).id("call_abc123");
        let call = if self.cut { call.cut("length") } else { call };
        let context = match self.cancelled {
            Some(after) => cancelled(after),
            None => self.context,
        };
        let reply = toolkit.call(&context, call).await;
        assert_eq!(reply.provider_id(), Some("call_abc123"));
        assert!(!reply.text().is_empty());
        let (mut entered, mut records) = (probe.entered(), finished.records());
        let mut stored: Vec<_> =
            store.records().iter().map(|record| record.ended.map(|e| e.code)).collect();
        if let Some(other) = other {
            other.await.unwrap();
            entered -= 1;
            stored.remove(0);
            records.retain(|record| record.provider_id.is_some());
        }
        assert_eq!(probe.running(), 0);
        Ended { code: reply.code(), executed: reply.executed(), entered, records, stored }
    }
}

fn cancelled(after: u64) -> CallContext {
    let token = CancellationToken::new();
    let cx = CallContext::human().session("s").principal("ada").cancellation(token.clone());
    if after == 0 {
        token.cancel();
    } else {
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(after)).await;
            token.cancel();
        });
    }
    cx
}

/// Every code, with a way to it, and whether a body is entered and arguments are known to be valid.
pub(crate) fn ways() -> Vec<(Code, bool, bool, Way)> {
    let human = || CallContext::human().session("s").principal("ada");
    let asking = |answer: Option<Answer>| Way {
        approver: Some(Recorder::new(answer)),
        ..way("end.erase", ACT)
    };
    let deny = Policy::default().set(Origin::Human, Risk::Write, Verdict::Deny);
    vec![
        (Code::Ok, true, true, way("end.act", ACT)),
        (Code::Failed, true, true, way("end.act", r#"{"what": "fail"}"#)),
        (Code::Failed, true, true, asking(Some(Answer::Approve))),
        (Code::Defect, true, true, way("end.act", r#"{"what": "panic"}"#)),
        (Code::TimedOut, true, true, way("end.act", r#"{"what": "hang"}"#)),
        (
            Code::Cancelled,
            true,
            true,
            Way { cancelled: Some(50), ..way("end.act", r#"{"what": "hang"}"#) },
        ),
        (
            Code::CancelledBeforeStart,
            false,
            true,
            Way { cancelled: Some(0), ..way("end.act", ACT) },
        ),
        (
            Code::CancelledBeforeStart,
            false,
            true,
            Way { cancelled: Some(50), crowded: true, ..way("end.act", ACT) },
        ),
        (Code::UnknownTool, false, false, way("end.akt", ACT)),
        (Code::MalformedArguments, false, false, way("end.act", "{")),
        (Code::InvalidArguments, false, false, way("end.act", "{}")),
        (Code::IncompleteCall, false, false, Way { cut: true, ..way("end.act", ACT) }),
        (Code::FlagOff, false, false, way("end.placed", "")),
        (
            Code::OutOfScope,
            false,
            false,
            Way { context: human().flag("placed"), ..way("end.placed", "") },
        ),
        (
            Code::AboveCeiling,
            false,
            false,
            Way { context: human().ceiling(Risk::Read), ..way("end.act", ACT) },
        ),
        (Code::Denied, false, false, Way { policy: deny, ..way("end.act", ACT) }),
        (Code::Denied, false, true, Way { guarded: true, ..way("end.act", ACT) }),
        (Code::Denied, false, true, asking(None)),
        (Code::Rejected, false, true, asking(Some(Answer::Deny(None)))),
        (Code::NoApprover, false, true, way("end.erase", ACT)),
        (Code::Busy, false, true, Way { crowded: true, ..way("end.act", ACT) }),
        (Code::Busy, false, false, Way { shut: true, ..way("end.act", ACT) }),
    ]
}

#[tokio::test(start_paused = true)]
async fn each_end_is_one_reply_and_one_event() {
    // These take two calls, or nobody who answers: `replays`, `drafts/` and the test below have the
    // ways to them.
    let mut seen = vec![
        Code::Expired,
        Code::NeedsConfirmation,
        Code::Withdrawn,
        Code::CallIdReused,
        Code::OutcomeUnknown,
        Code::RateLimited,
        Code::LoopStopped,
    ];
    for (code, entered, valid, way) in ways() {
        let tool = way.tool;
        let stores = way.tool == "end.act" || way.approver.is_some();
        let ended = way.run(|_: &Event| {}).await;
        assert_eq!(ended.code, code);
        let executed = if entered { Executed::Yes } else { Executed::No };
        assert_eq!((ended.executed, ended.entered), (executed, usize::from(entered)), "{code}");
        assert_eq!(ended.records.len(), 1, "{code}: one event");
        let record = &ended.records[0];
        assert_eq!((record.code, record.executed), (code, executed));
        assert_eq!((&*record.tool, record.provider_id.as_deref()), (tool, Some("call_abc123")));
        assert_eq!(
            (record.session.as_deref(), record.principal.as_deref()),
            (Some("s"), Some("ada"))
        );
        assert!(!record.call.is_empty());
        if valid {
            assert_eq!(record.digest.as_deref().map(str::len), Some(64), "{code}");
        }
        if matches!(code, Code::MalformedArguments | Code::InvalidArguments | Code::UnknownTool) {
            assert_eq!((&record.digest, &record.arguments), (&None, &None), "{code}");
        }
        // What was begun has its end; what wasn't left nothing.
        let stored = if entered && stores { vec![Some(code)] } else { vec![] };
        assert_eq!(ended.stored, stored, "{code}");
        seen.push(code);
    }
    let missing: Vec<_> = Code::ALL.iter().filter(|code| !seen.contains(code)).collect();
    assert_eq!(missing, Vec::<&Code>::new(), "a code without a way to it");
}

#[tokio::test(start_paused = true)]
async fn four_ways_to_no_answer_have_four_codes_and_texts() {
    /// Never answers.
    struct Nobody;
    impl toolkit::approval::Approver for Nobody {
        fn ask<'a>(
            &'a self,
            _: &'a toolkit::approval::ApprovalRequest,
        ) -> toolkit::BoxFuture<'a, Result<Answer, toolkit::HookError>> {
            Box::pin(std::future::pending())
        }
    }
    let builder = || {
        let probe = Probe::new();
        let builder = Toolkit::builder().only([id(erase)]).state(probe.clone());
        (builder, probe)
    };
    let mut ends = Vec::new();
    let finished = Finished::default();
    for (approving, cx) in [
        (0, CallContext::model()),
        (1, CallContext::model()),
        (2, CallContext::model()),
        (2, cancelled(10)),
    ] {
        let (builder, probe) = builder();
        let builder = builder.observer(finished.observer());
        let toolkit = match approving {
            0 => builder,
            1 => builder.approver(Recorder::denying()),
            _ => builder.approver(Nobody),
        };
        let toolkit = toolkit.build().unwrap();
        let reply = toolkit.call(&cx, ToolCall::new("end.erase", ACT)).await;
        assert_eq!(probe.entered(), 0);
        ends.push((reply.code(), reply.text().to_owned()));
    }
    let codes: Vec<_> = ends.iter().map(|(code, _)| *code).collect();
    assert_eq!(
        codes,
        [Code::NoApprover, Code::Rejected, Code::Expired, Code::CancelledBeforeStart]
    );
    let mut texts: Vec<_> = ends.into_iter().map(|(_, text)| text).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 4);
    let told: Vec<_> = finished.records().iter().map(|record| record.code).collect();
    assert_eq!(told, codes);
}

#[tokio::test(start_paused = true)]
async fn a_turn_of_every_end_has_one_message_for_each_call() {
    let (probe, store, finished) = (Probe::new(), Memory::default(), Finished::default());
    let toolkit = Toolkit::builder()
        .only([id(act), id(erase), id(placed)])
        .state(probe.clone())
        .state(store.clone())
        .store(store.clone())
        .policy(Policy::trusting())
        .observer(finished.observer())
        .build()
        .unwrap();
    let arguments = [
        ("end__act", r#"{\"what\": \"x\"}"#),
        ("end__act", r#"{\"what\": \"panic\"}"#),
        ("end__act", r#"{\"what\": \"hang\"}"#),
        ("end__act", r#"{\"what\":"#),
        ("end__act", "[]"),
        ("end__nothing", "{}"),
        ("end__placed", "{}"),
        ("end__erase", r#"{\"what\": \"all\"}"#),
        ("end__act", r#"{\"what\": \"fail\"}"#),
    ];
    let calls: Vec<_> = arguments
        .iter()
        .enumerate()
        .map(|(i, (name, arguments))| {
            format!(r#"{{"id": "call_{i}", "type": "function", "function": {{"name": "{name}", "arguments": "{arguments}"}}}}"#)
        })
        .collect();
    let response = |reason: &str| {
        format!(
            r#"{{"choices": [{{"finish_reason": "{reason}", "message": {{"content": null, "tool_calls": [{}]}}}}]}}"#,
            calls.join(",")
        )
    };
    let run = async |reason: &str, cx: &CallContext| {
        let response = response(reason);
        let message = openai_chat::assistant(&response).unwrap();
        let turn = toolkit.turn(cx, openai_chat::calls(&response).unwrap()).await;
        let results = openai_chat::results(&turn);
        let asked = message["tool_calls"].as_array().unwrap().clone();
        assert_eq!(asked.len(), results.len());
        for (asked, result) in asked.iter().zip(&results) {
            assert_eq!(result["role"], "tool");
            assert_eq!(asked["id"], result["tool_call_id"]);
            assert!(result["content"].is_string());
        }
        // Arguments that are no JSON don't make the next request unreadable.
        for call in &asked {
            let text = call["function"]["arguments"].as_str().unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(text).unwrap().is_object(), "{text}");
        }
        let codes: Vec<_> = turn.replies().iter().map(toolkit::ToolReply::code).collect();
        codes
    };
    use Code::*;
    let cx = CallContext::model();
    assert_eq!(
        run("tool_calls", &cx).await,
        [
            Ok,
            Defect,
            TimedOut,
            MalformedArguments,
            MalformedArguments,
            UnknownTool,
            UnknownTool,
            NoApprover,
            Failed
        ]
    );
    assert_eq!(probe.entered(), 4);
    let cut = run("length", &cx).await;
    assert_eq!(cut.iter().filter(|code| **code == IncompleteCall).count(), 7);
    assert_eq!(cut.iter().filter(|code| **code == UnknownTool).count(), 2);
    let all = run("tool_calls", &cancelled(0)).await;
    assert!(!all.contains(&Ok), "{all:?}");
    assert_eq!(probe.entered(), 4, "neither the cut one nor the cancelled one ran anything");
    assert_eq!(finished.records().len(), 3 * arguments.len());
}
