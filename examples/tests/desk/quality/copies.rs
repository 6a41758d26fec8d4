//! Copies of tools that are told in other words, to show what a test makes of them. They do nothing.

use std::sync::RwLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toolkit::{CallContext, Risk, ToolError, Toolkit, TypedTool};

/// The schemas that the copies have, by their place. Every copy of the desk has the same.
static SCHEMAS: RwLock<Vec<Schema>> = RwLock::new(Vec::new());

/// The arguments of the tool at a place.
struct Arguments<const AT: usize>;

impl<'de, const AT: usize> Deserialize<'de> for Arguments<AT> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

impl<const AT: usize> JsonSchema for Arguments<AT> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Arguments{AT}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        SCHEMAS.read().unwrap()[AT].clone()
    }
}

/// A copy of a set with its names and schemas, and descriptions that are given by name and text.
pub(super) fn of(toolkit: &Toolkit, text: impl Fn(&str, &str) -> String) -> Toolkit {
    let tools: Vec<_> = toolkit.tools().filter(|tool| tool.name() != "output.read").collect();
    let schema =
        |tool: &toolkit::Tool| serde_json::from_str(tool.parameters_schema().unwrap()).unwrap();
    *SCHEMAS.write().unwrap() = tools.iter().map(schema).collect();
    let copy = |at: usize, tool: &toolkit::Tool| {
        let make = match at {
            0 => copy::<0>,
            1 => copy::<1>,
            2 => copy::<2>,
            3 => copy::<3>,
            4 => copy::<4>,
            5 => copy::<5>,
            6 => copy::<6>,
            _ => panic!("one more copy for {}", tool.name()),
        };
        make(tool, text(tool.name(), tool.description()))
    };
    let copies = tools.iter().enumerate().map(|(at, tool)| copy(at, tool));
    let builder = Toolkit::builder().only([]).policy(examples::desk::host::policy());
    let builder = builder.hosts("web.fetch", ["127.0.0.1"]).output_pages(false);
    copies.fold(builder, toolkit::Builder::tool).build().unwrap()
}

fn copy<const AT: usize>(tool: &toolkit::Tool, text: String) -> TypedTool {
    let run = |_: Arguments<AT>, _: CallContext| async { Ok::<_, ToolError>(()) };
    // No copy makes drafts, and nothing here hangs on the risk but that a model sees the tool.
    let risk = if tool.risk().contains(Risk::Send) { Risk::Write.into() } else { tool.risk() };
    TypedTool::new(tool.name(), text, risk, run)
}
