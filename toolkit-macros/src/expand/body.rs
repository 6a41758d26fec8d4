//! The functions of a registration: the schema of the result, and what reads the arguments and gives
//! the body.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::Ident;

use super::{ends, here, located, param_name};
use crate::model::{Parameter, Tool};

/// Writes the schema of the result.
///
/// Expands to:
/// ```text
/// fn toolkit_output(
///     toolkit_generator: &mut toolkit_private::SchemaGenerator,
/// ) -> ::core::option::Option<toolkit_private::Schema> {
///     (&ToolkitShape::<Result<Vec<Article>, KbError>>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
/// }
/// ```
pub(super) fn output(tool: &Tool, at: Span) -> TokenStream {
    let ty = match &tool.output {
        Some(ty) => ty.to_token_stream(),
        None => quote_spanned!(at=> ()),
    };
    quote_spanned! {at=>
        fn toolkit_output(
            toolkit_generator: &mut toolkit_private::SchemaGenerator,
        ) -> ::core::option::Option<toolkit_private::Schema> {
            (&ToolkitShape::<#ty>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
        }
    }
}

/// Writes what reads the arguments and gives the body.
///
/// Expands to:
/// ```text
/// fn toolkit_prepare(
///     toolkit_args: &mut toolkit_private::Args<'_>,
///     toolkit_call: &toolkit_private::Call<'_>,
/// ) -> toolkit_private::Prepared {
///     let mut toolkit_p0 = toolkit_private::slot(&TOOLKIT_P0);
///     toolkit_args.read(&mut [&mut toolkit_p0])?;
///     let toolkit_p0 = toolkit_p0.take()?;
///     let toolkit_s0 = toolkit_call.state::<KnowledgeBase>(0)?;
///     let toolkit_out = toolkit_call.outlet();
///     toolkit_private::body(async move {
///         let toolkit_result = ToolkitReturned(search(toolkit_private::lend(&toolkit_p0), &toolkit_s0).await);
///         let toolkit_causes = (&&&toolkit_result).toolkit_causes();
///         toolkit_out.reply(toolkit_result.toolkit_split(), toolkit_causes)
///     })
/// }
/// ```
pub(super) fn prepare(tool: &Tool, at: Span) -> TokenStream {
    let function = located(&tool.ident);
    let mut slots = Vec::new();
    let mut held = Vec::new();
    let mut passed = Vec::new();
    let mut states = 0_usize;
    for (number, parameter) in tool.parameters.iter().enumerate() {
        match parameter {
            Parameter::Argument(argument) => {
                let (at, _) = ends(&argument.ty);
                let slot = local("p", slots.len(), at);
                passed.push(match argument.lent {
                    true => quote_spanned!(at=> toolkit_private::lend(&#slot)),
                    false => slot.to_token_stream(),
                });
                slots.push(slot);
            }
            Parameter::State(ty) => {
                let (at, _) = ends(ty);
                let (state, index) = (local("s", states, at), states);
                let index = proc_macro2::Literal::usize_unsuffixed(index);
                held.push(quote_spanned!(at=> let #state = toolkit_call.state::<#ty>(#index)?;));
                passed.push(quote_spanned!(at=> &#state));
                states += 1;
            }
            Parameter::Context(ty) => {
                let (at, _) = ends(ty);
                let value = local("c", number, at);
                held.push(quote_spanned!(at=> let #value = toolkit_call.context::<#ty>()?;));
                passed.push(quote_spanned!(at=> &#value));
            }
        }
    }
    let read = read(&slots, at);
    let dot_await = tool.is_async.then(|| quote_spanned!(at=> .await));
    // rustc underlines from the first of our tokens to the last: the whole return type.
    let (first, last) = match &tool.output {
        Some(ty) => ends(ty),
        None => (at, at),
    };
    let result = Ident::new("toolkit_result", first);
    let split = quote_spanned!(last=> .toolkit_split());
    quote_spanned! {at=>
        fn toolkit_prepare(
            toolkit_args: &mut toolkit_private::Args<'_>,
            toolkit_call: &toolkit_private::Call<'_>,
        ) -> toolkit_private::Prepared {
            #read
            #(#held)*
            let toolkit_out = toolkit_call.outlet();
            toolkit_private::body(async move {
                let toolkit_result = ToolkitReturned(#function(#(#passed),*) #dot_await);
                let toolkit_causes = (&&&toolkit_result).toolkit_causes();
                toolkit_out.reply(#result #split, toolkit_causes)
            })
        }
    }
}

/// Reads every argument into its slot. A call without arguments is read too: what it brings must be
/// refused.
fn read(slots: &[Ident], at: Span) -> TokenStream {
    let params = (0..slots.len()).map(param_name);
    match slots {
        [] => quote_spanned!(at=> toolkit_args.read(&mut [])?;),
        [slot] => {
            let param = param_name(0);
            quote_spanned! {at=>
                let mut #slot = toolkit_private::slot(&#param);
                toolkit_args.read(&mut [&mut #slot])?;
                let #slot = #slot.take()?;
            }
        }
        slots => quote_spanned! {at=>
            let (#(mut #slots),*) = (#(toolkit_private::slot(&#params)),*);
            toolkit_args.read(&mut [#(&mut #slots),*])?;
            let (#(#slots),*) = (#(#slots.take()?),*);
        },
    }
}

fn local(prefix: &str, number: usize, at: Span) -> Ident {
    format_ident!("toolkit_{}{}", prefix, number, span = here(at))
}
