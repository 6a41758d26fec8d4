//! The pipeline of `#[toolset]`, with that of `#[tool]` for each method. Decides nothing itself.

use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::{attr, block, check, expand};

/// Gives back the block, as written but for our attributes, and after it either what makes its methods
/// tools, or the errors.
pub(crate) fn run(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let mut tokens = block::strip(item.clone());
    let toolset = block::parse(item, &mut errors).map(|block| {
        let keys = attr::toolset_keys(keys, &mut errors);
        check::check_toolset(keys, block, &mut errors)
    });
    let errors = errors.finish();
    if let Some(mut toolset) = toolset {
        // Without its tools it is a toolset still, so that who loads it has no error of their own.
        toolset.tools.retain(|_| errors.is_none());
        tokens.extend(expand::expand_toolset(&toolset));
    }
    tokens.extend(errors);
    tokens
}
