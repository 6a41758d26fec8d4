use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

type Yes = Confirmed<Reply>;

#[commit]
// mended: fn deliver(reply: Confirmed<Reply>) {
fn deliver(reply: Yes) {
    drop(reply);
}

fn main() {
    let _ = deliver;
    let _: Option<Yes> = None;
}
