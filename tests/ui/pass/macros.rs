//! Tools that `macro_rules!` writes, whatever the kinds of its variables.

use toolkit::{id, tool};

macro_rules! whole {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($(#[$arg:meta])* $value:ident: $ty:ty) -> $out:ty $body:block) => {
        $(#[$meta])*
        #[tool]
        $vis fn $name($(#[$arg])* $value: $ty) -> $out $body
    };
}

whole! {
    /// Doubles a number.
    fn double(
        /// The number.
        #[arg(default = 2, range = 1..=100)]
        value: u8
    ) -> u8 {
        value * 2
    }
}

whole! {
    /// Counts the characters of a text.
    fn count(
        /// The text.
        text: &str
    ) -> usize {
        text.chars().count()
    }
}

macro_rules! parts {
    ($name:literal, $risk:literal, $text:expr, $default:expr, $low:expr, $fn:ident, $ty:ty) => {
        #[tool(name = $name, risk = $risk, description = $text)]
        fn $fn(
            #[doc = $text]
            #[arg(default = $default, range = $low..=9, rename = $name)]
            value: $ty,
            #[doc = concat!("How often, ", "at most.")]
            #[arg(default = $default)]
            times: Option<$ty>,
        ) -> $ty {
            value + times.unwrap_or_default()
        }
    };
}

parts!("sum.made", "write", "Adds what it is given.", Default::default(), 1 - 1, made, u8);

macro_rules! item {
    ($item:item) => {
        #[tool]
        $item
    };
}

item! {
    /// Answers with a word, and waits for nothing.
    async fn word() -> &'static str {
        "word"
    }
}

macro_rules! hygiene {
    ($value:ident) => {
        /// Adds one, whatever the names of the macro.
        #[tool(name = "add.one")]
        fn add(
            /// The number.
            $value: u8,
            /// What is added, named by the macro.
            value: u8,
        ) -> u8 {
            $value + value
        }
    };
}

hygiene!(number);

macro_rules! types {
    ($($name:ident: $ty:ident)*) => {
        $(
            /// Gives back a number as it came.
            #[tool]
            fn $name(
                /// The number.
                value: $crate::macros::$ty,
            ) -> $crate::macros::$ty {
                value
            }
        )*
    };
}

type Small = u8;
type Large = u64;

types! { small: Small large: Large }

#[tokio::test]
async fn made_tools_are_collected() {
    let tools = [id(double), id(count), id(made), id(word), id(add), id(small), id(large)];
    let toolkit = crate::only(tools);
    assert_eq!(toolkit.tools().len(), 7);
    for (name, arguments, text) in [
        ("double", r#"{"value": 4}"#, "8"),
        ("double", "{}", "4"),
        ("count", r#"{"text": "äöü"}"#, "3"),
        ("sum.made", r#"{"sum.made": 4}"#, "4"),
        ("word", "{}", "word"),
        ("add.one", r#"{"number": 4, "value": 1}"#, "5"),
        ("small", r#"{"value": 4}"#, "4"),
        ("large", r#"{"value": 4000}"#, "4000"),
    ] {
        assert_eq!(crate::call(&toolkit, name, arguments).await, text, "{name} {arguments}");
    }
    let spec = crate::spec(id(made));
    assert_eq!(spec.parameters()[0].description(), "Adds what it is given.");
    assert_eq!(spec.parameters()[1].description(), "How often, at most.");
    assert_eq!(spec.risk().to_string(), "write");
}
