use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

#[commit]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn main() {
    // mended: let _ = deliver;
    let _ = deliver(Confirmed::default());
}
