//! State and context, in any place among the parameters.

use toolkit::{CallContext, Toolkit, id, tool};

struct Desk(u8);

struct Agent {
    name: &'static str,
}

trait Clock: Send + Sync {
    fn now(&self) -> u8;
}

impl Clock for Desk {
    fn now(&self) -> u8 {
        self.0
    }
}

type Shared = Box<dyn Clock>;

/// Borrows from the toolkit and from the call.
#[tool]
async fn borrow(
    #[state] desk: &Desk,
    /// A number.
    number: u8,
    #[context] agent: &Agent,
    /// This state has docs, which nobody reads.
    #[state]
    clock: &Shared,
    /// Another number.
    #[arg(default = 1)]
    other: u8,
    #[context] cx: &CallContext,
    #[state] again: &Desk,
) -> String {
    tokio::task::yield_now().await;
    let sum = desk.0 + number + clock.now() + other + again.0;
    format!("{sum} {} {}", agent.name, cx.session_id().unwrap_or_default())
}

#[tokio::test]
async fn state_and_context_are_lent() {
    let toolkit = Toolkit::builder()
        .only([id(borrow)])
        .state(Desk(1))
        .state(Box::new(Desk(2)) as Shared)
        .build()
        .unwrap();
    let cx = CallContext::human().session("s").with(Agent { name: "Kim" });
    let call = toolkit::ToolCall::new("borrow", r#"{"number": 3}"#);
    let reply = toolkit.call(&cx, call).await;
    assert_eq!(reply.text(), "8 Kim s");
}
