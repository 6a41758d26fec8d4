use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

#[commit]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn twice(reply: Confirmed<Reply>) {
    // mended: let _ = deliver(reply);
    let _ = (deliver(reply.clone()), deliver(reply));
}

fn main() {
    let _ = twice;
}
