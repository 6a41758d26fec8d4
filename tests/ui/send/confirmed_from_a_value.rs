use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

#[commit]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn main() {
    let reply = Reply("Hello".to_owned());
    // mended: drop(reply); let _ = deliver;
    let _ = deliver(reply.into());
}
