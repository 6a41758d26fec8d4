use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

// mended: #[commit(timeout = "5s")]
#[commit(timeuot = "5s")]
fn deliver(reply: Confirmed<Reply>) {
    drop(reply);
}

fn main() {
    let _ = deliver;
}
