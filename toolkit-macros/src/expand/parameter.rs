//! The constant of one argument: its type, its words and its constraints.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, Ident, Type, parse_quote_spanned};

use super::{ends, here, string, text};
use crate::attr::ungroup;
use crate::model::{Argument, Default};
use crate::types;

/// Writes the constant.
///
/// Expands to:
/// ```text
/// const TOOLKIT_P1: toolkit_private::Param<u8> = toolkit_private::with_range(
///     toolkit_private::with_default(toolkit_private::param::<u8>("limit", "…"), || 5),
///     &toolkit_private::Range(::core::option::Option::Some(1), ::core::option::Option::Some(20), true),
/// );
/// ```
pub(super) fn constant(name: &Ident, argument: &Argument) -> TokenStream {
    let ty = owned(&argument.ty);
    let (at, _) = ends(&argument.ty);
    let key = string(&argument.key, at);
    let docs = text(&argument.docs, 1);
    let mut value = quote_spanned!(at=> toolkit_private::param::<#ty>(#key, #docs));
    if let Some(aliases @ [first, ..]) = Some(argument.aliases.as_slice()) {
        let at = here(first.span());
        value = quote_spanned!(at=> toolkit_private::with_alias(#value, &[#(#aliases),*]));
    }
    if let Some(default) = &argument.default {
        let (at, default) = match default {
            Default::OfType(span) => {
                let at = here(*span);
                (at, quote_spanned!(at=> ::core::default::Default::default))
            }
            Default::Expr(expr) => thunk(expr),
        };
        value = quote_spanned!(at=> toolkit_private::with_default(#value, #default));
    }
    if let Some(example) = &argument.example {
        let (at, example) = thunk(example);
        value = quote_spanned!(at=> toolkit_private::with_example(#value, #example));
    }
    if let Some(range) = &argument.range {
        let at = here(range.at);
        let end = |end: &Option<Expr>| match end {
            Some(end) => quote_spanned!(at=> ::core::option::Option::Some(#end)),
            None => quote_spanned!(at=> ::core::option::Option::None),
        };
        let (low, high, inclusive) = (end(&range.low), end(&range.high), range.inclusive);
        value = quote_spanned! {at=>
            toolkit_private::with_range(#value, &toolkit_private::Range(#low, #high, #inclusive))
        };
    }
    if let Some((low, high, span)) = &argument.length {
        let at = here(*span);
        let end = |end: &Option<u64>| match end {
            Some(end) => quote_spanned!(at=> ::core::option::Option::Some(#end)),
            None => quote_spanned!(at=> ::core::option::Option::None),
        };
        let (low, high) = (end(low), end(high));
        value = quote_spanned!(at=> toolkit_private::with_length(#value, #low, #high));
    }
    if let Some(pattern) = &argument.pattern {
        let at = here(pattern.span());
        value = quote_spanned!(at=> toolkit_private::with_pattern(#value, #pattern));
    }
    if let Some(span) = argument.secret {
        let at = here(span);
        value = quote_spanned!(at=> toolkit_private::with_secret(#value));
    }
    if let Some(span) = argument.url {
        let at = here(span);
        value = quote_spanned!(at=> toolkit_private::with_url(#value));
    }
    quote_spanned!(at=> const #name: toolkit_private::Param<#ty> = #value;)
}

/// The type that the argument is read into.
fn owned(ty: &Type) -> Type {
    let mut owned = ty.clone();
    types::own(
        &mut owned,
        &|span| {
            let at = here(span);
            parse_quote_spanned!(at=> toolkit_private::String)
        },
        &|span, elem| {
            let at = here(span);
            parse_quote_spanned!(at=> toolkit_private::Vec<#elem>)
        },
    );
    owned
}

/// A closure that makes the value; a string literal becomes whatever the parameter needs.
fn thunk(expr: &Expr) -> (Span, TokenStream) {
    let at = here(expr.span());
    let literal = matches!(ungroup(expr), Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }));
    let thunk = if literal {
        quote_spanned!(at=> || ::core::convert::Into::into(#expr))
    } else {
        quote_spanned!(at=> || #expr)
    };
    (at, thunk.into_token_stream())
}
