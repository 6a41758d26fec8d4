//! The pipeline, from tokens to tokens: parse, model, check, expand. Decides nothing itself.

use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::item::Kind;
use crate::{attr, check, expand, item};

/// Gives back the function, as written but for our parameter attributes, and after it either the
/// registration or the errors; so its callers compile even where the tool is wrong.
pub(crate) fn run(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let mut tokens = item::strip(item.clone(), Kind::Tool);
    let tool = item::parse(item, Kind::Tool, &mut errors).and_then(|function| {
        let keys = attr::tool_keys(keys, &mut errors);
        check::check(keys, function, None, &mut errors)
    });
    match (errors.finish(), tool) {
        (Some(errors), _) => tokens.extend(errors),
        (None, Some(tool)) => tokens.extend(expand::expand(&tool)),
        // rustc has its own error for what was found.
        (None, None) => {}
    }
    tokens
}
