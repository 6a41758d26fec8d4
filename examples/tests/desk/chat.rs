//! `chat` against a server of the test's own that speaks OpenAI's wire format.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use examples::desk::{self, Program};
use serde_json::{Value, json};

use super::{Done, folder, has_ticket, in_order, number, response, with};

/// An answer of the server.
enum Answer {
    /// This body with this status.
    Whole(u16, String),
    /// The start of this body, and then nothing.
    Broken(String),
}

/// Serves these answers, one a request, and keeps the requests.
struct Server {
    base: String,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    fn new(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1/", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                serve(stream, &answer, &kept);
            }
        });
        Self { base, requests }
    }

    fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads one request, head and body, keeps it, and writes the answer.
///
/// Kept first: whoever has the answer finds the request.
fn serve(stream: TcpStream, answer: &Answer, kept: &Mutex<Vec<(String, Value)>>) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    kept.lock().unwrap().push((head, serde_json::from_slice(&body).unwrap()));
    let (status, text, promised) = match answer {
        Answer::Whole(status, text) => (*status, &text[..], text.len()),
        Answer::Broken(text) => (200, &text[..text.len() / 2], text.len()),
    };
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {promised}\r\n\
         connection: close\r\n\r\n{text}"
    )
    .unwrap();
}

fn ok(text: String) -> Answer {
    Answer::Whole(200, text)
}

fn says(text: &str, reason: &str) -> String {
    let message = json!({"role": "assistant", "content": text});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": reason}]}).to_string()
}

/// Chats with a server of these answers; `$name` is a fresh environment for each use.
macro_rules! chat {
    ($test:expr, $typed:expr, $answers:expr) => {{
        static BASE: OnceLock<String> = OnceLock::new();
        let server = Server::new($answers);
        BASE.set(server.base.clone()).unwrap();
        let db: PathBuf = folder($test).join("test.db");
        let variable = |name: &str| match name {
            "OPENAI_BASE_URL" => BASE.get().cloned(),
            "OPENAI_API_KEY" => Some("sk-test".to_owned()),
            "OPENAI_MODEL" => Some("mock-1".to_owned()),
            _ => None,
        };
        let done: Done = with(&db, &["chat"], Box::new(Cursor::new($typed)), variable).await;
        (done, server.requests(), db)
    }};
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_uses_the_tools() {
    let (done, requests, db) = chat!(
        "chat",
        "Open a ticket.\n\nThanks.\n",
        vec![
            ok(response(&[
                ("kb__search", json!({"query": "printer", "limit": 99})),
                ("ticket__create", json!({"subject": "Printer on fire", "body": "It is."})),
                ("ticket__delete", json!({"ticket": 1042})),
            ])),
            ok(says("The ticket is open.", "stop")),
            ok(says("You are welc", "length")),
        ]
    );
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    in_order(
        &done.out,
        &[
            "talking to mock-1",
            "the model sees 7 tools",
            "user      Open a ticket.",
            "reply 1   invalid_arguments",
            "reply 2   ok",
            "reply 3   no_approver",
            "model     The ticket is open.",
            "user      Thanks.",
            "model     You are welc",
            "the answer was cut at the server's limit",
        ],
    );
    assert!(has_ticket(&db, 1042).await);
    let tickets = "select count(*) from ticket where subject = 'Printer on fire'";
    assert_eq!(number(&db, tickets).await, 1);

    let (head, first) = &requests[0];
    assert!(head.starts_with("post /v1/chat/completions "), "{head}");
    assert!(head.contains("authorization: bearer sk-test"), "{head}");
    assert_eq!(first["model"], "mock-1");
    assert_eq!(first["tools"].as_array().unwrap().len(), 7);
    assert_eq!(first["tools"][1]["function"]["name"], "kb__search");
    let roles: Vec<&str> = requests[2].1["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool", "assistant", "user"]);
    let replies = &requests[1].1["messages"];
    assert_eq!(replies[4]["tool_call_id"], "call_1");
    assert!(replies[4]["content"].as_str().unwrap().contains("\"id\":1043"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_on_the_way_loses_nothing() {
    let create = ("ticket__create", json!({"subject": "Only half", "body": "text"}));
    let error =
        |text: &str| json!({"error": {"message": text, "type": "t", "code": "c"}}).to_string();
    let (done, requests, db) = chat!(
        "chat-errors",
        "Hello\n\n\n\n\n\n",
        vec![
            Answer::Whole(401, error("bad key")),
            Answer::Whole(429, error("slow down")),
            // The client tries four times.
            Answer::Whole(500, "<html>broken</html>".into()),
            Answer::Whole(503, String::new()),
            Answer::Whole(500, "<html>still broken</html>".into()),
            Answer::Broken(response(std::slice::from_ref(&create))),
            ok("no JSON at all".into()),
            ok(error("said with status 200")),
            // The call is cut by the model's own limit: it isn't run, and the model is told.
            ok(response(&[create]).replace(":\"tool_calls\"", ":\"length\"")),
            ok(says("Hello yourself.", "stop")),
        ]
    );
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    in_order(
        &done.out,
        &[
            "no answer: 401",
            "bad key",
            "no answer: 500",
            "still broken",
            "no answer: http error",
            "no answer: failed to deserialize",
            "said with status 200",
            "reply     incomplete_call: the body was not entered",
            "model     Hello yourself.",
        ],
    );
    assert_eq!(number(&db, "select count(*) from ticket").await, 3);
    // Each try says the same, and the user's words are in it once.
    for (_, request) in &requests[..9] {
        assert_eq!(request["messages"].as_array().unwrap().len(), 2);
        assert_eq!(request["messages"][1]["content"], "Hello");
    }
    assert_eq!(requests.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_isnt_there_is_reported() {
    let db = folder("chat-nobody").join("test.db");
    let variable = |name: &str| match name {
        "OPENAI_BASE_URL" => Some("http://127.0.0.1:1/v1".to_owned()),
        "OPENAI_MODEL" => Some("mock-1".to_owned()),
        _ => None,
    };
    let done = with(&db, &["chat"], Box::new(Cursor::new("Hello\n")), variable).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out.contains("no answer: ") && done.out.contains("refused"), "{}", done.out);
}

#[tokio::test]
async fn chat_says_which_variables_it_needs() {
    let db = folder("chat-variables").join("test.db");
    let done = with(&db, &["chat"], Box::new(std::io::empty()), |_| None).await;
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("OPENAI_MODEL"), "{}", done.err);
    let model = |name: &str| (name == "OPENAI_MODEL").then(|| "mock-1".to_owned());
    let done = with(&db, &["chat"], Box::new(std::io::empty()), model).await;
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("OPENAI_API_KEY"), "{}", done.err);
    assert!(!db.exists());
}

/// A screen that says when a question is on it.
struct Screen {
    shown: Vec<u8>,
    asked: mpsc::Sender<()>,
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.shown.extend_from_slice(bytes);
        if self.shown.ends_with(b"approve? [y/N] ") {
            self.asked.send(()).unwrap();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Somebody types `first`, and `answer` a moment after the question.
async fn typed(test: &str, base: String, first: &'static str, answer: &'static str) -> Done {
    static BASE: Mutex<String> = Mutex::new(String::new());
    *BASE.lock().unwrap() = base;
    let (keys, mut keyboard) = io::pipe().unwrap();
    let (asked, question) = mpsc::channel();
    let typing = thread::spawn(move || {
        keyboard.write_all(first.as_bytes()).unwrap();
        question.recv().unwrap();
        thread::sleep(Duration::from_millis(600));
        keyboard.write_all(answer.as_bytes()).unwrap();
    });
    let (mut out, mut err) = (Vec::new(), Screen { shown: Vec::new(), asked });
    let db = folder(test).join("test.db");
    let code = desk::run(Program {
        arguments: ["--db".into(), db.clone().into(), "chat".into()].into(),
        out: &mut out,
        err: &mut err,
        input: Box::new(BufReader::new(keys)),
        keyboard: true,
        screen: false,
        colours: false,
        terminal: db.with_extension("no-terminal"),
        variable: |name| match name {
            "OPENAI_BASE_URL" => Some(BASE.lock().unwrap().clone()),
            "OPENAI_MODEL" => Some("mock-1".to_owned()),
            _ => None,
        },
    })
    .await;
    typing.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code, out: text(out), err: text(err.shown) }
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_on_the_keyboard() {
    let delete = || ok(response(&[("ticket__delete", json!({"ticket": 1042}))]));
    let server = Server::new(vec![delete(), ok(says("Gone.", "stop"))]);
    let done = typed("chat-yes", server.base, "Delete 1042.\n", "y\n").await;
    assert_eq!(done.code, 0);
    in_order(&done.err, &["you> ", "arguments {\"ticket\":1042}", "approve? [y/N] ", "you> "]);
    in_order(&done.out, &["person    approved", "reply     ok", "model     Gone."]);
    assert!(!has_ticket(&folder_of("chat-yes"), 1042).await);

    // What was typed before the question doesn't answer it, and isn't lost.
    let server = Server::new(vec![delete(), ok(says("Kept.", "stop")), ok(says("Yes?", "stop"))]);
    let requests = Arc::clone(&server.requests);
    let done = typed("chat-no", server.base, "Delete 1042.\ny\n", "n\n").await;
    assert_eq!(done.code, 0);
    in_order(&done.out, &["person    rejected", "model     Kept.", "model     Yes?"]);
    assert!(has_ticket(&folder_of("chat-no"), 1042).await);
    let requests = requests.lock().unwrap();
    assert_eq!(requests[2].1["messages"].as_array().unwrap().last().unwrap()["content"], "y");
}

fn folder_of(test: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("desk").join(test).join("test.db")
}
