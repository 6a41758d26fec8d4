//! What is bound to a tool is bound to the child that it is of: replies, grants, drafts, failures, secrets.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolkit::approval::{Answer, Rung};
use toolkit::store::Memory;
use toolkit::testing::Recorder;
use toolkit::{Detail, Event, Secret};

use super::*;

fn put(what: &str, id: &'static str) -> ToolCall<'static> {
    ToolCall::json("basket.put", &json!({ "what": what })).unwrap().id(id)
}

#[tokio::test]
async fn a_call_that_is_made_again_is_known_by_its_own_child_alone() {
    let (toolkit, cx) = (toolkit(), CallContext::model().session("s-1").turn(1));
    let (ann, bob) = (toolkit.child(), toolkit.child());
    let (of_ann, of_bob) = (basket("Ann"), basket("Bob"));
    let runs = [Arc::clone(&of_ann.runs), Arc::clone(&of_bob.runs)];
    let _loaded = (ann.load(of_ann).unwrap(), bob.load(of_bob).unwrap());
    let counts = || [runs[0].load(Ordering::SeqCst), runs[1].load(Ordering::SeqCst)];

    let first = ann.call(&cx, put("tea", "call_1")).await;
    assert_eq!((first.text(), first.is_replay()), ("tea for Ann", false));
    // The same id, the same arguments, the same session: another tool, though of one name.
    let other = bob.call(&cx, put("tea", "call_1")).await;
    assert_eq!((other.text(), other.is_replay()), ("tea for Bob", false));
    // Nor does one learn that the id was used.
    let other = bob.call(&cx, put("jam", "call_2")).await;
    assert_eq!(other.text(), "jam for Bob");
    let first = ann.call(&cx, put("tea", "call_2")).await;
    assert_eq!((first.text(), first.is_replay()), ("tea for Ann", false));
    assert_eq!(counts(), [2, 2]);
    // Through the child itself and what is above it, it is the same call.
    for through in [&ann, &ann.child()] {
        let again = through.call(&cx, put("tea", "call_1")).await;
        assert_eq!((again.text(), again.is_replay()), ("tea for Ann", true));
        assert_eq!(through.call(&cx, put("jam", "call_1")).await.code(), Code::CallIdReused);
    }
    assert_eq!(counts(), [2, 2]);

    // A tool of the parent's is the same through whichever, and another than its shadow.
    let write = || ToolCall::new("kb.write", "{}").id("call_3");
    assert!(!ann.call(&cx, write()).await.is_replay());
    assert!(bob.call(&cx, write()).await.is_replay());
    let shadowing = toolkit.child_shadowing(["kb.write"]);
    let _held = shadowing.register_typed(tool("kb.write", Risk::Write, "mine")).unwrap();
    let reply = shadowing.call(&cx, write()).await;
    assert_eq!((reply.text(), reply.is_replay()), ("mine", false));
}

#[tokio::test]
async fn a_grant_answers_for_the_tool_of_one_child() {
    let recorder = Recorder::new([Answer::ApproveForSession(Rung::Tool, None), Answer::Deny(None)]);
    let toolkit = Toolkit::builder()
        .only([id(write), id(call_on)])
        .approver(recorder.clone())
        .build()
        .unwrap();
    let _session = toolkit.session("s-1");
    let cx = CallContext::model().session("s-1");
    let (ann, bob) = (toolkit.child(), toolkit.child());
    let _loaded = (ann.load(basket("Ann")).unwrap(), bob.load(basket("Bob")).unwrap());
    let asked = || recorder.requests().len();
    assert_eq!(ann.call(&cx, put("tea", "1")).await.text(), "tea for Ann");
    assert_eq!(asked(), 1);
    assert_eq!(ann.child().call(&cx, put("jam", "2")).await.text(), "jam for Ann");
    assert_eq!(asked(), 1);
    // The same tool, file, line and schema, with another value behind it.
    assert_eq!(bob.call(&cx, put("tea", "3")).await.code(), Code::Rejected);
    assert_eq!(asked(), 2);

    // What was granted of the parent's is granted through every child, and not of what shadows it.
    let recorder = Recorder::new([Answer::ApproveForSession(Rung::Tool, None), Answer::Deny(None)]);
    let toolkit = Toolkit::builder().only([id(write)]).approver(recorder.clone()).build().unwrap();
    let _session = toolkit.session("s-1");
    let child = toolkit.child_shadowing(["kb.write"]);
    assert_eq!(said(&toolkit, &cx, "kb.write").await.0, Code::Ok);
    assert_eq!(said(&child, &cx, "kb.write").await.0, Code::Ok);
    let _held = child.register(write).unwrap();
    assert_eq!(said(&child, &cx, "kb.write").await.0, Code::Rejected);
    assert_eq!(said(&toolkit, &cx, "kb.write").await.0, Code::Ok);
    assert_eq!(recorder.requests().len(), 2);
}

/// What was granted of a tool was granted of the value that stood behind it, and of that closure.
#[tokio::test]
async fn a_grant_ends_with_what_was_loaded() {
    let yes = || Answer::ApproveForSession(Rung::Tool, None);
    let recorder = Recorder::new([yes(), Answer::Deny(None), yes(), Answer::Deny(None)]);
    let toolkit = Toolkit::builder().only([]).allow_empty().approver(recorder.clone());
    let toolkit = toolkit.build().unwrap();
    let _session = toolkit.session("s-1");
    let cx = CallContext::model().session("s-1");
    let asked = || recorder.requests().len();

    let loaded = toolkit.load(basket("Ann")).unwrap();
    assert_eq!(toolkit.call(&cx, put("tea", "1")).await.text(), "tea for Ann");
    assert_eq!(toolkit.call(&cx, put("jam", "2")).await.text(), "jam for Ann");
    assert_eq!(asked(), 1);
    drop(loaded);
    let _loaded = toolkit.load(basket("Bob")).unwrap();
    assert_eq!(toolkit.call(&cx, put("tea", "3")).await.code(), Code::Rejected);
    assert_eq!(asked(), 2);

    let register = |text| toolkit.register_typed(tool("note.add", Risk::Write, text)).unwrap();
    let held = register("one");
    assert_eq!(said(&toolkit, &cx, "note.add").await, (Code::Ok, "one".to_owned()));
    assert_eq!(said(&toolkit, &cx, "note.add").await, (Code::Ok, "one".to_owned()));
    assert_eq!(asked(), 3);
    drop(held);
    let _held = register("another");
    assert_eq!(said(&toolkit, &cx, "note.add").await.0, Code::Rejected);
    assert_eq!(asked(), 4);
}

#[derive(Debug, Serialize, Deserialize)]
struct Letter {
    to: String,
}

#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<String>>>);

/// Draft a letter to somebody outside.
#[tool(name = "letter.write", risk = "send")]
fn letter(
    /// Who gets it, e.g. `ada`.
    to: String,
) -> Draft<Letter> {
    Draft::new(Letter { to })
}

#[commit]
fn post(letter: Confirmed<Letter>, #[state] outbox: &Outbox) -> &'static str {
    outbox.0.lock().unwrap().push(letter.get().to.clone());
    "posted"
}

#[tokio::test]
async fn a_draft_is_confirmed_where_its_tool_is() {
    let outbox = Outbox::default();
    let toolkit = Toolkit::builder()
        .only([id(search)])
        .state(outbox.clone())
        .policy(Policy::default().drafts())
        .build()
        .unwrap();
    let (model, person) = (
        CallContext::model().session("s-1"),
        CallContext::human().session("s-1").principal("grace"),
    );
    let (ann, bob) = (toolkit.child(), toolkit.child_shadowing(["letter.write"]));
    let of_ann = ann.register(letter).unwrap();
    let _of_bob = bob.register(letter).unwrap();
    let mut ids = Vec::new();
    for to in ["ada", "bob", "eve"] {
        let call = ToolCall::json("letter.write", &json!({ "to": to })).unwrap();
        let reply = ann.call(&model, call).await;
        assert_eq!(reply.code(), Code::NeedsConfirmation, "{}", reply.text());
        ids.push(reply.draft_id().unwrap().to_owned());
    }
    let id = ids[0].as_str();
    // To whoever can't see the tool there is no such draft, as there is none of an invented id.
    for elsewhere in [&toolkit, &bob, &bob.child(), &toolkit.child()] {
        for reply in [
            elsewhere.confirm(&person, id).await,
            elsewhere.confirm_edited(&person, id, &json!({"to": "mallory"})).await,
            elsewhere.withdraw(&person, id).await,
        ] {
            assert_eq!(reply.code(), Code::InvalidArguments);
            assert_eq!(reply.text(), format!("there is no draft `{id}` in this session"));
        }
        assert!(elsewhere.draft(&person, id).await.unwrap().is_none());
        assert!(elsewhere.drafts(&person).await.unwrap().is_empty());
    }
    assert_eq!(ann.drafts(&person).await.unwrap().len(), 3);
    let above = ann.child_shadowing(["letter.write"]);
    assert_eq!(above.confirm(&person, id).await.text(), "posted");
    assert_eq!(*outbox.0.lock().unwrap(), ["ada"]);

    // It is seen there, but what would deliver it is another.
    let _shadow = above.register(letter).unwrap();
    let reply = above.confirm(&person, &ids[1]).await;
    assert_eq!(reply.code(), Code::Denied);
    assert!(reply.text().contains("has changed since it made"), "{}", reply.text());
    drop(of_ann);
    let reply = ann.confirm(&person, &ids[1]).await;
    assert_eq!(
        (reply.code(), reply.text()),
        (Code::Denied, "`letter.write` is no tool here any more; nothing was sent")
    );
    drop((above, ann));
    for here in [&toolkit, &bob] {
        assert_eq!(here.confirm(&person, &ids[2]).await.code(), Code::InvalidArguments);
    }
    assert_eq!(*outbox.0.lock().unwrap(), ["ada"]);
}

/// Always fail in the same way.
#[tool(name = "door.open")]
fn open() -> Result<(), ToolError> {
    Err(ToolError::expected("it is locked"))
}

#[tokio::test]
async fn what_failed_in_one_child_is_held_against_no_other() {
    let toolkit = Toolkit::builder().only([id(search)]).build().unwrap();
    let cx = CallContext::model().session("s-1");
    let (ann, bob) = (toolkit.child(), toolkit.child());
    let _of_ann = ann.register(open).unwrap();
    for _ in 0..4 {
        assert_eq!(said(&ann, &cx, "door.open").await.0, Code::Failed);
    }
    assert_eq!(said(&ann, &cx, "door.open").await.0, Code::LoopStopped);
    // Neither of one that has it as well, nor of one that hasn't.
    let (unknown, text) = said(&bob, &cx, "door.open").await;
    assert_eq!(unknown, Code::UnknownTool);
    assert!(!text.contains("failed"), "{text}");
    let _of_bob = bob.register(open).unwrap();
    assert_eq!(said(&bob, &cx, "door.open").await, (Code::Failed, "it is locked".to_owned()));
    for _ in 0..5 {
        said(&ann, &cx, "no.such").await;
    }
    assert_eq!(said(&ann, &cx, "no.such").await.0, Code::LoopStopped);
    assert!(!said(&bob, &cx, "no.such").await.1.contains("failed"));
}

const CANARY: &str = "hunter2-canary";

#[derive(Serialize, schemars::JsonSchema)]
struct Opened {
    account: String,
    token: Secret<String>,
}

struct Vault(&'static str);

#[toolset(domain = "vault")]
impl Vault {
    /// Log in somewhere and give what was got there.
    #[tool(risk = "write")]
    fn open(
        &self,
        /// The password, e.g. `correct horse`.
        #[arg(secret)]
        password: String,
    ) -> Result<Opened, ToolError> {
        match self.0 {
            "fails" => Err(std::io::Error::other(format!("no entry with {password}")).into()),
            _ => Ok(Opened { account: password.clone(), token: Secret::new(password) }),
        }
    }
}

/// Open the vault, through whatever context it has.
#[tool(name = "vault.ask")]
async fn ask(#[context] cx: &CallContext) -> String {
    let call = ToolCall::json("vault.open", &json!({ "password": CANARY })).unwrap();
    cx.call(call).await.text().to_owned()
}

#[tokio::test]
async fn what_is_masked_is_masked_through_children() {
    let seen = Arc::new(Mutex::new(String::new()));
    let (kept, store, recorder) = (Arc::clone(&seen), Memory::default(), Recorder::approving());
    let policy = Risk::ALL.into_iter().fold(Policy::default(), |policy, risk| {
        policy.detail(Origin::Model, risk, Detail::Results)
    });
    let toolkit = Toolkit::builder()
        .only([id(ask), id(search)])
        .approver(recorder.clone())
        .store(store.clone())
        .show_errors()
        .policy(policy)
        .observer(move |event: &Event| kept.lock().unwrap().push_str(&format!("{event:?}\n")))
        .build()
        .unwrap();
    let cx = CallContext::model().session("s-1");
    let (child, fails) = (toolkit.child(), toolkit.child());
    let _opens = child.load(Vault("opens")).unwrap();
    let _fails = fails.load(Vault("fails")).unwrap();
    let above = child.child_shadowing(["kb.search", "vault.open"]);
    let shadow = above.child_shadowing(["vault.open"]);
    let _shadow = shadow.load(Vault("opens")).unwrap();
    let mut texts = String::new();
    for through in [&child, &fails, &above, &shadow] {
        for arguments in [json!({ "password": CANARY }), json!({ "password": [CANARY] })] {
            let call = ToolCall::json("vault.open", &arguments).unwrap();
            let explained = through.explain(&cx, call.clone()).await;
            texts.push_str(&format!("{explained}\n{explained:?}\n"));
            let reply = through.call(&cx, call).await;
            texts.push_str(&format!("{}\n{:?}\n", reply.text(), reply.value()));
        }
        let nested = through.call(&cx, ToolCall::new("vault.ask", "{}")).await;
        assert!(nested.text().contains("[redacted]"), "{}", nested.text());
        texts.push_str(nested.text());
    }
    for request in recorder.requests() {
        texts.push_str(&format!("{request:?}\n{}\n", request.rendering()));
    }
    texts.push_str(&format!("{:?}\n{}", store.records(), seen.lock().unwrap()));
    assert_eq!(recorder.requests().len(), 8);
    assert!(texts.matches("[redacted]").count() > 20, "{texts}");
    let line = texts.lines().find(|line| line.contains("hunter2"));
    assert_eq!(line, None);
}
