use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, commit, tool};

// mended: #[derive(Serialize, Deserialize)] struct Reply(String);
type Reply = String;

/// Draft a reply to a customer.
#[tool(risk = "send")]
fn reply() -> Draft<Reply> {
    Draft::new("Hello".to_owned().into())
}

// mended: impl From<String> for Reply { fn from(text: String) -> Self { Self(text) } }
// mended:
#[commit]
fn deliver(_reply: Confirmed<Reply>) -> usize {
    1
}

#[derive(Serialize, Deserialize)]
struct Used;

fn main() {
    let _ = (reply(), deliver, Used);
}
