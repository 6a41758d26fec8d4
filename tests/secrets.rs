//! One secret through arguments, errors and outputs: it is in no sink.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

use std::io::Write;
use std::sync::{Arc, Mutex};

use toolkit::approval::{Answer, ApprovalRequest, Approver};
use toolkit::audit::Jsonl;
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Recorder;
use toolkit::{BoxFuture, Detail, Event, HookCall, HookError, Ruling, Secret, guard};

const CANARY: &str = "hunter2-\"canary\"";

/// Log in somewhere and say how that went.
#[tool(name = "vault.open", risk = ["write", "destructive"])]
async fn open(
    /// Name of the account, e.g. `ada`.
    account: String,
    /// The password, as the person typed it, e.g. `correct horse`.
    #[arg(secret, length = 4..=64)]
    password: String,
) -> Result<String, ToolError> {
    match account.as_str() {
        "echo" => Ok(format!("opened with {password}")),
        "expected" => Err(ToolError::expected(format!("wrong password {password}"))),
        "internal" => Err(std::io::Error::other(format!("login {password} refused")).into()),
        _ => panic!("no account for {password}"),
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything that this thread logs, for as long as the guard lives.
fn logged() -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_writer(move || written.clone())
        .finish();
    (log, tracing::subscriber::set_default(subscriber))
}

/// All that may be told of a call is told.
fn everything() -> Policy {
    Origin::ALL.into_iter().fold(Policy::default(), |policy, origin| {
        Risk::ALL
            .into_iter()
            .fold(policy, |policy, risk| policy.detail(origin, risk, Detail::Results))
    })
}

#[tokio::test]
async fn a_secret_is_in_no_sink() {
    let (log, _default) = logged();

    let seen = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&seen);
    let store = Memory::default();
    let recorder = Recorder::new([Answer::Approve]);
    let folder = std::env::temp_dir().join(format!("toolkit-secrets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("audit.jsonl");
    let audit = Jsonl::open(&path).unwrap();
    let toolkit = Toolkit::builder()
        .only([id(open)])
        .approver(recorder.clone())
        .store(store.clone())
        .show_errors()
        .trace_content()
        .guard(guard("leaky", |call: toolkit::HookCall<'_>| {
            if call.arguments().contains("leak") {
                return Ok(Ruling::Deny(format!("refused: {}", call.arguments()).into()));
            }
            Ok(Ruling::Pass)
        }))
        .observer(move |event: &Event| kept.lock().unwrap().push_str(&format!("{event:?}\n")))
        .observer(audit.clone())
        .policy(everything())
        .build()
        .unwrap();
    let mut events = toolkit.events();

    let mut texts = String::new();
    let mut codes = Vec::new();
    let secret = |account: &str| serde_json::json!({"account": account, "password": CANARY});
    for account in ["echo", "expected", "internal", "panic"] {
        let call = ToolCall::json("vault.open", &secret(account)).unwrap();
        let reply = toolkit.call(&CallContext::model(), call).await;
        texts.push_str(&format!("{}\n{:?}\n", reply.text(), reply.value()));
        codes.push(reply.code());
    }
    assert_eq!(codes, [Code::Ok, Code::Failed, Code::Failed, Code::Defect], "{texts}");
    assert!(texts.contains("opened with [redacted]"), "{texts}");
    for arguments in [
        // Refused before the body, by the checker, the parser and a guard.
        serde_json::json!({"account": 7, "password": CANARY}).to_string(),
        serde_json::json!({"account": "x", "password": [CANARY]}).to_string(),
        serde_json::json!({"account": "x", "password": CANARY.repeat(9)}).to_string(),
        serde_json::json!({"acount": CANARY, "password": CANARY}).to_string(),
        format!("{{\"account\": \"x\", \"password\": {}", serde_json::json!(CANARY)),
        format!(
            "{{\"account\": \"x\", \"password\": {0}, \"password\": {0}}}",
            serde_json::json!(CANARY)
        ),
        serde_json::json!({"account": "leak", "password": CANARY}).to_string(),
    ] {
        let reply =
            toolkit.call(&CallContext::model(), ToolCall::new("vault.open", arguments)).await;
        assert!(!reply.is_ok());
        texts.push_str(reply.text());
        texts.push('\n');
    }
    while let Ok(event) = events.try_recv() {
        texts.push_str(&format!("{event:?}\n"));
    }
    texts.push_str(&seen.lock().unwrap());
    let lines = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(lines.matches("\"kind\":\"call_finished\"").count(), codes.len() + 7, "{lines}");
    assert!(lines.contains("opened with [redacted]"), "{lines}");
    texts.push_str(&lines);
    texts.push_str(&format!("{:?}\n", store.records()));
    for request in recorder.requests() {
        texts.push_str(&format!("{request:?}\n{}\n", request.rendering()));
    }
    assert!(!recorder.requests().is_empty() && !store.records().is_empty());
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("execute_tool vault.open"), "{log}");
    texts.push_str(&log);
    for part in ["hunter2", "canary\""] {
        let line = texts.lines().find(|line| line.contains(part));
        assert_eq!(line, None);
    }
}

/// Break in the way that is asked for.
#[tool(name = "leak.broken", risk = ["write", "destructive"])]
async fn broken(
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: String,
) -> Result<String, ToolError> {
    Err(std::io::Error::other(format!("cannot log in with {password}")).into())
}

/// An approver that fails with all it was told.
struct Indiscreet;

impl Approver for Indiscreet {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Answer, HookError>> {
        Box::pin(async move { Err(format!("nobody read {request:?}").into()) })
    }
}

type Judge = fn(HookCall<'_>) -> Result<Ruling, HookError>;

#[tokio::test]
async fn a_hook_at_fault_may_have_quoted_a_secret() {
    let quoting: [(&str, Judge); 3] = [
        ("failing", |call| Err(format!("can't judge {}", call.arguments()).into())),
        ("panicking", |call| panic!("can't judge {}", call.arguments())),
        ("asking", |call| Ok(Ruling::Ask(format!("see {}", call.arguments()).into()))),
    ];
    let (log, _default) = logged();
    let mut texts = String::new();
    for (name, judge) in quoting {
        for approver in [true, false] {
            let seen = Arc::new(Mutex::new(String::new()));
            let kept = Arc::clone(&seen);
            let recorder = Recorder::approving();
            let store = Memory::default();
            let builder = Toolkit::builder()
                .only([id(broken)])
                .store(store.clone())
                .guard(guard(name, judge))
                .observer(move |event: &Event| {
                    kept.lock().unwrap().push_str(&format!("{event:?}\n"))
                });
            let builder = if approver {
                builder.approver(recorder.clone())
            } else {
                builder.approver(Indiscreet)
            };
            let toolkit = builder.build().unwrap();
            let call = ToolCall::new("leak.broken", r#"{"password": "hunter2\"\\"}"#);
            let reply = toolkit.call(&CallContext::human(), call).await;
            assert!(!reply.is_ok());
            texts.push_str(&format!("{name}: {}\n{}", reply.text(), seen.lock().unwrap()));
            texts.push_str(&format!("{:?}\n{:?}\n", recorder.requests(), store.records()));
        }
    }
    texts.push_str(&String::from_utf8(log.0.lock().unwrap().clone()).unwrap());
    assert!(texts.contains("hook at fault"), "{texts}");
    let line = texts.lines().find(|line| line.contains("hunter2"));
    assert_eq!(line, None);
}

/// What opens an account.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Opened {
    account: String,
    token: Secret<String>,
    spare: Vec<Option<Secret<String>>>,
}

/// Open an account and keep its token.
#[tool(name = "vault.token", risk = ["write", "destructive"])]
async fn token() -> Opened {
    let secret = || Secret::new(CANARY.to_owned());
    Opened { account: "ada".to_owned(), token: secret(), spare: vec![Some(secret()), None] }
}

/// Open so many accounts that no reply shows them all.
#[tool(name = "vault.tokens", risk = ["write", "destructive"])]
async fn tokens() -> Vec<Opened> {
    let mut all = Vec::new();
    for _ in 0..20_000 {
        all.push(token().await);
    }
    all
}

#[tokio::test]
async fn a_secret_field_of_a_result_is_in_no_sink() {
    let (log, _default) = logged();
    let seen = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&seen);
    let store = Memory::default();
    let toolkit = Toolkit::builder()
        .only([id(token), id(tokens)])
        .output_pages(true)
        .approver(Recorder::approving())
        .store(store.clone())
        .trace_content()
        .observer(move |event: &Event| kept.lock().unwrap().push_str(&format!("{event:?}\n")))
        .build()
        .unwrap();
    let cx = CallContext::human().session("s");
    let reply = toolkit.call(&cx, ToolCall::new("vault.token", "")).await;
    let written = r#"{"account":"ada","token":"[redacted]","spare":["[redacted]",null]}"#;
    assert_eq!(reply.text(), written);
    let mut texts = format!("{reply:?}\n{:?}\n", reply.value());
    // One that is cut, in a file, and read back.
    let reply = toolkit.call(&cx, ToolCall::new("vault.tokens", "")).await;
    texts.push_str(&format!("{reply:?}\n{:?}\n", reply.value()));
    let handle = reply.text().split("handle `").nth(1).unwrap().split('`').next().unwrap();
    let page = ToolCall::json("output.read", &serde_json::json!({"handle": handle})).unwrap();
    let reply = toolkit.call(&cx, page).await;
    assert!(reply.text().contains("[redacted]"), "{}", reply.text());
    texts.push_str(reply.text());
    texts.push_str(&format!("{:?}\n{:?}\n", store, seen.lock().unwrap()));
    texts.push_str(&String::from_utf8(log.0.lock().unwrap().clone()).unwrap());
    assert!(texts.lines().all(|line| !line.contains("hunter2")));
    let catalog = toolkit.catalog(&cx);
    let output = catalog.find("vault.token").unwrap().output().unwrap();
    assert_eq!(output["properties"]["token"]["const"], "[redacted]");
}

/// Give a password back, after more than memory should hold.
#[tool(name = "vault.long", risk = ["write", "destructive"])]
async fn long(
    /// How the output is made: a list, or a stream.
    how: String,
    /// The password, e.g. `correct horse`.
    #[arg(secret)]
    password: String,
    #[context] cx: &CallContext,
) -> Result<Vec<String>, ToolError> {
    let lines = (0..30_000).map(|number| format!("{number} {password}, and so on until {number}"));
    if how == "list" {
        return Ok(lines.collect());
    }
    let mut out = cx.output()?;
    for line in lines {
        out.append(line + "\n").await?;
    }
    Ok(Vec::new())
}

#[tokio::test]
async fn a_secret_argument_is_not_in_a_file_that_is_read_back() {
    let toolkit = Toolkit::builder()
        .only([id(long)])
        .output_pages(true)
        .approver(Recorder::approving())
        .build()
        .unwrap();
    let cx = CallContext::human().session("s");
    for how in ["list", "stream"] {
        let arguments = serde_json::json!({"how": how, "password": CANARY});
        let reply = toolkit.call(&cx, ToolCall::json("vault.long", &arguments).unwrap()).await;
        assert!(reply.is_ok(), "{}", reply.text());
        let mut whole = String::new();
        std::io::Read::read_to_string(&mut reply.output().unwrap().reader(), &mut whole).unwrap();
        assert!(whole.len() > 1 << 20);
        assert_eq!(whole.matches(" [redacted], and").count(), 30_000);
        for text in [&*whole, reply.text()] {
            assert!(!text.contains("hunter2") && !text.contains("canary"));
        }
        let handle = reply.text().split("handle `").nth(1).unwrap().split('`').next().unwrap();
        let page = serde_json::json!({"handle": handle, "offset": 1_000});
        let page = toolkit.call(&cx, ToolCall::json("output.read", &page).unwrap()).await;
        assert!(page.text().contains("[redacted]") && !page.text().contains("hunter2"));
    }
}
