use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, ToolError, commit, tool};

#[derive(Serialize, Deserialize)]
struct Reply(String);

/// Draft a reply to a customer.
// mended: #[tool(risk = "send")]
#[tool]
async fn reply() -> Result<Draft<Reply>, ToolError> {
    Ok(Draft::new(Reply("Hello".to_owned())))
}

#[commit]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn main() {
    let _ = (reply(), deliver);
}
