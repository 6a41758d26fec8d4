use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, commit, tool};

#[derive(Serialize, Deserialize)]
struct Reply(String);

/// Draft a reply to a customer.
#[tool(risk = "send")]
// mended: fn reply() -> Draft<Reply> {
fn reply() -> Option<Draft<Reply>> {
    // mended: Draft::new(Reply("Hello".to_owned()))
    Some(Draft::new(Reply("Hello".to_owned())))
}

#[commit]
fn deliver(reply: Confirmed<Reply>) {
    drop(reply);
}

fn main() {
    let _ = (reply(), deliver);
}
