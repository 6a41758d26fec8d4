//! The constant of one argument: its type, its words and its constraints.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, Type, parse_quote_spanned};

use super::{ends, here, param, string, text};
use crate::attr::ungroup;
use crate::model::{Argument, Default};
use crate::types;

/// Writes the constant.
///
/// Expands to:
/// ```text
/// const TOOLKIT_1: toolkit_::Param<u8> = toolkit_::with_range(
///     toolkit_::with_default(toolkit_::param::<u8>("limit", "…"), || 5),
///     &toolkit_::Range(toolkit_::Some(1), toolkit_::Some(20), true),
/// );
/// ```
pub(super) fn constant(number: usize, argument: &Argument) -> TokenStream {
    let ty = owned(&argument.ty);
    let (at, _) = ends(&argument.ty);
    let name = param(number, at);
    let key = string(&argument.key, at);
    let docs = text(&argument.docs, 1);
    let mut value = quote_spanned!(at=> toolkit_::param::<#ty>(#key, #docs));
    if let Some(aliases @ [first, ..]) = Some(argument.aliases.as_slice()) {
        let at = here(first.span());
        value = quote_spanned!(at=> toolkit_::with_alias(#value, &[#(#aliases),*]));
    }
    if let Some(default) = &argument.default {
        let (at, default) = match default {
            Default::OfType(span) => {
                let at = here(*span);
                (at, quote_spanned!(at=> ::core::default::Default::default))
            }
            Default::Expr(expr) => thunk(expr),
        };
        value = quote_spanned!(at=> toolkit_::with_default(#value, #default));
    }
    if let Some(example) = &argument.example {
        let (at, example) = thunk(example);
        value = quote_spanned!(at=> toolkit_::with_example(#value, #example));
    }
    if let Some(range) = &argument.range {
        let at = here(range.at);
        let end = |end: &Option<Expr>| match end {
            Some(end) => quote_spanned!(at=> toolkit_::Some(#end)),
            None => quote_spanned!(at=> toolkit_::None),
        };
        let (low, high, inclusive) = (end(&range.low), end(&range.high), range.inclusive);
        value = quote_spanned! {at=>
            toolkit_::with_range(#value, &toolkit_::Range(#low, #high, #inclusive))
        };
    }
    if let Some((low, high, span)) = &argument.length {
        let at = here(*span);
        let end = |end: &Option<u64>| match end.map(Literal::u64_unsuffixed) {
            Some(end) => quote_spanned!(at=> toolkit_::Some(#end)),
            None => quote_spanned!(at=> toolkit_::None),
        };
        let (low, high) = (end(low), end(high));
        value = quote_spanned!(at=> toolkit_::with_length(#value, #low, #high));
    }
    if let Some(pattern) = &argument.pattern {
        let at = here(pattern.span());
        value = quote_spanned!(at=> toolkit_::with_pattern(#value, #pattern));
    }
    if let Some(span) = argument.secret {
        let at = here(span);
        value = quote_spanned!(at=> toolkit_::with_secret(#value));
    }
    if let Some(span) = argument.url {
        let at = here(span);
        value = quote_spanned!(at=> toolkit_::with_url(#value));
    }
    quote_spanned!(at=> const #name: toolkit_::Param<#ty> = #value;)
}

/// The type that the argument is read into.
fn owned(ty: &Type) -> Type {
    let mut owned = ty.clone();
    types::own(
        &mut owned,
        &|span| {
            let at = here(span);
            parse_quote_spanned!(at=> toolkit_::String)
        },
        &|span, elem| {
            let at = here(span);
            parse_quote_spanned!(at=> toolkit_::Vec<#elem>)
        },
    );
    owned
}

/// A closure that makes the value; a string literal becomes whatever the parameter needs.
fn thunk(expr: &Expr) -> (Span, TokenStream) {
    let at = here(expr.span());
    let literal = matches!(ungroup(expr), Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }));
    let thunk = if literal {
        quote_spanned!(at=> || toolkit_::from_text(#expr))
    } else {
        quote_spanned!(at=> || #expr)
    };
    (at, thunk.into_token_stream())
}
