use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, Outbound, commit, tool};

#[derive(Serialize, Deserialize)]
struct Reply(String);

struct Mailer;

impl Mailer {
    fn send(&self, _text: &str) {}
}

/// Draft a reply to a customer.
#[tool(risk = "send")]
fn reply(#[state] mail: &Outbound<Mailer>) -> Draft<Reply> {
    let draft = Draft::new(Reply("Hello".to_owned()));
    // mended: let _ = mail;
    mail.send("Hello");
    draft
}

#[commit]
fn deliver(reply: Confirmed<Reply>, #[state] mail: &Outbound<Mailer>) {
    mail.open(&reply).send(&reply.get().0);
}

fn main() {
    let _ = (reply, deliver);
}
