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
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

// mended:
#[commit]
fn deliver_again(reply: &Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn main() {
    let _ = (reply(), deliver, deliver_again);
}
