use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, commit, tool};

#[derive(Serialize, Deserialize)]
struct Reply(String);

/// Draft a reply to a customer.
#[tool(risk = "send")]
fn reply() -> Draft<Reply> {
    Draft::new(Reply("Hello".to_owned()))
}

#[commit]
// mended: fn deliver(reply: Confirmed<Reply>) -> usize {
fn deliver(reply: Vec<Reply>) -> usize {
    // mended: reply.get().0.len()
    reply.len()
}

fn main() {
    let _ = (reply(), deliver);
    let _: Option<Confirmed<Reply>> = None;
}
