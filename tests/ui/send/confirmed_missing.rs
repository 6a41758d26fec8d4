use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Outbound, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

#[commit]
// mended: fn deliver(reply: Confirmed<Reply>, #[state] mail: &Outbound<u8>) -> u8 {
fn deliver(#[state] mail: &Outbound<u8>) -> u8 {
    // mended: *mail.open(&reply)
    let _ = mail; 0
}

fn main() {
    let _ = deliver;
    let _: Option<Confirmed<Reply>> = None;
}
