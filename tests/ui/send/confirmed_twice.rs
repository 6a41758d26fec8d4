use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

#[commit]
// mended: fn deliver(first: Confirmed<Reply>) {
fn deliver(first: Confirmed<Reply>, _second: &Confirmed<Reply>) {
    drop(first);
}

fn main() {
    let _ = deliver;
}
