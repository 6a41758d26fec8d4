use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Outbound, commit};

#[derive(Serialize, Deserialize)]
struct Reply(String);

struct Mailer;

impl Mailer {
    fn send(&self, _text: &str) {}
}

#[commit]
fn deliver(reply: Confirmed<Reply>, #[state] mail: &Outbound<Mailer>) {
    let text = reply.into_inner();
    // mended: let _ = (mail, text.0);
    mail.open(&text).send(&text.0);
}

fn main() {
    let _ = deliver;
}
