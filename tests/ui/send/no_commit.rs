use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, ToolError, commit, tool};

#[derive(Serialize, Deserialize)]
struct Reply(String);

/// Draft a reply to a customer.
#[tool(risk = "send")]
async fn reply() -> Result<Draft<Reply>, ToolError> {
    Ok(Draft::new(Reply("Hello".to_owned())))
}

// mended: #[commit]
#[cfg(not(all()))]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn main() {
    let _ = reply();
}
