use serde::{Deserialize, Serialize};
use toolkit::{Confirmed, Draft, ToolError, commit, tool};

#[derive(Serialize, Deserialize)]
struct Reply(String);

/// Draft a reply to a customer.
#[tool(risk = "send")]
// mended: async fn reply() -> Result<Draft<Reply>, ToolError> {
async fn reply() -> Result<Reply, ToolError> {
    // mended: Ok(Draft::new(Reply("Hello".to_owned())))
    Ok(Reply("Hello".to_owned()))
}

#[commit]
fn deliver(reply: Confirmed<Reply>) -> usize {
    reply.get().0.len()
}

fn main() {
    let _ = (reply(), deliver);
    let _ = Draft::new(0);
}
