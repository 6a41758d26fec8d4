//! A scope in which every common name means something else.

mod hostile {
    #![no_implicit_prelude]
    #![allow(non_camel_case_types, non_upper_case_globals, dead_code)]

    use ::toolkit::tool;

    mod std {}
    mod core {}
    mod alloc {}
    mod toolkit {}
    mod inventory {}
    mod serde {}
    mod schemars {}
    mod private {}
    mod probe {}

    struct Option;
    pub(super) struct Vec;
    struct Box;
    struct Send;
    struct Param;
    struct Facts;
    struct Args;
    struct Call;
    struct String;
    type Result<T> = ::core::result::Result<T, ::std::string::String>;
    trait Clone {}
    trait Default {}
    trait Into {}
    trait Fn {}

    const Some: u8 = 1;
    const None: u8 = 2;
    const Ok: u8 = 3;
    const Err: u8 = 4;
    struct args;
    struct call;
    struct out;
    struct result;
    struct body;
    struct causes;
    static p0: u8 = 0;
    static s0: u8 = 0;

    /// Has a method for each of those that an expansion calls.
    trait Hostile: ::core::marker::Sized {
        fn read(self) {}
        fn take(self) {}
        fn spec(self) {}
        fn state(self) {}
        fn context(self) {}
        fn outlet(self) {}
        fn reply(self) {}
        fn split(self) {}
        fn causes(self) {}
        fn ok(self) {}
        fn schema(self) {}
        fn lend(self) {}
        fn slot(self) {}
        fn into(self) {}
        fn from(self) {}
        fn default(self) {}
    }

    impl<T> Hostile for T {}

    /// Takes one argument of each kind, in a hostile scope.
    #[tool(name = "hostile.take", flag = "hostile", title = "Take")]
    pub(super) async fn take(
        /// A text.
        #[arg(default = "a", length = 1..=9, pattern = "^[a-z]+$", example = "b")]
        text: &str,
        /// A number.
        #[arg(range = 1..=20, default = Some, alias = "n")]
        number: u8,
        /// A list.
        #[arg(default)]
        list: &[u8],
        /// A text that may be left out.
        maybe: ::core::option::Option<&str>,
        #[state] _state: &Vec,
        #[context] _context: &::toolkit::CallContext,
    ) -> Result<::std::string::String> {
        ::core::result::Result::Ok(::std::format!("{text} {number} {list:?} {maybe:?}"))
    }

    /// Gives nothing at all, in a hostile scope.
    #[tool(name = "hostile.nothing")]
    pub(super) fn nothing() {}

    /// Gives a type of its own, in a hostile scope.
    #[tool(name = "hostile.number")]
    pub(super) fn number() -> u8 {
        None
    }
}

#[tokio::test]
async fn tools_are_collected() {
    use toolkit::id;
    let tools = [id(hostile::take), id(hostile::nothing), id(hostile::number)];
    let toolkit = toolkit::Toolkit::builder().only(tools).state(hostile::Vec).build().unwrap();
    assert_eq!(crate::call(&toolkit, "hostile.nothing", "{}").await, "done");
    assert_eq!(crate::call(&toolkit, "hostile.number", "{}").await, "2");
    let cx = toolkit::CallContext::human().flag("hostile");
    let reply = toolkit.call(&cx, toolkit::ToolCall::new("hostile.take", "{}")).await;
    assert_eq!(reply.text(), "a 1 [] None");
}
