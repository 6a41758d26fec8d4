//! Every way to run a tool, against every reason not to: no body is entered.

use toolkit::prelude::*;
use toolkit::testing::{Probe, Recorder};
use toolkit::{Executed, ToolReply, Verdict};

use crate::support::{GOOD, counters};

/// One way in.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Call,
    Turn,
    ReadOnlyCall,
    ReadOnlyTurn,
    Nested,
    Wire,
}

const ENTRIES: [Entry; 6] = [
    Entry::Call,
    Entry::Turn,
    Entry::ReadOnlyCall,
    Entry::ReadOnlyTurn,
    Entry::Nested,
    Entry::Wire,
];

/// Call another tool by name, with the same arguments.
#[tool(name = "outer.call")]
async fn outer(
    /// Name of the tool, e.g. `count.read`.
    tool: String,
    /// Its arguments as JSON text, e.g. `{}`.
    arguments: String,
    #[context] cx: &CallContext,
) -> String {
    let reply = cx.call(ToolCall::new(tool, arguments)).await;
    format!("{} {:?}", reply.code(), reply.executed())
}

impl Entry {
    /// The code, and whether the effect took place.
    async fn run(self, toolkit: &Toolkit, cx: &CallContext, name: &str, arguments: &str) -> String {
        let call = || ToolCall::new(name, arguments);
        let show = |reply: &ToolReply| format!("{} {:?}", reply.code(), reply.executed());
        match self {
            Self::Call => show(&toolkit.call(cx, call()).await),
            Self::Turn => show(&toolkit.turn(cx, [call()]).await.replies()[0]),
            Self::ReadOnlyCall => show(&toolkit.read_only().call(cx, call()).await),
            Self::ReadOnlyTurn => show(&toolkit.read_only().turn(cx, [call()]).await.replies()[0]),
            Self::Wire => {
                let wire = ToolCall::new(name.replace('.', "__"), arguments);
                show(&toolkit.call(cx, wire).await)
            }
            Self::Nested => {
                let inner = serde_json::json!({"tool": name, "arguments": arguments});
                let reply = toolkit.call(cx, ToolCall::json("outer.call", &inner).unwrap()).await;
                assert_eq!(reply.code(), Code::Ok, "{}", reply.text());
                reply.text().to_owned()
            }
        }
    }
}

/// A reason not to run.
struct Reason {
    name: &'static str,
    tool: &'static str,
    arguments: &'static str,
    policy: Policy,
    context: CallContext,
}

fn reasons() -> Vec<Reason> {
    let reason = |name, tool, arguments| Reason {
        name,
        tool,
        arguments,
        policy: Policy::default(),
        context: CallContext::model(),
    };
    let on = CallContext::model().flag("counters").scope("desk");
    vec![
        reason("unknown", "count.raed", GOOD),
        reason("malformed", "count.read", r#"{"name": "#),
        reason("not an object", "count.read", "[1]"),
        reason("missing", "count.read", "{}"),
        reason("wrong type", "count.read", r#"{"name": {"a": 1}}"#),
        reason("unknown argument", "count.read", r#"{"name": "a", "nmae": "b"}"#),
        reason("duplicate key", "count.read", r#"{"name": "a", "name": "b"}"#),
        reason("escaped duplicate key", "count.read", r#"{"name": "a", "n\u0061me": "b"}"#),
        reason("flag off", "count.flagged", GOOD),
        Reason {
            context: on.clone().scope("mail"),
            ..reason("out of scope", "count.flagged", GOOD)
        },
        Reason {
            context: CallContext::model().flag("counters"),
            ..reason("no scope", "count.flagged", GOOD)
        },
        Reason {
            context: CallContext::model().ceiling(Risk::Read),
            ..reason("ceiling", "count.write", GOOD)
        },
        Reason {
            policy: Policy::default().set(Origin::Model, Risk::Read, Verdict::Deny),
            ..reason("denied", "count.read", GOOD)
        },
        Reason {
            policy: Policy::default().set(Origin::Model, Risk::Read, Verdict::Hide),
            ..reason("hidden", "count.read", GOOD)
        },
        reason("asks", "count.write", GOOD),
        reason("asks of the destructive", "count.delete", GOOD),
        reason("no host listed", "count.fetch", r#"{"name": "https://example.com/"}"#),
    ]
}

#[tokio::test]
async fn nothing_that_may_not_run_runs() {
    for reason in reasons() {
        for entry in ENTRIES {
            // The outer tool is a read; where reads themselves are refused, it can't lead in.
            let reads_refused =
                reason.policy.cell(Origin::Model, Risk::Read).verdict >= Verdict::Deny;
            if matches!(entry, Entry::Nested) && reads_refused {
                continue;
            }
            for approver in [None, Some(Recorder::denying())] {
                let probe = Probe::new();
                let mut ids = crate::support::ids().to_vec();
                ids.push(id(outer));
                let mut builder =
                    Toolkit::builder().only(ids).state(probe.clone()).policy(reason.policy.clone());
                if let Some(approver) = approver {
                    builder = builder.approver(approver);
                }
                let toolkit = builder.build().unwrap();
                let got = entry.run(&toolkit, &reason.context, reason.tool, reason.arguments).await;
                assert_eq!(probe.entered(), 0, "{} through {entry:?}: {got}", reason.name);
                assert!(got.ends_with(" No"), "{} through {entry:?}: {got}", reason.name);
                assert!(!got.starts_with("ok "), "{} through {entry:?}: {got}", reason.name);
            }
        }
    }
}

#[tokio::test]
async fn the_same_table_runs_where_nothing_speaks_against_it() {
    let (builder, probe) = counters();
    let toolkit = builder.hosts("count.fetch", ["example.com"]).build().unwrap();
    let cx = CallContext::human().flag("counters").scope("desk");
    for (tool, arguments) in [
        ("count.read", GOOD),
        ("count.write", GOOD),
        ("count.flagged", GOOD),
        ("count.fetch", r#"{"name": "https://example.com/"}"#),
        ("count__read", GOOD),
    ] {
        let before = probe.entered();
        let reply = toolkit.call(&cx, ToolCall::new(tool, arguments)).await;
        assert_eq!(reply.code(), Code::Ok, "{tool}: {}", reply.text());
        assert_eq!(reply.executed(), Executed::Yes);
        assert_eq!(probe.entered(), before + 1);
    }
}
