use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, commit, tool};

// mended: #[derive(Serialize, Deserialize)]
#[derive(Serialize)]
struct Reply(String);

/// Draft a reply to a customer.
#[tool(risk = "send")]
fn reply() -> Draft<Reply> {
    Draft::new(Reply("Hello".to_owned()))
}

#[commit]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

#[derive(Serialize, Deserialize)]
struct Used;

fn main() {
    let _ = (reply(), deliver, Used);
}
