//! From a checked tool to its registration. Infallible, and the only place that writes tokens.
//!
//! Every token of ours is hygienic and lies where the user wrote what it stands for, so that rustc's
//! own errors point there. Items aren't hygienic, and a local may be taken for a constant: so all our
//! names start with `toolkit`, in some case.

mod body;
mod parameter;
mod toolset;

pub(crate) use toolset::expand_toolset;

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, LitStr, Path, Type};

use crate::model::{Argument, Callee, Commit, Parameter, Piece, Risk, Text, Tool};
use crate::name;

/// Writes the registration of a tool.
///
/// Expands to:
/// ```text
/// const _: () = {
///     use ::toolkit::private::{self as toolkit_, probe::*};
///     const TOOLKIT_0: toolkit_::Param<…> = …;                  // one for each argument
///     static TOOLKIT_SPEC: toolkit_::ToolSpec = …;
///     const TOOLKIT_OUTPUT: toolkit_::OutputSchema = …;         // schema of the result
///     const TOOLKIT_PREPARE: toolkit_::Prepare = …;             // reads, then gives the body
///     toolkit_::inventory::submit! { … }
/// };
/// ```
pub(crate) fn expand(tool: &Tool) -> TokenStream {
    let at = here(tool.callee.ident.span());
    let (items, registration) = registration(tool, at);
    let inside = quote_spanned! {at=>
        #items
        toolkit_::inventory::submit! { #registration }
    };
    block(&tool.callee, &inside, at)
}

/// The constants of a tool, and the registration that names them.
fn registration(tool: &Tool, at: Span) -> (TokenStream, TokenStream) {
    let consts = tool.arguments().map(|(number, argument)| parameter::constant(number, argument));
    let spec = spec(tool, at);
    let output = body::output(tool, at);
    let prepare = body::prepare(&tool.callee, Ending::Tool(tool), at);
    let (params, function) = (params(tool), function(&tool.callee));
    let mut registration = quote_spanned! {at=>
        toolkit_::registration(
            &TOOLKIT_SPEC,
            &[#(&#params),*],
            toolkit_::identity(#function),
            TOOLKIT_PREPARE,
            TOOLKIT_OUTPUT
        )
    };
    if tool.sends() {
        registration = quote_spanned!(at=> toolkit_::sending(#registration, TOOLKIT_COMMIT));
    }
    let items = quote_spanned! {at=>
        #(#consts)*
        #spec
        #output
        #prepare
    };
    (items, registration)
}

/// Writes what makes a draft's type one that is delivered.
///
/// Expands to:
/// ```text
/// const _: () = {
///     use ::toolkit::private::{self as toolkit_, probe::*};
///     const TOOLKIT_PREPARE: toolkit_::Prepare = …;             // takes the draft, then gives the body
///     impl toolkit_::Commit for Reply {
///         const COMMIT: &'static toolkit_::Committer<Self> = &toolkit_::commit::<Reply>(
///             toolkit_::CommitFacts {
///                 name: "deliver",
///                 timeout_ms: 10000,
///                 states: &[toolkit_::state::<Outbound<Mailer>>()],
///                 source: (::core::file!(), ::core::line!(), ::core::module_path!()),
///             },
///             TOOLKIT_PREPARE,
///         );
///     }
/// };
/// ```
pub(crate) fn expand_commit(commit: &Commit) -> TokenStream {
    let callee = &commit.callee;
    let at = here(callee.ident.span());
    let prepare = body::prepare(callee, Ending::Commit, at);
    let draft = &commit.draft;
    let (first, _) = ends(draft);
    let name = string(&crate::item::unraw(&callee.ident), at);
    let timeout = match commit.timeout {
        Some(timeout) => Literal::u64_unsuffixed(timeout).into_token_stream(),
        None => quote_spanned!(at=> toolkit_::CommitFacts::TIMEOUT_MS),
    };
    let states = states(callee, at).unwrap_or_else(|| quote_spanned!(at=> states: &[]));
    let value = quote_spanned!(first=> toolkit_::commit::<#draft>);
    let inside = quote_spanned! {first=>
        #prepare
        impl toolkit_::Commit for #draft {
            const COMMIT: &'static toolkit_::Committer<Self> = &#value(
                toolkit_::CommitFacts {
                    name: #name,
                    timeout_ms: #timeout,
                    #states,
                    source: (::core::file!(), ::core::line!(), ::core::module_path!())
                },
                TOOLKIT_PREPARE
            );
        }
    };
    block(callee, &inside, at)
}

/// The block that holds what we write of a function.
fn block(callee: &Callee, inside: &TokenStream, at: Span) -> TokenStream {
    let (cfgs, allows) = (&callee.cfgs, &callee.allows);
    let krate = krate(callee.krate.as_ref(), at);
    quote_spanned! {at=>
        #(#cfgs)*
        #(#allows)*
        const _: () = {
            use #krate::private::{self as toolkit_, probe::*};
            #inside
        };
    }
}

/// The path of the crate.
fn krate(given: Option<&Path>, at: Span) -> TokenStream {
    match given {
        Some(path) => path.to_token_stream(),
        None => quote_spanned!(at=> ::toolkit),
    }
}

/// Whose result it is, and so where it goes.
#[derive(Clone, Copy)]
enum Ending<'a> {
    /// That of a tool: into the reply, or to where drafts wait.
    Tool(&'a Tool),
    /// That of a commit: into the reply to whoever confirmed.
    Commit,
}

/// The static spec.
///
/// Expands to:
/// ```text
/// static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
///     names: ["kb.search", "kb__search"],
///     description: "…",
///     …
///     source: (::core::file!(), ::core::line!(), ::core::module_path!()),
///     ..toolkit_::Facts::DEFAULT
/// });
/// ```
fn spec(tool: &Tool, at: Span) -> TokenStream {
    let name = string(&tool.name, at);
    let wire = string(&name::wire(&tool.name), at);
    let description = text(&tool.description, 10);
    let mut facts = vec![quote_spanned!(at=> names: [#name, #wire], description: #description)];
    let mut fact = |tokens| facts.push(tokens);
    if tool.risk.iter().any(|(risk, _)| *risk != Risk::Read) {
        let risk = tool.risk.iter().map(|(risk, span)| {
            let (at, variant) = (here(*span), Ident::new(risk.variant(), here(*span)));
            quote_spanned!(at=> toolkit_::Risk::#variant)
        });
        fact(quote_spanned!(at=> risk: &[#(#risk),*]));
    }
    if tool.risk.is_empty() {
        fact(quote_spanned!(at=> risk_assumed: true));
    }
    if let Some(title) = &tool.title {
        let title = text(title, 1);
        fact(quote_spanned!(at=> title: toolkit_::Some(#title)));
    }
    if let Some(flag) = &tool.flag {
        fact(quote_spanned!(at=> flag: toolkit_::Some(#flag)));
    }
    if let scopes @ [_, ..] = tool.scopes.as_slice() {
        fact(quote_spanned!(at=> scopes: &[#(#scopes),*]));
    }
    if let hosts @ [_, ..] = tool.hosts.as_slice() {
        fact(quote_spanned!(at=> hosts: &[#(#hosts),*]));
    }
    if let Some(timeout) = tool.timeout {
        let timeout = Literal::u64_unsuffixed(timeout);
        fact(quote_spanned!(at=> timeout_ms: #timeout));
    }
    if let Some(concurrency) = tool.concurrency {
        let concurrency = Literal::u32_unsuffixed(concurrency);
        fact(quote_spanned!(at=> concurrency: #concurrency));
    }
    if tool.parallel {
        fact(quote_spanned!(at=> parallel: true));
    }
    if tool.idempotent {
        fact(quote_spanned!(at=> idempotent: true));
    }
    if tool.polling {
        fact(quote_spanned!(at=> polling: true));
    }
    if let Some(blocking) = tool.blocking {
        let fate = Ident::new(blocking.variant(), at);
        fact(quote_spanned!(at=> blocking: toolkit_::Some(toolkit_::Blocking::#fate)));
    }
    if !tool.callee.is_async && tool.blocking.is_none() {
        fact(quote_spanned!(at=> in_place: true));
    }
    if tool.show_errors {
        fact(quote_spanned!(at=> show_errors: true));
    }
    let params = params(tool);
    if !params.is_empty() {
        fact(quote_spanned!(at=> parameters: &[#(#params.spec()),*]));
    }
    facts.extend(states(&tool.callee, at));
    let line = line(&tool.callee, at);
    quote_spanned! {at=>
        static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
            #(#facts,)*
            source: (::core::file!(), #line, ::core::module_path!()),
            ..toolkit_::Facts::DEFAULT
        });
    }
}

impl Tool {
    /// The parameters that the model fills in, each with its place in the function.
    fn arguments(&self) -> impl Iterator<Item = (usize, &Argument)> {
        let numbered = self.callee.parameters.iter().enumerate();
        numbered.filter_map(|(number, parameter)| match parameter {
            Parameter::Argument(argument) => Some((number, &**argument)),
            Parameter::Own(_)
            | Parameter::State(_)
            | Parameter::Context(_)
            | Parameter::Confirmed(_) => None,
        })
    }
}

/// The fact of the shared states, where there are any.
fn states(callee: &Callee, at: Span) -> Option<TokenStream> {
    let types: Vec<&Type> = callee
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Own(ty) | Parameter::State(ty) => Some(ty),
            Parameter::Argument(_) | Parameter::Context(_) | Parameter::Confirmed(_) => None,
        })
        .collect();
    let states = types.iter().map(|ty| {
        let at = here(ty.span());
        quote_spanned!(at=> toolkit_::state::<#ty>())
    });
    (!types.is_empty()).then(|| quote_spanned!(at=> states: &[#(#states),*]))
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

/// The function itself: by its name, or as a method of its type.
fn function(callee: &Callee) -> TokenStream {
    let ident = located(&callee.ident);
    match &callee.owner {
        None => ident.into_token_stream(),
        Some(ty) => quote_spanned!(here(callee.ident.span())=> <#ty>::#ident),
    }
}

/// The line that the function stands in. That of a method `line!` doesn't know: it would say where the
/// attribute of the block stands.
fn line(callee: &Callee, at: Span) -> TokenStream {
    match callee.owner.is_some() && proc_macro::is_available() {
        true => {
            let line = u32::try_from(callee.ident.span().unwrap().line()).unwrap_or(u32::MAX);
            Literal::u32_unsuffixed(line).into_token_stream()
        }
        false => quote_spanned!(at=> ::core::line!()),
    }
}

/// The constant of the parameter at this place of the function.
fn param(number: usize, at: Span) -> Ident {
    format_ident!("TOOLKIT_{}", number, span = at)
}

/// The constants of all arguments.
fn params(tool: &Tool) -> Vec<Ident> {
    tool.arguments().map(|(number, argument)| param(number, here(argument.ty.span()))).collect()
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
            let min = Literal::usize_unsuffixed(min);
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
            quote_spanned!(at=> toolkit_::text(#whole, #min))
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
