//! A hundred rules on calls of `add`, which runs all the same.

use toolkit::policy::{Rule, ask, deny, equals, one_of, only, prefix, range, regex, under};
use toolkit::prelude::*;

use crate::tools::AddArgs;

/// As a host would write them: most of them on other tools, a dozen on this one.
pub(crate) fn mixed() -> Toolkit {
    let rules = (0..100_u32).map(|n| match n % 8 {
        0 => deny(format!("other.tool_{}", n % 10)).origin(Origin::Model),
        1 => ask("other.*").when("text", regex(format!("(?i)secret {n}"))),
        2 => only(format!("other.tool_{}", n % 10)).when("text", under("/")),
        3 => deny("*").risk(Risk::Read).principal(format!("guest {n}")),
        4 => ask(["search", "mixed"]).origin(Origin::Plan),
        5 => deny("other.*").when("argv", prefix(["rm", "-r"])),
        6 => only("other.*").when("text", one_of(["a", "b", "c"])),
        _ => deny("add").when("a", range(1_000 + n..)).because("too large"),
    });
    build(rules)
}

/// All of them on this one, and each looks at the arguments.
pub(crate) fn on_one_tool() -> Toolkit {
    let rules = (0..100_i64).map(|n| match n % 5 {
        0 => deny("add").when("a", range(1_000 + n..)),
        1 => deny("add").when("b", equals(1_000 + n)),
        2 => ask("add").when("a", one_of([500, 600 + n, 700])).when("b", range(..0)),
        3 => only("add").when("a", range(..=1_000 + n)),
        _ => only("a*").when("b", range(-n..=1_000)).because("out of bounds"),
    });
    build(rules)
}

/// Holds the rules and the tools of this program, and others to have rules on.
fn build(rules: impl Iterator<Item = Rule>) -> Toolkit {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Text {
        /// Any text.
        text: String,
        /// Words of a command.
        argv: Vec<String>,
    }
    let policy = rules.fold(Policy::default(), Policy::rule);
    let mut builder = Toolkit::builder().policy(policy);
    for n in 0..10 {
        let name = format!("other.tool_{n}");
        let run = |x: Text, _: CallContext| async move { Ok::<_, ToolError>(x.text) };
        builder = builder.tool(TypedTool::new(name, "Give a text back as it is.", Risk::Read, run));
    }
    let run = |x: AddArgs, _: CallContext| async move { Ok::<_, ToolError>(x.a + x.b) };
    let also = TypedTool::new("also", "Add two whole numbers.", Risk::Read, run);
    builder.tool(also).build().unwrap()
}
