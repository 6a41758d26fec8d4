use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

// mended:
#[commit]
#[derive(Serialize, Deserialize)]
struct Reply(String);

#[commit]
fn deliver(reply: Confirmed<Reply>) {
    drop(reply);
}

fn main() {
    let _ = deliver;
}
