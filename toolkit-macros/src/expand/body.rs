//! The functions of a registration: the schema of the result, and what reads the arguments and gives
//! the body.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, Type};

use super::{Ending, ends, function, here, param};
use crate::model::{Callee, Parameter, Tool};
use crate::types;

/// Writes the schema of the result.
///
/// Expands to:
/// ```text
/// const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
///     (&ToolkitShape::<Result<Vec<Article>, KbError>>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
/// };
/// ```
/// What a tool that sends gives a model has no schema. Its draft leads to what delivers it:
/// ```text
/// const TOOLKIT_OUTPUT: toolkit_::OutputSchema = toolkit_::NO_SCHEMA;
/// const TOOLKIT_COMMIT: toolkit_::CommitOf =
///     || (&ToolkitShape::<Draft<Reply>>::new().toolkit_ok()).toolkit_commit();
/// ```
pub(super) fn output(tool: &Tool, at: Span) -> TokenStream {
    let ty = match &tool.callee.output {
        Some(ty) => ty.to_token_stream(),
        None => quote_spanned!(at=> ()),
    };
    if tool.sends() {
        return quote_spanned! {at=>
            const TOOLKIT_OUTPUT: toolkit_::OutputSchema = toolkit_::NO_SCHEMA;
            const TOOLKIT_COMMIT: toolkit_::CommitOf =
                || (&ToolkitShape::<#ty>::new().toolkit_ok()).toolkit_commit();
        };
    }
    // A draft has no place here, and is told so at the type.
    let schema = Ident::new("toolkit_schema", ends(&ty).0);
    quote_spanned! {at=>
        const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
            (&ToolkitShape::<#ty>::new().toolkit_ok()).#schema(toolkit_generator)
        };
    }
}

/// Writes what reads the arguments and gives the body.
///
/// Expands to, for an `async fn` that borrows:
/// ```text
/// const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
///     let mut toolkit0 = toolkit_::slot(&TOOLKIT_0);
///     toolkit_args.read(&mut [&mut toolkit0])?;
///     let toolkit0 = toolkit0.take();
///     let toolkit1 = toolkit_::Call::state::<KnowledgeBase>(toolkit_call, 0)?;
///     let toolkit_out = toolkit_call.outlet();
///     toolkit_::body(async move {
///         let toolkit_r = search(toolkit_::lend(&toolkit0), &toolkit1).await;
///         let toolkit_r = ToolkitReturned(toolkit_r);
///         let toolkit_causes = (&&&toolkit_r).toolkit_causes();
///         toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
///     })
/// };
/// ```
/// For one that owns its arguments, and for a plain `fn`, in place or on a thread, which need no future
/// of their own:
/// ```text
///     let toolkit_run = move || pong(toolkit0);
///     toolkit_::run(toolkit_run, move |toolkit_r| { let toolkit_r = …; … })
///
///     toolkit_::plain(move || { let toolkit_r = ping(toolkit_::lend(&toolkit0)); … })
///
///     toolkit_::blocking(move || { let toolkit_r = ping(toolkit_::lend(&toolkit0)); … })
/// ```
/// Where the author renders the value, the last line is:
/// ```text
///     toolkit_out.rendered(toolkit_r.toolkit_split(), toolkit_causes, short)
/// ```
pub(super) fn prepare(callee: &Callee, ending: Ending<'_>, at: Span) -> TokenStream {
    let function = function(callee);
    let mut slots = Vec::new();
    let mut held = Vec::new();
    let mut passed = Vec::new();
    let mut states = 0;
    for (number, parameter) in callee.parameters.iter().enumerate() {
        let at = here(parameter.ty().span());
        let local = format_ident!("toolkit{}", number, span = at);
        passed.push(match parameter {
            Parameter::Argument(argument) if argument.lent => {
                quote_spanned!(at=> toolkit_::lend(&#local))
            }
            Parameter::Argument(_) => local.to_token_stream(),
            Parameter::Own(_) | Parameter::State(_) | Parameter::Context(_) => {
                quote_spanned!(at=> &#local)
            }
            Parameter::Confirmed(taken) if is_reference(&taken.ty) => quote_spanned!(at=> &#local),
            Parameter::Confirmed(_) => local.to_token_stream(),
        });
        match parameter {
            Parameter::Argument(_) => slots.push((param(number, at), local)),
            Parameter::Own(ty) | Parameter::State(ty) => {
                let index = Literal::usize_unsuffixed(states);
                states += 1;
                // That a toolset can be shared is asked of the type once, not of each method.
                let state = match parameter {
                    Parameter::Own(_) => quote_spanned!(at=> own),
                    _ => quote_spanned!(at=> state),
                };
                held.push(quote_spanned! {at=>
                    let #local = toolkit_::Call::#state::<#ty>(toolkit_call, #index)?;
                });
            }
            Parameter::Context(ty) => held.push(quote_spanned! {at=>
                let #local = toolkit_::Call::context::<#ty>(toolkit_call)?;
            }),
            Parameter::Confirmed(taken) => {
                let draft = &taken.draft;
                held.push(quote_spanned! {at=>
                    let #local = toolkit_::Call::confirmed::<#draft>(toolkit_call)?;
                });
            }
        }
    }
    let call = quote_spanned!(at=> #function(#(#passed),*));
    // rustc underlines from the first of our tokens to the last: the whole return type.
    let (first, last) = match &callee.output {
        Some(ty) => ends(ty),
        None => (at, at),
    };
    let result = Ident::new("toolkit_r", first);
    let split = quote_spanned!(last=> .toolkit_split());
    let (sends, render) = match ending {
        Ending::Tool(tool) => (tool.sends(), tool.render.as_ref()),
        Ending::Commit => (false, None),
    };
    let outlet = match (sends, render) {
        (false, None) => "reply",
        (false, Some(_)) => "rendered",
        (true, None) => "draft",
        (true, Some(_)) => "rendered_draft",
    };
    let (outlet, render) = (Ident::new(outlet, at), render.into_iter());
    let end = quote_spanned! {at=>
        let toolkit_r = ToolkitReturned(toolkit_r);
        let toolkit_causes = (&&&toolkit_r).toolkit_causes();
        toolkit_out.#outlet(#result #split, toolkit_causes #(, #render)*)
    };
    let blocking = matches!(ending, Ending::Tool(tool) if tool.blocking.is_some());
    let body = if blocking {
        quote_spanned!(at=> toolkit_::blocking(move || { let toolkit_r = #call; #end }))
    } else if !callee.is_async {
        quote_spanned!(at=> toolkit_::plain(move || { let toolkit_r = #call; #end }))
    } else if callee.parameters.iter().any(is_borrowed) {
        quote_spanned!(at=> toolkit_::body(async move { let toolkit_r = #call.await; #end }))
    } else {
        quote_spanned! {at=>
            let toolkit_run = move || #call;
            toolkit_::run(toolkit_run, move |toolkit_r| { #end })
        }
    };
    // What is delivered was read when it was confirmed.
    let (args, read) = match ending {
        Ending::Commit => (quote_spanned!(at=> _), TokenStream::new()),
        Ending::Tool(_) => (quote_spanned!(at=> toolkit_args), read(&slots, at)),
    };
    quote_spanned! {at=>
        const TOOLKIT_PREPARE: toolkit_::Prepare = |#args, toolkit_call| {
            #read
            #(#held)*
            let toolkit_out = toolkit_call.outlet();
            #body
        };
    }
}

/// Whether the function borrows the parameter from its body.
fn is_borrowed(parameter: &Parameter) -> bool {
    match parameter {
        Parameter::Argument(argument) => argument.lent,
        Parameter::Own(_) | Parameter::State(_) | Parameter::Context(_) => true,
        Parameter::Confirmed(taken) => is_reference(&taken.ty),
    }
}

fn is_reference(ty: &Type) -> bool {
    matches!(types::peel(ty), Type::Reference(_))
}

/// Reads every argument into its slot. A call without arguments is read too: what it brings must be
/// refused.
fn read(slots: &[(Ident, Ident)], at: Span) -> TokenStream {
    let (params, locals): (Vec<_>, Vec<_>) =
        slots.iter().map(|(param, local)| (param, local)).unzip();
    let take = match locals.as_slice() {
        [] => TokenStream::new(),
        [local] => quote_spanned!(at=> let #local = #local.take();),
        locals => quote_spanned!(at=> let (#(#locals),*) = (#(#locals.take()),*);),
    };
    quote_spanned! {at=>
        #(let mut #locals = toolkit_::slot(&#params);)*
        toolkit_args.read(&mut [#(&mut #locals),*])?;
        #take
    }
}
