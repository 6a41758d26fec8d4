//! A small desk whose tools count their calls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::prelude::*;
use toolkit::{Builder, Secret};

/// What ran, in order.
#[derive(Clone, Default)]
pub(crate) struct Ran(Arc<Mutex<Vec<String>>>);

impl Ran {
    pub(crate) fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    /// How much ran since the last time.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// What ran since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// The most bodies at once.
#[derive(Clone, Default)]
pub(crate) struct Most(Arc<(AtomicUsize, AtomicUsize)>);

impl Most {
    pub(crate) fn seen(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Customer {
    name: String,
    message: Option<String>,
    token: Secret<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Article {
    id: u32,
    title: String,
}

/// Fetch the customer of the session, or nothing.
#[tool(name = "desk.customer")]
pub(crate) fn customer(#[state] ran: &Ran, #[context] cx: &CallContext) -> Option<Customer> {
    ran.note("customer");
    let name = cx.session_id()?.to_owned();
    let message = (name != "silent").then(|| "refund".to_owned());
    Some(Customer { name, message, token: Secret::new("hunter2".to_owned()) })
}

/// Search the articles for a word.
#[tool(name = "kb.search")]
pub(crate) fn search(
    /// The word, e.g. `refund`.
    query: String,
    /// How many to return at most.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    #[state] ran: &Ran,
) -> Result<Vec<Article>, ToolError> {
    ran.note(format!("search {query} {limit}"));
    match query.as_str() {
        "refund" => Ok(vec![Article { id: 7, title: "Refunds".to_owned() }]),
        "broken" => Err(ToolError::expected("the index is broken")),
        _ => Ok(Vec::new()),
    }
}

/// Read one article.
#[tool(name = "kb.read")]
pub(crate) fn read(
    /// Number of the article, e.g. `7`.
    article: u32,
    #[state] ran: &Ran,
) -> String {
    ran.note(format!("read {article}"));
    format!("article {article}")
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// Name of the field, e.g. `title`.
    #[allow(dead_code)]
    field: String,
    /// What it must be, e.g. `a`.
    #[allow(dead_code)]
    is: Vec<String>,
}

/// Echo any filters and a note back.
#[tool(name = "kb.filter")]
pub(crate) fn filter(
    /// The filters, e.g. `[{"field": "title", "is": ["a"]}]`.
    filters: Vec<Filter>,
    /// A note, e.g. `a note`.
    note: String,
    #[state] ran: &Ran,
) -> usize {
    ran.note(format!("filter {note}"));
    filters.len()
}

/// Write a note about a customer.
#[tool(name = "desk.note", risk = "write")]
pub(crate) fn note(
    /// The note, e.g. `called back`.
    text: String,
    #[state] ran: &Ran,
) -> Result<(), ToolError> {
    ran.note(format!("note {text}"));
    if text == "fail" { Err(ToolError::expected("no room for notes")) } else { Ok(()) }
}

/// Use a token to look something up.
#[tool(name = "desk.lookup")]
pub(crate) fn lookup(
    /// The token, e.g. `abc`.
    #[arg(secret)]
    token: String,
    #[state] ran: &Ran,
) -> usize {
    ran.note("lookup");
    token.len()
}

/// Delete a customer for good.
#[tool(name = "desk.erase", risk = "destructive")]
pub(crate) fn erase(#[state] ran: &Ran) {
    ran.note("erase");
}

/// Wait a little, side by side with others.
#[tool(name = "slow.wait")]
pub(crate) async fn wait(
    /// A name, e.g. `a`.
    name: String,
    #[state] ran: &Ran,
    #[state] most: &Most,
) -> String {
    let now = most.0.0.fetch_add(1, Ordering::SeqCst) + 1;
    most.0.1.fetch_max(now, Ordering::SeqCst);
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    most.0.0.fetch_sub(1, Ordering::SeqCst);
    ran.note(format!("wait {name}"));
    name
}

/// Cancel the whole from within.
#[tool(name = "slow.cancel")]
pub(crate) async fn cancel(#[context] token: &toolkit::CancellationToken) {
    token.cancel();
    std::future::pending::<()>().await;
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Letter(String);

/// Draft a letter to the customer.
#[tool(name = "mail.draft", risk = "send")]
pub(crate) fn draft(
    /// Text of the letter, e.g. `Dear Ann`.
    text: String,
) -> Draft<Letter> {
    Draft::new(Letter(text))
}

#[commit]
fn deliver(letter: Confirmed<Letter>, #[state] ran: &Ran) -> usize {
    ran.note("deliver");
    letter.get().0.len()
}

pub(crate) fn builder(ran: &Ran) -> Builder {
    Toolkit::builder()
        .only([
            id(customer),
            id(search),
            id(read),
            id(filter),
            id(note),
            id(lookup),
            id(erase),
            id(wait),
            id(cancel),
            id(draft),
        ])
        .state(ran.clone())
        .state(Most::default())
}

pub(crate) fn desk() -> (Toolkit, Ran) {
    let ran = Ran::default();
    (builder(&ran).build().unwrap(), ran)
}
