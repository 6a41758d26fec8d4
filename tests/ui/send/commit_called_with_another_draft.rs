use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

#[commit]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn other(invoice: Confirmed<u32>) {
    // mended: let _ = (deliver, invoice.get());
    let _ = deliver(invoice);
}

fn main() {
    let _ = other;
}
