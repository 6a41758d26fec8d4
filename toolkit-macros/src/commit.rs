//! The pipeline of `#[commit]`, with the parts of `#[tool]`'s. Decides nothing itself.

use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::item::Kind;
use crate::{attr, check, expand, item};

/// Gives back the function, as written, and after it either what makes it the one that delivers, or
/// the errors.
pub(crate) fn run(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let mut tokens = item::strip(item.clone(), Kind::Commit);
    let commit = item::parse(item, Kind::Commit, &mut errors).and_then(|function| {
        let keys = attr::commit_keys(keys, &mut errors);
        check::check_commit(keys, function, &mut errors)
    });
    match (errors.finish(), commit) {
        (Some(errors), _) => tokens.extend(errors),
        (None, Some(commit)) => tokens.extend(expand::expand_commit(&commit)),
        // rustc has its own error for what was found.
        (None, None) => {}
    }
    tokens
}
