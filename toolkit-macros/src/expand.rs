//! From a checked tool to its registration. Infallible, and the only place that writes tokens.
//!
//! Every token of ours is hygienic and lies where the user wrote what it stands for, so that rustc's
//! own errors point there. Items aren't hygienic, and a local may be taken for a constant: so all our
//! names start with `toolkit_`, in some case.

mod body;
mod parameter;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, LitStr, Type};

use crate::model::{Argument, Parameter, Piece, Text, Tool};
use crate::name;

/// Writes the registration of a tool.
///
/// Expands to:
/// ```text
/// const _: () = {
///     use ::toolkit::private as toolkit_private;
///     use toolkit_private::probe::*;
///     const TOOLKIT_P0: toolkit_private::Param<…> = …;              // one for each argument
///     static TOOLKIT_SPEC: toolkit_private::ToolSpec = …;
///     fn toolkit_output(…) -> … { … }                               // schema of the result
///     fn toolkit_prepare(…) -> toolkit_private::Prepared { … }      // reads, then gives the body
///     toolkit_private::inventory::submit! { … }
/// };
/// ```
pub(crate) fn expand(tool: &Tool) -> TokenStream {
    let at = here(tool.ident.span());
    let (cfgs, allows) = (&tool.cfgs, &tool.allows);
    let krate = match &tool.krate {
        Some(path) => path.to_token_stream(),
        None => quote_spanned!(at=> ::toolkit),
    };
    let arguments: Vec<&Argument> = tool.arguments().collect();
    let params = (0..).map(param_name);
    let consts =
        arguments.iter().zip(params).map(|(argument, name)| parameter::constant(&name, argument));
    let spec = spec(tool, at, arguments.len());
    let output = body::output(tool, at);
    let prepare = body::prepare(tool, at);
    let (params, ident) = ((0..arguments.len()).map(param_name), located(&tool.ident));
    quote_spanned! {at=>
        #(#cfgs)*
        #(#allows)*
        const _: () = {
            use #krate::private as toolkit_private;
            use toolkit_private::probe::*;
            #(#consts)*
            #spec
            #output
            #prepare
            toolkit_private::inventory::submit! {
                toolkit_private::registration(
                    &TOOLKIT_SPEC,
                    &[#(&#params),*],
                    || toolkit_private::id(#ident),
                    toolkit_prepare,
                    toolkit_output,
                )
            }
        };
    }
}

/// The static spec.
///
/// Expands to:
/// ```text
/// static TOOLKIT_SPEC: toolkit_private::ToolSpec = toolkit_private::spec(
///     toolkit_private::Facts { name: "kb.search", …, ..toolkit_private::Facts::DEFAULT },
///     ::core::file!(), ::core::line!(), ::core::module_path!(),
/// );
/// ```
fn spec(tool: &Tool, at: Span, arguments: usize) -> TokenStream {
    let name = string(&tool.name, at);
    let wire = string(&name::wire(&tool.name), at);
    let description = text(&tool.description, 10);
    let risk = tool.risk.iter().map(|(risk, span)| {
        let (at, variant) = (here(*span), Ident::new(risk.variant(), here(*span)));
        quote_spanned!(at=> toolkit_private::Risk::#variant)
    });
    let mut facts = vec![quote_spanned!(at=> name: #name, wire: #wire, description: #description)];
    let mut fact = |tokens| facts.push(tokens);
    if !tool.risk.is_empty() {
        fact(quote_spanned!(at=> risk: &[#(#risk),*]));
    }
    if let Some(title) = &tool.title {
        let title = text(title, 1);
        fact(quote_spanned!(at=> title: ::core::option::Option::Some(#title)));
    }
    if let Some(flag) = &tool.flag {
        fact(quote_spanned!(at=> flag: ::core::option::Option::Some(#flag)));
    }
    if let scopes @ [_, ..] = tool.scopes.as_slice() {
        fact(quote_spanned!(at=> scopes: &[#(#scopes),*]));
    }
    if let hosts @ [_, ..] = tool.hosts.as_slice() {
        fact(quote_spanned!(at=> hosts: &[#(#hosts),*]));
    }
    if let Some(timeout) = tool.timeout {
        fact(quote_spanned!(at=> timeout_ms: #timeout));
    }
    if let Some(concurrency) = tool.concurrency {
        let concurrency = usize::try_from(concurrency).unwrap_or(usize::MAX);
        let concurrency = proc_macro2::Literal::usize_unsuffixed(concurrency);
        fact(quote_spanned!(at=> concurrency: #concurrency));
    }
    if tool.parallel {
        fact(quote_spanned!(at=> parallel: true));
    }
    if tool.show_errors {
        fact(quote_spanned!(at=> show_errors: true));
    }
    if arguments > 0 {
        let params = (0..arguments).map(param_name);
        fact(quote_spanned!(at=> parameters: &[#(toolkit_private::Param::spec(&#params)),*]));
    }
    let mut states = tool.states().peekable();
    if states.peek().is_some() {
        let states = states.map(|ty| {
            let at = here(ty.span());
            quote_spanned!(at=> toolkit_private::state::<#ty>())
        });
        fact(quote_spanned!(at=> states: &[#(#states),*]));
    }
    quote_spanned! {at=>
        static TOOLKIT_SPEC: toolkit_private::ToolSpec = toolkit_private::spec(
            toolkit_private::Facts { #(#facts,)* ..toolkit_private::Facts::DEFAULT },
            ::core::file!(),
            ::core::line!(),
            ::core::module_path!(),
        );
    }
}

impl Tool {
    /// The parameters that the model fills in.
    fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(&**argument),
            Parameter::State(_) | Parameter::Context(_) => None,
        })
    }

    /// The types of the shared states.
    fn states(&self) -> impl Iterator<Item = &Type> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::State(ty) => Some(ty),
            Parameter::Argument(_) | Parameter::Context(_) => None,
        })
    }
}

/// Our own span at the user's place.
fn here(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// The user's item name, where no local of the user's can take its place.
fn located(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(here(ident.span()));
    ident
}

fn param_name(number: usize) -> Ident {
    format_ident!("TOOLKIT_P{}", number, span = Span::mixed_site())
}

fn string(value: &str, at: Span) -> LitStr {
    LitStr::new(value, at)
}

/// A text for the model; one that only rustc can read is trimmed and held to its least length there.
fn text(text: &Text, min: usize) -> TokenStream {
    let at = here(text.span());
    match text {
        Text::Literal(value, _) => string(value, at).into_token_stream(),
        Text::Pieces(pieces) => {
            let min = proc_macro2::Literal::usize_unsuffixed(min);
            let whole = match pieces.as_slice() {
                [Piece::Expr(expr)] => expr.to_token_stream(),
                pieces => {
                    let mut parts = Vec::new();
                    for piece in pieces {
                        if !parts.is_empty() {
                            parts.push(string("\n", at).into_token_stream());
                        }
                        parts.push(match piece {
                            Piece::Literal(value, span) => {
                                string(value, here(*span)).into_token_stream()
                            }
                            Piece::Expr(expr) => expr.to_token_stream(),
                        });
                    }
                    quote_spanned!(at=> ::core::concat!(#(#parts),*))
                }
            };
            quote_spanned!(at=> toolkit_private::text(#whole, #min))
        }
    }
}

/// The spans of the first and the last token, ours at the user's places.
fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let tokens: Vec<TokenTree> = tokens.to_token_stream().into_iter().collect();
    let span =
        |token: Option<&TokenTree>| here(token.map_or_else(Span::mixed_site, TokenTree::span));
    (span(tokens.first()), span(tokens.last()))
}
