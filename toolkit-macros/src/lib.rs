#![forbid(unsafe_code)]
//! The `#[tool]`, `#[toolset]` and `#[commit]` attributes of `toolkit`; depend on `toolkit`, not on this crate.

mod attr;
mod block;
mod check;
mod commit;
mod docs;
mod errors;
mod expand;
mod host;
mod item;
mod model;
mod name;
#[cfg(test)]
mod snapshots;
mod suggest;
mod tool;
mod toolset;
mod types;

use proc_macro::TokenStream;

#[doc = include_str!("tool.md")]
#[proc_macro_attribute]
pub fn tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    tool::run(keys.into(), item.into()).into()
}

#[doc = include_str!("toolset.md")]
#[proc_macro_attribute]
pub fn toolset(keys: TokenStream, item: TokenStream) -> TokenStream {
    toolset::run(keys.into(), item.into()).into()
}

#[doc = include_str!("commit.md")]
#[proc_macro_attribute]
pub fn commit(keys: TokenStream, item: TokenStream) -> TokenStream {
    commit::run(keys.into(), item.into()).into()
}
