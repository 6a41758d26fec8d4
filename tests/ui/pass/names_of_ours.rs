//! Tools and constants that are called as things in an expansion might be.
#![allow(unused_qualifications)]

use toolkit::{id, tool};

const P0: u8 = 7;
const SPEC: u8 = 8;

/// A tool that is called like a step of ours.
#[tool]
fn prepare(
    /// Its default is called like a constant of ours.
    #[arg(default = P0)]
    p0: u8,
    /// So is this one.
    #[arg(default = SPEC)]
    spec: u8,
    /// Called like an argument of ours.
    #[arg(default)]
    args: u8,
    /// So is this one.
    #[arg(default)]
    call: u8,
) -> u8 {
    p0 + spec + args + call
}

/// A tool that is called like another step of ours.
#[tool]
fn output() {}

/// A tool that is called like a third step of ours.
#[tool]
async fn body() -> u8 {
    1
}

/// A tool that is called like a module of the crate.
#[tool]
fn toolkit() {}

/// A tool that is called like a primitive type.
#[tool(name = "u8")]
#[allow(non_camel_case_types)]
fn u8() {}

#[tokio::test]
async fn tools_are_collected() {
    let toolkit = crate::only([id(prepare), id(output), id(body), id(self::toolkit), id(self::u8)]);
    assert_eq!(crate::call(&toolkit, "prepare", "{}").await, "15");
    assert_eq!(crate::call(&toolkit, "output", "{}").await, "done");
    assert_eq!(crate::call(&toolkit, "body", "{}").await, "1");
    self::toolkit();
    self::u8();
}
