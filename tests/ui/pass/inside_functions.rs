//! Tools inside function bodies, beside locals and items of the same names.

use toolkit::{ToolCall, ToolId, Toolkit, id, tool};

struct Desk(u8);

fn outer<T: Default>() -> ([ToolId; 2], T) {
    let tools = [id(a), id(b)];
    // From here on, `a` is a local; the tool `a` must not mean it.
    let a = T::default();
    struct Local(u8);

    /// Gives a number, in the body of a function.
    #[tool]
    async fn a(
        /// The number.
        #[arg(default = Local(7).0)]
        number: u8,
        #[state] desk: &Desk,
    ) -> u8 {
        /// A tool inside a tool, which is one of its own.
        #[tool(name = "inner")]
        fn inner() -> u8 {
            1
        }
        number + inner() + desk.0
    }

    {
        /// Gives a number, in a block of a function.
        #[tool]
        fn a() -> u8 {
            2
        }
        assert_eq!(a(), 2);
    }

    /// Gives a number, after the block.
    #[tool]
    fn b() -> u8 {
        3
    }

    (tools, a)
}

#[tokio::test]
async fn local_tools_are_collected() {
    let (tools, value) = outer::<u8>();
    assert_eq!(value, 0);
    let toolkit = Toolkit::builder().only(tools).state(Desk(10)).build().unwrap();
    let call = ToolCall::new("a", "{}");
    let reply = toolkit.call(&toolkit::CallContext::human(), call).await;
    assert_eq!(reply.text(), "18");
    assert_eq!(crate::call(&toolkit, "b", "{}").await, "3");
}
